"""Options of the expressive solver that a user may set. Knows no Blender."""

import math
from dataclasses import dataclass

from ..goals import GazeError


@dataclass(frozen=True)
class Options:
    """Settings of the expressive solver; a wrong one raises GazeError, naming it."""

    link_weights: tuple[float, ...] = ()  # (n,) weight of the link that each joint carries; () all 1
    roll: float = 0.0  # weight of the roll of links against their directions, 0 to 1
    hold_body: bool = False  # whether rotation of the body as a whole counts as a change of shape
    glide_speed: float = math.radians(8.0)  # [rad per frame] speed of the fastest joint during a transition to a better branch

    def __post_init__(self) -> None:
        if any(not weight >= 0.0 or math.isinf(weight) for weight in self.link_weights):
            raise GazeError(f"link weights must be numbers from 0 up, got {self.link_weights}")
        if not 0.0 <= self.roll <= 1.0:
            raise GazeError(f"the roll of links counts by {self.roll}: choose a share between 0 and 1")
        if not (self.glide_speed > 0.0 and math.isfinite(self.glide_speed)):
            raise GazeError(f"the speed of transitions is {self.glide_speed}: choose a number above 0")

    def weight(self, joint: int) -> float:
        """Weight of the link that a joint carries."""
        return self.link_weights[joint] if self.link_weights else 1.0
