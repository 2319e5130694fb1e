"""Tests that a mechanism's motors are at zero in its rest pose, in whatever frame it is read, and whatever
keyframes its bodies have.
"""

from math import degrees, radians

import bpy
import numpy as np
import pytest
from limber.panels.mechanism.mechanisms import LIMBER_PT_mechanism

from tests.blender import mechanisms as those
from tests.blender.drawing import drawn
from tests.blender.four_bars import boned
from tests.blender.rest_poses import (
    BODIES,
    CLOSED,
    NEAR,
    SAYS,
    angle,
    bake,
    baked,
    follow,
    gap,
    go_live,
    key_motor,
    made,
    said,
    set_rest_pose,
)
from tests.blender.rigs import make_active


@pytest.mark.parametrize(
    "make", [(those.joint, "revolute"), (those.constraint, "HINGE")], ids=["empties", "rigid bodies"]
)
@pytest.mark.parametrize("frame", [1, 13, 25])
def test_a_motor_says_the_same_of_the_same_pose_at_whatever_frame_live_is_pressed(make, frame):
    owner = baked(made(*make))
    bpy.context.scene.frame_set(frame)
    value, was = owner.limber.mechanism.motors[0].value, angle()
    assert value == pytest.approx(was, abs=NEAR)
    go_live(owner, frame)
    assert those.session(owner).outputs.values[0] == pytest.approx(value, abs=NEAR)
    assert angle() == pytest.approx(was, abs=NEAR), "it shows the right place at once"
    assert gap() < CLOSED
    bpy.context.scene.frame_set(20)
    assert angle() == pytest.approx(owner.limber.mechanism.motors[0].value, abs=NEAR)


def test_motion_that_is_baked_again_from_any_frame_is_the_same_motion():
    owner, scene = made(), bpy.context.scene
    target = follow(owner)
    for frame, turn in ((1, 0.0), (25, radians(60.0))):
        target.rotation_euler.y = turn
        target.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(1)
    bake(owner)

    def motion() -> list:
        found = []
        for frame in range(1, 26, 4):
            scene.frame_set(frame)
            found.append({name: those.world(bpy.data.objects[name]) for name in BODIES})
        return found

    first = motion()
    for frame in (25, 13):
        scene.frame_set(frame)
        bake(owner)
        assert max(those.furthest(one, other) for one, other in zip(first, motion(), strict=True)) < 1e-4
        assert angle() == pytest.approx(owner.limber.mechanism.motors[0].value, abs=NEAR)
    assert degrees(angle()) == pytest.approx(60.0, abs=5.0)


def test_limits_hold_from_the_rest_pose_on_at_whatever_frame_live_is_pressed():
    owner = baked()
    kept = owner.limber.mechanism
    kept.motors[0].lower, kept.motors[0].upper = radians(-80.0), radians(80.0)
    follow(owner).rotation_euler.y = radians(120.0)
    go_live(owner, 25)
    those.settle(owner)
    assert degrees(angle()) == pytest.approx(80.0, abs=0.01)


@pytest.mark.every_blender
@pytest.mark.parametrize("drive", ["MOTORS", "TARGETS"])
def test_whole_turns_that_were_baked_are_counted_at_whatever_frame_live_is_pressed(drive):
    owner = those.add("four_bar")
    kept = owner.limber.mechanism
    kept.frame_start, kept.frame_end = 1, 49
    motor = kept.motors[0]
    motor.velocity, motor.acceleration, motor.jerk = 50.0, 5000.0, 1e6
    key_motor(owner, (1, 0.0), (49, radians(-800.0)))
    bpy.context.scene.frame_set(1)
    bake(owner)
    kept.drive = drive
    those.with_idle_goal(owner)
    for frame in (49, 25):
        bpy.context.scene.frame_set(frame)
        told = motor.value
        assert told < -3.5
        go_live(owner, frame)
        assert those.session(owner).outputs.values[0] == pytest.approx(told, abs=1e-4)
        bpy.ops.limber.end_live()


def moved_rocker():
    """A four-bar whose rocker and its pin were moved by 20 mm after the rest pose was set; returns its
    owner.
    """
    owner = made()
    for name in ("rocker", "pin D"):
        bpy.data.objects[name].location.x = 0.22
    those.update()
    return owner


def test_bodies_that_are_moved_by_hand_do_not_change_the_rest_pose_and_check_live_and_panel_say_so(capfd):
    owner = moved_rocker()
    assert f"Bodies of 'Mechanism' do not meet at joint 'pin C': {SAYS}" in said(owner)
    make_active(owner)
    labels = drawn(LIMBER_PT_mechanism).said
    assert "do not meet at joint 'pin C'" in labels
    capfd.readouterr()
    go_live(owner, 1)
    assert SAYS in capfd.readouterr().out
    assert those.session(owner).outputs.values == (0.0,)
    assert those.world(bpy.data.objects["rocker"])[0, 3] == pytest.approx(0.2, abs=1e-6)
    assert gap() < CLOSED
    assert "do not meet" not in drawn(LIMBER_PT_mechanism).said, (
        "while it is live bodies are shown where it has them"
    )


