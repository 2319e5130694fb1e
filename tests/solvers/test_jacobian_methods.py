"""Tests the Jacobian family's methods against their definitions: least norms, normal equations, bounds, and
null spaces.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.solvers.jacobian.damping import ByError, BySmallest, Constant
from limber.solvers.jacobian.linear import ErrorComponents, Linear, factors
from limber.solvers.jacobian.methods import (
    Damped,
    Method,
    Pseudoinverse,
    SelectivelyDamped,
    Transpose,
    damped,
    selective_bounds,
)
from limber.solvers.jacobian.priorities import AIM, POSITION, POSTURE, UPRIGHT, Level, Priorities, task

from benchmarks.jacobian_damping import Bounded, ByManipulability, Filtered

often = settings(derandomize=True, deadline=None, max_examples=40)
FREE = 1e9  # [rad] a largest change that never clamps
DAMPINGS = [Constant(0.1), ByManipulability(), BySmallest(), Filtered(), ByError(), Bounded()]
METHODS = [Transpose(), Pseudoinverse(), Damped(ByError()), SelectivelyDamped(), Priorities()]

seeds = st.integers(0, 10**6)


def without_limits(method: Method, linear: Linear) -> np.ndarray:
    everywhere = np.full(linear.jacobian.shape[1], np.inf)
    return method.change(linear, -everywhere, everywhere)


def any_linear(
    seed: int,
    ends: int | None = None,
    joints: int | None = None,
    free_secondary: bool = True,
    spread: float = 1.0,
) -> Linear:
    """Random rows for some ends, three each; in some cases with joints without effect, or with redundant
    rows.
    """
    draw = np.random.default_rng(seed)
    ends = ends or int(draw.integers(1, 4))
    joints = joints or int(draw.integers(1, 12))
    jacobian = draw.normal(size=(3 * ends, joints))
    if draw.random() < 0.3:
        jacobian[:, draw.integers(joints)] = 0.0
    if draw.random() < 0.3:
        jacobian[0] = jacobian[-1]
    kinds = [("aim", "upright", "position")[int(draw.integers(3))] for _ in range(ends)]
    blocks = [ErrorComponents(kind, end, 3 * end, 3 * end + 3, 1.0) for end, kind in enumerate(kinds)]
    secondary = draw.normal(size=joints) * free_secondary
    return Linear(
        spread * draw.normal(size=3 * ends), jacobian, blocks, secondary, np.ones(joints, dtype=bool)
    )


@often
@given(seeds)
def test_the_transposes_length_takes_off_the_most_that_its_direction_can(seed):
    linear = any_linear(seed, free_secondary=False)
    change = without_limits(Transpose(FREE), linear)
    downhill = linear.jacobian.T @ linear.error
    assert np.linalg.matrix_rank(np.stack([change, downhill]), tol=1e-9) <= 1
    left = np.linalg.norm(linear.error - linear.jacobian @ change)
    for factor in (0.9, 0.999, 1.001, 1.1):
        assert left <= np.linalg.norm(linear.error - factor * linear.jacobian @ change) + 1e-12


@often
@given(seeds)
def test_the_pseudoinverse_is_the_shortest_of_the_changes_that_leave_the_least_error(seed):
    linear = any_linear(seed, free_secondary=False)
    change = without_limits(Pseudoinverse(FREE), linear)
    assert change == pytest.approx(np.linalg.lstsq(linear.jacobian, linear.error, rcond=1e-10)[0], abs=1e-8)
    other = change + linear.factors.projector() @ np.random.default_rng(seed).normal(
        size=len(change)
    )  # with the same small error
    assert np.linalg.norm(linear.jacobian @ (other - change)) == pytest.approx(0.0, abs=1e-8)
    assert np.linalg.norm(change) <= np.linalg.norm(other) + 1e-9


@often
@given(seeds, st.floats(0.01, 2.0))
def test_damped_least_squares_solves_its_normal_equations(seed, damping):
    linear = any_linear(seed, free_secondary=False)
    change = without_limits(Damped(Constant(damping), FREE), linear)
    jacobian = linear.jacobian
    normal = jacobian.T @ jacobian + damping**2 * np.eye(jacobian.shape[1])
    assert normal @ change == pytest.approx(jacobian.T @ linear.error, abs=1e-8)


@often
@given(seeds)
def test_no_singular_vector_moves_a_joint_by_more_than_its_selective_bound(seed):
    linear = any_linear(seed, free_secondary=False, spread=5.0)
    most = math.radians(45)
    left, values, right = np.linalg.svd(linear.jacobian, full_matrices=False)
    bounds = selective_bounds(linear, most)
    total = np.zeros(right.shape[1])
    for i, bound in enumerate(bounds):
        # N in the paper
        toward = sum(np.linalg.norm(left[3 * end : 3 * end + 3, i]) for end in range(len(linear.blocks)))
        one_by_one = sum(
            abs(right[i, j]) * np.linalg.norm(linear.jacobian[3 * end : 3 * end + 3, j])
            for j in range(right.shape[1])
            for end in range(len(linear.blocks))
        )
        assert bound == pytest.approx(
            most * min(1.0, toward * values[i] / one_by_one)
        )  # M is one_by_one / values[i]
        turn = right[i] * (left[:, i] @ linear.error) / values[i]
        total += turn * min(1.0, bound / np.max(np.abs(turn)))
    total *= most / max(most, np.max(np.abs(total)))
    assert without_limits(SelectivelyDamped(most), linear) == pytest.approx(total, abs=1e-9)


def test_selective_damping_is_the_pseudoinverse_where_nothing_is_far_or_singular():
    linear = any_linear(3, ends=1, joints=6, free_secondary=False, spread=1e-3)
    assert without_limits(SelectivelyDamped(), linear) == pytest.approx(
        without_limits(Pseudoinverse(), linear), abs=1e-12
    )


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
@often
@given(seeds)
def test_no_method_turns_a_joint_by_more_than_the_largest_change(method, seed):
    change = without_limits(method, any_linear(seed, spread=100.0))
    assert np.max(np.abs(change)) <= method.largest_change * (1 + 1e-12)


@pytest.mark.parametrize(
    "method",
    [Transpose(FREE), Pseudoinverse(FREE), Damped(ByError(), FREE), SelectivelyDamped(FREE)],
    ids=repr,
)
@often
@given(seeds)
def test_what_joints_would_like_does_not_disturb_the_errors(method, seed):
    wishing, plain = any_linear(seed), any_linear(seed, free_secondary=False)
    assert wishing.jacobian @ without_limits(method, wishing) == pytest.approx(
        plain.jacobian @ without_limits(method, plain), abs=1e-8
    )
    moved = without_limits(method, wishing) - without_limits(method, plain)
    assert moved == pytest.approx(wishing.factors.projector() @ wishing.secondary, abs=1e-8)  # eq. 7, in full


@pytest.mark.parametrize("damping", DAMPINGS, ids=lambda damping: type(damping).__name__)
@often
@given(seeds)
def test_damping_shortens_the_change_and_never_turns_it_uphill(damping, seed):
    linear = any_linear(seed, free_secondary=False, spread=3.0)
    parts = linear.factors
    change = damped(parts, linear.error, damping)
    full = parts.right.T @ ((parts.left.T @ linear.error) / parts.values)
    assert np.linalg.norm(change) <= np.linalg.norm(full) * (1 + 1e-9)
    assert change @ (linear.jacobian.T @ linear.error) >= -1e-12


@often
@given(seeds, st.floats(0.05, 3.0))
def test_maciejewskis_and_the_optimal_damping_keep_the_change_within_its_bound(seed, most):
    linear = any_linear(seed, free_secondary=False, spread=5.0)
    parts = linear.factors
    full = parts.right.T @ ((parts.left.T @ linear.error) / parts.values)
    assert np.linalg.norm(damped(parts, linear.error, BySmallest(most))) <= most * (1 + 1e-9)
    optimal = damped(parts, linear.error, Bounded(most))
    assert np.linalg.norm(optimal) == pytest.approx(
        min(most, np.linalg.norm(full)), rel=1e-5
    )  # the least sufficient damping


@pytest.mark.parametrize(
    ("smallest", "damping"), [(0.1, 0.5), (0.5, 0.5), (0.8, 0.4), (1.0, 0.0), (2.0, 0.0)]
)
def test_maciejewskis_damping_is_eq_15(smallest, damping):
    parts = factors(np.diag([3.0, smallest]))
    assert BySmallest(2.0).squares(parts, np.array([2.0, 0.0])) == pytest.approx(
        damping**2
    )  # d = |e| / b_max = 1


def test_dampings_by_pose_rise_to_their_most_at_a_singular_pose_and_are_none_far_from_it():
    far, near, singular = (factors(np.diag([1.0, smallest])) for smallest in (0.9, 0.01, 0.0))
    along = np.ones(2)
    by_manipulability = ByManipulability(0.2, threshold=0.05)
    assert by_manipulability.squares(far, along) == 0.0
    assert by_manipulability.squares(near, along) == pytest.approx((0.2 * 0.8) ** 2)
    assert by_manipulability.squares(singular, along[:1]) == pytest.approx(0.2**2)
    filtered = Filtered(0.2, region=0.1, everywhere=0.0)
    assert filtered.squares(far, along) == pytest.approx([0.0, 0.0])
    assert filtered.squares(near, along) == pytest.approx(
        [0.0, 0.99 * 0.2**2]
    )  # along the last direction alone
    assert ByError(0.5).squares(far, along) == pytest.approx(0.5 * 0.5 * 2.0)


# Task priorities


def three_kinds(seed: int) -> Linear:
    """Two ends with two rows each for a position and for an aim, on ten joints: levels compete for the last
    joints.
    """
    draw = np.random.default_rng(seed)
    kinds = (("position", 0), ("aim", 0), ("position", 1), ("aim", 1))
    blocks = [ErrorComponents(kind, end, 2 * i, 2 * i + 2, 1.0) for i, (kind, end) in enumerate(kinds)]
    return Linear(
        draw.normal(size=8), draw.normal(size=(8, 10)), blocks, draw.normal(size=10), np.arange(10) < 9
    )


ORDERS = [
    (POSITION, AIM, POSTURE),
    (AIM, POSITION, POSTURE),
    (POSTURE, AIM, POSITION),
    (Level("aim", (1,)), Level("position", (1,)), Level("aim", (0,)), Level("position", (0,)), POSTURE),
]


@pytest.mark.parametrize("levels", ORDERS, ids=lambda levels: " ".join(level.kind for level in levels))
@pytest.mark.parametrize("damping", [Constant(0.0), BySmallest()], ids=["undamped", "Maciejewski"])
@often
@given(seeds)
def test_lower_levels_do_not_disturb_higher_ones(levels, damping, seed):
    linear = three_kinds(seed)
    for count in range(1, len(levels)):
        alone = without_limits(Priorities(levels[:count], damping, FREE), linear)
        with_the_next = without_limits(Priorities(levels[: count + 1], damping, FREE), linear)
        for level in levels[:count]:
            _, jacobian = task(linear, level)
            assert jacobian @ with_the_next == pytest.approx(jacobian @ alone, abs=1e-6)


@often
@given(seeds)
def test_undamped_levels_are_met_as_long_as_joints_are_left_and_the_next_gets_what_remains(seed):
    linear = three_kinds(seed)
    change = without_limits(Priorities((POSITION, AIM, POSTURE), Constant(0.0), FREE, Constant(0.0)), linear)
    assert linear.jacobian @ change == pytest.approx(linear.error, abs=1e-6)
    # Of all changes that meet both, the one nearest to the secondary objective: two degrees of freedom, nine
    # desired values.
    projector = linear.factors.projector()
    start = np.linalg.lstsq(linear.jacobian, linear.error, rcond=None)[0]
    selected = np.eye(10)[linear.kept]
    rest = np.linalg.lstsq(
        selected @ projector, linear.secondary[linear.kept] - selected @ start, rcond=1e-9
    )[0]
    assert change == pytest.approx(start + projector @ rest, abs=1e-6)


@often
@given(seeds)
def test_two_levels_are_maciejewski_and_kleins_formula(seed):
    linear = three_kinds(seed)
    (first, j1), (second, j2) = task(linear, POSITION), task(linear, AIM)
    inverse = np.linalg.pinv(j1)
    null = np.eye(10) - inverse @ j1
    printed = inverse @ first + np.linalg.pinv(j2 @ null, rcond=1e-9) @ (
        second - j2 @ inverse @ first
    )  # ERIK's eq. 13
    assert without_limits(Priorities((POSITION, AIM), Constant(0.0), FREE), linear) == pytest.approx(
        printed, abs=1e-6
    )


def test_a_level_without_rows_changes_nothing():
    linear = three_kinds(1)
    with_it = without_limits(Priorities((POSITION, UPRIGHT, POSTURE)), linear)
    assert np.array_equal(with_it, without_limits(Priorities((POSITION, POSTURE)), linear))


# Limits


def any_room(seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Distances that joints may move down and up: zero for some."""
    draw = np.random.default_rng(seed + 1)
    return -draw.choice([0.0, 0.1, 1.0], count), draw.choice([0.0, 0.1, 1.0], count)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
