"""Movers of a Blender scene (chains, bodies that follow a motion, mechanisms) behind one interface.

A mover only refers to its owner and settings. It is made again whenever it is needed, since undo and loading
invalidate it. Its state from frame to frame is in a session (`Stage.session`), one for each stage: live, a
render, a bake. Sessions are not saved.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

import bpy

from ...character.record import MoverRecord
from ..bones import axes
from ..bones.channels import SAME, Channel
from ..properties.frame_range import bake_range
from ..scene.dependencies import NO_BODIES, Bodies, Dependencies, MovedParts
from ..scene.placement import Placement
from .posture_keeper import JointKey, PostureKeeper
from .session import SceneSession

Key = tuple[int, str]  # (owner's session_uid, uid of the settings): identifies a mover in a file
# context manager in which the scene shows authored poses; its value is the evaluated depsgraph
Authored = Callable[[], AbstractContextManager]


class _Pair(NamedTuple):
    owner: bpy.types.Object
    settings: bpy.types.PropertyGroup  # has `live`, `uid` and the frame range


class Mover(PostureKeeper, _Pair):
    """A chain, a body or a mechanism of an object, in one form; as a tuple it is (owner, settings)."""

    __slots__ = ()
    settings_type: type[bpy.types.PropertyGroup]
    session_type: type[SceneSession]  # type of the session, which holds the mover's state from frame to frame
    rank = 0  # among independent movers, those of lower rank are ticked first
    has_servos = True  # whether its joints or motors can have servos
    looks_forward = False  # whether it reads the desired poses of the other movers in a cycle

    @staticmethod
    @abstractmethod
    def settings_on(owner: bpy.types.Object) -> Iterable[bpy.types.PropertyGroup]:
        """Settings of all movers of this kind on an object, live or not."""

    def new_session(self) -> SceneSession:
        return self.session_type(MoverRecord())

    @abstractmethod
    def moved(self, session: SceneSession) -> MovedParts:
        """The bones and bodies that the mover moves, on which other movers may depend."""

    def needs(
        self, session: SceneSession, moved: Sequence[MovedParts], index: int, objects: Dependencies
    ) -> list[int]:
        """Indices of the movers in this tick on which this mover depends.

        Args:
            session: Session of this mover.
            moved: Bones and bodies that each mover of the tick moves.
            index: Index of this mover among them.
            objects: What moves each object in this tick.
        """
        return []

    def write_pose(self, placement: Placement, pose: Mapping) -> None:
        """Writes the mover's pose to predicted transforms."""
        placement.move(self.owner, pose)

    def bodies(self, session: SceneSession) -> Bodies:
        """Objects and bones that show the bodies of a mechanism; empty for movers of other kinds."""
        return NO_BODIES

    def bones(self, session: SceneSession) -> Iterable[str]:
        """Names of the owner's bones that the mover moves; none before the mover was read."""
        return session.reader.moved if session.reader else ()

    @property
    def shown_bones(self) -> list[str]:
        """Names of the owner's bones that show the mover's pose while it is live; none for a mover that is
        not on a rig.
        """
        return []

    @property
    def key(self) -> Key:
        return self.owner.session_uid, self.settings.uid

    @property
    @abstractmethod
    def label(self) -> str:
        """Kind and name of the mover, as a sentence begins with them: "Chain 'Head'"."""

    @classmethod
    def chosen_on(cls, owner: bpy.types.Object) -> bpy.types.PropertyGroup | None:
        """Settings of the mover of this kind on an object, of several the selected one; None if there is
        none.
        """
        return next(iter(cls.settings_on(owner)), None)

    @property
    def why_no_servos(self) -> str:
        """Why no joint of the mover can have a servo now, with the remedy; "" if one can, or if this kind of
        mover never has servos.
        """
        return ""

    @property
    def in_sentence(self) -> str:
        """The mover's label within a sentence: "chain 'Head'"."""
        return self.label[0].lower() + self.label[1:]

    @property
    def name(self) -> str:
        """The mover's name in lists."""
        return self.label

    @property
    def given_name(self) -> str:
        """The name that the user gave the mover, or its owner's name; for addresses and file names."""
        return self.settings.name or self.owner.name

    @property
    def is_live(self) -> bool:
        return self.settings.live

    @property
    def long_label(self) -> str:
        """The mover's label with its owner's name, for sentences about several objects."""
        return self.label

    @property
    def is_on_rig(self) -> bool:
        """Whether the mover changes an armature's pose, which the armature's proxy shows."""
        return True

    @property
    def can_move(self) -> bool:
        """Whether the mover moves while live: its owner is not linked and not in Edit Mode."""
        return self.owner.library is None and self.owner.mode != "EDIT"

    @property
    def has_goal(self) -> bool:
        """Whether the mover has a target or source to follow."""
        return True

    @property
    def frames(self) -> tuple[int, int]:
        """(first, last) frame to bake."""
        return bake_range(self.settings, bpy.context.scene)

    @property
    def bakes_when_off(self) -> bool:
        """Whether a bake of the whole scene includes the mover even if it is not live."""
        return False

    @property
    def bakes_with(self) -> list["Mover"]:
        """Movers that must be baked together with this one, since they change its pose."""
        return []

    @property
    def horizon(self) -> float:
        """How far ahead [s] the mover's solver can use future goals; 0: not at all."""
        return 0.0

    @property
    def time_ahead(self) -> float:
        """How far ahead [s] a bake gives future goals to the mover's solver; 0: not at all."""
        return self.horizon if getattr(self.settings, "look_ahead", False) else 0.0

    def own_identity(self) -> None:
        """Gives a duplicated mover a new uid when it is first used."""

    def links(self, session: SceneSession) -> list[str]:
        """Names of the owner's bones that are checked against no-go zones."""
        return []

    def unmeasured(self, session: SceneSession) -> str:
        """Parts of the mover that cannot be checked against no-go zones, as a sentence; "" if all can."""
        return ""

    def joint_label(self, key: JointKey) -> str:
        """Name of a joint or motor for the interface."""
        return axes.label(*key)

    def make_ready(self, as_authored: Authored) -> None:
        """Reads from the scene what the mover needs before it goes live. `as_authored`: see `Authored`.

        Raises:
            RigError: the mover cannot be read.
        """

    def part_moved_by(self, other: "Mover") -> str:
        """Part of this mover that another mover moves: "base", "armature", "target", or "" for none."""
        return ""

    @property
    def joint_keys(self) -> list[JointKey]:
        """(bone, axis) of each joint or motor."""
        return [joint.key for joint in self.joints()]

    @property
    def unsolved(self) -> dict[JointKey, float]:
        """Joint values [rad or m] to send to the robot while the mover is live and not solved yet; empty if
        they are not known.
        """
        return {}

    def pose(self, values: Mapping[JointKey, float]) -> bool:
        """Writes authored values of the mover's joints [rad or m], except joints without a channel; returns
        whether anything changed.
        """
        changed = False
        for key, value in values.items():
            channel = self.channel(key)
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


def _holder(channel: Channel) -> tuple:
    """(holder, name): the object, bone or motor that has a channel's property, and the property's name."""
    head, _, name = channel.path.rpartition(".")
    return (channel.owner.path_resolve(head) if head else channel.owner), name