def test_set_rest_pose_takes_bodies_as_they_were_moved(undo_step):
    owner = moved_rocker()
    name = owner.name
    undo_step("moved")
    set_rest_pose(owner)
    undo_step("set")
    assert SAYS not in said(owner)
    go_live(owner, 7)
    assert those.session(owner).outputs.values == (0.0,)
    assert those.world(bpy.data.objects["rocker"])[0, 3] == pytest.approx(0.22, abs=1e-6)
    bpy.ops.limber.end_live()
    undo_step("live and ended")
    for _ in range(2):
        bpy.ops.ed.undo()
    assert SAYS in said(bpy.data.objects[name])


@pytest.mark.parametrize("is_parented", [False, True])
def test_go_to_rest_pose_puts_bodies_and_joints_back(is_parented, undo_step):
    owner = made()
    names = (*BODIES, "pin A", "pin B", "pin C", "pin D")
    if is_parented:
        for pin, body in (("A", "ground"), ("B", "crank"), ("C", "coupler"), ("D", "rocker")):
            thing, above = bpy.data.objects[f"pin {pin}"], bpy.data.objects[body]
            thing.parent, thing.matrix_parent_inverse = above, above.matrix_world.inverted()
        those.update()
    was = {name: those.world(bpy.data.objects[name]) for name in names}
    undo_step("made")
    for k, name in enumerate(names):
        bpy.data.objects[name].location.x += 0.01 * k
        bpy.data.objects[name].rotation_euler.z += 0.1 * k
    those.update()
    assert SAYS in said(owner)
    undo_step("moved")
    moved = {name: those.world(bpy.data.objects[name]) for name in names}
    make_active(owner)
    bpy.ops.limber.go_to_rest_pose()
    undo_step("back")
    assert those.furthest(was, {name: those.world(bpy.data.objects[name]) for name in names}) < 1e-6
    assert SAYS not in said(owner)
    bpy.ops.ed.undo()
    assert those.furthest(moved, {name: those.world(bpy.data.objects[name]) for name in names}) < 1e-6


def test_the_rest_pose_goes_with_the_ground_and_with_the_owner():
    owner = those.add("four_bar", place=(0.0, 0.0, 0.0))
    owner.location, owner.rotation_euler = (1.0, 2.0, 3.0), (0.3, 0.2, 0.1)
    those.update()
    assert SAYS not in said(owner)
    where = those.shown(owner)
    bpy.data.objects["Coupler"].location.x += 0.05
    those.update()
    make_active(owner)
    bpy.ops.limber.go_to_rest_pose()
    assert those.furthest(where, those.shown(owner)) < 1e-6


def test_bodies_with_keys_are_not_taken_to_the_rest_pose_since_they_would_not_stay():
    owner = baked()
    bpy.context.scene.frame_set(25)
    make_active(owner)
    with pytest.raises(RuntimeError, match=r"has keys on its .* remove them there first"):
        bpy.ops.limber.go_to_rest_pose()


def test_the_rest_pose_goes_through_saving_and_renaming(reopen):
    owner = baked()
    for name in (*BODIES, "ground", "pin A", "pin C"):
        bpy.data.objects[name].name = f"my {name}"
    bpy.context.scene.frame_set(25)
    name = owner.name
    reopen()
    owner = bpy.data.objects[name]
    go_live(owner, 25)
    assert degrees(those.session(owner).outputs.values[0]) == pytest.approx(60.0, abs=0.01)
    assert degrees(angle("my crank")) == pytest.approx(60.0, abs=0.01)
    assert SAYS not in said(owner)


def test_a_copy_of_the_whole_has_the_same_rest_pose():
    owner = baked()
    bpy.context.scene.frame_set(25)
    for thing in [
        owner,
        *(bpy.data.objects[name] for name in (*BODIES, "ground")),
        *map(bpy.data.objects.get, [f"pin {k}" for k in "ABCD"]),
    ]:
        thing.select_set(True)
    bpy.ops.object.duplicate()
    copy = next(thing for thing in bpy.context.selected_objects if thing.limber.mechanism.uid)
    assert copy != owner
    for each in (copy, owner):
        go_live(each, 25)
        assert degrees(those.session(each).outputs.values[0]) == pytest.approx(60.0, abs=0.01)
        bpy.ops.limber.end_live()


