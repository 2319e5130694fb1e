"""Options of CCD. Knows no Blender."""

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class CcdOptions:
    """Settings of CCD."""

    # The joint that moves first rotates most: from the tip a chain curls near its end, from the base it rotates as a whole.
    order: Literal["tip", "base"] = "tip"
    iterations: int = 60  # most sweeps of one descent
    in_frame: int = 60  # most sweeps in a frame that goes on from the last one; one is a valid choice
    anneals: int = 12  # descents from random offsets, where one is stuck in a local minimum
    frames_stuck: int = 30  # consecutive frames with an error before annealing searches for an escape
    seed: int = 0  # of the offsets
    # [rad, or of the reach] of a joint from one frame to the next: half as much again would be seen as a jump.
    largest_move: float = math.radians(10.0)
    extrapolates: bool = True  # whether a descent extrapolates its last sweeps
