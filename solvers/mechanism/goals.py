"""What a mechanism should do in a frame: poses, centre of mass, actuators, each with weights. Knows no Blender."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..rotations import Quaternion, Vector
from .model import HERE, Frame

EVENLY: Vector = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class FrameGoal:
    """A frame on a body, and where it should be in the world. Weights may differ in every frame of time; 0 leaves an axis free."""

    body: str
    on_body: Frame = HERE
    place: Vector | None = None  # [m]
    rotation: Quaternion | None = None
    place_weight: Vector = EVENLY  # along the world's axes
    rotation_weight: Vector = EVENLY  # about the goal's own axes


@dataclass(frozen=True)
class CentreGoal:
    """Where the centre of mass should be [m], with weights along the world's axes."""

    place: Vector
    weight: Vector = EVENLY


@dataclass(frozen=True)
class Steady:
    """How much bodies rather stay where they were in the last frame. Places count in the mechanism's sizes, turns in radians."""

    weight: float = 0.0  # of the squared distance from the last frame's poses (R_state)
    speed_weight: float = 0.0  # of turning faster than `speed` (R_vel)
    speed: float = 4.0  # [rad/s] of a body, from which on that counts


CALM = Steady()


@dataclass(frozen=True)
class Goals:
    """Everything that is asked of a frame. Nothing at all asks only that loops stay closed."""

    frames: tuple[FrameGoal, ...] = ()
    centre: CentreGoal | None = None
    actuators: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # joint -> its values [rad or m]: forward kinematics
    driven: Mapping[str, Frame] = field(default_factory=dict)  # driven body -> its pose; one without is free in this frame
    steady: Steady = CALM
    counts_turns: bool = False  # whether actuators' whole turns count; else they go the shortest way within their limits
