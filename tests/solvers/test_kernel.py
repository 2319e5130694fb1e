"""The compiled kernel does what the Python reference does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.solvers.expressive.aims import BatchedAim
from limber.solvers.expressive.descent import COARSE_PASSES, Descent
from limber.solvers.expressive.model import Model
from limber.solvers.expressive.options import Options
from limber.solvers.expressive.shape import Authored
from limber.solvers.kernel.binding import CompiledModel, frame_numbers
from limber.solvers.kernel.library import kernel
from limber.solvers.least_squares.boxes import boxed

from .kernel_cases import KINDS, angles_of, goal_of, skeleton_of

library = kernel()
pytestmark = pytest.mark.skipif(library is None, reason="there is no compiled kernel: make kernel")

seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(KINDS)
rolls = st.sampled_from(["", "up", "level"])
ROUNDING = 1e-12


class Case:
    """A random skeleton, goal and configurations, in the reference and in the kernel."""

    def __init__(
        self, seed: int, joints: int, kind: type, roll: str, is_tree: bool, slides: float, is_held: bool
    ) -> None:
        draw = np.random.default_rng(seed)
        self.skeleton = skeleton_of(draw, joints, is_tree, slides)
        self.goal = goal_of(draw, self.skeleton, kind, roll)
        self.options = Options(hold_body=is_held, roll=float(draw.choice([0.0, 0.5])))
        self.model = Model(self.skeleton, self.options)
        self.angles = angles_of(draw, self.skeleton, 6)
        self.posture = self.skeleton.clamp(self.goal.posture)
        self.authored = Authored(self.model, np.array(self.posture), self.goal.keep)
        self.descent = Descent(self.model, self.authored, BatchedAim(self.skeleton, self.goal))
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
    matrix, descent = case.authored.system(candidates.poses, candidates.turn)
    if case.descent.rolls:
        matrix, descent = case.descent.rolls.added(candidates.poses, type(case.authored.system(candidates.poses, candidates.turn))(matrix, descent))
    for row, angles in enumerate(case.angles):
        found = case.compiled.evaluate(case.goal, case.posture, case.goal.keep, angles, case.sides[row])
        close = lambda a, b, size=1.0: np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10 * size)
        close(found.error, candidates.aim.error[row])
        close(found.columns, candidates.aim.columns[row])
        close(found.size, candidates.aim.size[row])
        close(found.cosine, candidates.cosine[row])
        close(found.merit, candidates.merit[row])
        close(found.matrix, matrix[row], len(case.model.weights))
        close(found.descent, descent[row], len(case.model.weights))


@given(cases)
def test_large_steps_are_those_of_the_reference(case: Case) -> None:
    shape = np.array([1.0, 0.0] * 3)
    before = case.descent.at(case.angles, case.sides)
    expected = case.descent.at(case.descent.bold(before, COARSE_PASSES, shape), case.sides)
    angles, (merit, cosine, size) = case.compiled.descend(
        case.goal, case.posture, case.goal.keep, case.angles, case.sides, shape, 1, COARSE_PASSES
    )
    np.testing.assert_allclose(angles, expected.angles, rtol=1e-7, atol=1e-7)
