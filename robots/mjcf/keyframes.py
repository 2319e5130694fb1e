"""Keyframes of an MJCF document as postures: values of its joints."""

from collections.abc import Iterator, Sequence
from math import asin, atan2
from typing import Literal

from ...solvers.kinematics.rotations import Quaternion, normalized
from ..errors import UrdfError
from ..xml_tree import Element
from .document import Document

MOST_KEYFRAMES = 100  # largest number of keyframes that are read; robots have at most some dozen
# (kind of a joint, the robot's joints for it)
Coordinates = tuple[Literal["free", "ball", "single"], tuple[str, ...]]
SIZES = {"free": 7, "ball": 4, "single": 1}  # count of a joint's numbers in qpos


def postures(document: Document, joints: Sequence[Coordinates]) -> dict[str, dict[str, float]]:
    """Values of joints [rad or m] by posture. Keyframes that cannot be read, or are beyond `MOST_KEYFRAMES`,
    are left out with a warning; those without joint positions (qpos) are ignored.

    Args:
        document: The document.
        joints: Its joints in MuJoCo's order. A free joint's position is no posture.
    """
    keys = [key for section in document.root.all("keyframe") for key in section.all("key")]
    # these attributes describe a state of the simulation, which is no part of a posture
    for key in keys:
        key.skip_attributes("time", "qvel", "act", "ctrl", "mpos", "mquat")
    if len(keys) > MOST_KEYFRAMES:
        document.reader.warn(
            keys[MOST_KEYFRAMES], f"it and the keyframes after it are left out: {MOST_KEYFRAMES} are read"
        )
    postures: dict[str, dict[str, float]] = {}
    for number, key in enumerate(keys[:MOST_KEYFRAMES]):
        # without qpos, MuJoCo takes the model's reference pose, which is no posture of its own
        if "qpos" not in key.attributes:
            continue
        try:
            values = dict(_values(document, key, joints))
        except UrdfError as error:
            document.reader.leave_out(error, "this keyframe is left out")
            continue
        if values:
            postures[key.attributes.get("name") or f"keyframe {number}"] = values
    return postures


def _values(document: Document, key: Element, joints: Sequence[Coordinates]) -> Iterator[tuple[str, float]]:
    """(joint, value [rad or m]) of the joints in a keyframe, without free joints. Raises NumberError unless
    qpos has as many numbers as the joints need.
    """
    numbers = document.reader.numbers(key, "qpos", sum(SIZES[kind] for kind, _ in joints)) or ()
    start = 0
    for kind, names in joints:
        part = numbers[start : start + SIZES[kind]]
        start += SIZES[kind]
        if kind == "single":
            yield names[0], part[0]
        elif kind == "ball" and any(part):
            yield from zip(names, _angles(normalized((part[0], part[1], part[2], part[3]))), strict=True)


def _angles(rotation: Quaternion) -> tuple[float, float, float]:
    """Angles [rad] about x, then the moved y, then the moved z that together are a rotation."""
    w, x, y, z = rotation
    about_y = asin(min(max(2.0 * (x * z + w * y), -1.0), 1.0))
    about_x = atan2(2.0 * (w * x - y * z), 1.0 - 2.0 * (x * x + y * y))
    about_z = atan2(2.0 * (w * z - x * y), 1.0 - 2.0 * (y * y + z * z))
    return about_x, about_y, about_z
