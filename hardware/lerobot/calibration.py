"""LeRobot's calibration of a robot of Feetech or Dynamixel servos: its JSON file, and conversion of its
values.

LeRobot keeps one file per robot, with one entry per motor. It also writes the homing offset and the range of
each entry into the servo (registers 31, 9 and 11 of a Feetech servo), so that positions read from the servo
are already shifted: for a Feetech servo reported = actual - homing offset, for a Dynamixel reported = actual
+ homing offset.

Its values have one of three modes (`lerobot.motors.MotorNormMode`). Positions of a motor with the range a to
b, in steps p:

    degrees          (p - (a + b) / 2) * 360 / 4095    not clamped; the drive mode is ignored
    range_m100_100   200 (p - a) / (b - a) - 100       clamped; negated if the drive mode is 1
    range_0_100      100 (p - a) / (b - a)             clamped; 100 - value if the drive mode is 1

A Dynamixel with drive mode 1 reverses itself, so that LeRobot ignores the drive mode in all three modes
(its `apply_drive_mode`). The file does not name its servos; in LeRobot's folders, the name of the file's
folder, which is the robot's class, determines them.

LeRobot's zero in degrees is therefore the middle of the recorded range. It counts 4095 steps to a revolution,
though the servo has 4096: Limber's joint angles follow LeRobot here, so that both show the same degrees. At
100 degrees this amounts to 0.3 steps, below the resolution of a servo.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from ...files import atomic
from ...files.content import SMALL
from ...files.content import text as read_text
from ...files.json_fields import JsonFields
from ...files.plain import shown
from ...files.reasons import reason
from ..device import LAST_SERVO
from ..errors import HardwareError
from .layouts import FIELDS, as_motors, plain_of

Mode = Literal["degrees", "range_m100_100", "range_0_100"]

LAST_STEP = 4095  # [steps] highest position of an STS servo
STEPS_PER_RADIAN = LAST_STEP / math.tau  # as LeRobot counts: LAST_STEP steps to a revolution
FARTHEST_OFFSET = 2047  # [steps] largest homing offset: register 31 has 11 bits and a sign
FARTHEST_TURNS = 1_048_575  # [steps] largest position of a Dynamixel, in either direction: 256 revolutions
# parts of the names of LeRobot's robot classes with Dynamixel servos, in lower case
DYNAMIXEL_ROBOTS = ("koch", "omx", "viperx", "widowx", "aloha", "openmanipulator")
REMEDY = "correct it in the file, or calibrate again with lerobot-calibrate"
GRIPPER = "gripper"  # motor whose values are range_0_100 in LeRobot's arms; others have degrees
DEEPEST = 3  # largest nesting of objects around motors; every object at this depth counts as a motor
# characters between the words of a motor's name, and between an arm's prefix and the name:
# "left_arm_shoulder_pan"
SEPARATORS = "_.-/ "

_PHOSPHOBOT = ("servos_offsets", "servos_calibration_position", "servos_offsets_signs")
_BEFORE_2025 = ("motor_names", "calib_mode", "start_pos", "end_pos")


class LerobotError(HardwareError, ValueError):
    """A LeRobot calibration cannot be used or written; the message says why, and what to do."""


class _FieldError(LerobotError):
    """A field of a motor cannot be used."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"{problem}: {REMEDY}")


@dataclass(frozen=True, slots=True)
class Family:
    """Type of the servos of a calibration, with the bounds of its numbers.

    Attributes:
        protocol: Name of the protocol that drives them.
        farthest_offset: Largest homing offset [steps], in either direction.
        first: Lowest position [steps].
        last: Highest position [steps].
        obeys_drive_mode: Whether LeRobot, and not the servo itself, reverses a motor with drive mode 1.
    """

    protocol: str
    farthest_offset: int
    first: int
    last: int
    obeys_drive_mode: bool


FEETECH = Family("feetech_sts", FARTHEST_OFFSET, 0, LAST_STEP, True)
DYNAMIXEL = Family("dynamixel", 1_044_479, -FARTHEST_TURNS, FARTHEST_TURNS, False)


def family_of(path: Path, protocol: str) -> Family:
    """Family of the servos of a calibration file: Dynamixel if `protocol` is Dynamixel's, or if the name of
    the file's folder contains one of DYNAMIXEL_ROBOTS; otherwise Feetech.
    """
    folder_name = path.parent.name.lower()
    return (
        DYNAMIXEL
        if protocol == DYNAMIXEL.protocol or any(name in folder_name for name in DYNAMIXEL_ROBOTS)
        else FEETECH
    )


