"""What a mover does with stored postures: store, read and apply them, and whether it can."""

from abc import abstractmethod
from collections.abc import Mapping
from math import isfinite

import bpy
import numpy as np

from ..blender import actions
from ..blender.errors import RigError
from ..reading import postures
from ..reading.channels import Channel
from ..reading.postures import JointKey
from ..reading.skeleton import ChainReader


class PostureKeeper:
    """Base of movers: their stored postures. By default a mover keeps none, and a posture stores the joints' authored values."""

    __slots__ = ()
    owner: bpy.types.Object
    settings: bpy.types.PropertyGroup
    label: str
    joint_keys: list[JointKey]

    @abstractmethod
    def authored(self) -> dict[JointKey, float]:
        """Authored values [rad or m] of its joints, posed or keyed; unknown ones are left out."""

    @abstractmethod
    def channel(self, key: JointKey) -> Channel | None:
        """Channel that stores the authored value of a joint; None if there is none."""

    @abstractmethod
    def pose(self, values: Mapping[JointKey, float]) -> bool:
        """Writes authored values of joints [rad or m]. Returns whether anything changed."""

    @property
    def why_no_postures(self) -> str:
        """Why it cannot store and keep postures, as a sentence; "" if it can: its settings have `LimberPostures`."""
        return f"{self.label} keeps no postures"

    @property
    def shows_pictures(self) -> bool:
        """Whether its postures have pictures and mirror images, which are those of bones."""
        return False

    @property
    def posture_settings(self) -> tuple[str, ...]:
        """Names of further settings of the posture that it keeps."""
        return ()

    @property
    def posture_remark(self) -> str:
        """What limits the effect of the posture that it keeps, as a sentence; "" if nothing does."""
        return ""

    def store_posture(self, name: str, session) -> bpy.types.Action:
        """Makes a pose asset of its joints' authored values, and selects it in its list.

        Raises:
            RigError: it cannot be read.
        """
        return self._make_posture(name, self.authored())

    def _make_posture(self, name: str, values: Mapping[JointKey, float]) -> bpy.types.Action:
        channels = {channel: value for key, value in values.items() if (channel := self.channel(key)) is not None}
        return postures.make(*self, name, {(one.bone, one.name, one.index): value for one, value in channels.items()})

    def apply_posture(self, action: bpy.types.Action) -> list[tuple[str, str, int]]:
        """Sets the authored values of its joints to those of a stored posture. Returns the channels: bone, property, index.

        Raises:
            RigError: the posture has no value of its joints.
        """
        found = self.in_posture(action)
        if not found:
            raise RigError(postures.foreign(action, self.settings))
        self.pose(found)
        return [(channel.bone, channel.name, -1) for key in found if (channel := self.channel(key)) is not None]

    def in_posture(self, action: bpy.types.Action) -> dict[JointKey, float]:
        """Values [rad or m] of its joints in a stored posture, as far as this contains them."""
        curves = actions.fcurves(action)
        channels = ((key, self.channel(key)) for key in self.joint_keys)
        found = {key: actions.find(curves, one.path, one.index) for key, one in channels if one is not None}
        return {key: curve.evaluate(postures.FRAME) for key, curve in found.items() if curve is not None}


class BonePostures(PostureKeeper):
    """Postures of a chain: channels of its bones, which have pictures and mirror images."""

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

    def store_posture(self, name: str, session) -> bpy.types.Action:
        return postures.store(self.owner, self.settings, name)

    def apply_posture(self, action: bpy.types.Action) -> list[tuple[str, str, int]]:
        return postures.apply(self.owner, self.settings, action)

    def in_posture(self, action: bpy.types.Action) -> dict[JointKey, float]:
        reader = ChainReader(self.owner, self.settings)
        if not postures.covers(action, reader):
            return {}
        values = postures.angles(action, reader, np.full(len(reader.joint_keys), np.nan))
        return {key: value for key, value in zip(reader.joint_keys, values.tolist(), strict=True) if isfinite(value)}


class MotorPostures(PostureKeeper):
    """Postures of a mechanism: values of its motors."""

    __slots__ = ()

    @property
    def why_no_postures(self) -> str:
        return self.why_no_servos

    @property
    def posture_remark(self) -> str:
        if self.settings.drive == "MOTORS" or self.settings.base == "RIG":
            return ""
        return "Targets give the motors' values: the posture is that of motors with Keep Value alone. For all, set Driven By to Motors"

    def store_posture(self, name: str, session) -> bpy.types.Action:
        shown = session.values() if self.is_live and self.settings.drive == "TARGETS" else {}
        values = shown or self.authored()
        action = self._make_posture(name, values)
        postures.tell_motors(action, {channel.path: key for key in values if (channel := self.channel(key)) is not None})
        return action

    def in_posture(self, action: bpy.types.Action) -> dict[JointKey, float]:
        told = postures.motor_paths(action)
        if told is None:
            return super().in_posture(action)
        curves = actions.fcurves(action)
        found = {key: actions.find(curves, told[key], 0) for key in self.joint_keys if key in told}
        return {key: curve.evaluate(postures.FRAME) for key, curve in found.items() if curve is not None}
