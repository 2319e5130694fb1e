"""The exact correction of an aim on one skeleton, by the compiled kernel if possible."""

import math
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from ..diagnosis import measure
from ..exact_aim import correct, correct_or_look
from ..gaze import PostureShape
from ..goals import GazeGoal
from ..kernel.binding import CompiledModel
from ..kernel.library import KernelError
from ..kernel.structures import Correction
from ..kinematics.skeleton import Angles, Skeleton
from ..least_squares.bounded_step import MAX_ITERATIONS
from ..tolerances import MET
from .model import Model

# cost of a rotation of the whole chain by its root joint, which changes no shape; a joint that carries nearly
# all links costs about 1
ROOT_COST = 0.03


def shape_costs(skeleton: Skeleton) -> tuple[float, ...]:
    """Costs (n,) of the joints' squared changes: the more links a joint carries, the more its rotation
    changes the shape.
    """
    n = len(skeleton)
    carried = [1] * n
    for k in reversed(range(n)):
        parent = skeleton.joints[k].parent
        if parent >= 0:
            carried[parent] += carried[k]
    return tuple((count / n) ** 2 if count < n else ROOT_COST for count in carried)


class ExactCorrection:
    """The least change of configurations, within limits, that makes the aim exact; a displacement of a
    prismatic joint by the reach counts as one radian.
    """

    def __init__(
        self, skeleton: Skeleton, costs: tuple[float, ...] | None = None, model: Model | None = None
    ) -> None:
        """`costs`: costs (n,) of the joints' squared changes; None: all 1. `model`: the model of the
        skeleton, if there is one.
        """
        self.skeleton, self.costs, self._model = skeleton, costs, model

    @cached_property
    def compiled(self) -> CompiledModel | None:
        """The skeleton in the compiled kernel; None if this machine has no kernel, or the kernel does not
        support the skeleton.
        """
        try:
            return (self._model or Model(self.skeleton)).compiled
        except KernelError:
            return None

    def correct(
        self,
        goal: GazeGoal,
        posture: tuple[float, ...] | None,
        starts: Iterable[Sequence[float] | Angles],
        steps: int = MAX_ITERATIONS,
        looks: bool = True,
    ) -> Correction:
        """The correction of the first start from which the aim is met; if it is met from none, the correction
        with the least remaining aim error.

        Args:
            goal: The goal.
            posture: Posture (n,) [rad or m] from which the shape deviation is measured; None: it is not
                measured.
            starts: Configurations (n,) [rad or m] to begin with, in this order; at least one.
            steps: Largest number of steps from each start; 0: the starts are only evaluated.
            looks: Whether only the views are corrected if a chain cannot also be upright.
        """
        best, compiled = None, self.compiled
        method = self._correct_in_python if compiled is None else compiled.correct
        for start in starts:
            try:
                correction = method(goal, posture, start, self.costs, steps, looks)
            except KernelError:  # a number is too large for the kernel, or the kernel does not support an aim
                correction = self._correct_in_python(goal, posture, start, self.costs, steps, looks)
            if best is None or correction.aim_error < best.aim_error:
                best = correction
            if best.aim_error <= MET:
                break
        assert best is not None
        return best

    def _correct_in_python(
        self,
        goal: GazeGoal,
        posture: tuple[float, ...] | None,
        start: Sequence[float] | Angles,
        costs: tuple[float, ...] | None,
        steps: int,
        looks: bool,
    ) -> Correction:
        """Reference implementation of the kernel's correction."""
        method = correct_or_look if looks else correct
        costs = costs or (1.0,) * len(self.skeleton)
        angles, pose, aim_error, used = method(self.skeleton, goal, tuple(start), costs, steps)
        cosine = 0.0 if posture is None else math.cos(PostureShape(self.skeleton, posture).deviation(pose))
        return Correction(np.array(angles), aim_error, cosine, used, measure(self.skeleton, goal, pose))
