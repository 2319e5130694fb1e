"""Options of the expressive solver that a user may set. Knows no Blender."""

import math
from dataclasses import dataclass

from ..gaze import SPEED
from ..goals import GazeError
from ..settings import Settings, setting


@dataclass(frozen=True)
class Options(Settings):
    """Settings of the expressive solver; an invalid value raises GazeError with the setting's name."""

    link_weights: tuple[float, ...] = ()  # (n,) weight of the link that each joint carries; () all 1
    hold_body: bool = False  # whether rotation of the body as a whole counts as a change of shape
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
        0.0, "Roll of Links", "Weight of the links' roll in the shape, relative to their direction", unit="share", is_usual=True
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(not weight >= 0.0 or math.isinf(weight) for weight in self.link_weights):
            raise GazeError(f"link weights must be numbers from 0 up, got {self.link_weights}")

    def weight(self, joint: int) -> float:
        """Weight of a joint's link in the shape deviation."""
        return self.link_weights[joint] if self.link_weights else 1.0
