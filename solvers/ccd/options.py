"""How CCD goes about it. Knows no Blender."""

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class CcdOptions:
    """What configures CCD."""

    # The joint that turns first turns most: from the tip a chain curls near its end, from the base it turns as a whole.
    order: Literal["tip", "base"] = "tip"
    iterations: int = 60  # sweeps of one descent at most
    in_frame: int = 60  # sweeps at most in a frame that goes on from the last one; one is a valid choice
    anneals: int = 12  # descents from random offsets, where one is stuck in a concavity
    frames_stuck: int = 30  # that miss the goal one after another before annealing looks for a way out
    seed: int = 0  # of the offsets
    # [rad, or of the reach] of a joint from one frame to the next: half as much again would be seen as a jump.
    largest_move: float = math.radians(10.0)
    extrapolates: bool = True  # whether a descent jumps ahead to where its last sweeps tend
