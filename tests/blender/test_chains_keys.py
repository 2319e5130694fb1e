"""Bones that get an Euler order move as before: their keys are converted, in every action that plays on them."""

from math import pi

import bpy
import pytest
from mathutils import Quaternion

from tests.blender.rigs import apart, build, matrices, select

pytestmark = pytest.mark.every_blender

NEAR = 2e-4  # of matrix elements: what the conversion promises (1e-4 rad a joint) for two bones one on the other
BETWEEN_FRAMES = 1e-3  # ... and between whole frames, where the keys' curve goes its own way: away from the order's pole

TURNS = [(1, (1, 0, 0), 0.0), (9, (0.3, 1, 0.2), 1.1), (20, (-1, 0.4, 0.7), 2.3), (28, (0, 0.1, -1), 1.9), (40, (0.5, -0.5, 1), 0.4)]

GENTLE = [(1, (1, 0, 0), 0.0), (9, (0.3, 1, 0.2), 0.6), (20, (-1, 0.4, 0.7), 0.9), (28, (0, 0.1, -1), 0.7), (40, (0.5, -0.5, 1), 0.4)]


def rig_with_keys(mode="QUATERNION", interpolation="BEZIER", turns=TURNS, slot_before=False):
    """Two bones, both keyed in a mode without Euler order."""
    rig = build({"neck": None, "head": None}, mode=mode)
    if slot_before and hasattr(bpy.types, "ActionSlot"):  # an action that moves another object as well
        action = bpy.data.actions.new("Shared")
        action.slots.new("OBJECT", "Another")
        rig.animation_data_create().action = action
        rig.animation_data.action_slot = action.slots.new("OBJECT", rig.name)
    key(rig, mode, turns)
    for curve in curves(rig):
        for point in curve.keyframe_points:
            point.interpolation = interpolation
    return rig


def key(rig, mode, turns):
    for frame, axis, angle in turns:
        for number, bone in enumerate(rig.pose.bones):
            turn = Quaternion(axis, angle * (1 + number / 3))
            if mode == "QUATERNION":
                bone.rotation_quaternion = turn
                bone.keyframe_insert("rotation_quaternion", frame=frame)
            else:
                around, by = turn.to_axis_angle()
                bone.rotation_axis_angle = (by, *around)
                bone.keyframe_insert("rotation_axis_angle", frame=frame)


def curves(rig):
    from limber.rig.blender import actions

    action, slot = actions.playing(rig)[0]
    return actions.fcurves(action, slot)


def convert(rig, **options):
    select(rig, "head")
    bpy.ops.limber.new_chain(**options)


def worst(rig, frames, change) -> float:
    names = [bone.name for bone in rig.pose.bones]
    before = [matrices(rig, names, frame) for frame in frames]
    change()
    return max(apart(one, matrices(rig, names, frame)) for one, frame in zip(before, frames, strict=True))


FRAMES = range(-3, 46)
BETWEEN = [frame / 4 for frame in range(-4, 180)]


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE"])
@pytest.mark.parametrize("interpolation", ["BEZIER", "LINEAR"])
def test_the_animation_looks_the_same_at_every_frame(mode, interpolation):
    rig = rig_with_keys(mode, interpolation)
    assert worst(rig, FRAMES, lambda: convert(rig)) < NEAR
    assert {bone.rotation_mode for bone in rig.pose.bones} == {"XYZ"}


@pytest.mark.parametrize("interpolation", ["BEZIER", "LINEAR"])
def test_between_frames_the_animation_looks_nearly_the_same(interpolation):
    rig = rig_with_keys(interpolation=interpolation, turns=GENTLE)
    assert worst(rig, BETWEEN, lambda: convert(rig)) < BETWEEN_FRAMES


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE"])
def test_stepped_keys_stay_stepped(mode):
    rig = rig_with_keys(mode, "CONSTANT")
    assert worst(rig, BETWEEN, lambda: convert(rig)) < 1e-5
    assert {len(curve.keyframe_points) for curve in curves(rig)} == {len(TURNS)}


def test_a_gentle_motion_gets_few_keys_and_keeps_those_it_had():
    rig = rig_with_keys(turns=[(1, (1, 0, 0), 0.0), (30, (1, 0, 0), 0.4), (60, (1, 0, 0), 0.1)])
    assert worst(rig, range(1, 61), lambda: convert(rig)) < NEAR
    for curve in curves(rig):
        frames = [point.co.x for point in curve.keyframe_points]
        assert {1.0, 30.0, 60.0} <= set(frames)
        assert len(frames) <= 12


def test_a_motion_through_the_orders_pole_does_not_jump():
    rig = rig_with_keys(turns=[(1, (0, 1, 0), 1.2), (25, (0.05, 1, 0), 1.95)])
    assert worst(rig, range(1, 26), lambda: convert(rig)) < NEAR


def test_a_turn_beyond_half_a_turn_goes_on():
    turns = [(1 + 5 * k, (0, 0, 1), k * pi / 3) for k in range(9)]
    rig = rig_with_keys("AXIS_ANGLE", "LINEAR", turns)
    assert worst(rig, range(1, 42), lambda: convert(rig)) < NEAR
    bpy.context.scene.frame_set(41)
    assert rig.pose.bones["neck"].rotation_euler.z == pytest.approx(8 * pi / 3, abs=1e-3)


