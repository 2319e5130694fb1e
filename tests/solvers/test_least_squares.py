"""Tests that least squares within bounds and constraints find the minimum of an independent solver, and name
the constraints that yielded.
"""

import numpy as np
import pytest
import quadprog
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.solvers.least_squares import box, constrained
from limber.solvers.least_squares.constrained import Constraints

often = settings(derandomize=True, deadline=None, max_examples=80)
seeds = st.integers(0, 10**6)
UNLIMITED = 1e6  # large value instead of infinity for the independent solver


def problem(draw: np.random.Generator, rank: int | None = None) -> tuple[np.ndarray, ...]:
    """H, g and a box, with unknowns that are fixed, free, or bounded on one side."""
    count = int(draw.integers(1, 25))
    jacobian = draw.normal(size=(count if rank is None else rank, count))
    damping = 10.0 ** draw.uniform(-5, 0)
    matrix = jacobian.T @ jacobian + damping * np.eye(count)
    vector = jacobian.T @ draw.normal(size=len(jacobian))
    lower, upper = -draw.uniform(0, 1, count), draw.uniform(0, 1, count)
    kind = draw.integers(0, 6, count)
    lower[kind == 0], upper[kind == 1] = -np.inf, np.inf
    lower[kind == 2], upper[kind == 2] = -np.inf, np.inf
    upper[kind == 3] = lower[kind == 3]
    return matrix, vector, lower, upper


def reference(matrix, vector, lower, upper, constraints=None):
    """The independent solver's minimum; None if there is none."""
    count = len(vector)
    pinned = lower == upper
    equal, normals, bounds = [], [], []
    for k in range(count):
        unit = np.eye(count)[k]
        if pinned[k]:
            equal.append((unit, lower[k]))
        else:
            normals += [unit, -unit]
            bounds += [max(lower[k], -UNLIMITED), -min(upper[k], UNLIMITED)]
    if constraints is not None:
        for row, low, high in zip(constraints.matrix, constraints.lower, constraints.upper, strict=True):
            if low == high:
                equal.append((row, low))
            else:
                normals += [row, -row]
                bounds += [max(low, -UNLIMITED), -min(high, UNLIMITED)]
    normals, bounds = [row for row, _ in equal] + normals, [bound for _, bound in equal] + bounds
    try:
        return quadprog.solve_qp(matrix, vector, np.array(normals).T, np.array(bounds, float), len(equal))[0]
    except ValueError:
        return None


def cost(matrix, vector, x):
    return 0.5 * x @ matrix @ x - vector @ x


@often
@given(seeds)
def test_a_box_is_solved_as_by_an_independent_solver(seed):
    draw = np.random.default_rng(seed)
    matrix, vector, lower, upper = problem(draw)
    answer = box.solve(matrix, vector, lower, upper)
    assert np.all(answer.x >= lower)
    assert np.all(answer.x <= upper)
    assert answer.x == pytest.approx(reference(matrix, vector, lower, upper), abs=1e-6)


@often
@given(seeds)
def test_a_wrong_guess_of_the_bounds_costs_rounds_and_changes_no_answer(seed):
    draw = np.random.default_rng(seed)
    matrix, vector, lower, upper = problem(draw)
    guess = draw.integers(-1, 2, len(vector)).astype(np.int8)
    cold, warm = box.solve(matrix, vector, lower, upper), box.solve(matrix, vector, lower, upper, guess)
    assert warm.x == pytest.approx(cold.x, abs=1e-7)
    assert box.solve(matrix, vector, lower, upper, cold.sides).rounds == 1


@often
@given(seeds)
def test_a_box_with_fewer_errors_than_unknowns_costs_no_more_than_an_independent_solver_finds(seed):
    draw = np.random.default_rng(seed)
    matrix, vector, lower, upper = problem(draw, rank=int(draw.integers(1, 4)))
    answer = box.solve(matrix, vector, lower, upper)
    best = cost(matrix, vector, reference(matrix, vector, lower, upper))
    assert cost(matrix, vector, answer.x) <= best + 1e-9 * max(1.0, abs(best))


def some_rows(draw, lower, upper, consistent=True) -> Constraints:
    """Constraints that hold at a point in the box, some repeated, some equalities, some that only touch."""
    count = len(lower)
    m = int(draw.integers(1, 7))
    matrix = draw.normal(size=(m, count)) * (draw.random((m, count)) < 0.6)
    if m > 2:
        matrix[1] = matrix[0] * draw.choice([1.0, -2.0, 0.5])  # rows that depend linearly on others
    inside = np.clip(draw.normal(size=count), lower, upper)
    at = matrix @ inside
    low, high = at - draw.uniform(0, 1, m), at + draw.uniform(0, 1, m)
    kind = draw.integers(0, 5, m)
    low[kind == 0], high[kind == 1] = -np.inf, np.inf
    high[kind == 2] = low[kind == 2] = at[kind == 2]
    low[kind == 3] = at[kind == 3]
    return Constraints(matrix, low, high)


