"""What is known of a mover in a scene from frame to frame, as far as it is the same for every kind. Nothing of it is saved."""

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

from ...character.stage import Session
from ...motion import Kinematic
from ..reading.channels import Channel

Place = tuple[str, str]  # bone (of a motor: its joint's name) and axis: tells a joint from all others of a mover


class JointLimits(NamedTuple):
    """Limits of a joint that the motion filter keeps: [rad or m], and per s, s2, s3."""

    lower: float
    upper: float
    velocity: float
    acceleration: float
    jerk: float


@dataclass
class SceneSession(Session):
    """What is known of a mover. Its poses are what it moves: of a rig bone name -> (rotation wxyz, location, scale), the warped basis."""

    seconds: float = 0.0  # that the last tick took

    def tick(self, mover, inputs, dt: float) -> tuple:
        begun = perf_counter()
        made = super().tick(mover, inputs, dt)
        self.seconds = perf_counter() - begun
        return made

    @property
    def unmet(self) -> str:
        """Why the goals are not met in this frame, as a sentence; "" where they are."""
        return self.problem or self.remark

    @property
    def warning(self) -> str:
        """What a user should know of the motion as a whole, once: what the solver changed of the goal, say; "" for nothing."""
        return ""

    def prepare(self, mover, as_authored) -> None:
        """What must be known before it moves on another stage than live's, read while all shows what is authored.

        Raises:
            RigError: it cannot be read.
        """

    def mark_postures_dirty(self) -> None:
        """A stored posture may have changed: read it again at the next tick."""

    def values(self) -> dict[Place, float]:
        """Value of each joint or motor [rad or m] after the filter; empty before the first tick."""
        return {}

    def motion(self) -> dict[Place, Kinematic]:
        """The same with velocities and accelerations; empty where they are not known."""
        return {}

    def desired(self) -> dict[Place, float]:
        """The same before the filter: where joints are going."""
        return self.values()

    def limits(self) -> dict[Place, JointLimits]:
        """Limits of each joint or motor that has any."""
        return {}

    @property
    def influence(self) -> float:
        """Influence of the goals at the last tick, 0 to 1."""
        return 1.0

    def aim_errors(self) -> tuple[str, float, float]:
        """What misses its goal by the largest angle, and that angle [rad] as solved and after the filter; 0 of goals without an angle."""
        return "The end", 0.0, 0.0

    def check_keys(self) -> None:
        """Whether keys can hold its motion.

        Raises:
            RigError: they cannot, since where something will be is not known beforehand.
        """

    def keys(self, mover, placement, before: Mapping[Channel, float]) -> dict[Channel, float]:
        """What a bake or a recording keys in this frame, after a tick.

        Args:
            mover: Whose session this is.
            placement: Where everything is in this frame.
            before: What was keyed in the frame before, so that no rotation jumps; empty in the first one.
        """
        return {}
