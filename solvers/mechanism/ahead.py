"""Whether a target leaves the workspace with its next frame, if it goes on as it went. Knows no Blender."""

from dataclasses import dataclass

import numpy as np

from .descent import Descent, Place, Wishes
from .frames import Array

STEPS = 20  # most of a solve: next to the edge, where this is asked, it takes many


@dataclass(frozen=True)
class _Moved:
    """Wishes whose rows have moved on."""

    wishes: Wishes
    move: Array  # (e,)

    def error(self, frames: Array, values: Array, balls: Array) -> Array:
        moved: Array = self.wishes.error(frames, values, balls) + self.move
        return moved

    def linear(self, frames: Array, screws: Array, values: Array, balls: Array) -> tuple[Array, Array]:
        error, derivative = self.wishes.linear(frames, screws, values, balls)
        return error + self.move, derivative


def leaves_reach(descent: Descent, here: Place, move: Array, reached: float) -> bool:
    """Whether no pose is found that meets the goals to `reached` [rad or sizes] once their rows have moved by `move` (e,)."""
    onward = descent.later(_Moved(descent.pursuit, move))
    there, _, _ = onward.go(onward.place(here.values, here.balls, here.shape), STEPS)
    return bool(np.abs(there.goals[0]).max(initial=0.0) > reached)
