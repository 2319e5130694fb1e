"""Tests retargets and armatures from other files: a linked body requires an override; overridden bodies and
linked sources work as usual.
"""

from pathlib import Path

import bpy
import pytest
from limber.rig.live import live

from tests.blender.figures import CMU, XSENS, figure, walk
from tests.blender.following import follower, in_the_air, motion
from tests.blender.rigs import apart, make_active
from tests.blender.shown import no_handler_raises, traces  # noqa: F401

pytestmark = pytest.mark.every_blender

FRAMES = range(1, 11)


@pytest.fixture
def library(tmp_path: Path):
    """Files with a body, and with a walking source, each in its own collection."""

    class Library:
        def save(self, is_live: bool = False) -> None:
            """Makes both, paired, and saves them; the open file is empty afterwards."""
            rig, source = follower()
            if is_live:
                bpy.ops.limber.live()
            bpy.ops.object.mode_set(mode="OBJECT")
            for thing in (source, rig):
                collection = bpy.data.collections.new(f"{thing.name}s")
                bpy.context.scene.collection.children.link(collection)
                collection.objects.link(thing)
                bpy.context.scene.collection.objects.unlink(thing)
            bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)

        def link(self, name: str):
            """Links one of them with its collection."""
            with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
                wanted.collections = [f"{name}s"]
            bpy.context.scene.collection.children.link(wanted.collections[0])
            bpy.context.view_layer.update()
            return wanted.collections[0].objects[name]

        def override(self, name: str):
            """Links it and makes a library override of it."""
            thing = self.link(name)
            made = thing.users_collection[0].override_hierarchy_create(
                bpy.context.scene, bpy.context.view_layer, do_fully_editable=True
            )
            bpy.context.view_layer.update()
            return next(each for each in made.all_objects if each.name.startswith(name))

    return Library()


def overridden(name: str):
    return next(
        thing
        for thing in bpy.data.objects
        if thing.override_library and thing.type == "ARMATURE" and thing.name.startswith(name)
    )


def says(rig) -> str:
    return live.session(rig, rig.limber.retarget).problem


@pytest.fixture
def wanted() -> list:
    """Shown motion of a body of this file, frame by frame."""
    rig, _ = follower()
    bpy.ops.limber.live()
    shown = motion(rig, FRAMES)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return shown


def test_a_linked_body_says_that_it_needs_an_override(library):
    library.save()
    bpy.context.view_layer.objects.active = library.link("Body")
    for operator in (
        bpy.ops.limber.pair_bones,
        bpy.ops.limber.live,
        bpy.ops.limber.bake,
        bpy.ops.limber.add_pair,
    ):
        with pytest.raises(RuntimeError, match="make a library override of it"):
            operator()
    assert traces() == []


def test_a_body_linked_from_a_file_that_was_saved_live_says_so_and_stands_as_it_is_authored(library):
    library.save(is_live=True)
    rig = library.link("Body")
    assert rig.limber.retarget.live
    before = motion(rig, (1,))
    after = motion(rig, (9,))
    assert apart(before, after) == 0.0
    assert "is linked from another file: make a library override" in says(rig)
    assert traces() == []


def test_a_body_of_this_file_follows_a_linked_source(library, wanted):
    library.save()
    source = library.link("Source")
    rig = figure(XSENS, "Mine", arms_out=True)
    rig.limber.retarget.source = source
    bpy.ops.limber.pair_bones()
    in_the_air(bpy.context.object)
    bpy.ops.limber.live()
    assert says(rig) == ""
    assert apart(motion(rig, FRAMES), wanted) < 1e-5


@pytest.mark.parametrize("where", ["linked", "overridden", "local"])
def test_an_overridden_body_follows_any_source_and_leaves_no_trace(library, wanted, where: str):
    library.save()
    if where == "local":
        source = figure(CMU, "Mine")
        walk(source, CMU)
    else:
        source = library.link("Source") if where == "linked" else library.override("Source")
    rig = library.override("Body")
    make_active(rig)
    rig.limber.retarget.source = source
    bpy.context.scene.frame_set(1)
    before = motion(rig, (1,))
    bpy.ops.limber.pair_bones()
    in_the_air(bpy.context.object)
    bpy.ops.limber.live()
    assert says(rig) == ""
    assert apart(motion(rig, FRAMES), wanted) < 1e-5
    bpy.ops.limber.end_live()
    assert traces() == []
    assert apart(motion(rig, (1,)), before) == 0.0


