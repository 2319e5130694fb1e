"""Tests that the compiled kernel gives the results of the Python reference."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.solvers.diagnosis import measure
from limber.solvers.expressive import Expressive
from limber.solvers.expressive.aims import BatchedAim
from limber.solvers.expressive.descent import COARSE_PASSES, ShapeDescent
from limber.solvers.expressive.model import Model
from limber.solvers.expressive.options import ExpressiveOptions
from limber.solvers.expressive.prediction import GoalForecast, Velocity
from limber.solvers.expressive.seeds import Seeds
from limber.solvers.expressive.shape import Authored
from limber.solvers.goals import GazeGoal, Orientation
from limber.solvers.kernel.binding import CompiledModel
from limber.solvers.kernel.library import KernelError, kernel
from limber.solvers.kernel.structures import Buffer, frame_numbers
from limber.solvers.kinematics.rotations import X, Y, about, multiply
from limber.solvers.kinematics.skeleton import Skeleton
from limber.solvers.least_squares.boxes import boxed

from .chains import unit_chain
from .kernel_cases import KINDS, angles_of, goal_of, skeleton_of

library = kernel()
pytestmark = pytest.mark.skipif(library is None, reason="there is no compiled kernel: make kernel")

seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(KINDS)
rolls = st.sampled_from(["", "up", "level"])
ROUNDING = 1e-12
LOST_DIGITS = 1e-10  # tolerance of errors and derivatives: directions to near points, rolls near their poles
LOST_DIGITS_OF_STEPS = 1e-7  # tolerance of a step, whose matrix has a condition number of about 1e7
FLAT = 1e-4  # [rad] tolerance for goals out of reach, whose errors have flat minima
SAME = 1e-7  # [rad] tolerance of results of iterations


class Case:
    """A random skeleton, goal and configurations, in the reference and in the kernel."""

    def __init__(
        self, seed: int, joints: int, kind: type, roll: str, is_tree: bool, slides: float, is_held: bool
    ) -> None:
        draw = np.random.default_rng(seed)
        self.skeleton = skeleton_of(draw, joints, is_tree, slides)
        self.goal = goal_of(draw, self.skeleton, kind, roll)
        self.options = ExpressiveOptions(hold_body=is_held, roll=float(draw.choice([0.0, 0.5])))
        self.model = Model(self.skeleton, self.options)
        self.angles = angles_of(draw, self.skeleton, 6)
        self.posture = self.skeleton.clamp(self.goal.posture)
        self.authored = Authored(self.model, np.array(self.posture), self.goal.keep)
        self.descent = ShapeDescent(self.model, self.authored, BatchedAim(self.skeleton, self.goal))
        assert library is not None
        self.compiled = CompiledModel(library, self.model)
        self.sides = draw.choice([-1.0, 0.0, 1.0], 6)


cases = st.builds(
    Case, seeds, st.integers(1, 12), kinds, rolls, st.booleans(), st.sampled_from([0.0, 0.4]), st.booleans()
)


@given(cases)
def test_frames_and_axes_are_those_of_the_tree(case: Case) -> None:
    for angles in case.angles:
        frames, axes = case.compiled.forward(angles)
        expected = case.skeleton.tree.forward(angles)
        order = case.skeleton.tree.held
        np.testing.assert_allclose(frames, frame_numbers(expected.nodes[order]), rtol=0, atol=ROUNDING * 10)
        np.testing.assert_allclose(axes, expected.axes, rtol=0, atol=ROUNDING)


@given(cases)
def test_errors_and_derivatives_are_those_of_the_reference(case: Case) -> None:
    candidates = case.descent.at(case.angles, case.sides)
    system = case.authored.system(candidates.poses, candidates.fitted_rotation)
    if case.descent.rolls:
        system = case.descent.rolls.added(candidates.poses, system)
    size = len(case.model.weights)  # tolerance grows with the number of terms
    for row, angles in enumerate(case.angles):
        found = case.compiled.evaluate(case.goal, case.posture, case.goal.keep, angles, case.sides[row])
        for ours, reference, scale in (
            (found.error, candidates.aim.error[row], 1.0),
            (found.columns, candidates.aim.columns[row], 1.0),
            (found.size, candidates.aim.size[row], 1.0),
            (found.cosine, candidates.cosine[row], 1.0),
            (found.merit, candidates.merit[row], 1.0),
            (found.matrix, system.matrix[row], size),
            (found.descent, system.descent[row], size),
        ):
            np.testing.assert_allclose(ours, reference, rtol=LOST_DIGITS, atol=LOST_DIGITS * scale)


@given(seeds, st.integers(1, 12), st.integers(1, 8))
def test_bounded_steps_are_those_of_the_reference(seed: int, n: int, passes: int) -> None:
    draw = np.random.default_rng(seed)
    rows = draw.normal(size=(3, n))
    matrix = 1e3 * rows.T @ rows + np.eye(n)
    descent, room = draw.normal(size=n), draw.uniform(0, 0.5, (2, n)) * (draw.random((2, n)) > 0.2)
    expected = boxed(matrix[None], descent[None], -room[:1], room[1:], passes)[0]
    assert library is not None
    arguments = [Buffer(n, n), *(Buffer(n) for _ in range(4)), Buffer(n * n + 3 * n)]
    for buffer, values in zip(arguments, (matrix, descent, -room[0], room[1]), strict=False):
        buffer.array[:] = values
    h, g, least, most, x, scratch = (buffer.address for buffer in arguments)
    assert library.boxed(n, h, g, least, most, passes, x, scratch) == 0
    tolerance = ROUNDING * float(np.linalg.cond(matrix))
    np.testing.assert_allclose(arguments[4].array, expected, rtol=tolerance, atol=tolerance)


@given(cases)
def test_large_steps_are_those_of_the_reference(case: Case) -> None:
    shape = np.array([1.0, 0.0] * 3)
    before = case.descent.at(case.angles, case.sides)
    expected = case.descent.bold(before, COARSE_PASSES, shape)
    angles, _ = case.compiled.descend(
        case.goal, case.posture, case.goal.keep, case.angles, case.sides, shape, 1, COARSE_PASSES
    )
    np.testing.assert_allclose(angles, expected, rtol=LOST_DIGITS_OF_STEPS, atol=LOST_DIGITS_OF_STEPS)


def reference(skeleton: Skeleton) -> Expressive:
    """The solver without the kernel."""
    solver = Expressive(skeleton)
    solver.model.compiled = None
    return solver


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("roll", ["", "up", "level"])
def test_a_search_from_scratch_ends_where_that_of_the_reference_does(kind: type, roll: str) -> None:
    for seed in range(4):
        draw = np.random.default_rng(seed)
        skeleton = skeleton_of(draw, 6, is_tree=seed == 3, slides=0.2 * (seed == 2))
        goal = goal_of(draw, skeleton, kind, roll)
        ours, theirs = Expressive(skeleton).solve(goal), reference(skeleton).solve(goal)
        assert ours.converged == theirs.converged
        tolerance = SAME if ours.converged else FLAT
        assert ours.aim_error == pytest.approx(theirs.aim_error, abs=tolerance)
        assert ours.shape_deviation == pytest.approx(theirs.shape_deviation, abs=tolerance)


@pytest.mark.parametrize("axes", ["YXXZY", "YXXYXXYX"])
def test_a_motion_is_that_of_the_reference_with_all_its_plans(axes: str) -> None:
    skeleton = unit_chain(axes, math.pi / 2)
    ours, theirs = Expressive(skeleton), reference(skeleton)
    posture, start, memory, planned = np.full(len(skeleton), 0.2), None, None, 0
    for frame in range(120):
        time = frame / 60
        aim = Orientation(multiply(about(Y, 4.0 * math.sin(time)), about(X, 1.0 + 2.0 * time)))
        goal = GazeGoal(aim, posture)
        answer = ours.solve(goal, start, memory)
        expected = theirs.solve(goal, start, memory)
        np.testing.assert_allclose(answer.angles, expected.angles, rtol=0, atol=SAME)
        start, memory = answer.angles, answer.memory
        planned += memory is not None and memory.planning.transition is not None
    assert planned > 5, "branches change"


@pytest.mark.parametrize("kind", KINDS)
def test_goals_to_come_are_those_of_the_reference(kind: type) -> None:
    draw = np.random.default_rng(3)
    case = Case(3, 4, kind, "", False, 0.0, False)
    moving = Velocity(tuple(draw.normal(size=3)), tuple(draw.normal(size=3)))
    forecast = GoalForecast(case.goal, (moving,), 1 / 60)
    times = (0.005, 1 / 30, 0.3, 1.0)
    case.compiled.pose(case.goal, case.posture, 1.0)
    case.compiled._write_goals(forecast, 1, times)
    expected = [number for time in times for number in np.frombuffer(forecast.at(time).numbers)]
    found = case.compiled._goals.array[: len(expected)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDING * 10)


def test_numbers_that_are_not_finite_and_sizes_that_do_not_fit_are_refused() -> None:
    case = Case(1, 5, Orientation, "", False, 0.0, False)
    for value in (math.nan, math.inf, -math.inf, 1e300):
        angles = case.angles.copy()
        angles[0, 2] = value
        with pytest.raises(KernelError, match="not finite"):
            case.compiled.evaluate(case.goal, case.posture, 1.0, angles[0])
    case.compiled._problem.workspace_bytes = 8
    with pytest.raises(KernelError, match="size"):
        case.compiled.evaluate(case.goal, case.posture, 1.0, case.angles[0])


def test_seeds_that_are_not_finite_or_do_not_fit_are_refused() -> None:
    case = Case(1, 5, Orientation, "", False, 0.0, False)
    for name, value in (("spread", math.nan), ("spread", 1e300), ("mirror", 2.0)):
        seeds = Seeds(case.model)
        getattr(seeds, name).flat[3] = value
        with pytest.raises(KernelError, match="not finite"):
            case.compiled.search(case.goal, case.posture, 1.0, seeds)
    case.compiled._written_seeds.spreads = -1
    with pytest.raises(KernelError, match="size"):
        case.compiled.search(case.goal, case.posture, 1.0, seeds)


def test_a_correction_with_costs_or_steps_that_cannot_be_is_refused() -> None:
    case = Case(1, 5, Orientation, "", False, 0.0, False)
    for costs, message in (((math.nan,) * 5, "not finite"), ((1.0, 1.0, 0.0, 1.0, 1.0), "size")):
        with pytest.raises(KernelError, match=message):
            case.compiled.correct(case.goal, case.posture, case.posture, costs)
    with pytest.raises(KernelError, match="not finite"):
        case.compiled.correct(case.goal, case.posture, (0.0, math.inf, 0.0, 0.0, 0.0))
    for steps in (-1, 201):
        with pytest.raises(KernelError, match="size"):
            case.compiled.correct(case.goal, case.posture, case.posture, steps=steps)


@given(cases)
def test_the_errors_of_a_search_are_those_of_its_angles(case: Case) -> None:
    skeleton = case.model.skeleton
    best = case.compiled.search(case.goal, case.posture, case.goal.keep, Seeds(case.model))
    expected = measure(skeleton, case.goal, skeleton.forward(best.angles))
    np.testing.assert_allclose(best.measured.errors, expected.errors, rtol=0.0, atol=SAME)
    assert best.measured.at_targets == expected.at_targets


@given(cases)
def test_what_people_see_of_a_frames_errors_is_that_of_the_reference(case: Case) -> None:
    start = np.clip(case.angles[0], case.model.lower, case.model.upper)
    problem = (case.goal, case.posture, case.goal.keep)
    tracked = case.compiled.local_frame(problem, start, np.zeros_like(start), 1 / 60, 1.0, 1.0)
    skeleton = case.model.skeleton
    expected = measure(skeleton, case.goal, skeleton.forward(tracked.angles))
    np.testing.assert_allclose(tracked.measured.errors, expected.errors, rtol=0.0, atol=SAME)
    assert tracked.measured.at_targets == expected.at_targets