@often
@given(seeds)
def test_rows_are_held_as_by_an_independent_solver(seed):
    draw = np.random.default_rng(seed)
    matrix, vector, lower, upper = problem(draw)
    constraints = some_rows(draw, lower, upper)
    answer = constrained.solve(matrix, vector, lower, upper, constraints)
    assert np.all(answer.x >= lower)
    assert np.all(answer.x <= upper)
    assert np.abs(constraints.beyond(answer.x)).max() < 1e-7
    assert not answer.yielded.any()
    best = reference(matrix, vector, lower, upper, constraints)
    if best is not None:  # the independent solver may fail for linearly dependent rows
        assert cost(matrix, vector, answer.x) == pytest.approx(cost(matrix, vector, best), rel=1e-6, abs=1e-7)


def test_rows_of_all_sizes_that_can_hold_are_held():
    """With a penalty of constant stiffness, one in ten would be violated if some rows are ten thousand times
    as large as others.
    """
    for seed in range(200):
        draw = np.random.default_rng(seed)
        count, rows = draw.integers(2, 15), draw.integers(2, 6)
        errors = draw.normal(size=(count + 2, count)) * 10 ** draw.uniform(-2, 1, count)
        matrix = errors.T @ errors
        matrix += 1e-4 * matrix.diagonal().max() * np.eye(count)
        lower, upper = -draw.uniform(0, 2, count), draw.uniform(0, 2, count)
        held = draw.normal(size=(rows, count)) * 10 ** draw.uniform(-2, 2, size=(rows, 1))
        inside, room = (
            held @ draw.uniform(lower, upper),
            draw.uniform(0, 0.3, (2, rows)) * np.abs(held).sum(1),
        )
        constraints = Constraints(held, inside - room[0], inside + room[1] * (draw.random(rows) < 0.7))
        answer = constrained.solve(matrix, draw.normal(size=count), lower, upper, constraints)
        assert not answer.yielded.any(), f"seed {seed}"


@often
@given(seeds)
def test_multipliers_of_a_similar_problem_change_no_answer(seed):
    draw = np.random.default_rng(seed)
    matrix, vector, lower, upper = problem(draw)
    constraints = some_rows(draw, lower, upper)
    first = constrained.solve(matrix, vector, lower, upper, constraints)
    other = vector * draw.uniform(0.9, 1.1, len(vector))
    cold = constrained.solve(matrix, other, lower, upper, constraints)
    warm = constrained.solve(matrix, other, lower, upper, constraints, first.sides, first.multipliers)
    assert not warm.yielded.any()
    assert warm.x == pytest.approx(cold.x, rel=1e-6, abs=1e-6)


@often
@given(seeds)
def test_rows_that_contradict_each_other_are_violated_least_and_named(seed):
    draw = np.random.default_rng(seed)
    matrix, vector, lower, upper = problem(draw)
    count = len(vector)
    constraints = some_rows(draw, lower, upper)
    free = np.flatnonzero(lower < upper)
    if not len(free):
        return
    row = np.zeros(count)
    row[free[0]] = 1.0
    reach = (
        3.0
        + np.where(np.isfinite(upper), np.abs(upper), 5.0)[free[0]]
        + np.where(np.isfinite(lower), np.abs(lower), 5.0)[free[0]]
    )
    clash = Constraints(
        np.vstack([constraints.matrix, row, row]),
        np.append(constraints.lower, [reach, -np.inf]),
        np.append(constraints.upper, [np.inf, -reach]),
    )
    answer = constrained.solve(matrix, vector, lower, upper, clash)
    assert np.all(answer.x >= lower)
    assert np.all(answer.x <= upper)
    assert answer.yielded[-2] < 0 or answer.yielded[-1] > 0
    beyond = clash.beyond(answer.x)
    slope = clash.matrix.T @ beyond  # gradient of half the sum of squares, which is convex
    # tolerance relative to the terms that cancel
    slack = 1e-6 * (1.0 + (np.abs(clash.matrix).T @ np.abs(beyond)).max())
    assert np.all((slope > -slack) | (answer.x > upper - 1e-8))  # tolerance for rounding of the springs
    assert np.all((slope < slack) | (answer.x < lower + 1e-8))


