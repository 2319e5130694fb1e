"""Tests the ready mechanisms: each closes, follows its target, and leaves authored data unchanged."""

import bpy
import numpy as np
import pytest

from tests.blender import mechanisms as those

KINDS = (
    "four_bar",
    "crank_slider",
    "pantograph",
    "delta",
    "stewart",
    "neck",
    "eye",
    "every_kind",
    "serial_arm",
)
# degrees of freedom by Kutzbach's formula with the loops' own geometry; in addition, rods between two ball
# joints spin
MOBILITY = {
    "four_bar": 1,
    "crank_slider": 1,
    "pantograph": 2,
    "delta": 3 + 6,
    "stewart": 6,
    "neck": 3 + 2,
    "eye": 2 + 2,
    "every_kind": 1,
    "serial_arm": 12,
}
CLOSED = 2e-6  # [m] tolerance of a closed joint in single precision


def stir(owner, amount: float = 1.0) -> None:
    """Changes the goal."""
    kept = owner.limber.mechanism
    if kept.drive == "MOTORS":
        kept.motors[0].value = 0.6 * amount
    elif kept.goals[0].does == "ORIENTATION":
        kept.goals[0].target.rotation_euler = (0.15 * amount, 0.0, 0.1 * amount)
    else:
        kept.goals[0].target.location.x += 0.015 * amount
    bpy.context.view_layer.update()


@pytest.mark.parametrize("kind", KINDS)
def test_a_ready_mechanism_moves_as_a_whole_and_comes_back(kind):
    owner = those.add(kind)
    before = those.shown(owner)
    bpy.ops.limber.live()
    assert those.session(owner).problem == ""
    assert those.session(owner).remark == ""
    assert those.furthest(before, those.shown(owner)) < 1e-5, (
        "a mechanism that is authored closed does not jump"
    )
    stir(owner)
    those.settle(owner)
    session = those.session(owner)
    assert session.problem == ""
    assert session.outputs.is_closed
    assert session.outputs.report.assembled
    assert session.remark == "", "what is asked is within reach"
    assert those.furthest(before, those.shown(owner)) > 5e-3
    _assert_joints_hold(owner, before, those.shown(owner))
    bpy.ops.limber.end_live()
    assert those.furthest(before, those.shown(owner)) < 1e-7, "what is authored is untouched"


def _assert_joints_hold(owner, before, now) -> None:
    """Asserts that points which two bodies share in the authored pose coincide in the shown pose."""
    for empty in owner.users_collection[0].all_objects:
        part = empty.limber.part
        if part.kind not in {"revolute", "spherical", "universal", "fixed"} or not (
            part.first and part.second
        ):
            continue
        at = np.array(empty.matrix_world)[:, 3]
        ends = [now[body.name] @ np.linalg.inv(before[body.name]) @ at for body in (part.first, part.second)]
        assert np.linalg.norm(ends[0] - ends[1]) < CLOSED, empty.name


@pytest.mark.parametrize("kind", KINDS)
def test_check_counts_the_freedoms_of_ready_mechanisms(kind):
    from limber.rig.authoring.mechanism.check import check

    owner = those.add(kind)
    outcome = check(bpy.context, owner)
    assert outcome.counts.mobility == MOBILITY[kind]
    assert outcome.counts.independent_actuators == len(owner.limber.mechanism.motors)
    assert not outcome.findings
    assert f"mobility {MOBILITY[kind]}" in outcome.sentence


def test_a_target_is_met_by_the_body_that_follows_it():
    owner = those.add("stewart")
    bpy.ops.limber.live()
    target = owner.limber.mechanism.goals[0].target
    target.location.z += 0.02
    target.rotation_euler = (0.1, 0.05, 0.2)
    those.settle(owner)
    assert np.abs(those.world(bpy.data.objects["Platform"]) - those.world(target)).max() < 1e-6


def test_motors_stay_within_their_limits_where_the_target_cannot_be_met():
    owner = those.add("stewart")
    bpy.ops.limber.live()
    owner.limber.mechanism.goals[0].target.location.z += 0.5
    those.settle(owner)
    session = those.session(owner)
    assert max(map(abs, session.outputs.values)) <= 0.06 + 1e-6
    assert session.outputs.is_closed
    assert "limit" in session.remark


def test_the_filter_lets_the_motors_move_no_faster_than_they_can():
    owner = those.add("neck")
    kept = owner.limber.mechanism
    kept.motors[0].velocity = 0.5
    bpy.ops.limber.live()
    kept.goals[0].target.rotation_euler = (0.0, 0.0, 0.8)
    values = []
    for k in range(30):
        those.clock(1, 100.0 + k * those.FRAME)
        values.append(those.session(owner).outputs.values[0])
        assert those.session(owner).outputs.is_closed
    assert np.abs(np.diff(values)).max() <= 0.5 * those.FRAME * 1.001
    assert abs(values[-1]) > 0.1


