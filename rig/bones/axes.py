"""Names of joint axes, and the bone channel that stores a joint's value.

A revolute joint is named by the bone's axis about which it rotates, "X"; a prismatic joint along that axis is
"LINEAR_X". The bone's name and this axis identify a joint within its armature.
"""

from math import degrees

import bpy

from ...solvers.kinematics import rotations

UNIT = {"X": rotations.X, "Y": rotations.Y, "Z": rotations.Z}
INDEX = {"X": 0, "Y": 1, "Z": 2}
# (bone, axis), which identify a joint within a mover; for a motor the bone is its joint's name
JointKey = tuple[str, str]
REVOLUTE = ("X", "Y", "Z")
PRISMATIC = ("LINEAR_X", "LINEAR_Y", "LINEAR_Z")


def is_prismatic(axis: str) -> bool:
    """Whether the joint is prismatic: its value is a displacement [m], not an angle [rad]."""
    return axis.startswith("LINEAR_")


def prismatic(letter: str) -> str:
    """Name of the prismatic joint along an axis: "LINEAR_X" for "X"."""
    return f"LINEAR_{letter}"


def letter(axis: str) -> str:
    """The bone's axis that a joint rotates about or moves along: "X", "Y" or "Z"."""
    return axis[-1]


def index(axis: str) -> int:
    """Index of the joint's axis, and of its value in its channel (see `channel`), 0 to 2."""
    return INDEX[axis[-1]]


def channel(axis: str) -> str:
    """Name of the pose bone's property that stores the joint's value at `index`: "location", or
    "rotation_euler" for a bone that rotates by Euler angles; see `rotation_modes` for other bones.
    """
    return "location" if is_prismatic(axis) else "rotation_euler"


def label(bone: str, axis: str) -> str:
    """The joint's name for the interface: "head X", "lift linear Y"."""
    return f"{bone} linear {letter(axis)}" if is_prismatic(axis) else f"{bone} {axis}"


def value_text(axis: str, number: float) -> str:
    """A joint's value [rad or m] as text in degrees or metres."""
    return f"{number:z.4g} m" if is_prismatic(axis) else f"{degrees(number):z.0f} degrees"


def range_text(axis: str, low: float, high: float) -> str:
    """A range of a joint's values [rad or m] as text in degrees or metres."""
    return (
        f"{low:z.4g} to {high:z.4g} m"
        if is_prismatic(axis)
        else f"{degrees(low):z.0f} to {degrees(high):z.0f} degrees"
    )


def is_euler(pose_bone: bpy.types.PoseBone) -> bool:
    """Whether a bone rotates by Euler angles."""
    return pose_bone.rotation_mode not in {"QUATERNION", "AXIS_ANGLE"}


def parent_first(rotation_mode: str) -> str:
    """Axes of an Euler order, nearest the parent first."""
    return rotation_mode[::-1]
