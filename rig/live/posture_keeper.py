"""Interface of movers to stored postures: store, read and apply them."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from math import isfinite
from types import MappingProxyType
from typing import Protocol

import bpy
import numpy as np

from ..blender import actions
from ..blender.errors import RigError
from ..bones import channels, shown_values
from ..bones.axes import JointKey
from ..bones.channels import Channel
from ..bones.rotation_modes import Limits
from ..bones.shown_values import Deviation
from ..chains import postures
from ..chains.skeleton import ChainReader


class SolvedValues(Protocol):
    """Values of a mover's session that this module uses."""

    def values(self) -> dict[JointKey, float]:
        """Values [rad or m] of the joints at the last tick."""


class PostureKeeper:
    """Base class of movers with stored postures. By default a mover has no stored postures, and a posture
    stores the joints' posed values.
    """

    __slots__ = ()
    owner: bpy.types.Object
    settings: bpy.types.PropertyGroup
    label: str
    joint_keys: list[JointKey]

    @abstractmethod
    def posed(self, before: Callable[[], Mapping[JointKey, float]] = dict) -> dict[JointKey, float]:
        """Values [rad or m] of the mover's joints as the scene shows them while the mover is not live: posed,
        keyed, driven, or moved by constraints. Unknown ones are left out.

        Args:
            before: Returns the known values of the previous frame, since a pose made by constraints does not
                contain full revolutions.
        """

    def deviations(self) -> list[Deviation]:
        """Differences between the poses that constraints give the joints' bones and those that joint values
        can represent, while the mover is not live.
        """
        return []

    def constrained_bones(self) -> list[str]:
        """Names of the bones of the mover's joints that constraints may move while the mover is not live."""
        return []

    @abstractmethod
    def channel(self, key: JointKey) -> Channel | None:
        """Channel that stores the authored value of a single joint; None if there is no channel for that
        joint alone.
        """

    def keys_of(
        self, values: Mapping[JointKey, float], before: Mapping[Channel, float] = MappingProxyType({})
    ) -> dict[Channel, float]:
        """Channels that store the authored values of joints, with the values to key for joint values [rad or
        m].

        Args:
            values: Values of the joints.
            before: Values of channels in the previous frame, so that no curve jumps.
        """
        return {channel: value for key, value in values.items() if (channel := self.channel(key)) is not None}

    def value_of(self, key: JointKey, read: Callable[[Channel], float | None]) -> float | None:
        """Value [rad or m] of a joint, from the values of channels that `read` returns; None if `read`
        returns None, or if there is no channel for that joint alone.
        """
        channel = self.channel(key)
        return read(channel) if channel is not None else None

    @abstractmethod
    def joints(self) -> list:
        """Settings of the mover's joints or motors (bone, axis, lower, upper, velocity, acceleration, jerk,
        servo); empty for a body.
        """

    @abstractmethod
    def pose(self, values: Mapping[JointKey, float]) -> bool:
        """Writes authored values of the mover's joints [rad or m]; returns whether anything changed."""

    @property
    def why_no_postures(self) -> str:
        """Why the mover cannot have stored postures, as a sentence; "" if it can (its settings are
        `LimberPostures`).
        """
        return f"{self.label} keeps no postures"

    @property
    def shows_pictures(self) -> bool:
        """Whether the mover's postures have thumbnails and mirror images, as those of bones do."""
        return False

    @property
    def posture_settings(self) -> tuple[str, ...]:
        """Names of the properties that the panel shows beside the choice of the posture, such as
        "transition".
        """
        return ()

    @property
    def posture_remark(self) -> str:
        """Why the chosen posture has only a limited effect, as a sentence; "" if nothing limits it."""
        return ""

    def store_posture(self, name: str, session: SolvedValues) -> bpy.types.Action:
        """Makes a pose asset of the posed values of the mover's joints, and selects it in the mover's list.

        Raises:
            RigError: the mover cannot be read.
        """
        return self._make_posture(name, self.posed())

    def _make_posture(self, name: str, values: Mapping[JointKey, float]) -> bpy.types.Action:
        return postures.make(
            *self,
            name,
            {
                (channel.bone, channel.name, channel.index): value
                for channel, value in self.keys_of(values).items()
            },
        )

    def apply_posture(self, action: bpy.types.Action) -> list[tuple[str, str, int]]:
        """Sets the authored values of the mover's joints to those of a stored posture; returns the channels:
        bone, property, index (-1: all).

        Raises:
            RigError: the posture has no value of the mover's joints, or a bone is missing.
        """
        joint_values = self.in_posture(action)
        if not joint_values:
            raise RigError(postures.foreign(action, self.settings))
        self.pose(joint_values)
        return [
            (channel.bone, channel.name, -1)
            for key in joint_values
            if (channel := self.channel(key)) is not None
        ]

    def in_posture(self, action: bpy.types.Action) -> dict[JointKey, float]:
        """Values [rad or m] of the mover's joints in a stored posture; joints without a value in the posture
        are left out.
        """
        curves = actions.fcurves(action)

        def read(channel: Channel) -> float | None:
            curve = actions.find(curves, channel.path, channel.index)
            return curve.evaluate(postures.FRAME) if curve is not None else None

        return {key: value for key in self.joint_keys if (value := self.value_of(key, read)) is not None}


