"""Options of the expressive solver."""

import math
from dataclasses import dataclass

from ..gaze import SPEED
from ..goals import GazeError
from ..settings import SolverOptions, setting


@dataclass(frozen=True)
class ExpressiveOptions(SolverOptions):
    """Settings of the expressive solver; an invalid value raises GazeError with the setting's name."""

    link_weights: tuple[float, ...] = ()  # (n,) weight of the link that each joint carries; (): all are 1
    hold_body: bool = False  # whether rotation of the body as a whole counts as a change of shape
    # what defines the shape: "links" (their directions) or "bones" (their rotations, roll included;
    # solvers/bones)
    measure: str = "links"
    # (9 n,) rotational inertia [m3] of what each joint's bone carries, about the joint and in its frame, row
    # by row; (): computed from the skeleton
    inertias: tuple[float, ...] = ()
    look_from: float = setting(
        0.5,
        "Look From",
        "Where a look comes from: 0 the last bone alone, 1 the whole spine evenly",
        unit="share",
        is_usual=True,
    )
    transition_speed: float = setting(
        SPEED,
        "Transition Speed",
        "Largest speed of a joint during a branch transition, in degrees per second",
        low=math.radians(6.0),
        high=SPEED,
        unit="angle",
        is_usual=True,
    )
    roll: float = setting(
        0.0,
        "Roll of Links",
        "Weight of the links' roll in the shape, relative to their direction",
        unit="share",
        is_usual=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(not weight >= 0.0 or math.isinf(weight) for weight in self.link_weights):
            raise GazeError(f"link weights must be numbers from 0 up, got {self.link_weights}")

    def weight(self, joint: int) -> float:
        """Weight of a joint's link in the shape deviation."""
        return self.link_weights[joint] if self.link_weights else 1.0
