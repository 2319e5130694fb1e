"""Robots of a character: the sources of their joints' values, and their servos, as JSON."""

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...files.json_fields import JsonFields
from ...motion import Limits, LimitsError
from .errors import CharacterFileError
from .tracks import ArrayReader, ArrayWriter, ClipTrack

UNITS = ("rad", "m", "plain")
LIMITS = ("lower", "upper", "velocity", "acceleration", "jerk")
MOST_SERVOS = 64  # largest number of a robot's joints, each with a servo; more are refused


class RobotJoint(NamedTuple):
    """A joint of a robot, and the source of its value: one of `joint`, `value` and `track`.

    Attributes:
        name: Name of the joint on the robot.
        unit: Unit of its values: radians, metres, or none.
        limits: As in `hardware.device.DeviceJoint`.
        joint: Name of a joint of the file.
        value: Name of a value of the file.
        track: ClipTrack () of its values, if nothing in the file moves it.
    """

    name: str
    unit: str
    limits: Limits
    joint: str = ""
    value: str = ""
    track: ClipTrack | None = None


@dataclass(frozen=True)
class RobotEntry:
    """A robot: name of the armature or mechanism that it follows, port, joints, and the text of its
    calibration file.
    """

    name: str
    port: str
    joints: tuple[RobotJoint, ...]
    calibration: str


def robot_json(robot: RobotEntry, arrays: ArrayWriter) -> dict[str, Any]:
    """A robot as JSON; its tracks go to `arrays`."""
    return {
        "name": robot.name,
        "port": robot.port,
        "joints": [
            {
                "name": joint.name,
                "unit": joint.unit,
                **limits_json(joint.limits),
                "joint": joint.joint,
                "value": joint.value,
                "track": None if joint.track is None else arrays.put(joint.track.rows),
            }
            for joint in robot.joints
        ],
        "calibration": json.loads(robot.calibration),
    }


def limits_json(limits: Limits) -> dict[str, float]:
    """A joint's limits as fields of JSON."""
    return {name: getattr(limits, name) for name in LIMITS}


def limits_of(plain: JsonFields) -> Limits:
    """Reads limits that `limits_json` has written. Raises CharacterFileError if they are invalid."""
    try:
        return Limits(**{name: plain.number(name) for name in LIMITS})
    except LimitsError as error:
        raise CharacterFileError(str(error)) from error


def robot_of(
    plain: JsonFields, arrays: ArrayReader, frames: int, joints: frozenset[str], values: frozenset[str]
) -> RobotEntry:
    """Reads a robot that `robot_json` has written; `frames`: number of the clip's frames; `joints`, `values`:
    names of the file's joints and values.
    """
    stored = plain.children("joints", "joint", "name")
    if not 0 < len(stored) <= MOST_SERVOS:
        plain.wrong("joints", f"1 to {MOST_SERVOS} joints")
    return RobotEntry(
        plain.get("name", str),
        plain.get("port", str),
        tuple(_joint(joint, arrays, frames, joints, values) for joint in stored),
        json.dumps(plain.get("calibration", dict), ensure_ascii=False),
    )


def _joint(
    plain: JsonFields, arrays: ArrayReader, frames: int, joints: frozenset[str], values: frozenset[str]
) -> RobotJoint:
    joint, value = plain.get("joint", str), plain.get("value", str)
    track = arrays.track(plain, "track", (), frames) if plain.is_given("track") else None
    if (bool(joint), bool(value), track is not None).count(True) != 1:
        plain.wrong("joint", "the name of a joint, of a value, or a track")
    if joint and joint not in joints:
        plain.wrong("joint", "the name of a joint of the file")
    if value and value not in values:
        plain.wrong("value", "the name of a value of the file")
    return RobotJoint(
        plain.get("name", str), plain.choice("unit", UNITS), limits_of(plain), joint, value, track
    )
