"""Channels of objects, bones and motors: the numbers that a bake or a recording keys."""

from typing import NamedTuple

from bpy.types import Object
from bpy.utils import escape_identifier

from ..blender.identity import find
from . import axes

PARTS = {"rotation_quaternion": "WXYZ", "rotation_axis_angle": "WXYZ", "rotation_euler": "XYZ", "location": "XYZ"}
MOTORS, OBJECT = "Motors", "Object Transforms"  # groups of F-curves


class Channel(NamedTuple):
    """A number of an object, or of one of its bones, that can be keyed. Known by names, so that undo leaves it valid."""

    thing: str  # name of the object
    uid: int  # its session_uid
    bone: str  # "": a property of the object itself
    name: str  # data path from the object or the bone
    index: int

    @property
    def owner(self) -> Object | None:
        """The object; None where it was deleted."""
        return find(self.thing, self.uid)

    @property
    def path(self) -> str:
        """Data path from the object."""
        return f'pose.bones["{escape_identifier(self.bone)}"].{self.name}' if self.bone else self.name

    @property
    def group(self) -> str:
        """Group of its F-curve."""
        return self.bone or (OBJECT if self.name in PARTS else MOTORS)

    @property
    def part(self) -> str:
        """Letter of the channel's part; "" of a number that stands alone."""
        return PARTS[self.name][self.index] if self.name in PARTS else ""


def of_joint(rig, bone: str, axis: str) -> Channel:
    """The channel of a bone that has the value of a joint."""
    return Channel(rig.name, rig.session_uid, bone, axes.channel(axis), axes.index(axis))


def of_motor(owner, number: int) -> Channel:
    """The value of a mechanism's motor."""
    return Channel(owner.name, owner.session_uid, "", f"limber.mechanism.motors[{number}].value", 0)