def test_a_bake_leaves_the_rest_pose_alone():
    owner = made()
    before = record(owner)
    key_motor(owner, (1, 0.3), (25, 0.9))
    bpy.context.scene.frame_set(25)
    bake(owner)
    assert record(owner) == before
    go_live(owner, 25)
    assert those.session(owner).outputs.values[0] == pytest.approx(0.9, abs=NEAR)


def record(owner) -> dict:
    """The rest pose by object's name."""
    return {item.object.name: tuple(item.matrix) for item in owner.limber.mechanism.rest_pose}


def test_a_mechanism_that_was_saved_live_at_a_keyed_frame_goes_on_with_the_same_rest_pose(reopen):
    owner = baked()
    go_live(owner, 25)
    value, name = those.session(owner).outputs.values[0], owner.name
    shown = {body: those.world(bpy.data.objects[body]) for body in BODIES}
    reopen()
    owner = bpy.data.objects[name]
    assert owner.limber.mechanism.live
    assert those.session(owner).outputs.values[0] == pytest.approx(value, abs=1e-6)
    assert those.furthest(shown, {body: those.world(bpy.data.objects[body]) for body in BODIES}) < 1e-5


def test_set_rest_pose_takes_the_pose_of_this_frame(undo_step):
    owner = baked()
    name = owner.name
    undo_step("baked")
    bpy.context.scene.frame_set(25)
    bpy.ops.limber.set_rest_pose()
    undo_step("set")
    owner.animation_data_clear()
    owner.limber.mechanism.drive = "TARGETS"
    those.with_idle_goal(owner)
    for frame, expected in ((25, 0.0), (1, -60.0)):
        go_live(owner, frame)
        assert degrees(those.session(owner).outputs.values[0]) == pytest.approx(expected, abs=0.01)
        bpy.ops.limber.end_live()
    bpy.ops.ed.undo()
    owner = bpy.data.objects[name]
    go_live(owner, 25)
    assert degrees(those.session(owner).outputs.values[0]) == pytest.approx(60.0, abs=0.01)


@pytest.mark.every_blender
@pytest.mark.parametrize("operator", ["set_rest_pose", "go_to_rest_pose"])
def test_rest_pose_operators_are_greyed_out_while_live_and_where_bodies_are_bones(operator):
    owner = made()
    go_live(owner, 1)
    with pytest.raises(RuntimeError, match="press End Live first"):
        getattr(bpy.ops.limber, operator)()
    bpy.ops.limber.end_live()
    rig, _ = boned()
    make_active(rig)
    with pytest.raises(RuntimeError, match="Bones have the armature's own rest pose"):
        getattr(bpy.ops.limber, operator)()


def test_a_mechanism_without_a_rest_pose_says_what_to_press():
    owner = made()
    owner.limber.mechanism.rest_pose.clear()
    assert "Mechanism 'Mechanism' has no rest pose: press Set Rest Pose where its motors are at zero" in said(
        owner
    )
    set_rest_pose(owner)
    assert "has no rest pose" not in said(owner)


def test_ready_mechanisms_say_nothing_of_rest_poses_before_and_after_a_bake():
    for kind in ("neck", "stewart"):
        owner = those.add(kind)
        kept = owner.limber.mechanism
        target = kept.goals[0].target
        target.keyframe_insert("rotation_euler", frame=1)
        target.rotation_euler = (0.1, 0.1, 0.2)
        target.keyframe_insert("rotation_euler", frame=10)
        kept.frame_start, kept.frame_end = 1, 40
        assert SAYS not in said(owner)
        bpy.context.scene.frame_set(1)
        bake(owner)
        bpy.context.scene.frame_set(40)
        keyed, poses = [motor.value for motor in kept.motors], those.shown(owner)
        assert max(map(abs, keyed)) > 0.005
        go_live(owner, 40)
        assert those.furthest(poses, those.shown(owner)) < 1e-3
        assert np.abs(np.subtract(those.session(owner).outputs.values, keyed)).max() < 1e-3
        assert SAYS not in said(owner)
        bpy.ops.limber.end_live()


def test_bones_are_at_zero_in_the_rest_pose_at_every_frame():
    rig, closure = boned()
    closure.kind = "revolute"
    kept = rig.limber.mechanism
    rig.data.bones.active = rig.data.bones["crank"]
    bpy.ops.limber.add_motors()
    kept.drive, kept.frame_start, kept.frame_end = "MOTORS", 1, 10
    key_motor(rig, (1, 0.0), (10, 0.5))
    bpy.context.scene.frame_set(1)
    bake(rig)
    bpy.context.scene.frame_set(10)
    value = kept.motors[0].value
    assert value > 0.3
    go_live(rig, 10)
    assert those.session(rig).outputs.values[0] == pytest.approx(value, abs=NEAR)
