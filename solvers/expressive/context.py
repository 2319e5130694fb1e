"""What the planner reads in one frame. Knows no Blender."""

from typing import NamedTuple

from ..gaze import PlanSlot
from ..skeleton import Angles
from .aims import BatchedAim
from .descent import Descent
from .model import Authored, Model
from .prediction import GoalForecast


class FrameContext(NamedTuple):
    """Inputs of the planner for one frame of one solver."""

    forecast: GoalForecast
    authored: Authored
    posture: Angles  # (n,)
    angles: Angles  # (n,) of the last frame
    speed: float  # [rad per frame] of the transition in progress
    lost: int  # frames since the aim was last met
    slot: PlanSlot  # whether this solver may plan in this frame

    def descent(self, model: Model, frames: int) -> Descent:
        """Descent toward the goal forecast for so many frames from now."""
        return Descent(model, self.authored, BatchedAim(model, self.forecast.at(frames)))