class BoneJoints(PostureKeeper):
    """Movers whose joints are axes of bones; channels of the bones store their values."""

    __slots__ = ()

    @property
    def _ranges(self) -> Limits:
        return {joint.key: (joint.lower, joint.upper) for joint in self.joints()}

    def posed(self, before: Callable[[], Mapping[JointKey, float]] = dict) -> dict[JointKey, float]:
        return shown_values.posed(self.owner, self.posed_keys, lambda: self._ranges, before)

    @property
    def posed_keys(self) -> list[JointKey]:
        """(bone, axis) of the joints whose values `posed` reads."""
        return self.joint_keys

    def deviations(self) -> list[Deviation]:
        return shown_values.deviations(self.owner, self.posed_keys, lambda: self._ranges)

    def constrained_bones(self) -> list[str]:
        return shown_values.moved_bones(self.owner, {bone for bone, _ in self.posed_keys})

    def channel(self, key: JointKey) -> Channel | None:
        return channels.of_bone(self.owner, key)

    def keys_of(
        self, values: Mapping[JointKey, float], before: Mapping[Channel, float] = MappingProxyType({})
    ) -> dict[Channel, float]:
        return channels.of_joints(self.owner, values, before, self._ranges)

    def value_of(self, key: JointKey, read: Callable[[Channel], float | None]) -> float | None:
        return channels.value_of(self.owner, key, read, self._ranges)

    def pose(self, values: Mapping[JointKey, float]) -> bool:
        return channels.pose(self.owner, values, self._ranges)


class BonePostures(BoneJoints):
    """Postures of a chain, stored as channels of its bones; they have thumbnails and mirror images."""

    __slots__ = ()

    @property
    def why_no_postures(self) -> str:
        return ""

    @property
    def shows_pictures(self) -> bool:
        return True

    @property
    def posture_settings(self) -> tuple[str, ...]:
        return ("transition",)

    def store_posture(self, name: str, session: SolvedValues) -> bpy.types.Action:
        return postures.store(self.owner, self.settings, name)

    def apply_posture(self, action: bpy.types.Action) -> list[tuple[str, str, int]]:
        return postures.apply(self.owner, self.settings, action)

    def in_posture(self, action: bpy.types.Action) -> dict[JointKey, float]:
        reader = ChainReader(self.owner, self.settings)
        if not postures.covers(action, reader):
            return {}
        values = postures.angles(action, reader, np.full(len(reader.joint_keys), np.nan))
        return {
            key: value
            for key, value in zip(reader.joint_keys, values.tolist(), strict=True)
            if isfinite(value)
        }


class MotorPostures(PostureKeeper):
    """Postures of a mechanism, stored as values of its motors."""

    __slots__ = ()

    @property
    def why_no_postures(self) -> str:
        return self.why_no_servos

    @property
    def posture_remark(self) -> str:
        if self.settings.drive == "MOTORS" or self.settings.base == "RIG":
            return ""
        return (
            "Targets give the motors' values: the posture is that of motors with Keep Value alone. For all,"
            " set Driven By to Motors"
        )

    def store_posture(self, name: str, session: SolvedValues) -> bpy.types.Action:
        shown = session.values() if self.is_live and self.settings.drive == "TARGETS" else {}
        values = shown or self.posed()
        action = self._make_posture(name, values)
        postures.store_motor_joints(
            action, {channel.path: key for key in values if (channel := self.channel(key)) is not None}
        )
        return action

    def in_posture(self, action: bpy.types.Action) -> dict[JointKey, float]:
        paths = postures.motor_paths(action)
        if paths is None:
            return super().in_posture(action)
        curves = actions.fcurves(action)
        curves_by_key = {key: actions.find(curves, paths[key], 0) for key in self.joint_keys if key in paths}
        return {
            key: curve.evaluate(postures.FRAME) for key, curve in curves_by_key.items() if curve is not None
        }
