"""Whether a target is about to leave the workspace."""

import numpy as np
import pytest
from limber.solvers.kinematics.rotations import Y, about
from limber.solvers.kinematics.se3 import Frame
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.descent import Descent
from limber.solvers.mechanism.goals import FrameGoal, Goals
from limber.solvers.mechanism.lookahead import leaves_reach
from limber.solvers.mechanism.task_errors import TaskErrors

from tests.solvers.test_mechanism_workspace_edge import REACH, arm

MET = 1e-6


def leaves(x: float, by: float) -> bool:
    """Whether a target at x [m] of the arm leaves it, if it moves by so much [m] in a frame."""
    solver = arm()
    goals = Goals((FrameGoal("fore", Frame(position=(0.3, 0.0, 0.0)), (x, 0.0, 0.0)),))
    bent = solver.state_at({"upper": Frame(), "fore": Frame(about(Y, 1.0))})
    state = solver.solve(goals, assemble(solver, bent, goals).state).state
    task = TaskErrors(solver.mechanism, solver.tree, solver.coordinates, goals, state.values)
    descent = Descent(solver.coordinates, solver.loops, task, None, {}, (solver.lower, solver.upper), 1e-3)
    here = descent.evaluate(state.values, state.balls)
    evaluations, damping = descent.evaluations, descent.damping
    move = np.array([-by / solver.coordinates.size, 0.0, 0.0])  # a row is the body's place less the target's
    answer = leaves_reach(descent, here, move, MET)
    assert (descent.evaluations, descent.damping) == (evaluations, damping)
    assert np.abs(here.goals[0]).max() < 1e-9
    return answer


@pytest.mark.parametrize("before", [1e-4, 0.01, 0.1])
@pytest.mark.parametrize("by", [1e-3, 0.02, 0.15])
def test_it_leaves_where_its_way_ends_beyond_the_edge(before: float, by: float):
    assert leaves(REACH - before, by) == (by > before)
    assert not leaves(REACH - before, -by)
