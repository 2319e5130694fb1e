"""What all that moves has in common from one frame to the next: where it is, where it is going, and where it was."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .channels import Channel

Place = tuple[str, str]  # bone (of a motor: its joint's name) and axis


class JointLimits(NamedTuple):
    """Limits of a joint that the motion filter keeps: [rad or m], and per s, s2, s3."""

    lower: float
    upper: float
    velocity: float
    acceleration: float
    jerk: float


@dataclass
class Moving:
    """What is known of a mover from frame to frame. Channels are bone name -> (rotation wxyz, location, scale), the warped basis."""

    problem: str = ""  # why it does not follow its goals, as a sentence with its remedy
    remark: str = ""  # how it falls short of them, as a sentence
    state: object | None = None  # what the next tick needs of the last; None: it begins at rest
    channels: dict = field(default_factory=dict)
    channels_before: dict = field(default_factory=dict)  # at the last moment before; empty at a new start
    going: dict = field(default_factory=dict)  # where the joints are going: what chains that look at each other see of each other
    going_before: dict = field(default_factory=dict)

    def restart(self) -> None:
        """Forget the motion: the next tick begins at rest."""
        self.state, self.channels_before, self.going_before = None, {}, {}

    def snapshot(self) -> tuple:
        """What `restore` needs to go on from here."""
        return self.state, self.channels, self.channels_before, self.going, self.going_before

    def restore(self, snapshot: tuple | None) -> None:
        """To an earlier snapshot; None: to a new start."""
        self.state, self.channels, self.channels_before, self.going, self.going_before = snapshot or (None, {}, {}, {}, {})

    def commit(self) -> None:
        """What is known now was before."""
        self.channels_before, self.going_before = (self.channels, self.going) if self.state is not None else ({}, {})

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

    def is_settled(self) -> bool:
        """Whether it follows what it will go on following."""
        return True

    def values(self) -> dict[Place, float]:
        """Value of each joint or motor [rad or m] after the filter; empty before the first tick."""
        return {}

    def desired(self) -> dict[Place, float]:
        """The same before the filter: where joints are going."""
        return self.values()

    def limits(self) -> dict[Place, JointLimits]:
        """Limits of each joint or motor that has any."""
        return {}

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
