"""Tests closures between bones: coinciding points are joined, gaps are reported with their distance, named
pairs close at once.
"""

from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from tests.blender import mechanisms as those
from tests.blender.drawing import drawn
from tests.blender.four_bars import arms, boned
from tests.blender.rigs import select
from tests.blender.test_mechanism_messages import says
from tests.robots.test_closures import CLOSED, parallelogram

REACHY = Path(__file__).resolve().parents[3] / "shared" / "robots" / "reachy_mini"
STEWART = [f"stewart_{k}" for k in range(1, 7)]
NEUTRAL = 0.177  # [m] height of Reachy Mini's head link in the vendor's zero pose
WITHIN = 1e-4  # [rad] tolerance relative to the vendor's motor angles


def named(tmp_path, text: str = "") -> bpy.types.Object:
    """A parallelogram whose loop's ends have names as given by exporters; returns its armature."""
    text = (
        (text or parallelogram())
        .replace("plate_end", "closing_plate_1")
        .replace("right_end", "closing_plate_2")
    )
    (tmp_path / "robot.urdf").write_text(text, encoding="utf-8")
    bpy.ops.limber.import_robot(filepath=str(tmp_path / "robot.urdf"), with_meshes=False, close_loops=False)
    return bpy.context.active_object


def rest(rig):
    from limber.rig.mechanisms.poses import object_scale
    from limber.rig.mechanisms.precise_rest import rest_of

    bpy.context.view_layer.update()
    return rest_of(rig, object_scale(rig))


# -- which points meet --


def test_two_bones_are_joined_where_they_coincide(capfd):
    rig, closure = boned()
    assert (closure.first_point, closure.second_point) == ("TAIL", "TAIL")
    assert "The tail of 'coupler' meets the tail of 'rocker'" in capfd.readouterr().out
    select(rig, "coupler", "side")
    rig.data.bones.active = rig.data.bones["side"]
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["side"].tail = rig.data.edit_bones["coupler"].head
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.limber.add_closure()
    closure = rig.limber.mechanism.closures[1]
    assert (closure.first_point, closure.second_point) == ("HEAD", "TAIL")


@pytest.mark.every_blender
def test_points_that_are_apart_are_told_with_their_distance(capfd):
    rig = arms()
    bpy.ops.limber.new_mechanism()
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["rocker"].tail.y += 0.012
    bpy.ops.object.mode_set(mode="POSE")
    select(rig, "coupler", "rocker")
    rig.data.bones.active = rig.data.bones["rocker"]
    bpy.ops.limber.add_closure()
    sentence = (
        "Closure 'coupler = rocker': the tail of 'coupler' and the tail of 'rocker' are 12 mm apart at rest,"
        " so Live moves the bones"
    )
    assert sentence in capfd.readouterr().out
    assert sentence in says(rig)


@pytest.mark.every_blender
def test_check_names_the_points_that_would_coincide():
    rig, closure = boned()
    assert "apart at rest" not in says(rig)
    closure.second_point = "HEAD"
    assert "but the tail of the one and the tail of the other coincide: choose these points" in says(rig)


@pytest.mark.every_blender
def test_points_that_no_motion_brings_together_are_named_beside_what_stays_open():
    rig, closure = boned()
    closure.first, closure.second_point = "ground", "HEAD"
    said = says(rig)
    assert "cannot be assembled: joint 'coupler = rocker' stays open by" in said
    assert "the tail of 'ground' and the head of 'rocker' are 200 mm apart at rest" in said


@pytest.mark.every_blender
def test_a_bone_that_is_no_link_has_no_origin():
    rig, closure = boned()
    closure.first_point = "ORIGIN"
    assert (
        "Bone 'coupler' is no link of an imported robot, or was moved since: choose its head or its tail"
        in says(rig)
    )


def test_a_closure_of_an_older_file_still_joins_tails():
    _, closure = boned()
    closure.property_unset("first_point")
    closure.property_unset("second_point")
    assert (closure.first_point, closure.second_point) == ("TAIL", "TAIL")


# -- pairs that a file names --