@dataclass(frozen=True, slots=True)
class LeRobotMotor:
    """Entry of one motor in LeRobot's calibration.

    Attributes:
        id: The servo's id.
        drive_mode: 1 reverses values in the two range modes; always 0 for a Dynamixel.
        homing_offset: Offset in the servo [steps]: reported = actual - offset for a Feetech servo, actual +
            offset for a Dynamixel.
        range_min: Lowest recorded position, as reported [steps].
        range_max: Highest recorded position, as reported [steps].
    """

    id: int
    drive_mode: int
    homing_offset: int
    range_min: int
    range_max: int

    @property
    def middle(self) -> float:
        """Reported position [steps] of LeRobot's 0 degrees: the middle of the recorded range."""
        return (self.range_min + self.range_max) / 2

    def value(self, position: float, mode: Mode) -> float:
        """LeRobot's value of a reported position [steps], in the unit of `mode`: degrees, or in the range
        -100 to 100 or 0 to 100, to which it is clamped.
        """
        if mode == "degrees":
            return math.degrees((position - self.middle) / STEPS_PER_RADIAN)
        share = (min(max(position, self.range_min), self.range_max) - self.range_min) / (
            self.range_max - self.range_min
        )
        share = 1.0 - share if self.drive_mode else share
        return 200.0 * share - 100.0 if mode == "range_m100_100" else 100.0 * share

    def position(self, value: float, mode: Mode) -> float:
        """Reported position [steps] for a value of LeRobot in the unit of `mode`, in the range modes clamped
        to the range: the inverse of `value`. LeRobot truncates it to whole steps before sending it.
        """
        if mode == "degrees":
            return math.radians(value) * STEPS_PER_RADIAN + self.middle
        share = (value + 100.0) / 200.0 if mode == "range_m100_100" else value / 100.0
        share = min(max(share, 0.0), 1.0)
        share = 1.0 - share if self.drive_mode else share
        return self.range_min + share * (self.range_max - self.range_min)

    def angle(self, value: float, mode: Mode) -> float:
        """Angle [rad] from LeRobot's zero (`middle`) for a value of LeRobot in the unit of `mode`."""
        return (self.position(value, mode) - self.middle) / STEPS_PER_RADIAN


def load(path: Path, family: Family = FEETECH) -> dict[str, LeRobotMotor]:
    """Motors by name, from a LeRobot calibration file for this type of servos.

    Raises:
        LerobotError: The file is missing or cannot be used; the message names it and what is wrong in it.
    """
    try:
        text = read_text(path, SMALL)
    except (OSError, UnicodeDecodeError) as error:
        raise LerobotError(
            f"{path} cannot be read ({reason(error)}): choose a calibration file of LeRobot"
        ) from error
    return from_text(text, str(path), family)


def from_text(
    text: str, source: str = "The calibration", family: Family = FEETECH
) -> dict[str, LeRobotMotor]:
    """Motors by name, from the text of a calibration file; `source` names it in messages.

    Raises:
        LerobotError: As `load`.
    """
    try:
        plain = as_motors(plain_of(text))
    except ValueError as error:
        raise LerobotError(f"{source} is no JSON ({error}): choose a calibration file of LeRobot") from error
    motors: dict[str, LeRobotMotor] = {}
    for name, fields in _entries(source, plain):
        if name in motors:
            raise LerobotError(f"{source} has two motors '{name}': keep one")
        motors[name] = _motor(fields, family)
    if not motors:
        raise LerobotError(f"{source} has no motor: choose a calibration file of LeRobot")
    owners: dict[tuple[str, int], str] = {}
    arms = _prefixes(motors)
    for name, motor in motors.items():
        first = owners.setdefault((arms.get(name, ""), motor.id), name)
        if first != name:
            what = f"motors '{first}' and '{name}', id: both have {motor.id}"
            raise LerobotError(
                f"{source}, {what}; give each its own, or keep only one arm's motors in the file"
            )
    return motors


def _entries(
    source: str, plain: object, prefix: str = "", depth: int = 0
) -> Iterator[tuple[str, JsonFields]]:
    """Names and fields of the motors in a calibration. Objects with motors are arms, whose names become
    prefixes of the motors' names; a single object around all motors is not an arm.

    Raises:
        LerobotError: The file has another program's or an older layout, or something other than motors and
            arms; the message names it.
    """
    robot = JsonFields(source, plain, _FieldError)
    if any(robot.has(field) for field in _BEFORE_2025):
        raise LerobotError(
            f"{source} is from LeRobot before June 2025, which stored no ranges: calibrate again with"
            " lerobot-calibrate"
        )
    if any(robot.has(field) for field in _PHOSPHOBOT):
        raise LerobotError(
            f"{source} is phosphobot's calibration, which has no ranges: calibrate with lerobot-calibrate"
        )
    if robot.has("format"):
        raise LerobotError(
            f"{source} has a format, {shown(robot.get('format', object))}, which no calibration of LeRobot has:"
            " Load reads Limber's own calibration files"
        )
    for name, member in robot.items():
        if isinstance(member, (str, int, float)):
            raise LerobotError(
                f"{source}: {shown(name)} is {shown(member)}, and no motor: take it out of the file, if what its"
                " numbers mean does not depend on it"
            )
        fields = JsonFields(f"{source}, motor {shown(name)}", member, _FieldError)
        # an empty object counts as a motor, so that its missing fields are reported; an arm in LeRobot's
        # older layout has some of a motor's fields, and is read as an arm to be refused by that layout's name
        is_motor = any(fields.has(field) for field in FIELDS) or not member
        if depth == DEEPEST or (is_motor and not any(fields.has(field) for field in _BEFORE_2025)):
            yield prefix + name, fields
        else:
            arm = prefix if len(robot.items()) == 1 else f"{prefix}{name}_"
            yield from _entries(f"{source}, {shown(name)}", member, arm, depth + 1)


