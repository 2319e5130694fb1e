"""Tests the numbers of enumeration items, which files store: menus can store them, keys determine them, and
those of earlier versions are read.
"""

from pathlib import Path

import bpy
import pytest
from limber.rig.blender import actions
from limber.rig.chains.chain import stored_value
from limber.rig.properties.enum_items import item, other_numbers

from tests.blender.enumerations import enumerations, offered
from tests.blender.rigs import looking_chain

pytestmark = pytest.mark.every_blender

SINGLE = 2**24  # largest number up to which single precision has all whole numbers
UNKNOWN = 123_456_789  # number of no item
EARLIER = {  # numbers in files of version 0.1.0
    "expressive": 1785795400,
    "erik": 172688918,
    "dls": 1483595617,
    "sdls": 195714015,
    "nutty": 1188687292,
    "default": 1907294319,
}


def store(group, name: str, number: int) -> None:
    """Gives a property the number that a file would contain."""
    storage = group if bpy.app.version < (5, 0, 0) else group.bl_system_properties_get(do_create=True)
    storage[name] = number


def keyed_enumerations(rig) -> list[tuple[object, str, list[str]]]:
    """(group, name, keys) of the enumerations whose numbers come from their keys; without items that always
    had their own number.
    """
    found = []
    for group, name in enumerations(rig.limber):
        keys = [key for key, *_, number in offered(group, name) if number == item(key, "", "")[-1]]
        found += [(group, name, keys)] if keys else []
    return found


def test_every_number_is_one_that_single_precision_holds_and_no_two_items_share_one():
    rig, _ = looking_chain()
    for group, name in enumerations(rig.limber):
        numbers = [number for *_, number in offered(group, name)]
        assert len(set(numbers)) == len(numbers), f"{type(group).__name__}.{name}"
        assert all(-1 <= number < SINGLE for number in numbers), f"{type(group).__name__}.{name}"


def test_no_number_of_an_earlier_version_means_two_items():
    rig, _ = looking_chain()
    for group, name, keys in keyed_enumerations(rig):
        numbers = [number for key in keys for number in set(other_numbers(key))]
        now = [number for *_, number in offered(group, name)]
        assert len(set(numbers + now)) == len(numbers + now), f"{type(group).__name__}.{name}"


def test_the_numbers_of_version_0_1_0_are_known():
    assert {key: other_numbers(key)[0] for key in EARLIER} == EARLIER


def test_numbers_of_earlier_versions_are_read_as_their_items_and_a_choice_stores_the_present_number():
    rig, _ = looking_chain()
    seen = keyed_enumerations(rig)
    assert len({name for _, name, _ in seen}) > 5
    for group, name, keys in seen:
        for key in keys:
            for number in other_numbers(key):
                store(group, name, number)
                assert getattr(group, name) == key
                assert key in [known for known, *_ in offered(group, name)]
            for other in keys:
                if other != key:
                    setattr(group, name, other)
                    assert stored_value(group, name) == item(other, "", "")[-1]


def test_a_keyframe_sets_the_item_that_it_was_set_on_whichever_number_that_has():
    rig, chain = looking_chain()
    keys = [key for key, *_ in offered(chain, "solver")]
    for frame, key in enumerate(keys, 1):
        chain.solver = key
        chain.keyframe_insert("solver", frame=frame)
    for frame, key in enumerate(keys, 1):
        bpy.context.scene.frame_set(frame)
        assert rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).limber.chains[0].solver == key


def test_an_item_of_another_version_stays_in_the_file():
    _, chain = looking_chain()
    store(chain, "solver", UNKNOWN)
    assert chain.solver == ""
    assert stored_value(chain, "solver") == UNKNOWN


def test_keyframes_of_earlier_versions_hold_the_same_items():
    rig, chain = looking_chain()
    chain.keyframe_insert("solver", frame=1)
    curve = actions.find(actions.fcurves(*actions.playing(rig)[0]), f"{chain.path_from_id()}.solver", 0)
    for frame, key in enumerate(("erik", "dls", "sdls"), 2):
        curve.keyframe_points.insert(frame, EARLIER[key])
    for frame, key in enumerate(("expressive", "erik", "dls", "sdls"), 1):
        bpy.context.scene.frame_set(frame)
        assert rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).limber.chains[0].solver == key


@pytest.fixture
def library(tmp_path: Path) -> str:
    """A file of an earlier version with a rig in a collection."""
    rig, chain = looking_chain()
    bpy.ops.object.mode_set(mode="OBJECT")
    collection = bpy.data.collections.new("Robot")
    bpy.context.scene.collection.children.link(collection)
    for thing in (rig, chain.target):
        collection.objects.link(thing)
        bpy.context.scene.collection.objects.unlink(thing)
    store(chain, "solver", EARLIER["sdls"])
    store(chain, "filter", EARLIER["nutty"])
    store(rig.limber.device, "protocol", other_numbers("feetech_sts")[0])
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True)
    return path


def settings(rig) -> tuple[str, str, str]:
    chain = rig.limber.chains[0]
    return chain.solver, chain.filter, rig.limber.device.protocol


def bring_in(path: str, link: bool):
    with bpy.data.libraries.load(path, link=link) as (_there, here):
        here.collections = ["Robot"]
    bpy.context.scene.collection.children.link(here.collections[0])
    return next(thing for thing in here.collections[0].objects if thing.type == "ARMATURE")


@pytest.mark.parametrize("link", [True, False], ids=["linked", "appended"])
def test_a_rig_that_is_brought_in_from_a_file_of_an_earlier_version_has_its_settings(library, link):
    assert settings(bring_in(library, link)) == ("sdls", "nutty", "feetech_sts")


def test_an_override_of_a_rig_of_an_earlier_version_keeps_its_settings_and_what_was_chosen_in_it(
    library, tmp_path
):
    rig = bring_in(library, True)
    bpy.data.collections["Robot"].override_hierarchy_create(
        bpy.context.scene, bpy.context.view_layer, do_fully_editable=True
    )
    rig = next(thing for thing in bpy.data.objects if thing.override_library and thing.type == "ARMATURE")
    assert settings(rig) == ("sdls", "nutty", "feetech_sts")
    # as an earlier version has stored it in an override
    store(rig.limber.chains[0], "solver", EARLIER["dls"])
    rig.limber.chains[0].filter = "default"
    path = str(tmp_path / "overridden.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    rig = next(thing for thing in bpy.data.objects if thing.override_library and thing.type == "ARMATURE")
    assert settings(rig) == ("dls", "default", "feetech_sts")