@pytest.mark.every_blender
def test_named_pairs_close_in_one_click_and_the_loop_holds(tmp_path, capfd):
    from limber.panels.mechanism.mechanisms import LIMBER_PT_mechanism

    rig = named(tmp_path)
    assert "limber.close_named_loops" in drawn(LIMBER_PT_mechanism).operators
    bpy.ops.limber.close_named_loops()
    assert "'parallelogram' has 1 closure more, open by at most " in capfd.readouterr().out
    kept = rig.limber.mechanism
    assert [(one.name, one.first, one.second, one.first_point) for one in kept.closures] == [
        ("plate", "closing_plate_1", "closing_plate_2", "HEAD")
    ]
    with pytest.raises(
        RuntimeError,
        match="No armature in use has bones closing_NAME_1 and closing_NAME_2 without a closure",
    ):
        bpy.ops.limber.close_named_loops()
    bpy.ops.object.mode_set(mode="POSE")
    select(rig, "left")
    bpy.ops.limber.add_motors()
    kept.drive, kept.motors[0].value = "MOTORS", 0.4
    assert "apart at rest" not in says(rig)
    bpy.ops.limber.live()
    those.settle(rig)
    assert those.session(rig).remark == ""
    shown = rig.evaluated_get(those.update()).pose.bones
    assert (shown["closing_plate_1"].head - shown["closing_plate_2"].head).length < 1e-6
    assert abs(shown["closing_plate_1"].head.x - 0.5) > 0.05


def test_named_pairs_close_wherever_the_armature_is_moved_and_rooted(tmp_path):
    (tmp_path / "robot.urdf").write_text(
        parallelogram().replace("plate_end", "closing_plate_1").replace("right_end", "closing_plate_2"),
        encoding="utf-8",
    )
    bpy.ops.limber.import_robot(
        filepath=str(tmp_path / "robot.urdf"), with_meshes=False, root="plate", close_loops=False
    )
    rig = bpy.context.active_object
    rig.matrix_world = Matrix.Translation((1.0, 2.0, 3.0)) @ Matrix.Rotation(
        0.7, 4, Vector((1.0, 2.0, 0.5)).normalized()
    )
    bpy.context.view_layer.update()
    bpy.ops.limber.close_named_loops()
    assert "apart at rest" not in says(rig)


@pytest.mark.every_blender
def test_named_pairs_that_are_apart_are_said_to_be(tmp_path, capfd):
    named(
        tmp_path,
        parallelogram().replace('xyz="0.5 0 0"/><axis xyz="1 0 0"', 'xyz="0.53 0 0"/><axis xyz="1 0 0"'),
    )
    bpy.ops.limber.close_named_loops()
    said = capfd.readouterr().out
    assert (
        "Closure 'plate': the head of 'closing_plate_1' and the head of 'closing_plate_2' are 30 mm apart at"
        " rest" in said
    )


@pytest.mark.every_blender
def test_a_robot_that_its_file_closes_is_not_closed_by_names(tmp_path):
    named(tmp_path)
    (tmp_path / "robot.yaml").write_text(
        CLOSED.replace("plate_end", "closing_plate_1").replace("right_end", "closing_plate_2")
    )
    bpy.ops.limber.import_closures(filepath=str(tmp_path / "robot.yaml"))
    with pytest.raises(RuntimeError, match="The robot's own file has the closures"):
        bpy.ops.limber.close_named_loops()


@pytest.mark.every_blender
def test_motors_come_on_all_selected_bones_or_on_none(tmp_path):
    rig = named(tmp_path)
    bpy.ops.limber.close_named_loops()
    bpy.ops.object.mode_set(mode="POSE")
    select(rig, "left", "right")
    rig.data.bones.active = rig.data.bones["right"]
    bpy.ops.limber.add_motors()
    assert {motor.bone for motor in rig.limber.mechanism.motors} == {"left", "right"}
    assert {motor.name for motor in rig.limber.mechanism.motors} == {
        "motor X",
        "free_right X",
    }, "as the file names the joints"
    rig.limber.mechanism.motors.clear()
    select(rig, "left", "closing_plate_1")
    rig.data.bones.active = rig.data.bones["left"]
    with pytest.raises(RuntimeError, match="All axes of bone 'closing_plate_1' are locked"):
        bpy.ops.limber.add_motors()
    assert len(rig.limber.mechanism.motors) == 0


