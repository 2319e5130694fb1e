"""Tests CCD from frame to frame: it follows without a jump, finds a solution when stuck, and is at rest for a
target at rest.
"""

import itertools
import math
import random
from statistics import fmean

import numpy as np
import pytest
from limber.solvers.ccd import Ccd, CcdOptions
from limber.solvers.ccd.descent import CoordinateDescent
from limber.solvers.ccd.solver import CcdMemory
from limber.solvers.gaze import FRAME
from limber.solvers.goals import Direction, GazeGoal, Orientation, Position
from limber.solvers.kinematics.rotations import (
    IDENTITY,
    X,
    Y,
    Z,
    about,
    multiply,
    scale,
)  # fmt: skip
from limber.solvers.kinematics.skeleton import Joint, Skeleton

from benchmarks.fuzz import attempt
from benchmarks.fuzz_cases import any_recipe, make
from tests.solvers.chains import (
    aims_of,
    any_chain,
    any_turn,
    lamp,
    posture_of,
    skeleton_of,
    unit_chain,
)

DEGREE = math.radians(1)


@pytest.mark.parametrize("iterations", [1, 60])
@pytest.mark.parametrize("name", ["C", "E", "G"])
def test_a_smooth_target_is_followed_without_a_jump(name, iterations):
    draw = random.Random(9)
    chain = skeleton_of(name)
    solver = Ccd(chain, CcdOptions(in_frame=iterations))
    end_errors = []
    for _ in range(5):
        posture, start = 0.5 * posture_of(draw, chain), None
        for t in range(60):
            swing = multiply(about(X, 0.5 * math.sin(t / 30)), about(Z, 0.4 * math.sin(t / 20)))
            target = Orientation(multiply(swing, chain.forward(posture).tool_rotation))
            solution = (solver if start is not None else Ccd(chain)).solve(GazeGoal(target, posture), start)
            if start is not None:
                assert np.abs(solution.angles - start).max() < 5 * DEGREE
                assert solution.iterations <= iterations
            start = solution.angles
            end_errors.append(solution.aim_error)
    assert np.median(end_errors) < DEGREE


def test_a_target_that_is_moved_at_once_is_gone_for_at_a_bounded_pace():
    chain = skeleton_of("G")
    solver = Ccd(chain)
    posture = np.array([0.0, 0.4, 0.3, 0.4, 0.0, 0.4, 0.3, 0.0])
    start = posture
    target = Direction((1.0, -0.2, 0.3))
    for _ in range(40):
        solution = solver.solve(GazeGoal(target, posture), start)
        assert np.abs(solution.angles - start).max() <= 10 * DEGREE + 1e-12
        start = solution.angles
    assert solution.converged


def test_what_a_slide_moves_in_a_frame_is_a_share_of_the_reach():
    shares = []
    for size in (0.01, 1.0, 100.0):
        slide = Joint("slide", -1, IDENTITY, (0.0, 0.0, 0.0), X, -size, size, "prismatic")
        hinge = Joint("hinge", 0, IDENTITY, (0.0, 0.0, 0.2 * size), Z, -2.0, 2.0)
        chain = Skeleton((slide, hinge), tool_offset=(0.0, 0.2 * size, 0.0))
        solver = Ccd(chain)
        far, near = (GazeGoal(Position((x * size, 0.2 * size, 0.2 * size)), np.zeros(2)) for x in (-0.9, 0.9))
        start = solver.solve(near).angles
        shares.append(float(abs(solver.solve(far, start).angles - start)[0]) / chain.reach)
    assert shares == pytest.approx([CcdOptions().largest_speed * FRAME] * 3)


def test_stuck_for_long_it_finds_a_way_out_and_goes_there_without_a_jump():
    # Two bends in the wrong direction: near the posture no sweep reduces the error, elsewhere the target is
    # met.
    draw = random.Random(15)
    chain = skeleton_of("C")
    left, met = 0, 0
    for _ in range(12):
        goal = GazeGoal(
            Orientation(chain.forward(posture_of(draw, chain)).tool_rotation), posture_of(draw, chain)
        )
        solver, start, memory, paces = Ccd(chain), np.array(chain.clamp(goal.posture)), None, [0.0]
        solutions = []
        for _ in range(120):
            solution = solver.solve(goal, start, memory)
            paces.append(np.abs(solution.angles - start).max())
            start, memory = solution.angles, solution.memory
            solutions.append(solution)
        assert max(paces) <= 10 * DEGREE + 1e-12
        stuck = not solutions[28].converged
        left += stuck and solutions[-1].converged
        met += solutions[-1].converged
        if stuck and solutions[-1].converged:
            assert (
                max(abs(b - a) for a, b in itertools.pairwise(paces[30:])) < 4 * DEGREE
            )  # smooth acceleration and braking
    assert left >= 2
    assert met >= 11


