"""Tests the nearest solution: exact aim with the least change of the posture, in one frame."""

import random

import numpy as np
import pytest
from limber.solvers.expressive.correction import shape_costs
from limber.solvers.expressive.solver import Expressive
from limber.solvers.goals import Direction, GazeGoal, Orientation, Point, PostureShapeError
from limber.solvers.kernel.library import kernel
from limber.solvers.kinematics.rotations import Y, add, rotate

from .chains import (
    aim_that_can_be_met,
    any_chain,
    any_direction,
    lamp,
    posture_of,
    shared_places,
    skeleton_of,
)

KINDS = ("orientation", "direction", "point")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chain", [lamp(), shared_places(3), skeleton_of("G")], ids=["lamp", "spine", "G"])
def test_an_aim_that_can_be_met_is_mostly_met_exactly_and_always_within_limits(chain, kind):
    draw, solver, met = random.Random(2), Expressive(chain), []
    for _ in range(20):
        solution = solver.nearest(GazeGoal(aim_that_can_be_met(draw, chain, kind), posture_of(draw, chain)))
        assert np.all(solution.angles >= chain.lower)
        assert np.all(solution.angles <= chain.upper)
        assert solution.converged == (solution.aim_error <= 1e-6)
        assert solution.converged or solution.reason
        met.append(solution.converged)
    assert np.mean(met) >= 0.9


def test_a_posture_that_meets_the_aim_stays_as_it_is():
    draw, chain = random.Random(3), skeleton_of("F")
    for _ in range(5):
        posture = posture_of(draw, chain)
        solution = Expressive(chain).nearest(
            GazeGoal(Orientation(chain.forward(posture.tolist()).tool_rotation), posture)
        )
        assert solution.angles == pytest.approx(posture, abs=1e-7)
        assert solution.shape_deviation < 1e-3


def test_it_keeps_the_shape_better_than_the_least_change_of_angles_from_elsewhere():
    draw, chain = random.Random(4), skeleton_of("G")
    solver, kept, other = Expressive(chain), [], []
    for _ in range(20):
        posture = 0.5 * posture_of(draw, chain)
        goal = GazeGoal(aim_that_can_be_met(draw, chain, "orientation"), posture)
        kept.append(solver.nearest(goal).shape_deviation)
        elsewhere = solver.nearest(GazeGoal(goal.aim, np.zeros(len(chain)))).angles
        pose = chain.forward(elsewhere.tolist())
        other.append(solver.diagnosis.shape(tuple(posture.tolist())).deviation(pose))
    assert np.mean(kept) < np.mean(other)


def test_where_the_postures_branch_misses_the_start_is_tried():
    draw, chain = random.Random(5), skeleton_of("E")
    solver, mended = Expressive(chain), 0
    for _ in range(300):
        wanted = posture_of(draw, chain)
        goal = GazeGoal(
            Orientation(chain.forward(wanted.tolist()).tool_rotation),
            posture_of(draw, chain),
            symmetric=False,
        )
        stuck = solver.nearest(goal, goal.posture)
        if not stuck.converged:
            helped = solver.nearest(goal, wanted)
            assert helped.converged
            assert helped.angles == pytest.approx(wanted, abs=1e-6)
            mended += 1
    assert mended >= 3


def test_no_chain_breaks_it():
    draw = random.Random(6)
    for _ in range(60):
        chain = any_chain(draw, draw.randrange(1, 8))
        solution = Expressive(chain).nearest(
            GazeGoal(Direction(any_direction(draw)), posture_of(draw, chain))
        )
        assert np.all(np.isfinite(solution.angles))
        assert np.all(solution.angles >= chain.lower)
        assert np.all(solution.angles <= chain.upper)


def test_a_posture_of_another_length_is_refused():
    with pytest.raises(PostureShapeError):
        Expressive(lamp()).nearest(GazeGoal(Direction((0.0, 1.0, 0.0)), np.zeros(3)))


@pytest.mark.skipif(kernel() is None, reason="there is no compiled kernel: make kernel")
@pytest.mark.parametrize("kind", KINDS)
def test_the_compiled_kernel_gives_the_answer_of_the_reference(kind):
    draw = random.Random(7)
    for chain in (skeleton_of("D"), skeleton_of("E"), skeleton_of("G")):
        ours, reference = Expressive(chain), Expressive(chain)
        reference.correction.compiled = None
        for _ in range(8):
            # Not at limits, nor near singular poses, where rounding errors grow.
            posture = 0.4 * posture_of(draw, chain) + 0.3
            near = chain.clamp(posture + 0.2)
            pose = chain.forward(near)
            view = rotate(pose.tool_rotation, Y)
            aims = {
                "orientation": Orientation(pose.tool_rotation),
                "direction": Direction(view),
                "point": Point(add(pose.tool_position, view)),
            }
            goal = GazeGoal(aims[kind], posture)
            found, expected = ours.nearest(goal), reference.nearest(goal)
            assert found.converged
            assert found.iterations == expected.iterations
            np.testing.assert_allclose(found.angles, expected.angles, rtol=0, atol=1e-9)
            np.testing.assert_allclose(found.measured.errors, expected.measured.errors, rtol=0, atol=1e-9)


def test_no_cheaper_change_meets_the_aim():
    # Away from the solution, along the null space of the aim, the weighted change of the posture is larger.
    chain = skeleton_of("G")
    solver, costs = Expressive(chain), np.array(shape_costs(chain))
    posture = np.array([0.2, 0.5, 0.3, -0.4, 0.1, 0.5, -0.2, 0.3])
    goal = GazeGoal(Orientation(chain.forward((posture + 0.05).tolist()).tool_rotation), posture)
    found = solver.nearest(goal)
    angular, _ = chain.jacobian(found.angles.tolist())
    free = np.linalg.svd(angular)[2][3:]
    pull = free @ (costs * (found.angles - posture))
    assert found.converged
    assert np.abs(pull).max() < 0.03 * np.abs(costs * (found.angles - posture)).max()


def test_numbers_beyond_the_kernel_are_met_by_the_reference():
    chain, posture = skeleton_of("G"), np.full(8, 0.2)
    far = Expressive(chain).nearest(GazeGoal(Point((1e120, 2e120, 0.0)), posture))
    near = Expressive(chain).nearest(GazeGoal(Direction((1.0, 2.0, 0.0)), posture))
    assert far.converged
    assert far.angles == pytest.approx(near.angles, abs=1e-6)
