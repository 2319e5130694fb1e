"""A joint's axis: the axis of its bone about which it turns, or along which it slides, and the bone's channel that has its value.

Turns are called as their axes, "X"; slides "SLIDE_X". So bone and axis tell a joint from all others of an armature.
"""

from math import degrees

from ...solvers import rotations

UNIT = {"X": rotations.X, "Y": rotations.Y, "Z": rotations.Z}
INDEX = {"X": 0, "Y": 1, "Z": 2}
TURNS = ("X", "Y", "Z")
SLIDES = ("SLIDE_X", "SLIDE_Y", "SLIDE_Z")


def slides(axis: str) -> bool:
    """Whether the joint's value is a way [m], not an angle [rad]."""
    return axis.startswith("SLIDE_")


def slide(letter: str) -> str:
    """The slide along the bone's axis of that letter."""
    return f"SLIDE_{letter}"


def letter(axis: str) -> str:
    """The bone's axis: "X", "Y" or "Z"."""
    return axis[-1]


def index(axis: str) -> int:
    """Its place in the channel."""
    return INDEX[axis[-1]]


def channel(axis: str) -> str:
    """The pose bone's property in which the joint's value is, at `index`."""
    return "location" if slides(axis) else "rotation_euler"


def value(pose_bone, axis: str) -> float:
    """The joint's authored value [rad or m]; of turns the bone must have an Euler order."""
    return getattr(pose_bone, channel(axis))[index(axis)]


def label(bone: str, axis: str) -> str:
    """The joint's name for people: "head X", "lift slide Y"."""
    return f"{bone} slide {letter(axis)}" if slides(axis) else f"{bone} {axis}"


def text(axis: str, number: float) -> str:
    """A joint's value in the unit that people read."""
    return f"{number:.4g} m" if slides(axis) else f"{degrees(number):.0f} degrees"


def span(axis: str, low: float, high: float) -> str:
    """Two values of a joint, in the same way."""
    return f"{low:.4g} to {high:.4g} m" if slides(axis) else f"{degrees(low):.0f} to {degrees(high):.0f} degrees"


def is_euler(pose_bone) -> bool:
    return pose_bone.rotation_mode not in {"QUATERNION", "AXIS_ANGLE"}