def test_the_whole_mechanism_goes_with_what_it_is_mounted_on():
    owner = those.add("stewart", place=(0.0, 0.0, 0.0))
    owner.limber.mechanism.goals[0].target.parent = None
    bpy.ops.limber.live()
    values = those.session(owner).outputs.values
    for thing in (owner, owner.limber.mechanism.goals[0].target):
        thing.location.x += 1.0
    those.clock(60)
    assert np.abs(np.subtract(values, those.session(owner).outputs.values)).max() < 1e-6
    assert abs(those.world(bpy.data.objects["Platform"])[0, 3] - 1.0) < 1e-5


def test_frames_that_follow_each_other_move_it_and_a_jump_starts_at_rest():
    owner = those.add("stewart")
    scene, target = bpy.context.scene, owner.limber.mechanism.goals[0].target
    target.keyframe_insert("location", frame=1)
    target.location.x += 0.04
    target.keyframe_insert("location", frame=20)
    scene.frame_set(1)
    bpy.ops.limber.live()
    played = []
    for frame in range(2, 21):
        scene.frame_set(frame)
        played.append(those.session(owner).outputs.values)
    assert np.abs(np.diff(played, axis=0)).max() > 1e-5
    scene.frame_set(10)  # a jump back
    outputs = those.session(owner).outputs
    assert np.abs(np.subtract(outputs.values, outputs.desired)).max() < 1e-9


def test_undo_takes_live_away_and_brings_it_back(undo_step):
    owner = those.add("four_bar")
    undo_step("added")
    before = those.shown(owner)
    bpy.ops.limber.live()
    owner.limber.mechanism.motors[0].value = 0.5
    those.settle(owner)
    undo_step("live")
    bpy.ops.ed.undo()
    owner = bpy.data.objects["Four-Bar"]
    assert not owner.limber.mechanism.live
    assert those.furthest(before, those.shown(owner)) < 1e-7
    bpy.ops.ed.redo()
    owner = bpy.data.objects["Four-Bar"]
    assert owner.limber.mechanism.live
    those.clock(60)
    assert those.furthest(before, those.shown(owner)) > 1e-2


def test_a_file_saved_while_live_holds_what_is_authored_and_goes_on_when_it_is_opened(reopen):
    owner = those.add("stewart")
    before = those.shown(owner)
    bpy.ops.limber.live()
    owner.limber.mechanism.goals[0].target.location.z += 0.03
    those.settle(owner)
    live = those.shown(owner)
    path = reopen()
    owner = bpy.data.objects["Stewart Platform"]
    assert owner.limber.mechanism.live
    assert those.furthest(live, those.shown(owner)) < 1e-5
    copy = path.with_name("copy.blend")  # Blender cannot read data from the open file
    copy.write_bytes(path.read_bytes())
    with bpy.data.libraries.load(str(copy)) as (found, _):
        assert not [name for name in found.objects if name.startswith("Limber")]
    bpy.ops.limber.end_live()
    assert those.furthest(before, those.shown(owner)) < 1e-7


def test_baked_motion_is_what_live_shows():
    owner = those.add("neck")
    scene, kept = bpy.context.scene, owner.limber.mechanism
    target = kept.goals[0].target
    target.keyframe_insert("rotation_euler", frame=1)
    target.rotation_euler = (0.2, 0.1, 0.6)
    target.keyframe_insert("rotation_euler", frame=15)
    kept.frame_start, kept.frame_end = 1, 15
    scene.frame_set(1)
    bpy.ops.limber.live()
    live = []
    for frame in range(1, 16):
        scene.frame_set(frame)
        live.append((those.shown(owner), those.session(owner).outputs.values))
    bpy.ops.limber.bake()
    assert not kept.live
    for frame, (poses, values) in enumerate(live, 1):
        scene.frame_set(frame)
        assert those.furthest(poses, those.shown(owner)) < 2e-6
        assert np.abs(np.subtract([motor.value for motor in kept.motors], values)).max() < 1e-6


def test_assemble_closes_a_sketch_and_keeps_it():
    owner = those.add("four_bar")
    bpy.data.objects["Rocker"].location.x += 0.01
    coupler = bpy.data.objects["Coupler"]
    gap = bpy.data.objects.new("Coupler End", None)
    gap.parent, gap.location = coupler, (0.14, 0.0, 0.09)
    owner.users_collection[0].objects.link(gap)
    gap.rotation_euler = bpy.data.objects[
        "Rocker Pin"
    ].matrix_basis.to_euler()  # both ends of a hinge have the same axis
    pin = bpy.data.objects["Rocker Pin"].limber.part
    pin.first, pin.second, pin.meets = bpy.data.objects["Rocker"], coupler, gap
    bpy.ops.limber.assemble_mechanism()
    first = those.shown(owner)
    bpy.ops.limber.live()
    assert those.furthest(first, those.shown(owner)) < 1e-5


