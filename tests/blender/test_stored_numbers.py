"""Tests any stored numbers of settings in a .blend: after opening they are within the settings' bounds, and
all functions that use them work.
"""

import math
import random
from collections.abc import Iterator
from contextlib import suppress

import bpy
import pytest
from limber import registration
from limber.rig.chains import kept_posture
from limber.rig.chains.chain import storage_of
from limber.rig.properties import stored_numbers
from limber.rig.robot import remote

from tests.blender import mechanisms
from tests.blender.drawing import drawn
from tests.blender.following import follower
from tests.blender.rigs import looking_chain, make_active
from tests.blender.shown import no_handler_raises  # noqa: F401
from tests.blender.test_whatever_is_pressed import ELSEWHERE

pytestmark = pytest.mark.every_blender

WHOLE = (-(2**31), 2**31 - 1, -1, 0)
REAL = (float("nan"), float("inf"), float("-inf"), 3e38, -3e38, 0.0, 1e-38)


def numbers_of(group) -> Iterator[tuple]:
    """All numbers and choices of a property group and of the groups in it: (group, property)."""
    for prop in group.bl_rna.properties:
        if prop.type == "COLLECTION":
            for item in getattr(group, prop.identifier):
                yield from numbers_of(item)
        elif prop.type == "POINTER" and isinstance(prop.fixed_type, bpy.types.PropertyGroup):
            yield from numbers_of(getattr(group, prop.identifier))
        elif prop.type in ("INT", "FLOAT", "ENUM") and not prop.is_readonly:
            yield group, prop


def numbers() -> Iterator[tuple]:
    for scene in bpy.data.scenes:
        yield from numbers_of(scene.limber_behaviour)
    for thing in bpy.data.objects:
        yield from numbers_of(thing.limber)
        for bone in thing.pose.bones if thing.pose else ():
            yield from numbers_of(bone.limber_body)


def store(group, name: str, value) -> None:
    """Writes a number into the storage that is saved, ignoring the property's bounds."""
    storage = group if bpy.app.version < (5, 0, 0) else group.bl_system_properties_get(do_create=True)
    storage[name] = value


def extreme(prop, chance: random.Random):
    if prop.type == "FLOAT":
        return (
            [chance.choice(REAL) for _ in range(prop.array_length)] if prop.is_array else chance.choice(REAL)
        )
    return chance.choice(WHOLE)


def reopened(path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False, use_scripts=False)


def beyond() -> list[str]:
    """Numbers that are stored beyond their bounds."""
    found = []
    for group, prop in numbers():
        if not (storage := storage_of(group)) or storage.get(prop.identifier) is None:
            continue
        value = getattr(group, prop.identifier)
        if prop.type == "ENUM":
            values = {item.identifier for item in prop.enum_items_static}
            is_within = not values or (value <= values if prop.is_enum_flag else value in values)
        else:
            is_within = all(
                prop.hard_min <= one <= prop.hard_max
                for one in (storage[prop.identifier] if prop.is_array else [value])
            )
        if not is_within:
            found.append(f"{group.__class__.__name__}.{prop.identifier} is {value}")
    return found


def chain() -> None:
    rig, _ = looking_chain()
    make_active(rig)
    bpy.ops.limber.store_posture()
    bpy.ops.limber.add_zone()


def body() -> None:
    make_active(follower()[0])


def mechanism() -> None:
    make_active(mechanisms.add("neck"))
    bpy.ops.limber.store_posture()


def behaviour() -> None:
    chain()
    bpy.ops.limber.add_ready_set(name="ATTENTIVE")
    for items in ("gestures", "chains", "postures"):
        bpy.ops.limber.add_to_behaviour(items=items)


def lamp() -> None:
    bpy.ops.limber.add_demo_lamp()
    make_active(next(thing for thing in bpy.data.objects if thing.type == "ARMATURE"))
    for button in ("add_channel", "add_auxiliary", "add_end", "add_target"):
        operator = getattr(bpy.ops.limber, button)
        if button in dir(bpy.ops.limber) and operator.poll():
            with suppress(RuntimeError):
                operator()


MAKERS = pytest.mark.parametrize(
    "make", [chain, body, mechanism, behaviour, lamp], ids=lambda make: make.__name__
)


def is_shown(panel) -> bool:
    """Whether a panel and its parents are shown."""
    above = getattr(bpy.types, getattr(panel, "bl_parent_id", ""), None)
    return (above is None or is_shown(above)) and (not hasattr(panel, "poll") or panel.poll(bpy.context))


def press_everything() -> list[str]:
    """Exceptions raised while every panel is drawn and every button pressed."""
    broken = []
    thing = bpy.context.object
    for cls in registration.classes():
        if issubclass(cls, bpy.types.Panel) and is_shown(cls):
            try:
                drawn(cls)
            except Exception as error:  # any exception of a panel is reported with its name
                broken.append(f"{cls.__name__}: {error!r}")
    names = {
        cls.bl_idname.partition(".")[2]
        for cls in registration.classes()
        if issubclass(cls, bpy.types.Operator)
    }
    for name in sorted(names - ELSEWHERE):
        make_active(thing)
        try:
            getattr(bpy.ops.limber, name)()
        except RuntimeError as error:
            if "Traceback" in str(error):
                broken.append(f"{name}: {error}")
    return broken


