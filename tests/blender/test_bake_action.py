"""Tests that a bake writes keyframes to a new action, and its effect on the earlier action, on NLA tracks
below, and on data that override keyframes.
"""

import bpy
import pytest

from tests.blender.baking import IN_KEYS, apart, curves, live_motion, moving_chain, played, walk
from tests.blender.rigs import keyed, looking_chain, target

pytestmark = pytest.mark.every_blender


@pytest.fixture
def chain():
    return moving_chain()


# The earlier action.


def test_without_an_action_a_new_one_holds_the_chains_channels_alone(rig):
    bpy.ops.limber.bake()
    action = rig.animation_data.action
    assert action.name == "Rig Baked"
    assert len(curves(rig)) == 6
    assert {len(curve.keyframe_points) for curve in curves(rig)} == {21}
    if hasattr(action, "slots"):
        assert rig.animation_data.action_slot is not None


def test_the_action_that_was_there_is_kept_and_its_other_channels_go_along(rig):
    old = walk(rig)
    before = {
        (curve.data_path, curve.array_index): [tuple(point.co) for point in curve.keyframe_points]
        for curve in curves(rig)
    }
    bpy.ops.limber.bake()
    assert rig.animation_data.action.name == "Walk Baked"
    assert old.use_fake_user
    baked = {
        (curve.data_path, curve.array_index): [tuple(point.co) for point in curve.keyframe_points]
        for curve in curves(rig)
    }
    for place, keys in before.items():
        if "rotation" not in place[0]:
            assert baked[place] == keys
    rig.animation_data.action = old
    assert {
        (curve.data_path, curve.array_index): [tuple(point.co) for point in curve.keyframe_points]
        for curve in curves(rig)
    } == before


def test_keys_outside_of_the_range_stay(rig, chain):
    walk(rig, 1, 10, 20, 30)
    frames = range(5, 26)
    wanted = live_motion(rig, [chain], frames)
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], frames)) < IN_KEYS
    curve = next(
        curve
        for curve in curves(rig)
        if "middle" in curve.data_path and "rotation" in curve.data_path and curve.array_index == 0
    )
    assert [point.co.x for point in curve.keyframe_points] == [1, *frames, 30]
    bpy.context.scene.frame_set(30)
    assert rig.pose.bones["middle"].rotation_euler.x == pytest.approx(0.6)


def test_curve_modifiers_and_mutes_do_not_change_what_was_baked(rig, chain):
    walk(rig)
    for curve in curves(rig):
        if "rotation" in curve.data_path:
            curve.modifiers.new("NOISE").strength = 3
            curve.mute = curve.array_index == 0
    frames = range(5, 26)
    wanted = live_motion(rig, [chain], frames)
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], frames)) < IN_KEYS


def test_muted_curves_play_once_baked(rig, chain):
    walk(rig)
    for curve in curves(rig):
        curve.mute = True
    frames = range(5, 26)
    wanted = live_motion(rig, [chain], frames)
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], frames)) < IN_KEYS


def test_curves_of_muted_groups_play_once_baked(rig, chain):
    walk(rig)
    rig.pose.bones["middle"].keyframe_insert("scale", frame=1, group="middle")
    for curve in curves(rig):
        if "middle" in curve.data_path:
            curve.group.mute = True
    frames = range(5, 26)
    wanted = live_motion(rig, [chain], frames)
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], frames)) < IN_KEYS
    assert {curve.mute for curve in curves(rig) if curve.data_path.endswith("scale")} == {True}, (
        "what was silent stays silent"
    )


def test_a_second_bake_makes_a_second_action_and_keeps_the_first(rig):
    bpy.ops.limber.bake()
    bpy.ops.limber.bake()
    assert sorted(action.name for action in bpy.data.actions if action.name.startswith("Rig")) == [
        "Rig Baked",
        "Rig Baked.001",
    ]
    assert bpy.data.actions["Rig Baked"].use_fake_user


