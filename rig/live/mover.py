"""A mover: a chain, a body that follows a motion, or a mechanism, as any use of it sees it; and what is known of it from frame to frame.

A mover is a view on the scene, made anew whenever it is needed: undo and loading make it invalid. What is known of it from frame to frame
is in its session (`Stage.session`), one for each stage: live, a render, a bake. Nothing of a session is saved.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

import bpy

from ...character.stage import Planning, Session
from ...motion import Kinematic
from ..blender import actions
from ..properties.frame_range import bake_range
from ..reading import axes, postures
from ..reading.channels import Channel
from ..reading.dependencies import NO_BODIES, Bodies, Moved
from ..reading.placement import Placement

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


Key = tuple[int, str]  # the owner's session_uid, and the uid of the settings: tells a mover from all others of a file
Authored = Callable[[], AbstractContextManager]  # while it lasts all shows what is authored; gives what is evaluated then


class _Pair(NamedTuple):
    owner: bpy.types.Object
    settings: bpy.types.PropertyGroup  # has `live`, `uid` and the frame range


class Mover(_Pair):
    """Something of an object that moves. As a pair it is its owner and its settings."""

    __slots__ = ()
    session_type: type[SceneSession]  # of what is known of it from frame to frame
    rank = 0  # movers of a lower one are ticked first, as far as nothing else says the order
    looks_forward = False  # whether it is told, in a cycle of movers, where the others are going

    def new_session(self) -> SceneSession:
        return self.session_type()

    @property
    def planning(self) -> Planning | None:
        """Its place among those that share the frames' time for planning."""
        return None

    @abstractmethod
    def moved(self, session) -> Moved:
        """What it moves, on which others may depend."""

    def needs(self, session, moved: Sequence[Moved], own: int, certain: bool) -> list[int]:
        """On which others it depends, by index.

        Args:
            session: What is known of it.
            moved: What each mover moves.
            own: Its index among them.
            certain: Without what it only may depend on.
        """
        return []

    def place(self, placement: Placement, pose) -> None:
        """Puts what it moves where a pose has it."""
        placement.move(self.owner, pose)

    def bodies(self, session) -> Bodies:
        """What shows its bodies, of a mechanism."""
        return NO_BODIES

    def bones(self, session) -> Iterable[str]:
        """The bones of its owner that it moves."""
        return session.reader.moved if session.reader else ()

    @property
    def key(self) -> Key:
        return self.owner.session_uid, self.settings.uid

    @property
    @abstractmethod
    def label(self) -> str:
        """What sentences call it: "Chain 'Head'"."""

    @property
    def name(self) -> str:
        """What lists call it."""
        return self.label

    @property
    def is_live(self) -> bool:
        return self.settings.live

    @property
    def long_label(self) -> str:
        """The same with its owner, for sentences about others."""
        return self.label

    @property
    def is_on_rig(self) -> bool:
        """Whether it is an armature's pose that it changes, which the armature's proxy shows."""
        return True

    @property
    def can_move(self) -> bool:
        """Whether it moves now, where it is live: the owner is of this file, and not in Edit Mode."""
        return self.owner.library is None and self.owner.mode != "EDIT"

    @property
    def has_goal(self) -> bool:
        """Whether it has anything to follow."""
        return True

    @property
    def frames(self) -> tuple[int, int]:
        """First and last frame to bake."""
        return bake_range(self.settings, bpy.context.scene)

    @property
    def bakes_when_off(self) -> bool:
        """Whether a bake of the whole scene bakes it also where it is not live."""
        return False

    @property
    def bakes_with(self) -> list["Mover"]:
        """What must be baked with it: what changes the pose that it makes."""
        return []

    @property
    def horizon(self) -> int:
        """Frames to come whose goals its solver can make use of; 0: none."""
        return 0

    @property
    def frames_ahead(self) -> int:
        """The same, of those that it is to make use of in a bake."""
        return self.horizon if getattr(self.settings, "look_ahead", False) else 0

    def own_identity(self) -> None:
        """A copy's mover becomes one of its own, as soon as something is done with it."""

    def links(self, session) -> list[str]:
        """The bones of its owner that are kept out of no-go zones."""
        return []

    def unmeasured(self, session) -> str:
        """What of it cannot be measured against no-go zones, as a sentence; ""."""
        return ""

    def joint_label(self, place: Place) -> str:
        """What a joint or motor is called."""
        return axes.label(*place)

    def make_ready(self, as_authored: Authored) -> None:
        """What is to be read before it goes live, while all shows what is authored.

        Raises:
            RigError: it cannot be read.
        """

    def part_moved_by(self, other: "Mover") -> str:
        """What of it another one moves: its "base", its "armature", its "target", or ""."""
        return ""

    @abstractmethod
    def joints(self) -> list:
        """The settings of its joints or motors (bone, axis, lower, upper, velocity, acceleration, jerk, servo); a body has none of its
        own."""

    @abstractmethod
    def authored(self) -> dict[Place, float]:
        """Values [rad or m] of its joints as they are posed or keyed, whatever is live; without those that are not known."""

    @property
    def places(self) -> list[Place]:
        """Bone and axis of each joint or motor."""
        return [(joint.bone, joint.axis) for joint in self.joints()]

    @property
    def unsolved(self) -> dict[Place, float]:
        """What its values count as while it is live and was not solved yet."""
        return {}

    @abstractmethod
    def channel(self, place: Place) -> Channel | None:
        """Where the authored value of a joint is kept; None where nothing keeps it."""

    def in_posture(self, action: bpy.types.Action) -> dict[Place, float]:
        """Values [rad or m] of its joints in a stored posture, as far as this contains them."""
        curves = actions.fcurves(action)
        channels = ((place, self.channel(place)) for place in self.places)
        found = {place: actions.find(curves, one.path, one.index) for place, one in channels if one is not None}
        return {place: curve.evaluate(postures.FRAME) for place, curve in found.items() if curve is not None}

    def pose(self, values: Mapping[Place, float]) -> bool:
        """Writes authored values of joints [rad or m]. Returns whether anything changed."""
        changed = False
        for place, value in values.items():
            channel = self.channel(place)
            if channel is None:
                continue
            holder, name = _holder(channel)
            numbers = getattr(holder, name)
            before = numbers if isinstance(numbers, float) else numbers[channel.index]
            if abs(before - value) > SAME:
                if isinstance(numbers, float):
                    setattr(holder, name, value)
                else:
                    numbers[channel.index] = value
                changed = True
        return changed


SAME = 1e-6  # [rad or m] single precision


def _holder(channel: Channel) -> tuple:
    """What has the property of a channel, and the property's name."""
    head, _, name = channel.path.rpartition(".")
    return (channel.owner.path_resolve(head) if head else channel.owner), name