def _prefixes(motors: Collection[str]) -> dict[str, str]:
    """First word of each motor's name, by that name, if first words name arms; empty if they do not.

    They name arms if all of them are followed by the same motors' names, or several by the same two or more.
    Each arm has its own port, so that servos of two arms may have the same id. A head or base is on the port
    of one arm, so that its servos may have the same ids as those of the other arm.
    """
    words = {name: re.split(f"[{re.escape(SEPARATORS)}]", name, maxsplit=1) for name in motors}
    if any(len(parts) < 2 for parts in words.values()):
        return {}
    after: dict[str, set[str]] = {}
    for first, rest in words.values():
        after.setdefault(first, set()).add(rest)
    names = list(after.values())
    has_arms = all(each == names[0] for each in names) or any(
        len(each) > 1 and names.count(each) > 1 for each in names
    )
    return {name: parts[0] for name, parts in words.items()} if has_arms else {}


def arms_of(motors: Collection[str], known: Collection[str]) -> dict[str, dict[str, str]]:
    """The arms of a file: for each prefix of motors' names, a map from the model's names of the motors with
    that prefix to the file's names.

    LeRobot names the motors of a single arm as its model does (prefix ""), and those of a robot with more
    parts with a prefix: "arm_shoulder_pan" (LeKiwi), "left_arm_shoulder_pan" and "right_arm_shoulder_pan".
    Case and separators are ignored: "Shoulder-Pan" is "shoulder_pan".

    Args:
        motors: Names of the file's motors.
        known: Names of the model's motors, in lower case.
    """
    arms: dict[str, dict[str, str]] = {}
    names = {_plain(name): name for name in known}
    for motor in motors:
        for start, name in ((start, names.get(_plain(motor[start:]))) for start in range(len(motor))):
            if name is not None and (start == 0 or motor[start - 1] in SEPARATORS):
                arms.setdefault(motor[:start], {})[name] = motor
                break
    return arms


def _plain(name: str) -> str:
    """A name in lower case, without the separators between its words."""
    return "".join(letter for letter in name.lower() if letter not in SEPARATORS)


def save(path: Path, motors: Mapping[str, LeRobotMotor]) -> None:
    """Write a calibration file as LeRobot does; an interrupted write leaves the old file unchanged.

    Raises:
        LerobotError: The file cannot be written; the message names it.
    """
    try:
        atomic.write_text(path, to_text(motors))
    except OSError as error:
        raise LerobotError(f"{path} cannot be written ({reason(error)}): choose another folder") from error


def to_text(motors: Mapping[str, LeRobotMotor]) -> str:
    """Text of a calibration file with these motors."""
    return json.dumps({name: asdict(motor) for name, motor in motors.items()}, indent=4)


def usual_folder() -> Path:
    """Folder in which LeRobot stores calibrations, as `robots/CLASS/ID.json` and
    `teleoperators/CLASS/ID.json`.
    """
    calibration_folder = os.environ.get("HF_LEROBOT_CALIBRATION")
    if calibration_folder:
        return Path(calibration_folder).expanduser()
    hub = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    return (Path(os.environ.get("HF_LEROBOT_HOME") or Path(hub) / "lerobot") / "calibration").expanduser()


def _motor(fields: JsonFields, family: Family) -> LeRobotMotor:
    fields.only(FIELDS)
    motor = LeRobotMotor(
        id=_whole(fields, "id", 0, LAST_SERVO),
        drive_mode=_whole(fields, "drive_mode", 0, 1),
        homing_offset=_whole(fields, "homing_offset", -family.farthest_offset, family.farthest_offset),
        range_min=_whole(fields, "range_min", family.first, family.last),
        range_max=_whole(fields, "range_max", family.first, family.last),
    )
    if motor.range_min >= motor.range_max:
        fields.wrong("range_max", f"more than range_min, {motor.range_min}")
    return motor if family.obeys_drive_mode else replace(motor, drive_mode=0)


def _whole(fields: JsonFields, field: str, lowest: int, highest: int) -> int:
    """The whole number in a field; 800.0 counts as one, since some programs write it so."""
    value = fields.get(field, object) if fields.has(field) else None
    if isinstance(value, float) and value.is_integer() and lowest <= value <= highest:
        return int(value)
    return fields.whole(field, lowest, highest)