def test_a_late_frame_alone_does_not_end_its_patience():
    chain = unit_chain("XXX", 0.3)
    goal = GazeGoal(Direction(scale(Y, -1.0)), np.zeros(3))  # out of reach
    solver = Ccd(chain)
    first = solver.solve(goal, np.zeros(3))
    late = solver.solve(goal, first.angles, first.memory, dt=2.0)
    assert late.iterations <= CcdOptions().in_frame
    assert (
        solver.solve(goal, late.angles, late.memory, dt=2.0).iterations > CcdOptions().in_frame
    )  # it is stuck, so that annealing searches


def test_out_of_reach_it_stays_calm_and_seldom_searches():
    chain = unit_chain("XXX", 0.3)
    goal = GazeGoal(Direction(scale(Y, -1.0)), np.zeros(3))
    solver, start, memory = Ccd(chain), np.zeros(3), None
    sweeps, moves = [], []
    for _ in range(200):
        solution = solver.solve(goal, start, memory)
        sweeps.append(solution.iterations)
        moves.append(np.abs(solution.angles - start).max())
        start, memory = solution.angles, solution.memory
    assert max(moves[20:]) < 1e-9
    assert sum(count > 60 for count in sweeps) <= 3
    assert not solution.converged


def test_its_ways_out_are_sound_whatever_is_asked():
    for seed in range(20):
        case = make(any_recipe(random.Random(seed)))
        tried = attempt("ccd", case, 10, lambda skeleton: Ccd(skeleton, CcdOptions(patience=0.03, anneals=4)))
        assert tried.faults == []


def test_at_rest_it_stays_where_it_is_to_the_bit():
    draw = random.Random(10)
    chain = skeleton_of("G")
    solver = Ccd(chain)
    goal = GazeGoal(Orientation(any_turn(draw)), posture_of(draw, chain))
    first = solver.solve(goal)
    assert first.converged
    again = solver.solve(goal, first.angles)
    assert np.array_equal(again.angles, first.angles)
    assert again.iterations == 0


def test_extrapolation_saves_sweeps():
    chain = lamp()
    draw = random.Random(11)
    goals = [
        GazeGoal(aims_of(chain, posture_of(draw, chain))["orientation"], posture_of(draw, chain))
        for _ in range(20)
    ]
    sweeps = {
        on: fmean(Ccd(chain, CcdOptions(extrapolates=on)).solve(goal).iterations for goal in goals)
        for on in (True, False)
    }
    assert sweeps[True] < 0.5 * sweeps[False]


def test_no_descent_makes_it_worse():
    draw = random.Random(12)
    for _ in range(20):
        chain = any_chain(draw, 6)
        descent = CoordinateDescent(chain, CcdOptions())
        start = tuple(posture_of(draw, chain))
        for kind, aim in aims_of(chain, posture_of(draw, chain)).items():
            goal = GazeGoal(aim, np.array(start))
            result = descent.descend(goal, start, chain.lower, chain.upper, kind != "frame", 10)
            assert result.error <= descent.error(goal, chain.forward(start))
            assert result.error == descent.error(goal, chain.forward(result.angles))


@pytest.mark.parametrize(("better", "leaves"), [(0.3 * DEGREE, False), (3.0 * DEGREE, True)])
def test_it_leaves_for_another_solution_only_if_people_see_that_it_is_better(better, leaves):
    """Its target is behind it, and a rotation to the other side would reduce the error by `better`."""
    solver = Ccd(Skeleton((Joint("neck", -1, IDENTITY, (0.0, 0.0, 0.0), Z, -1.0, 1.0 + better),)))
    goal, angles, memory = GazeGoal(Direction(scale(Y, -1.0)), np.zeros(1)), np.array([-1.0]), None
    for _ in range(200):
        solution = solver.solve(goal, angles, memory)
        angles, memory = solution.angles, solution.memory
    assert angles == pytest.approx([1.0 + better if leaves else -1.0])


def test_limits_that_are_narrowed_during_an_escape_end_it_within_them():
    chain = skeleton_of("C")
    solver = Ccd(chain)
    goal = GazeGoal(Orientation(IDENTITY), np.zeros(len(chain)))
    memory: object = CcdMemory(escape=tuple(2.0 * bound for bound in chain.upper))
    here = np.array(chain.lower)
    for _ in range(600):
        solution = solver.solve(goal, here, memory)
        here, memory = solution.angles, solution.memory
        assert (here <= np.array(chain.upper)).all()
        if not memory.escape:
            break
    assert not memory.escape
