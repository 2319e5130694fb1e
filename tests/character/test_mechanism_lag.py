"""Tests the effect of a mechanism's goals while its motors lag: they determine the coordinates that the
motors leave free.
"""

import numpy as np
import pytest
from limber.character.mechanism.tick import MechanismModel, MechanismMotor, tick
from limber.motion import Limits, MotionStyle, make_filter
from limber.solvers.kinematics.rotations import Z, about
from limber.solvers.kinematics.se3 import RigidTransform
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.counting import count
from limber.solvers.mechanism.goals import CentreGoal, FrameGoal, Goals
from limber.solvers.mechanism.model import Joint, Mechanism, RigidBody
from limber.solvers.mechanism.solver import MechanismSolver
from limber.solvers.mechanism.support import centre_of_mass

DT = 1 / 60  # [s] duration of a frame
SLOW = Limits(-2.0, 2.0, 0.5, 2.0, 20.0)
TURNED = 1.0  # [rad] rotation of the arm


def floating() -> MechanismModel:
    """Two heavy free bodies, with a slow motor between them."""
    bodies = (
        RigidBody("base", 1.0, (0.0, 0.0, 0.0), RigidTransform()),
        RigidBody("arm", 1.0, (0.3, 0.0, 0.0), RigidTransform()),
    )
    solver = MechanismSolver(Mechanism(bodies, (Joint("motor", "revolute", "base", "arm", actuated=True),)))
    rest = assemble(solver).state
    motors = (MechanismMotor("motor", 0, make_filter("default", SLOW, MotionStyle())),)
    return MechanismModel(solver, rest, motors, frozenset(count(solver, rest).undetermined))


def lagging(goals: Goals, ticks: int = 20):
    """The mover, and its outputs after some ticks toward goals that the motor reaches much later."""
    model = floating()
    _, state = tick(model, Goals(), None, DT)
    for _ in range(ticks):
        outputs, state = tick(model, goals, state, DT)
    assert abs(outputs.values[0] - outputs.desired[0]) > 0.5, "the motor lags"
    return model, outputs


@pytest.mark.parametrize("weight", [1.0, 10.0])
def test_a_goal_of_the_centre_of_mass_stays_in_force_while_motors_lag(weight):
    goals = Goals(
        (FrameGoal("base", rotation=about(Z, 0.0)), FrameGoal("arm", rotation=about(Z, TURNED))),
        (CentreGoal((0.0, 0.0, 0.0), (weight,) * 3),),
    )
    model, outputs = lagging(goals)
    assert centre_of_mass(model.solver.mechanism, outputs.poses) == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)


@pytest.mark.parametrize("weight", [1.0, 100.0])
def test_large_weights_of_goals_do_not_move_motors_that_lag(weight):
    goals = Goals(
        tuple(
            FrameGoal(body, rotation=about(Z, angle), rotation_weight=(weight,) * 3)
            for body, angle in (("base", 0.0), ("arm", TURNED))
        )
    )
    _, outputs = lagging(goals)
    between = np.linalg.inv(outputs.poses[0]) @ outputs.poses[1]
    assert np.arctan2(between[1, 0], between[0, 0]) == pytest.approx(outputs.values[0], abs=0.03)