def test_pairs_made_on_an_override_come_back_with_the_file(library, reopen, wanted):
    library.save()
    source = library.override("Source")
    rig = library.override("Body")
    make_active(rig)
    retarget = rig.limber.retarget
    retarget.source = source
    bpy.ops.limber.pair_bones()
    in_the_air(bpy.context.object)
    retarget.pairs[3].weight, retarget.pairs[2].enabled, retarget.shift = 0.25, False, (1.0, 0.0, 0.0)
    facts = [
        (pair.target, pair.source, pair.weight, pair.enabled, pair.calibrated, *pair.offset)
        for pair in retarget.pairs
    ]
    bpy.ops.limber.live()
    shown = motion(rig, FRAMES)
    for _ in range(2):  # Blender computes the overridden properties again at each save
        reopen()
        rig = overridden("Body")
        retarget = rig.limber.retarget
        assert [
            (pair.target, pair.source, pair.weight, pair.enabled, pair.calibrated, *pair.offset)
            for pair in retarget.pairs
        ] == facts
        assert retarget.live
        assert retarget.source == overridden("Source")
        assert says(rig) == ""
        assert apart(motion(rig, FRAMES), shown) < 1e-3
    make_active(rig)
    bpy.ops.limber.end_live()
    assert traces() == []


def test_an_override_of_a_body_that_was_saved_live_follows_at_once(library, wanted):
    library.save(is_live=True)
    library.link("Source")
    rig = library.override("Body")
    assert rig.limber.retarget.live
    assert apart(motion(rig, FRAMES), wanted) < 1e-5
    assert says(rig) == ""


def test_an_override_whose_source_is_in_no_scene_says_so(library):
    library.save(is_live=True)
    rig = library.override("Body")
    bpy.context.scene.frame_set(2)
    assert "is not in scene" in says(rig)


def test_pairs_of_the_library_that_names_do_not_tell_are_switched_off(library):
    library.save()
    rig = library.override("Body")
    make_active(rig)
    source = figure(CMU, "Mine")
    walk(source, CMU)
    make_active(rig)
    rig.limber.retarget.source = source
    source.data.bones["Head"].name = "Lamp"
    bpy.ops.limber.pair_bones()
    in_the_air(bpy.context.object)
    assert [pair.target for pair in rig.limber.retarget.pairs if not pair.enabled] == ["Head"]
    assert bpy.ops.limber.live() == {"FINISHED"}


def test_a_pair_of_the_library_cannot_be_removed_but_one_of_the_override_can(library):
    library.save()
    rig = library.override("Body")
    make_active(rig)
    retarget = rig.limber.retarget
    count = len(retarget.pairs)
    retarget.active_pair = 0
    with pytest.raises(
        RuntimeError, match="It comes from the file that 'Body' is linked from: switch it off"
    ):
        bpy.ops.limber.remove_pair()
    assert len(retarget.pairs) == count
    bpy.ops.limber.add_pair()
    bpy.ops.limber.remove_pair()
    assert len(retarget.pairs) == count


def test_an_overridden_body_is_baked_to_an_action_of_this_file(library, wanted):
    library.save()
    library.link("Source")
    rig = library.override("Body")
    make_active(rig)
    rig.limber.retarget.frame_start, rig.limber.retarget.frame_end = 1, 10
    bpy.ops.limber.live()
    bpy.ops.limber.bake()
    assert rig.animation_data.action.library is None
    assert not rig.limber.retarget.live
    assert apart(motion(rig, FRAMES), wanted) < 5e-5
    assert traces() == []


def test_a_library_that_is_reloaded_leaves_the_body_in_order(library):
    library.save()
    source, rig = library.link("Source"), library.override("Body")
    make_active(rig)
    rig.limber.retarget.source = source
    bpy.ops.limber.live()
    before = motion(rig, (1, 2))
    bpy.data.libraries[0].reload()
    bpy.context.view_layer.update()
    rig = overridden("Body")
    assert rig.limber.retarget.live
    after = motion(rig, (1, 2))
    assert says(rig) == ""
    assert apart(before, after) < 1e-5