@often
@given(seeds)
def test_changes_stay_within_limits_whatever_the_method(method, seed):
    linear = any_linear(seed, spread=10.0)
    down, up = any_room(seed, len(linear.secondary))
    change = method.change(linear, down, up)
    assert np.all((down <= change) & (change <= up))


@often
@given(seeds)
def test_joints_that_are_left_take_over_from_those_that_stop_at_a_limit(seed):
    linear = any_linear(seed, ends=1, joints=8, free_secondary=False, spread=0.1)
    for method in (Pseudoinverse(FREE), Priorities((AIM, UPRIGHT, POSITION), Constant(0.0), FREE)):
        change = without_limits(method, linear)
        eager = int(np.argmax(np.abs(change)))
        up = np.full(8, np.inf)
        up[eager] = 0.5 * abs(change[eager])
        within = method.change(linear, -up, up)
        assert abs(within[eager]) == pytest.approx(up[eager])
        assert linear.jacobian @ within == pytest.approx(linear.jacobian @ change, abs=1e-8)
        clipped = np.clip(change, -up, up)
        assert (
            np.linalg.norm(linear.jacobian @ (clipped - change)) > 1e-4
        )  # which clamping alone would not have achieved


@pytest.mark.parametrize(
    "method", [Pseudoinverse(FREE), Damped(ByError(), FREE), SelectivelyDamped(FREE)], ids=repr
)
@often
@given(seeds)
def test_at_limits_too_what_joints_would_like_does_not_disturb_the_errors(method, seed):
    wishing, plain = any_linear(seed), any_linear(seed, free_secondary=False)
    down, up = any_room(seed, len(wishing.secondary))
    moved = method.change(wishing, down, up) - method.change(plain, down, up)
    assert wishing.jacobian @ moved == pytest.approx(np.zeros(len(wishing.error)), abs=1e-7)
    assert moved @ wishing.secondary >= -1e-9