def test_live_starts_again_from_any_frame_of_what_was_baked():
    owner = those.add("four_bar")
    scene, kept = bpy.context.scene, owner.limber.mechanism
    motor = kept.motors[0]
    for frame, value in ((1, 0.0), (20, 1.2)):
        motor.value = value
        motor.keyframe_insert("value", frame=frame)
    kept.frame_start, kept.frame_end = 1, 20
    bpy.ops.limber.bake()
    scene.frame_set(15)
    before = those.shown(owner)
    motors_before = motor.value
    kept.drive = "TARGETS"
    those.with_idle_goal(owner)
    bpy.ops.limber.live()
    assert those.session(owner).problem == ""
    assert those.furthest(before, those.shown(owner)) < 1e-5
    assert motors_before > 0.5


def test_two_mechanisms_move_at_once_and_end_one_by_one():
    first = those.add("four_bar", place=(0.0, 0.0, 0.0))
    second = those.add("stewart", place=(1.0, 0.0, 0.0))
    before = {**those.shown(first), **those.shown(second)}
    for owner in (first, second):
        those.make_active(owner)
        bpy.ops.limber.live()
        stir(owner)
    those.settle(first)
    those.settle(second)
    moved = those.shown(second)
    those.make_active(first)
    bpy.ops.limber.end_live()
    assert those.furthest({name: before[name] for name in those.shown(first)}, those.shown(first)) < 1e-7
    assert those.furthest(moved, those.shown(second)) < 1e-7
    assert those.furthest(before, {**those.shown(first), **moved}) > 5e-3


@pytest.mark.every_blender
def test_a_copy_of_a_body_made_while_live_stands_where_it_was_made():
    owner = those.add("stewart")
    bpy.ops.limber.live()
    platform = bpy.data.objects["Platform"]
    authored = np.array(platform.matrix_basis)
    copy = platform.copy()
    owner.users_collection[0].objects.link(copy)
    those.update()
    stir(owner)
    those.settle(owner)
    assert not len(copy.constraints)
    assert np.abs(np.array(copy.matrix_basis) - authored).max() < 1e-7


def test_limbers_constraint_comes_back_where_it_was_deleted_while_live():
    owner = those.add("stewart")
    bpy.ops.limber.live()
    stir(owner)
    those.settle(owner)
    platform = bpy.data.objects["Platform"]
    shown = those.world(platform)
    platform.constraints.clear()
    those.update()
    assert np.abs(those.world(platform) - shown).max() < 1e-6


@pytest.mark.every_blender
def test_a_target_that_was_deleted_is_named_and_the_mechanism_stands_still():
    owner = those.add("stewart")
    bpy.ops.limber.live()
    target = owner.limber.mechanism.goals[0].target
    shown = those.shown(owner)
    for collection in target.users_collection:
        collection.objects.unlink(target)
    those.clock(5)
    assert "target 'Platform Target' was deleted: choose another target" in those.session(owner).problem
    assert those.furthest(shown, those.shown(owner)) < 1e-6


def test_rendering_shows_what_playing_shows_and_leaves_live_where_it_is():
    from limber.rig.live import live

    owner = those.add("stewart")
    scene, target = bpy.context.scene, owner.limber.mechanism.goals[0].target
    target.keyframe_insert("location", frame=1)
    target.location.x += 0.04
    target.keyframe_insert("location", frame=10)
    scene.frame_set(1)
    bpy.ops.limber.live()
    here = those.session(owner).outputs.values
    live.begin_render()
    live.end_render(scene)
    assert those.session(owner).outputs.values == here
    assert those.world(bpy.data.objects["Platform"])[0, 3] == pytest.approx(0.5, abs=1e-6)


def test_more_motors_than_freedoms_agree_with_one_another_all_the_way():
    owner = those.add("four_bar")
    kept = owner.limber.mechanism
    for name in ("Rocker Shaft", "Crank Pin"):
        those.make_active(bpy.data.objects[name])
        bpy.ops.limber.add_motors()
    kept.motors[1].velocity = 0.4  # slower than the others
    those.make_active(owner)
    bpy.ops.limber.live()
    kept.motors[0].value = 0.8
    kept.drive = "TARGETS"
    goal = kept.goals.add()
    goal.name, goal.does, goal.body = "Rocker", "ORIENTATION", bpy.data.objects["Rocker"]
    goal.target = those.box("wanted")
    goal.target.rotation_euler.y = -0.25  # in the other direction the crank is soon at its dead centre
    for k in range(20):
        those.clock(1, 100.0 + k * those.FRAME)
        session = those.session(owner)
        assert session.outputs.is_closed
        assert session.problem == ""
    shown = [session.solver.values(session.state.shown, motor.bone)[0] for motor in kept.motors]
    assert np.abs(np.subtract(session.outputs.values, shown)).max() < 1e-9
    assert abs(shown[1]) > 0.02
    for k in range(20, 120):
        those.clock(1, 100.0 + k * those.FRAME)
    assert abs(those.session(owner).outputs.values[1]) == pytest.approx(0.25, abs=1e-4)