def test_the_objective_decides_among_the_least_violations():
    """Up to rounding of springs that are far stiffer than the objective."""
    constraints = Constraints(
        np.array([[1.0, 2.0, 0.7], [1.0, 2.0, 0.7]]), np.array([2.0, -np.inf]), np.array([np.inf, 0.0])
    )
    soft = np.diag([1.0, 2.0, 3.0]) * 1e-4
    vector = soft @ np.array([0.3, -0.2, 0.5])
    answer = constrained.solve(soft + np.ones((3, 3)), vector, np.full(3, -9.0), np.full(3, 9.0), constraints)
    row = constraints.matrix[0]
    kkt = np.block([[soft + np.ones((3, 3)), row[:, None]], [row, np.zeros(1)]])
    assert answer.x == pytest.approx(np.linalg.solve(kkt, [*vector, 1.0])[:3], abs=1e-9)


def test_two_rows_that_pull_apart_meet_half_way():
    constraints = Constraints(
        np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([2.0, -np.inf]), np.array([np.inf, 0.0])
    )
    answer = constrained.solve(
        np.eye(2), np.array([0.0, 0.3]), np.full(2, -9.0), np.full(2, 9.0), constraints
    )
    assert answer.x == pytest.approx([1.0, 0.3], abs=1e-6)
    assert answer.yielded == pytest.approx([-1.0, 1.0], abs=1e-6)


def test_a_row_of_zeros_that_cannot_hold_gives_way_and_the_rest_stays():
    constraints = Constraints(np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([1.0, 0.5]), np.array([2.0, 0.5]))
    answer = constrained.solve(np.eye(2), np.zeros(2), np.full(2, -9.0), np.full(2, 9.0), constraints)
    assert answer.x == pytest.approx([0.25, 0.25], abs=1e-6)
    assert answer.yielded == pytest.approx([-1.0, 0.0], abs=1e-6)


def stiff_problem(draw, count=60):
    """A narrow box whose quadratic is a million times as steep in some directions as in others: many bounds
    are active.
    """
    directions = draw.normal(size=(count // 3, count))
    matrix = np.eye(count) + 1e6 * directions.T @ directions
    return (
        matrix,
        matrix @ draw.normal(size=count),
        -draw.uniform(0.0, 0.3, count),
        draw.uniform(0.0, 0.3, count),
    )


@pytest.mark.parametrize("seed", range(8))
def test_a_stiff_box_with_many_active_bounds_takes_few_solves(seed):
    matrix, vector, lower, upper = stiff_problem(np.random.default_rng(seed))
    answer = box.solve(matrix, vector, lower, upper)
    assert not answer.stopped
    assert answer.rounds < 3 * len(vector)
    slope = matrix @ answer.x - vector
    tolerance = 1e-6 * np.abs(vector).max()
    assert np.all(np.abs(slope[answer.sides == 0]) < tolerance)
    assert np.all(slope[answer.sides > 0] < tolerance)
    assert np.all(slope[answer.sides < 0] > -tolerance)


def test_a_search_that_is_stopped_says_so_and_has_a_step_within_bounds_that_is_better_than_none(monkeypatch):
    stopped = 0
    for seed in range(8):
        matrix, vector, lower, upper = stiff_problem(np.random.default_rng(seed))
        best = box.solve(matrix, vector, lower, upper)
        costs = []
        for most in (best.rounds // 2, best.rounds - 1):
            monkeypatch.setattr(box, "MOST_ROUNDS", most)
            answer = box.solve(matrix, vector, lower, upper)
            stopped += answer.stopped
            assert np.all((lower <= answer.x) & (answer.x <= upper))
            costs.append(cost(matrix, vector, answer.x))
        monkeypatch.undo()
        assert cost(matrix, vector, best.x) <= costs[1] <= costs[0] < 0.0
    assert stopped >= 8


@pytest.mark.parametrize("seed", range(6))
def test_rows_over_a_stiff_box_take_a_bounded_number_of_solves(seed, monkeypatch):
    draw = np.random.default_rng(seed)
    matrix, vector, lower, upper = stiff_problem(draw)
    constraints = some_rows(draw, lower, upper)
    monkeypatch.setattr(box, "MOST_ROUNDS", 5)
    monkeypatch.setattr(constrained, "MOST_ROUNDS", 5)
    answer = constrained.solve(matrix, vector, lower, upper, constraints)
    assert answer.stopped
    assert answer.rounds <= 15
    assert np.all((lower <= answer.x) & (answer.x <= upper))


def test_a_quadratic_that_rounding_makes_singular_has_its_shortest_minimum():
    slope = np.array([1e20, 1e20, 0.0])
    answer = box.solve(
        np.outer(slope, slope) + np.diag([0.0, 0.0, 1.0]),
        1e40 * np.array([1.0, 1.0, 0.0]),
        -np.ones(3),
        np.ones(3),
    )
    assert answer.x == pytest.approx([0.5, 0.5, 0.0])
