"""Tests the values that `api` gives for the goals of chains, bodies and mechanisms in one frame, and for the
motion of a bake.
"""

from math import degrees

import bpy
import pytest
from limber import api
from mathutils import Vector

from tests.blender import mechanisms
from tests.blender.figures import XSENS, called
from tests.blender.following import follower
from tests.blender.rigs import looking_chain, target
from tests.blender.shown import go_live, missed

pytestmark = pytest.mark.every_blender


def test_a_target_out_of_reach_is_as_far_off_as_it_is_away():
    rig, chain = looking_chain(at=target((0.0, -5.0, 0.0)))
    chain.goal = "POSITION"
    solution = api.solve(rig, chain)
    assert 3.0 < solution.distance < 5.5
    (error,) = solution.errors
    assert (error.name, error.distance, error.angle) == ("'head'", solution.distance, 0.0)
    session = go_live(rig, chain)
    assert solution.distance == pytest.approx(session.outputs.solution.measured.errors[0].distance, abs=0.01)
    chain.target.location = (0.1, -0.2, 0.3)
    bpy.context.view_layer.update()
    assert api.solve(rig, chain).distance < 1e-3


def test_a_chain_that_looks_has_an_angle_and_no_distance():
    rig, chain = looking_chain()
    go_live(rig, chain)
    solution = api.solve(rig, chain)
    assert solution.distance == 0.0
    assert solution.aim_error == pytest.approx(missed(rig, chain), abs=0.1)
    assert solution.shape_deviation > 0.0


def test_each_end_of_a_chain_has_its_error():
    rig, chain = looking_chain()
    end = chain.ends.add()
    end.bone, end.goal, end.target = rig.pose.bones[-2].name, "POSITION", target((0.0, 5.0, 0.0))
    errors = api.solve(rig, chain).errors
    assert [error.name for error in errors] == [f"'{chain.end}'", f"'{end.bone}'"]
    assert errors[1].distance > 3.0


def test_a_body_is_solved_with_the_errors_of_its_bones():
    rig, _ = follower()
    retarget = rig.limber.retarget
    hand = called(XSENS, "left hand")
    pair = next(pair for pair in retarget.pairs if pair.target == hand)
    pair.position_weight = 1.0
    before = [tuple(bone.matrix_basis.to_quaternion()) for bone in rig.pose.bones]
    bpy.context.scene.frame_set(12)
    solution = api.solve(rig, retarget)
    assert [tuple(bone.matrix_basis.to_quaternion()) for bone in rig.pose.bones] == before, (
        "nothing is written"
    )
    assert {error.name for error in solution.errors} == {f"'{pair.target}'" for pair in retarget.pairs}
    assert solution.shape_deviation is None
    assert solution.aim_error < 1.0
    retarget.scale *= 1.5
    far = next(error for error in api.solve(rig, retarget).errors if error.name == f"'{hand}'")
    assert far.distance > 0.02


def test_the_motion_of_a_body_is_a_table_of_its_joints():
    rig, _ = follower()
    table = api.motion([(rig, rig.limber.retarget)], 1, 5)
    joints = table[rig.name, "Retarget"]
    assert {len(values) for values in joints.values()} == {5}
    assert max(abs(values[-1] - values[0]) for values in joints.values()) > 0.01


def test_a_mechanism_is_solved_with_its_motors_and_the_errors_of_its_goals():
    owner = mechanisms.add("stewart")
    kept = owner.limber.mechanism
    goal = kept.goals[0]
    at_rest = api.solve(owner, kept)
    assert at_rest.distance < 1e-4
    assert set(at_rest.angles) == {motor.key for motor in kept.motors}
    goal.target.location += Vector((0.0, 0.0, 5.0))
    bpy.context.view_layer.update()
    away = api.solve(owner, kept)
    assert away.distance > 3.0
    assert away.limits_hit, "the legs are as long as they can be"
    assert "is off by" in away.remark
    assert not kept.live


def test_the_motion_of_a_mechanism_is_a_table_of_its_motors():
    owner = mechanisms.add("stewart")
    goal = owner.limber.mechanism.goals[0]
    goal.target.keyframe_insert("location", frame=1)
    goal.target.location.z += 0.02
    goal.target.keyframe_insert("location", frame=10)
    table = api.motion([(owner, owner.limber.mechanism)], 1, 10)
    motors = table[owner.name, owner.name]
    assert set(motors) == {motor.key for motor in owner.limber.mechanism.motors}
    assert min(abs(values[-1] - values[0]) for values in motors.values()) > 1e-3


def test_angles_are_those_of_live_before_the_filter():
    rig, chain = looking_chain()
    session = go_live(rig, chain)
    solution = api.solve(rig, chain)
    assert [degrees(value) for value in solution.angles.values()] == pytest.approx(
        [degrees(value) for value in session.solved().values()], abs=1.0
    )
