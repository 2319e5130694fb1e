"""Options of CCD."""

import math
from dataclasses import dataclass
from typing import Literal

from ..settings import Choice, SolverOptions, setting

ORDERS = (
    Choice("tip", "Tip First", "The last joints rotate most: the chain curls near its end"),
    Choice("base", "Base First", "The first joints rotate most: the chain rotates as a whole"),
)


@dataclass(frozen=True)
class CcdOptions(SolverOptions):
    """Settings of CCD."""

    order: Literal["tip", "base"] = setting(
        "tip", "Order", "Joints that rotate first, and therefore most", choices=ORDERS, is_usual=True
    )
    in_frame: int = setting(
        60,
        "Sweeps",
        "Largest number of sweeps over all joints from one frame to the next; few sweeps lag behind",
        low=1,
        high=1000,
        is_usual=True,
    )
    iterations: int = setting(
        60, "Sweeps from Scratch", "Largest number of sweeps of a descent from scratch", low=1, high=1000
    )
    largest_speed: float = setting(
        math.radians(600.0),  # at 60 frames a second, 1.5 times this speed would look like a jump
        "Largest Speed",
        "Largest speed of a joint, in degrees per second; for a prismatic joint, 60° mean about one length"
        " of the chain per second",
        low=math.radians(6.0),
        high=60.0 * math.pi,
        unit="angle",
    )
    anneals: int = setting(
        12,
        "Anneals",
        "Number of descents from random offsets when a descent is stuck in a local minimum: simulated "
        "annealing (Zalo)",
        high=100,
    )
    patience: float = setting(
        0.5,
        "Time until Annealing",
        "Time with an error, in seconds, before annealing searches for an escape",
        high=60.0,
        slider=5.0,
    )
    seed: int = setting(
        0, "Seed", "Seed of the random offsets: the same seed gives the same motion", high=10_000
    )
    extrapolates: bool = setting(
        True,
        "Extrapolate",
        "Extrapolate a descent's last sweeps, so that fewer sweeps are needed (Anderson acceleration)",
    )
