"""Tests that impossible values of a mechanism are refused with their name, and mechanisms that cannot
move.
"""

import math
from dataclasses import replace

import pytest
from limber.solvers.kinematics.se3 import RigidTransform
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.counting import count, locked_actuators
from limber.solvers.mechanism.goals import CentreGoal, FrameGoal, Goals, RegulariserWeights
from limber.solvers.mechanism.model import Joint, Mechanism, MechanismError, RigidBody
from limber.solvers.mechanism.solver import MechanismSolver

from tests.solvers import mechanisms

DT = 1 / 60
BAD = [math.nan, math.inf, 1e30, 1e300]
STEADY = [
    RegulariserWeights(),
    RegulariserWeights(weight=0.1),
    RegulariserWeights(speed_weight=0.1),
    RegulariserWeights(0.1, 0.1),
]

GROUND = RigidBody("ground", grounded=True, start=RigidTransform())
STILL = {
    "all fixed": Mechanism((GROUND, RigidBody("sign", 1.0)), (Joint("weld", "fixed", "ground", "sign"),)),
    "ground alone": Mechanism((GROUND,)),
    "nothing": Mechanism(()),
}


@pytest.mark.parametrize("steady", STEADY, ids=str)
@pytest.mark.parametrize("mechanism", STILL.values(), ids=STILL)
def test_a_mechanism_in_which_nothing_moves_is_solved_with_any_regulariser(mechanism, steady):
    solver = MechanismSolver(mechanism)
    found = assemble(solver)
    goals = tuple(FrameGoal(body.name, position=(1.0, 0.0, 0.0)) for body in mechanism.bodies)
    solution = solver.solve(Goals(goals, regulariser_weights=steady), found.state, DT)
    assert solution.report.assembled
    assert len(solution.poses) == len(mechanism.bodies)
    assert count(solver, found.state).mobility == 0
    assert locked_actuators(solver, found.state) == ()


@pytest.mark.parametrize("number", BAD)
def test_bodies_and_joints_at_no_place_are_refused_by_name(number):
    bar = mechanisms.four_bar()
    with pytest.raises(
        MechanismError,
        match=r"body 'ground': its origin \[m\] (must be 3 finite numbers|is beyond 1e\+07), got",
    ):
        replace(bar.bodies[0], start=RigidTransform(position=(number, 0.0, 0.0)))
    with pytest.raises(MechanismError, match=r"body 'crank': its centre of mass \[m\]"):
        replace(bar.bodies[1], centre=(0.0, number, 0.0))
    with pytest.raises(MechanismError, match=r"joint 'motor': its frame on its parent \[m\]"):
        replace(bar.joints[0], in_parent=RigidTransform(mechanisms.FLAT, (0.0, 0.0, number)))
    with pytest.raises(MechanismError, match="joint 'motor': its 'lower' limits"):
        replace(bar.joints[0], lower=(math.nan,), upper=(1.0,))


def test_a_frame_without_a_rotation_is_refused_by_name():
    with pytest.raises(
        MechanismError,
        match="joint 'motor': its frame on its child, rotation is 0, 0, 0, 0, which is no rotation",
    ):
        replace(mechanisms.four_bar().joints[0], in_child=RigidTransform((0.0, 0.0, 0.0, 0.0)))


@pytest.mark.parametrize("number", [*BAD, "far", None])
def test_goals_that_are_no_numbers_are_refused_by_name(number):
    goal = FrameGoal("rocker", position=(0.3, 0.0, 0.2))
    with pytest.raises(MechanismError, match=r"the goal of body 'rocker': its position \[m\]"):
        replace(goal, position=(number, 0.0, 0.0))
    with pytest.raises(MechanismError, match="the goal of body 'rocker': its weights of position"):
        replace(goal, position_weight=(1.0, number, 0.0))
    with pytest.raises(MechanismError, match=r"the goal of the centre of mass: its position \[m\]"):
        CentreGoal((0.0, number, 0.0))
    with pytest.raises(MechanismError, match="the goal of the centre of mass: its weights"):
        CentreGoal((0.0, 0.0, 0.0), (number, 1.0, 1.0))
    with pytest.raises(MechanismError, match="the regulariser's weight"):
        RegulariserWeights(weight=number)


@pytest.mark.parametrize("number", [math.nan, math.inf, "far", None])
def test_values_of_actuators_and_driven_poses_that_are_no_numbers_are_refused_by_name(number):
    with pytest.raises(
        MechanismError, match="joint 'motor': the values of its actuator must be finite numbers, got"
    ):
        Goals(actuators={"motor": (number,)})
    with pytest.raises(MechanismError, match=r"driven body 'crank': its position \[m\]"):
        Goals(driven={"crank": RigidTransform(position=(number, 0.0, 0.0))})
    with pytest.raises(
        MechanismError, match="the goal of body 'rocker': its rotation must be 4 finite numbers"
    ):
        FrameGoal("rocker", rotation=(number, 0.0, 0.0, 0.0))


def test_goals_of_the_wrong_size_are_refused_by_name():
    with pytest.raises(
        MechanismError,
        match=r"the goal of body 'rocker': its position \[m\] must be 3 finite numbers, got 1.0, 2.0",
    ):
        FrameGoal("rocker", position=(1.0, 2.0))
    with pytest.raises(MechanismError, match="weights of rotation must not be below 0"):
        FrameGoal("rocker", rotation_weight=(1.0, -1.0, 1.0))
    solver = MechanismSolver(mechanisms.four_bar())
    state = assemble(solver).state
    with pytest.raises(
        MechanismError,
        match="joint 'motor' has 1 degrees of freedom and its actuator 2 values: give one each",
    ):
        solver.solve(Goals(actuators={"motor": (0.1, 0.2)}), state)
    for time in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(MechanismError, match="the time since the last frame must be above 0 and finite"):
            solver.solve(Goals(), state, time)