@MAKERS
@pytest.mark.parametrize("seed", range(3))
def test_whatever_a_file_stores_it_opens_draws_and_answers_in_sentences(make, seed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chance = random.Random(seed)
    make()
    bpy.context.scene.frame_end = 2
    name = bpy.context.object.name
    for group, prop in list(numbers()):
        if chance.random() < (1.0, 0.3, 0.05)[seed]:
            store(group, prop.identifier, extreme(prop, chance))
    assert beyond()
    reopened(tmp_path / "extreme.blend")
    make_active(bpy.data.objects[name])
    assert not beyond()
    if bpy.ops.limber.live.poll():
        with suppress(RuntimeError):  # a refusal with a sentence
            bpy.ops.limber.live()
    for frame in (1, 2):
        bpy.context.scene.frame_set(frame)
    assert not (broken := press_everything()), "\n".join(broken)


def extreme_file(path) -> str:
    """Path of a file whose stored numbers are all beyond their bounds; the open file is empty afterwards."""
    chain()
    for group, prop in list(numbers()):
        store(group, prop.identifier, extreme(prop, random.Random(1)))
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return str(path)


def take(path: str, link: bool) -> None:
    """Appends or links all objects of a file."""
    with bpy.data.libraries.load(path, link=link) as (there, here):
        here.objects = there.objects
    assert beyond()


@pytest.mark.parametrize("link", [False, True], ids=["appended", "linked"])
@pytest.mark.parametrize("removed", [0, 1, 20], ids=["no others", "for another one", "for more others"])
def test_what_is_taken_from_another_file_is_within_its_bounds_too(removed, link, tmp_path):
    path = extreme_file(tmp_path / "extreme.blend")
    others = [bpy.data.objects.new("Another", None) for _ in range(removed)]
    stored_numbers.bring_within_bounds()
    take(path, link)
    bpy.data.batch_remove(others)
    for thing in bpy.data.objects:
        bpy.context.collection.objects.link(thing)
    bpy.context.view_layer.update()
    assert not beyond()


def test_what_is_appended_after_others_were_deleted_is_within_its_bounds_too(tmp_path):
    chain()
    for group, prop in list(numbers()):
        store(group, prop.identifier, extreme(prop, random.Random(1)))
    path = tmp_path / "extreme.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    for _ in range(9):
        bpy.context.collection.objects.link(bpy.data.objects.new("Other", None))
    bpy.context.view_layer.update()
    bpy.data.batch_remove(list(bpy.data.objects)[1:])
    bpy.context.view_layer.update()
    with bpy.data.libraries.load(str(path)) as (there, here):
        here.objects = there.objects
    for appended in here.objects:
        bpy.context.collection.objects.link(appended)
    assert beyond()
    bpy.context.view_layer.update()
    assert not beyond()


def test_the_number_of_postures_that_a_file_claims_makes_no_items_and_a_posture_can_be_stored_at_its_end(
    tmp_path,
):
    chain()
    settings = bpy.context.object.limber.chains[0]
    store(settings, "last_posture", 2**31 - 1)
    store(settings, "posture", 2_000_000_000)
    name = bpy.context.object.name
    reopened(tmp_path / "claims.blend")
    make_active(bpy.data.objects[name])
    settings = bpy.context.object.limber.chains[0]
    assert kept_posture.number(settings) == 2_000_000_000
    assert len(kept_posture.items(settings, bpy.context)) == 2
    for _ in range(3):
        assert bpy.ops.limber.store_posture() == {"FINISHED"}
    known = kept_posture.numbers(settings)
    assert len(set(known)) == len(known) == 4
    assert settings.posture == str(known[-1])


def test_remote_control_listens_on_a_port_that_exists_whatever_a_file_says(tmp_path):
    chain()
    name = bpy.context.object.name
    store(bpy.context.object.limber.remote, "port", 70_000)
    reopened(tmp_path / "port.blend")
    make_active(bpy.data.objects[name])
    assert bpy.context.object.limber.remote.port == 65_535
    try:
        bpy.ops.limber.remote()
    finally:
        remote.end_all()


def test_a_stored_number_without_bounds_of_its_own_is_one_that_can_be_computed_with(tmp_path):
    chain()
    name = bpy.context.object.name
    for field, number in (("jerk", 3e38), ("acceleration", -math.inf), ("velocity", math.nan)):
        store(bpy.context.object.limber.chains[0].joints[0], field, number)
    reopened(tmp_path / "large.blend")
    joint = bpy.data.objects[name].limber.chains[0].joints[0]
    assert joint.jerk == pytest.approx(1e12)
    assert all(
        math.isfinite(number) and abs(number) <= 1e12 for number in (joint.acceleration, joint.velocity)
    )
