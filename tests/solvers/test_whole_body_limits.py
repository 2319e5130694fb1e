"""Tests that a whole body keeps its limits in every step, in position, velocity and acceleration."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from limber.solvers.kinematics.rotations import IDENTITY, Z
from limber.solvers.kinematics.skeleton import End, Joint
from limber.solvers.kinematics.tree import BASE
from limber.solvers.limits import JointState, LimitError, usual_limits
from limber.solvers.whole_body.body import Body
from limber.solvers.whole_body.full_solve import settled
from limber.solvers.whole_body.options import WholeBodyOptions
from limber.solvers.whole_body.solver import WholeBody
from limber.solvers.whole_body.state import at_rest
from limber.solvers.whole_body.targets import Target

from benchmarks.whole_body.printed import TanhLimit
from tests.solvers.bodies import DEGREE, DT, TRACKED, asks, follow, manikin, worst

LIMITS = [
    (usual_limits(), None, None),
    (usual_limits(velocity=1.0), 1.0, None),
    ((TanhLimit(1.0, slope=200.0),), 1.0, None),
    (usual_limits(velocity=2.0, acceleration=20.0), 2.0, 20.0),
    (usual_limits(acceleration=30.0), None, 30.0),
]


@pytest.mark.parametrize(
    ("limits", "velocity", "acceleration"),
    LIMITS,
    ids=["position", "velocity", "tanh", "acceleration", "acceleration alone"],
)
def test_limits_hold_on_every_step_of_a_motion_far_beyond_them(limits, velocity, acceleration):
    solver = WholeBody(manikin(reach=0.4), TRACKED, WholeBodyOptions(limits=limits))
    before, touched = np.zeros(len(solver.body)), 0
    last = None
    for _, solution, state in follow(solver, 150, size=1.5):
        assert np.abs(state.joints).max() <= 0.4 + 1e-9
        assert state.velocity[BASE:] == pytest.approx((state.joints - before) / DT, abs=1e-9)
        if velocity is not None:
            assert np.abs(state.velocity[BASE:]).max() <= velocity + 1e-6
        if acceleration is not None and last is not None:
            assert np.abs(state.velocity - last)[BASE:].max() <= acceleration * DT * (1 + 1e-6)
            assert not solution.yielded
        assert np.abs(state.base_rotation.T @ state.base_rotation - np.eye(3)).max() < 1e-12
        before, last = state.joints, state.velocity
        touched += int(solution.bounded.sum())
    assert touched > 100


def test_an_acceleration_limit_that_cannot_hold_gives_way_to_the_position_limit_and_is_named():
    solver = WholeBody(manikin(reach=0.4), TRACKED, WholeBodyOptions(limits=usual_limits(acceleration=1.0)))
    state = solver.start()
    rushing = replace(state, velocity=np.where(np.arange(solver.body.unknowns) == BASE, 30.0, 0.0))
    solution, state = solver.step(asks(solver.body, solver.start()), rushing, DT)
    assert state.joints[0] <= 0.4
    assert solution.yielded == ("acceleration of spine x",)


def test_with_an_acceleration_limit_a_body_brakes_in_time_for_a_target_that_jumped():
    rate = 20.0
    solver = WholeBody(manikin(), TRACKED, WholeBodyOptions(limits=usual_limits(acceleration=rate)))
    state = solver.start()
    aim = np.zeros(len(solver.body))
    aim[0] = 1.0
    values = asks(solver.body, at_rest(solver.body, aim, np.eye(3), np.zeros(3)), solver.targets)
    beyond, missed = 0.0, []
    for _ in range(
        round(2.0 * math.sqrt(1.0 / rate) / DT) + 12
    ):  # time to accelerate and brake at that rate, and a margin
        _, state = solver.step(values, state, DT)
        beyond = max(beyond, float(state.joints[0]) - 1.0)
        missed.append(worst(solver, values, state))
    assert beyond < 0.01
    assert missed[-1] < 0.1 * DEGREE


def test_a_start_outside_its_limits_comes_back_within_the_velocity_limit():
    solver = WholeBody(manikin(reach=0.1), TRACKED, WholeBodyOptions(limits=usual_limits(velocity=1.0)))
    inside = solver.start()
    outside = at_rest(solver.body, np.full(len(solver.body), 0.1 + 1e-3), np.eye(3), np.zeros(3))
    _, state = solver.step(asks(solver.body, inside), outside, DT)
    assert np.all(state.joints <= 0.1)


def test_the_tanh_of_eq_12_never_lets_a_joint_overrun_however_steep_it_is_asked_to_be():
    near = JointState(np.array([0.39]), np.zeros(1), np.array([-0.4]), np.array([0.4]))
    least, largest = TanhLimit(5.0, slope=1e6).bounds(near, DT)
    assert 0.39 < largest[0] <= 0.4
    assert least[0] == pytest.approx(0.39 - 5.0 * DT, rel=1e-3)


@pytest.mark.parametrize("lower", [-170.0, -math.inf])
def test_a_full_solve_finds_a_target_that_lies_behind_the_end_of_a_joints_range(lower):
    hinge = Joint("hinge", -1, IDENTITY, (0.0, 0.0, 0.0), Z, -10.0, 10.0)
    body = Body(
        [hinge], [End(0, name="head")], floating=False, lower=[lower * DEGREE], upper=[170.0 * DEGREE]
    )
    solver = WholeBody(body, [Target("head")])
    asked = at_rest(body, np.array([-160.0 * DEGREE]), np.eye(3), np.zeros(3))
    state = settled(solver, asks(body, asked, solver.targets), solver.start(np.array([100.0 * DEGREE])))
    assert state.joints == (
        pytest.approx(asked.joints, abs=1e-6) if math.isfinite(lower) else [170.0 * DEGREE]
    )


def test_a_full_solve_finds_poses_all_over_the_joints_ranges():
    draw = random.Random(3)
    solver = WholeBody(manikin(reach=1.2), TRACKED)
    for _ in range(10):
        joints = np.array([draw.uniform(-1.2, 1.2) for _ in solver.body.names])
        values = asks(solver.body, at_rest(solver.body, joints, np.eye(3), np.zeros(3)))
        assert worst(solver, values, settled(solver, values, solver.start())) < 0.1 * DEGREE


def test_limits_that_cannot_be_are_refused():
    with pytest.raises(LimitError, match="velocity limits must be above zero"):
        usual_limits(velocity=0.0)
