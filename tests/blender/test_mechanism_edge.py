"""Tests the limits of a mechanism's motion: motors keep their limits, live and baked alike, and a flip is
reported.
"""

from dataclasses import replace

import bpy
import numpy as np
import pytest

from tests.blender import mechanisms as those
from tests.blender.four_bars import four_bar, owned

FRAMES = 40


def pantograph_whose_target_leaves():
    """A pantograph whose target rises out of reach and comes back; returns its owner."""
    owner = those.add("pantograph")
    scene, kept = bpy.context.scene, owner.limber.mechanism
    scene.render.fps = 60
    kept.frame_start, kept.frame_end = 1, FRAMES
    target = kept.goals[0].target
    begin = target.location.z
    for frame, height in ((1, 0.0), (FRAMES // 2, 0.15), (FRAMES, 0.0)):
        target.location.z = begin + height
        target.keyframe_insert("location", frame=frame)
    scene.frame_set(1)
    return owner


def acceleration(values) -> float:
    """Largest acceleration [rad/s2] of a motor, from its values frame by frame."""
    return float(np.abs(np.diff(values, 2, axis=0)).max()) * 60.0**2


def test_motors_keep_their_limits_where_a_target_passes_the_edge_live_and_baked():
    owner = pantograph_whose_target_leaves()
    scene, kept = bpy.context.scene, owner.limber.mechanism
    bpy.ops.limber.live()
    asked, shown, missed = [], [], []
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        outputs = those.session(owner).outputs
        asked.append(outputs.desired)
        shown.append(outputs.values)
        missed.append(outputs.report.goal_error)
    assert min(missed) < 1e-6 < 0.1 < max(missed), "the target is in reach, out of it, and back"
    limit = kept.motors[0].acceleration
    assert acceleration(asked) > 5.0 * limit, "the nearest pose starts and stops at once"
    assert acceleration(shown) <= limit * (1.0 + 1e-6)
    bpy.ops.limber.bake()
    for frame, there in enumerate(shown, 1):
        scene.frame_set(frame)
        assert np.abs(np.subtract([motor.value for motor in kept.motors], there)).max() < 1e-6


def test_the_velocity_weight_slows_what_the_targets_ask_of_the_motors():
    owner = pantograph_whose_target_leaves()
    kept = owner.limber.mechanism
    bpy.ops.limber.live()

    def fastest() -> float:
        """Largest speed [rad/s] of a motor that the targets require."""
        asked = []
        for frame in range(1, FRAMES + 1):
            bpy.context.scene.frame_set(frame)
            asked.append(those.session(owner).outputs.desired)
        return float(np.abs(np.diff(asked, axis=0)).max()) * 60.0

    assert fastest() > 6.0
    kept.velocity_weight, kept.velocity_threshold = 1.0, 1.0
    assert 0.5 < fastest() < 1.2


def test_a_target_that_rests_out_of_reach_is_come_as_near_to_as_it_goes():
    owner = those.add("pantograph")
    target = owner.limber.mechanism.goals[0].target
    bpy.ops.limber.live()
    first = those.session(owner)
    target.location.z += 0.15
    those.settle(owner)
    session = those.session(owner)
    nearest = first.solver.solve(session.state.goals, first.model.rest, iterations=200).report.goal_error
    assert nearest > 0.1
    assert session.outputs.report.goal_error < nearest * (1.0 + 1e-6)


def test_a_loop_that_went_over_to_its_other_assembly_is_told():
    from limber.solvers.mechanism.assembly import assemble
    from limber.solvers.mechanism.goals import Goals

    owner = those.add("four_bar")
    motor = owner.limber.mechanism.motors[0]
    bpy.ops.limber.live()
    session = those.session(owner)
    here, solver = session.state.desired, session.solver
    asked = Goals(actuators={"Crank Shaft": solver.values(here, "Crank Shaft")})
    starts = np.random.default_rng(1).normal(size=(20, len(here.values)))
    others = (assemble(solver, replace(here, values=values), asked) for values in starts)
    other = next(
        one
        for one in others
        if one.report.goal_error < 1e-6 and np.abs(one.state.values - here.values).max() > 0.5
    )
    session.record.state = replace(
        session.state, desired=replace(other.state, branch=here.branch, regular=None)
    )
    motor.value = 0.01
    those.clock()
    assert "its other assembly" in session.remark
    motor.value = 0.02
    those.clock(1, 101.0)
    assert "its other assembly" in session.remark, "it is there still"
    session.record.restart()
    motor.value = 0.03
    those.clock(1, 102.0)
    assert session.remark == ""


@pytest.mark.parametrize("far", [1.2, -2.0])  # [rad] angle of the target
def test_a_four_bar_whose_motor_was_past_its_dead_point_comes_back_as_it_went(far):
    four_bar(those.joint, "revolute", bodies="")
    owner = owned("pin D")  # the motor of the rocker, which cannot make full rotations
    motor = owner.limber.mechanism.motors[0]
    owner.limber.mechanism.drive, motor.lower, motor.upper = "MOTORS", -3.1, 3.1
    bpy.ops.limber.live()
    bodies = [bpy.data.objects[name] for name in ("crank", "coupler", "rocker")]
    before = [those.world(body) for body in bodies]
    shares = [k / 60 for k in range(1, 61)]
    for frame, share in enumerate((*shares, *[1.0] * 20, *reversed(shares), *[0.0] * 120)):
        motor.value = far * share
        those.clock(1, 100.0 + frame * those.FRAME)
        assert "its other assembly" not in those.session(owner).remark
    assert max(np.abs(those.world(body) - was).max() for body, was in zip(bodies, before, strict=True)) < 1e-4


def test_a_body_reaches_its_target_and_points_along_it_with_free_roll():
    owner = those.add("stewart")
    goal = owner.limber.mechanism.goals[0]
    target = goal.target
    goal.does, goal.axis = "AIM", "Y"
    bpy.ops.limber.live()
    target.location.z += 0.02
    target.rotation_euler = (0.1, 2.0, 0.15)  # 2 rad of this are about its own Y: more than the legs allow
    those.settle(owner)
    shown, wanted = (
        np.array(goal.body.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world),
        np.array(target.matrix_world),
    )
    assert np.abs(shown[:3, 3] - wanted[:3, 3]).max() < 1e-5
    assert np.abs(shown[:3, 1] - wanted[:3, 1]).max() < 1e-5
    assert np.degrees(np.arccos(shown[:3, 0] @ wanted[:3, 0])) > 60.0
    assert those.session(owner).remark == ""
    target.rotation_euler.z += 2.0
    those.settle(owner)
    assert "degrees" in those.session(owner).remark
