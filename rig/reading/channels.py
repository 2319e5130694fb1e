"""Channels of objects, bones and motors: the numbers that bakes and recordings key."""

import re
from typing import NamedTuple

from bpy.types import Object
from bpy.utils import escape_identifier

from ..blender.presence import find
from . import axes

PARTS = {"rotation_quaternion": "WXYZ", "rotation_axis_angle": "WXYZ", "rotation_euler": "XYZ", "location": "XYZ"}
MOTOR = re.compile(r"limber\.mechanism\.motors\[\d+\]\.value")
MOTORS, OBJECT = "Motors", "Object Transforms"  # groups of F-curves


class Channel(NamedTuple):
    """A keyable number of an object or of one of its bones, identified by names, so that it stays valid over undo."""

    thing: str  # name of the object
    uid: int  # its session_uid
    bone: str  # "": a property of the object itself
    name: str  # data path from the object or the bone
    index: int

    @property
    def owner(self) -> Object | None:
        """The channel's object; None if it was deleted."""
        return find(self.thing, self.uid)

    @property
    def is_there(self) -> bool:
        """Whether the object still has the bone or property of the channel."""
        owner = self.owner
        try:
            return owner is not None and owner.path_resolve(self.path) is not None
        except ValueError:
            return False

    @property
    def path(self) -> str:
        """Data path of the channel's property from the object."""
        return f'pose.bones["{escape_identifier(self.bone)}"].{self.name}' if self.bone else self.name

    @property
    def group(self) -> str:
        """Name of the channel group for the channel's F-curve."""
        return self.bone or (OBJECT if self.name in PARTS else MOTORS)

    @property
    def part(self) -> str:
        """Letter of the channel's component ("X" for index 0 of a location); "" for a property that is a single number."""
        return PARTS[self.name][self.index] if self.name in PARTS else ""


def of_joint(rig, bone: str, axis: str) -> Channel:
    """Channel that stores the value of a bone's joint."""
    return Channel(rig.name, rig.session_uid, bone, axes.channel(axis), axes.index(axis))


def of_motor(owner, number: int) -> Channel:
    """Channel that stores the value of a mechanism's motor."""
    return Channel(owner.name, owner.session_uid, "", f"limber.mechanism.motors[{number}].value", 0)


def of_bone(rig, key: tuple[str, str]) -> Channel | None:
    """Channel that stores the value of a joint (bone, axis); None if the bone is missing or does not rotate by Euler angles."""
    bone, axis = rig.pose.bones.get(key[0]), key[1]
    return of_joint(rig, bone.name, axis) if bone is not None and (axes.is_prismatic(axis) or axes.is_euler(bone)) else None


def posed(rig, joint_keys: list[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Authored values [rad or m] of joints, by (bone, axis); joints without a channel are left out."""
    return {key: axes.value(rig.pose.bones[key[0]], key[1]) for key in joint_keys if of_bone(rig, key) is not None}
