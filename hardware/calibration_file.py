"""Calibration file: the servos of a robot and how its joints drive them, as JSON to load into another scene.

The JSON has a version number, the protocol with its settings, the joints with their units and, for each
servo, its id, the joints that drive it, its zero position, direction, range and further data. The parser
refuses unknown fields. Writing is atomic.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from ..files import atomic
from ..files.content import SMALL
from ..files.content import text as read_text
from ..files.json_fields import JsonFields
from ..files.plain import json_of
from ..files.reasons import reason
from ..motion.joint import Limits
from .device import (
    FARTHEST,
    FASTEST_BAUDRATE,
    LAST_SERVO,
    SLOWEST_BAUDRATE,
    Device,
    DeviceJoint,
    OnSilence,
    ServoChannel,
    Share,
    Unit,
)
from .errors import DeviceError, HardwareError
from .protocols.maestro import MODELS
from .protocols.settings import DEFAULT, ProtocolSettings

FORMAT = "limber-calibration"
VERSION = 1

_ROBOT = ("format", "version", "protocol", "baudrate", "latency", "settings", "joints", "channels")
_SETTINGS = tuple(field.name for field in fields(ProtocolSettings))
_JOINT = ("name", "unit")
_CHANNEL = (
    "servo",
    "joints",
    "direction",
    "zero",
    "per_radian",
    "lowest",
    "highest",
    "on_silence",
    "speed",
    "homing_offset",
)
_SHARE = ("joint", "gear")
# joint limits belong to the chain and are not in the file; these complete a `DeviceJoint` for its checks
_PLACEHOLDER_LIMITS = Limits(-1.0, 1.0, 1.0, 1.0, 1.0)

# [raw units] largest homing offset in a file, in either direction: a Dynamixel's, the largest of all servos
FARTHEST_OFFSET = 1_044_479
# largest absolute value of a zero, gear, speed or per_radian; a file with a larger one is refused as damaged
LARGEST = 1e12


class CalibrationError(HardwareError, ValueError):
    """A calibration cannot be used or written; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class CalibratedJoint:
    """A joint in a calibration file: name and unit."""

    name: str
    unit: Unit = "rad"


@dataclass(frozen=True, slots=True)
class RobotCalibration:
    """Calibration of a robot's servos, without the port, and without the joints' limits, which belong to the
    chain.

    Attributes:
        protocol: As `Device.protocol`.
        baudrate: Baud rate [bit/s].
        joints: The joints that the channels drive.
        channels: As `Device.channels`.
        latency: Delay of all motion [s].
        settings: As `Device.settings`.
    """

    protocol: str
    baudrate: int
    joints: tuple[CalibratedJoint, ...]
    channels: tuple[ServoChannel, ...]
    latency: float = 0.0
    settings: ProtocolSettings = DEFAULT

    @classmethod
    def of(cls, device: Device) -> RobotCalibration:
        """The calibration of a device."""
        joints = tuple(CalibratedJoint(joint.name, joint.unit) for joint in device.joints)
        return cls(device.protocol, device.baudrate, joints, device.channels, device.latency, device.settings)

    def mismatches(self, names: Sequence[str]) -> tuple[str, ...]:
        """Differences between the calibration's joints and the joint names `names`, as sentences; empty if
        the names are the same, in any order.
        """
        calibrated_joints = [joint.name for joint in self.joints]
        missing = [name for name in names if name not in calibrated_joints]
        unknown = [name for name in calibrated_joints if name not in names]
        problems = []
        if missing:
            problems.append(f"it has no servo for {_listed(missing)}")
        if unknown:
            problems.append(f"it has servos for {_listed(unknown)}, which the robot does not have")
        if problems and len(calibrated_joints) != len(names):
            problems.append(f"it is for {len(calibrated_joints)} joints, the robot has {len(names)}")
        return tuple(problems)

    def device(self, port: str, joints: Sequence[DeviceJoint]) -> Device:
        """The device that this calibration describes, on a port and with these joints' limits.

        Raises:
            CalibrationError: Joints are missing or unknown, or of another unit.
            DeviceError: The calibration describes no valid robot.
        """
        mismatches = self.mismatches([joint.name for joint in joints])
        if mismatches:
            raise CalibrationError(f"The calibration does not fit: {'; '.join(mismatches)}")
        units = {joint.name: joint.unit for joint in self.joints}
        for joint in joints:
            if units[joint.name] != joint.unit:
                raise CalibrationError(
                    f"Joint '{joint.name}': the calibration is in {units[joint.name]}, the robot in"
                    f" {joint.unit}"
                )
        return Device(
            port, tuple(joints), self.channels, self.baudrate, self.protocol, self.latency, self.settings
        )