@pytest.mark.skipif(bpy.app.version < (4, 4), reason="slots came with Blender 4.4")
def test_an_action_that_moves_several_objects_goes_on_moving_them(rig, chain):
    other = target(name="Ball")
    keyed(other, (1, 30))
    action = other.animation_data.action
    rig.animation_data_create().action = action
    rig.animation_data.action_slot = action.slots.new("OBJECT", "Rig")
    frames = range(5, 26)
    wanted = live_motion(rig, [chain], frames)
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], frames)) < IN_KEYS
    assert rig.animation_data.action_slot.identifier == "OBRig"
    assert other.animation_data.action == action
    assert len(curves(rig)) == 6, "the ball's channels are not the rig's"


# NLA and drivers.


def test_nla_strips_below_play_on_under_the_keys(rig, chain):
    old = walk(rig)
    animation = rig.animation_data
    strip = animation.nla_tracks.new().strips.new("walk", 1, old)
    animation.action = None
    assert strip.action == old
    frames = range(5, 26)
    wanted = live_motion(rig, [chain], frames)
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], frames)) < IN_KEYS
    assert animation.nla_tracks[0].strips[0].action == old
    bpy.context.scene.frame_set(20)
    assert rig.pose.bones["middle"].location.x > 0.01, "what was not baked still plays from the strip"


def test_an_action_that_only_adds_is_refused_with_what_to_do(rig):
    old = walk(rig)
    animation = rig.animation_data
    animation.nla_tracks.new().strips.new("walk", 1, old)
    animation.action_blend_type = "ADD"
    with pytest.raises(RuntimeError, match="set its blending to Replace"):
        bpy.ops.limber.bake()
    animation.action = None
    bpy.ops.limber.bake()
    assert animation.action_blend_type == "REPLACE"


def test_a_solo_track_and_a_tweaked_strip_are_refused(rig):
    old = walk(rig)
    animation = rig.animation_data
    track = animation.nla_tracks.new()
    track.strips.new("walk", 1, old)
    animation.action = None
    track.is_solo = True
    with pytest.raises(RuntimeError, match="end its solo"):
        bpy.ops.limber.bake()
    track.is_solo = False
    for strip in track.strips:
        strip.select = True
    animation.nla_tracks.active = track
    animation.use_tweak_mode = True
    with pytest.raises(RuntimeError, match="leave tweak mode"):
        bpy.ops.limber.bake()


def test_drivers_of_baked_channels_are_muted_named_and_back_after_undo(undo_step, capfd):
    rig, chain = looking_chain()
    chain.frame_end = 10
    rig.pose.bones["upper"].driver_add("rotation_euler", 0).driver.expression = "0.02 * frame"
    rig.pose.bones["upper"].driver_add("location", 0).driver.expression = "0.0"
    undo_step("driver")
    wanted = live_motion(rig, [chain], range(1, 11))
    assert wanted[10] != wanted[1]
    bpy.ops.limber.bake()
    undo_step("Bake")
    said = capfd.readouterr().out
    assert "Drivers of 'upper' rotation X are muted" in said
    assert apart(wanted, played(rig, [chain], range(1, 11))) < IN_KEYS
    assert [driver.mute for driver in rig.animation_data.drivers] == [True, False]
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    assert [driver.mute for driver in rig.animation_data.drivers] == [False, False]
    assert rig.animation_data.action is None


def test_an_action_of_another_file_is_copied_into_this_one(rig, chain, tmp_path):
    path = str(tmp_path / "walk.blend")
    walk(rig)
    bpy.data.libraries.write(path, {rig.animation_data.action})
    bpy.data.actions.remove(rig.animation_data.action)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.actions = ["Walk"]
    rig.animation_data.action = bpy.data.actions["Walk"]
    if hasattr(rig.animation_data, "action_slot"):
        rig.animation_data.action_slot = bpy.data.actions["Walk"].slots[0]
    frames = range(5, 26)
    motion = live_motion(rig, [chain], frames)
    bpy.ops.limber.bake()
    assert apart(motion, played(rig, [chain], frames)) < IN_KEYS
    assert rig.animation_data.action.library is None
    bpy.context.scene.frame_set(20)
    assert rig.pose.bones["middle"].location.x > 0.01, "the other channels came along"
