"""What a piece of the plan's work starts from. Knows no Blender."""

from typing import NamedTuple

from ..gaze import PlanSlot
from ..skeleton import Angles
from .aims import BatchedAim
from .descent import Descent
from .model import Authored, Model
from .prediction import Outlook


class Now(NamedTuple):
    """One frame of one solver."""

    outlook: Outlook
    authored: Authored
    posture: Angles  # (n,)
    angles: Angles  # (n,) the last frame's
    speed: float  # [rad a frame] of the glide under way
    lost: int  # frames that the aim has been lost for
    slot: PlanSlot  # when this solver may plan

    def descent(self, model: Model, frames: int) -> Descent:
        """Towards the goal that is expected so many frames from now."""
        return Descent(model, self.authored, BatchedAim(model, self.outlook.at(frames)))
