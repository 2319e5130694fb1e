"""Predicts whether a target leaves the workspace in the next frame. Knows no Blender."""

from dataclasses import dataclass

import numpy as np

from ..kinematics.se3 import Array
from .descent import Configuration, Descent, Residuals

STEPS = 20  # most steps of a solve: next to the edge, where this is called, it takes many


@dataclass(frozen=True)
class _Moved:
    """Residuals of a task, shifted by a constant vector."""

    residuals: Residuals
    move: Array  # (e,)

    def error(self, frames: Array, values: Array, balls: Array) -> Array:
        moved: Array = self.residuals.error(frames, values, balls) + self.move
        return moved

    def linear(self, frames: Array, screws: Array, values: Array, balls: Array) -> tuple[Array, Array]:
        error, derivative = self.residuals.linear(frames, screws, values, balls)
        return error + self.move, derivative


def leaves_reach(descent: Descent, here: Configuration, move: Array, reached: float) -> bool:
    """Whether no pose is found whose task errors, shifted by `move` (e,), are below `reached` [rad or sizes]."""
    onward = descent.later_frame(_Moved(descent.task, move))
    there, _, _ = onward.go(onward.evaluate(here.values, here.balls, here.shape), STEPS)
    return bool(np.abs(there.goals[0]).max(initial=0.0) > reached)