def test_where_errors_feel_nothing_joints_get_what_they_would_like_as_far_as_limits_let_them():
    secondary = np.array([0.1, -0.4, 0.3, 0.2])
    linear = Linear(
        np.ones(2),
        np.zeros((2, 4)),
        [ErrorComponents("aim", 0, 0, 2, 1.0)],
        secondary,
        np.ones(4, dtype=bool),
    )
    down, up = np.full(4, -0.25), np.array([0.02, 1.0, 0.25, 1.0])
    for method in (Pseudoinverse(), Priorities((AIM, POSTURE), Constant(0.0), posture_damping=Constant(0.0))):
        assert method.change(linear, down, up) == pytest.approx([0.02, -0.25, 0.25, 0.2])


@pytest.mark.parametrize("levels", ORDERS, ids=lambda levels: " ".join(level.kind for level in levels))
@often
@given(seeds)
def test_at_limits_too_lower_levels_do_not_disturb_higher_ones(levels, seed):
    linear = three_kinds(seed)
    down, up = any_room(seed, 10)
    for count in range(1, len(levels)):
        alone = Priorities(levels[:count], BySmallest(), FREE).change(linear, down, up)
        with_the_next = Priorities(levels[: count + 1], BySmallest(), FREE).change(linear, down, up)
        for level in levels[:count]:
            _, jacobian = task(linear, level)
            assert jacobian @ with_the_next == pytest.approx(jacobian @ alone, abs=1e-6)