# -- a bought robot --


def reachy(by_hand: bool = True):
    """Reachy Mini from its URDF file; its five open rods are closed by one click, or by the import, and the
    motors added by hand, or by the import. Returns the armature, and bones and signs of the motors of body
    and rods.
    """
    if not (REACHY / "robot.urdf").exists():
        pytest.skip(f"no robot in {REACHY}")
    from limber.rig.bones import imported_robot

    bpy.ops.limber.import_robot(
        filepath=str(REACHY / "robot.urdf"), with_meshes=False, close_loops=not by_hand
    )
    rig = bpy.context.active_object
    of_joint = {
        record.branch.joint.name: (bone, record.sign)
        for bone, record in imported_robot.records(rig)
        if record.branch.joint
    }
    motors = [of_joint[name] for name in ("yaw_body", *STEWART)]
    if not by_hand:
        return rig, motors
    bpy.ops.limber.close_named_loops()
    bpy.ops.object.mode_set(mode="POSE")
    select(rig, *(bone for bone, _ in motors))
    rig.data.bones.active = rig.data.bones[motors[0][0]]
    bpy.ops.limber.add_motors()
    return rig, motors


def test_reachy_minis_rods_meet_at_rest():
    from limber.rig.mechanisms import closures

    rig, _ = reachy()
    kept = rig.limber.mechanism
    assert len(kept.closures) == 5
    assert max(closures.gap(rig, rest(rig), closure) for closure in kept.closures) < 1e-6
    assert "apart at rest" not in says(rig)


def values_of(session, names: list[str]) -> list[float]:
    """Desired values [rad] of joints of the robot's file."""
    return [float(session.solver.values(session.state.desired, name)[0]) for name in names]


def follow(rig, bone: str, does: str):
    """A goal of a bone, with a target at the bone's rest pose; returns the target and that pose (4, 4)."""
    goal, target = rig.limber.mechanism.goals.add(), bpy.data.objects.new(f"{bone} Target", None)
    goal.name = goal.bone = bone
    goal.does, goal.target = does, target
    bpy.context.scene.collection.objects.link(target)
    return target, rest(rig).bones[bone]


@pytest.mark.every_blender
@pytest.mark.parametrize("by_hand", [True, False], ids=["closed by hand", "closed by the import"])
def test_reachy_minis_motors_are_the_vendors(by_hand):
    rig, motors = reachy(by_hand)
    order = ["yaw_body", *STEWART]
    samples = np.load(REACHY / "fk_samples.npz")
    head, body = follow(rig, "head", "FRAME"), follow(rig, motors[0][0], "ORIENTATION")
    at_rest = rest(rig).links["head"]
    for motor in rig.limber.mechanism.motors:
        motor.velocity = motor.acceleration = motor.jerk = 1e5
    for k in range(0, len(samples["motors"]), 50):
        asked, yaw = Matrix(samples["head_pose"][k].tolist()), float(samples["body_yaw"][k])
        for part in np.linspace(0.0, 1.0, 9):  # a single step to a far pose might lead to another assembly
            link = Matrix().lerp(asked, part)
            link.translation.z += NEUTRAL
            head[0].matrix_world = link @ Matrix((np.linalg.inv(at_rest) @ head[1]).tolist())
            body[0].matrix_world = Matrix.Rotation(part * yaw, 4, "Z") @ Matrix(body[1].tolist())
            if part == 0.0:
                bpy.ops.limber.live()
            those.clock()
        those.settle(rig)
        session = those.session(rig)
        assert session.problem == ""
        assert session.outputs.report.goal_error < WITHIN
        found = (
            [sign * value for (_, sign), value in zip(motors, session.outputs.desired, strict=True)]
            if by_hand
            else values_of(session, order)
        )
        assert found == pytest.approx([yaw, *samples["motors"][k]], abs=WITHIN), k
        bpy.ops.limber.end_live()
