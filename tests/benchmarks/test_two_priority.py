"""Tests the paper's DLS with two priorities: its damping, its mirrored targets, its order of tasks."""

import random

import numpy as np
import pytest
from limber.solvers.goals import HALF_ROLL, GazeGoal, Orientation
from limber.solvers.jacobian.linear import factors
from limber.solvers.kinematics.rotations import Y, Z, multiply, normalized, rotate

from benchmarks.paper import pairs_of, skeleton_of
from benchmarks.two_priority import CAREFUL, VARIANTS, TwoPriority, damped, to_reachable_side


def solver(name, variant):
    return TwoPriority(skeleton_of(name), *VARIANTS[variant])


@pytest.mark.parametrize("variant", VARIANTS)
def test_answers_are_within_limits_and_steps(variant):
    for goal in pairs_of("C", 5):
        solution = solver("C", variant).solve(goal)
        assert np.all(np.abs(solution.angles) <= np.pi / 2)
        assert 1 <= solution.iterations <= VARIANTS[variant][0]


def test_a_target_that_the_posture_meets_is_met_with_the_posture():
    posture = np.array([0.0, 0.6, 0.5, -0.4, 0.0])
    goal = GazeGoal(Orientation(skeleton_of("C").forward(posture.tolist()).tool_rotation), posture)
    solution = solver("C", "dls100").solve(goal)
    assert solution.orientation_error + solution.posture_error <= 0.04


def test_the_posture_is_the_lower_priority_yet_it_draws_the_answer():
    goals = pairs_of("G", 15)
    with_it, without = (
        [solver("G", variant).solve(goal) for goal in goals] for variant in ("dls100", "dls100_nopost")
    )
    assert np.mean([s.posture_error for s in with_it]) < np.mean([s.posture_error for s in without])
    assert np.mean([s.orientation_error for s in with_it]) < 0.04


def test_a_damped_step_is_no_longer_than_its_bound_and_exact_far_from_singular():
    draw = np.random.default_rng(0)
    for size in (1e-6, 1e-3, 0.1, 1.0):
        matrix = draw.normal(size=(3, 5)) * np.array([1.0, 1.0, size])[:, None]
        error = draw.normal(size=3)
        assert np.linalg.norm(damped(factors(matrix), error, CAREFUL)) <= CAREFUL * (1.0 + 1e-9)
    matrix, error = np.eye(3, 5), np.array([0.1, 0.0, -0.1])
    assert matrix @ damped(factors(matrix), error, CAREFUL) == pytest.approx(error)


def test_flipped_targets_look_the_same_way_with_their_up_down_when_looking_forward():
    draw = random.Random(1)
    for _ in range(50):
        target = normalized(tuple(draw.gauss(0, 1) for _ in range(4)))
        flipped = to_reachable_side(target)
        assert rotate(flipped, Y) == pytest.approx(rotate(target, Y))
        assert flipped in (target, multiply(target, HALF_ROLL))
        assert (rotate(flipped, Z)[1] <= 0.0) == (rotate(flipped, Y)[2] >= 0.0)