def test_components_without_keys_keep_what_the_bone_says():
    rig = build({"neck": None, "head": None}, mode="QUATERNION")
    bone = rig.pose.bones["neck"]
    bone.rotation_quaternion = Quaternion((1, 1, 0), 1.0)
    bone.keyframe_insert("rotation_quaternion", index=0, frame=1)
    bone.rotation_quaternion[0] = 0.1
    bone.keyframe_insert("rotation_quaternion", index=0, frame=20)
    assert worst(rig, range(1, 21), lambda: convert(rig)) < NEAR


def test_a_pose_without_keys_stays():
    rig = build({"neck": None, "head": None}, mode="QUATERNION")
    rig.pose.bones["neck"].rotation_quaternion = Quaternion((1, 2, 3), 1.0)
    assert worst(rig, [1], lambda: convert(rig, order="ZXY")) < 1e-5


def test_what_repeats_beyond_its_keys_does_so_over_the_scene():
    rig = rig_with_keys(turns=[(1, (1, 0, 0), 0.0), (8, (1, 0.5, 0), 0.5), (15, (1, 0, 0), 0.0)])
    for curve in curves(rig):
        curve.modifiers.new("CYCLES")
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 60
    assert worst(rig, range(1, 61), lambda: convert(rig)) < NEAR


def test_actions_of_nla_strips_are_converted_too():
    rig = rig_with_keys(turns=GENTLE)
    animation = rig.animation_data
    track = animation.nla_tracks.new()
    strip = track.strips.new("walk", 5, animation.action)
    if hasattr(strip, "action_slot"):
        strip.action_slot = animation.action_slot
    animation.action = None
    strip.scale = 1.5
    assert worst(rig, range(1, 70), lambda: convert(rig)) < BETWEEN_FRAMES  # a stretched strip shows its keys' frames and what is between


def test_actions_within_meta_strips_are_converted_too():
    rig = rig_with_keys(turns=GENTLE)
    animation = rig.animation_data
    track = animation.nla_tracks.new()
    strips = [track.strips.new(name, start, animation.action) for name, start in (("walk", 1), ("again", 60))]
    for strip in strips:
        if hasattr(strip, "action_slot"):
            strip.action_slot = animation.action_slot
        strip.select = True
    animation.action = None
    window = bpy.context.window_manager.windows[0]
    area = window.screen.areas[0]
    area.type = "NLA_EDITOR"
    with bpy.context.temp_override(window=window, area=area, region=area.regions[-1]):
        bpy.ops.nla.meta_add()
    assert [strip.type for strip in track.strips] == ["META"]
    assert worst(rig, range(1, 100), lambda: convert(rig)) < BETWEEN_FRAMES


def test_an_action_that_moves_several_objects_is_converted_where_it_moves_the_rig():
    rig = rig_with_keys(slot_before=True)
    assert worst(rig, FRAMES, lambda: convert(rig)) < NEAR


def test_another_rig_on_the_same_action_moves_as_before():
    rig = rig_with_keys()
    bpy.ops.object.mode_set(mode="OBJECT")
    other = rig.copy()
    bpy.context.scene.collection.objects.link(other)
    assert other.animation_data.action == rig.animation_data.action
    names = [bone.name for bone in rig.pose.bones]
    before = [matrices(other, names, frame) for frame in FRAMES]
    convert(rig)
    assert max(apart(one, matrices(other, names, frame)) for one, frame in zip(before, FRAMES, strict=True)) < 1e-6


def test_quaternion_keys_do_not_stay_behind():
    rig = rig_with_keys()
    convert(rig)
    assert {curve.data_path.rpartition(".")[2] for curve in curves(rig)} == {"rotation_euler"}


def test_bones_off_the_chain_keep_their_mode_and_keys():
    rig = build({"neck": None, "head": None, "arm": None}, mode="QUATERNION", parents={"arm": "neck"})
    key(rig, "QUATERNION", TURNS)
    assert worst(rig, FRAMES, lambda: convert(rig)) < NEAR
    assert rig.pose.bones["arm"].rotation_mode == "QUATERNION"


def test_giving_an_order_later_converts_keys_as_well():
    rig = rig_with_keys()
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
    select(rig, "head")
    bpy.ops.limber.new_chain()
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION"
    assert worst(rig, FRAMES, bpy.ops.limber.give_euler_order) < NEAR


def test_keys_of_a_linked_action_refuse_the_change_and_nothing_changes(tmp_path):
    rig = rig_with_keys()
    library = tmp_path / "actions.blend"
    bpy.data.libraries.write(str(library), {rig.animation_data.action})
    local = rig.animation_data.action
    with bpy.data.libraries.load(str(library), link=True) as (source, wanted):
        wanted.actions = source.actions
    rig.animation_data.action = wanted.actions[0]
    if hasattr(rig.animation_data, "action_slot"):
        rig.animation_data.action_slot = wanted.actions[0].slots[0]
    bpy.data.actions.remove(local)
    with pytest.raises(RuntimeError, match="make the action local"):
        convert(rig)
    assert {bone.rotation_mode for bone in rig.pose.bones} == {"QUATERNION"}
    assert len(rig.limber.chains) == 0


def test_undo_brings_modes_and_keys_back(undo_step):
    rig = rig_with_keys()
    undo_step("keys")
    names = [bone.name for bone in rig.pose.bones]
    before = [matrices(rig, names, frame) for frame in FRAMES]
    convert(rig)
    undo_step("New Chain")
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    assert {bone.rotation_mode for bone in rig.pose.bones} == {"QUATERNION"}
    assert {curve.data_path.rpartition(".")[2] for curve in curves(rig)} == {"rotation_quaternion"}
    assert max(apart(one, matrices(rig, names, frame)) for one, frame in zip(before, FRAMES, strict=True)) == 0