def save(path: Path, calibration: RobotCalibration) -> None:
    """Write a calibration file; an interrupted write leaves the old file unchanged.

    Raises:
        CalibrationError: The file cannot be written; the message names it.
    """
    try:
        atomic.write_text(path, to_text(calibration))
    except OSError as error:
        raise CalibrationError(
            f"{path} cannot be written ({reason(error)}): choose another folder"
        ) from error


def load(path: Path) -> RobotCalibration:
    """Read a calibration file.

    Raises:
        CalibrationError: The file is missing or cannot be used; the message names it and what is wrong in it.
    """
    try:
        text = read_text(path, SMALL)
    except (OSError, UnicodeDecodeError) as error:
        raise CalibrationError(
            f"{path} cannot be read ({reason(error)}): choose a calibration file"
        ) from error
    return from_text(text, str(path))


def to_text(calibration: RobotCalibration) -> str:
    """A calibration as the JSON text of its file."""
    robot = {"format": FORMAT, "version": VERSION} | {
        name: value for name, value in asdict(calibration).items() if name not in ("joints", "channels")
    }
    robot["joints"] = [asdict(joint) for joint in calibration.joints]
    robot["channels"] = [_with_file_names(asdict(channel)) for channel in calibration.channels]
    return json.dumps(robot, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _with_file_names(channel: dict[str, Any]) -> dict[str, Any]:
    """The fields of a channel under their names in the file."""
    return {"joints" if name == "shares" else name: value for name, value in channel.items()}


def from_text(text: str, source: str = "The calibration") -> RobotCalibration:
    """Decode a calibration from JSON; `source` names its file in messages.

    Raises:
        CalibrationError: As `load`.
    """
    try:
        plain = json_of(text)
    except ValueError as error:
        raise CalibrationError(f"{source} is no JSON ({error}): choose a calibration file") from error
    try:
        return _calibration(JsonFields(source, plain, CalibrationError))
    except DeviceError as error:
        raise CalibrationError(f"{source}: {error}") from error


def _calibration(robot: JsonFields) -> RobotCalibration:
    if robot.get("format", str) != FORMAT:
        robot.wrong("format", f"'{FORMAT}'")
    if robot.get("version", int) != VERSION:
        robot.wrong("version", f"{VERSION}; a later version of Limber wrote it, or another program")
    robot.only(_ROBOT)
    joints = tuple(_joint(joint) for joint in robot.children("joints", "joint", "name"))
    channels = tuple(_channel(channel) for channel in robot.children("channels", "servo", "servo"))
    settings = _settings(robot.child("settings"))
    baudrate = robot.whole("baudrate", SLOWEST_BAUDRATE, FASTEST_BAUDRATE)
    calibration = RobotCalibration(
        robot.get("protocol", str), baudrate, joints, channels, robot.number("latency"), settings
    )
    stand_ins = tuple(DeviceJoint(joint.name, _PLACEHOLDER_LIMITS, joint.unit) for joint in joints)
    # raises DeviceError if joints and channels do not fit
    Device("any", stand_ins, channels, calibration.baudrate, calibration.protocol, calibration.latency)
    return calibration


def _settings(settings: JsonFields) -> ProtocolSettings:
    settings.only(_SETTINGS)
    count = settings.whole("channel_count", 1, LAST_SERVO)
    if count not in MODELS:
        settings.wrong("channel_count", "6, 12, 18 or 24")
    return ProtocolSettings(settings.get("multi_turn", bool), count, settings.get("crc", bool))


def _joint(joint: JsonFields) -> CalibratedJoint:
    joint.only(_JOINT)
    name = joint.get("name", str)
    unit: Unit = joint.choice("unit", ("rad", "m", "plain"))
    return CalibratedJoint(name, unit)


def _channel(channel: JsonFields) -> ServoChannel:
    channel.only(_CHANNEL)
    shares = []
    for share in channel.children("joints", "joint", "joint"):
        share.only(_SHARE)
        shares.append(Share(share.get("joint", str), share.number("gear", LARGEST)))
    on_silence: OnSilence = channel.choice("on_silence", ("hold", "detach"))
    return ServoChannel(
        servo=channel.whole("servo", 0, LAST_SERVO),
        shares=tuple(shares),
        direction=channel.get("direction", int),
        zero=channel.number("zero", LARGEST),
        per_radian=channel.number("per_radian", LARGEST),
        lowest=channel.number("lowest", FARTHEST),
        highest=channel.number("highest", FARTHEST),
        on_silence=on_silence,
        speed=None if channel.get("speed", object) is None else channel.number("speed", LARGEST),
        homing_offset=(
            None
            if channel.get("homing_offset", object) is None
            else channel.whole("homing_offset", -FARTHEST_OFFSET, FARTHEST_OFFSET)
        ),
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
