"""Calibration files of the robot of an armature or mechanism: saved, loaded, and copied automatically to the
user's folder after each change.
"""

from pathlib import Path

import bpy

from ...files.plain import shown
from ...hardware import calibration_file
from ...hardware.calibration_file import RobotCalibration
from ...hardware.device import ServoChannel
from ...hardware.errors import HardwareError
from ...hardware.protocols.maestro import MODELS
from ...hardware.protocols.table import BUILT_IN, FILE
from ...motion import MotionError
from ..blender.errors import RigError
from ..blender.user_folder import user_folder
from ..properties.robot import OWN_FILE
from . import device as robot_device

FOLDER = "calibrations"


def of(rig: bpy.types.Object) -> RobotCalibration:
    """Calibration of a rig's robot, as its properties describe it.

    Raises:
        DeviceError: the robot's properties describe no valid device.
    """
    return RobotCalibration.of(robot_device.describe_plain(rig))


def save(rig: bpy.types.Object, path: Path) -> None:
    """Writes the rig's calibration; an existing file is replaced completely, or not at all.

    Raises:
        DeviceError, CalibrationError: the robot has no valid description, or the file cannot be written.
    """
    calibration_file.save(path, of(rig))


def load(rig: bpy.types.Object, path: Path, partly: bool = False) -> list[str]:
    """Applies the calibration in a file to the rig. If it raises an error, nothing has changed.

    Args:
        rig: The armature object, or the object with the mechanism.
        path: The file.
        partly: Whether to apply the file although joints are missing or unknown.

    Returns:
        Sentences on parts of the file that did not fit.

    Raises:
        CalibrationError: the file cannot be read, or is no calibration.
        RigError: its protocol or number of channels is not known, or it does not fit the rig's joints.
    """
    calibration = calibration_file.load(path)
    _check_protocol(path, calibration)
    names = robot_device.names(rig)
    expected = [
        *(joint.label for _, joint in robot_device.driven(rig)),
        *(v.name for v in robot_device.values_with_servo(rig)),
    ]
    misfits = list(calibration.mismatches(expected))
    fitting = [
        channel for channel in calibration.channels if all(share.joint in names for share in channel.shares)
    ]
    if misfits and not partly:
        raise RigError(
            f"{path.name} does not fit '{rig.name}': {'; '.join(misfits)}. Tick Load Partially to use the"
            " rest"
        )
    if not fitting:
        raise RigError(f"{path.name} has no joint of '{rig.name}': {'; '.join(misfits)}")
    _apply(rig, calibration, fitting)
    return misfits


def _check_protocol(path: Path, calibration: RobotCalibration) -> None:
    """Raises RigError if the protocol, or its number of channels, is not known."""
    protocol, count = calibration.protocol, calibration.settings.channel_count
    if protocol not in BUILT_IN and not protocol.startswith(FILE):
        known = ", ".join(BUILT_IN)
        raise RigError(
            f"{path.name}, protocol: expected one of {known}, or {FILE} and the path of a program, found"
            f" {shown(protocol)}"
        )
    if count not in MODELS:
        raise RigError(
            f"{path.name}, settings, channel_count: expected one of {', '.join(map(str, MODELS))}, found"
            f" {count}"
        )


def _apply(rig: bpy.types.Object, calibration: RobotCalibration, channels: list[ServoChannel]) -> None:
    """Writes a calibration's protocol and settings, and `channels` out of its channels, to the rig's
    properties. Joints and motors that they do not name have no servo then, auxiliary values keep theirs;
    earlier additional servos are removed.
    """
    device = rig.limber.device
    own_file = calibration.protocol.startswith(FILE)
    device.protocol = OWN_FILE if own_file else calibration.protocol
    if own_file:
        device.protocol_file = calibration.protocol.removeprefix(FILE)
    device.baudrate, device.latency = calibration.baudrate, calibration.latency
    settings = calibration.settings
    device.multi_turn, device.channel_count, device.crc = (
        settings.multi_turn,
        str(settings.channel_count),
        settings.crc,
    )
    joints = {joint.label: joint for _, joint in robot_device.joints(rig)}
    # a joint that the file does not name must not keep a servo that now belongs to another joint
    for joint in joints.values():
        joint.servo = -1
    device.channels.clear()
    for channel in channels:
        # a joint or value has one servo: second servos, and servos that several joints share, are listed as
        # channels
        first, *other_shares = channel.shares
        if not other_shares and first.joint in joints and joints[first.joint].servo < 0:
            joints[first.joint].gear = first.gear
            _set_servo(joints[first.joint], channel)
        elif not other_shares and first.joint in device.auxiliaries:
            _set_value(device.auxiliaries[first.joint], channel)
        else:
            further = device.channels.add()
            further.name = " + ".join(share.joint for share in channel.shares)
            for share in channel.shares:
                item = further.shares.add()
                item.joint, item.gear = share.joint, share.gear
            _set_servo(further, channel)


def _set_servo(settings: bpy.types.PropertyGroup, channel: ServoChannel) -> None:
    """Writes a channel to the servo settings of a joint, a motor or an additional servo."""
    settings.servo, settings.reverse = channel.servo, channel.direction < 0
    settings.zero_us, settings.us_per_radian = channel.zero, channel.per_radian
    settings.min_us, settings.max_us = channel.lowest, channel.highest
    settings.on_silence, settings.servo_speed = channel.on_silence, channel.speed or 0.0
    settings.recorded_offset = channel.homing_offset


def _set_value(value: bpy.types.PropertyGroup, channel: ServoChannel) -> None:
    """Writes a channel to the servo settings of an auxiliary value."""

    def at(number: float) -> float:
        return channel.zero + channel.direction * channel.per_radian * channel.shares[0].gear * number

    value.servo, value.on_silence = channel.servo, channel.on_silence
    value.at_low, value.at_high = at(value.low), at(value.high)
    value.recorded_offset = channel.homing_offset


def folder() -> Path | None:
    """Folder of the automatic copies; None if it cannot be created."""
    return user_folder(FOLDER)


def copy_path(rig: bpy.types.Object) -> Path | None:
    """Path of the automatic copy of a rig's calibration; None if there is no folder for it."""
    copies_folder = folder()
    return copies_folder / f"{bpy.path.clean_name(rig.name)}.json" if copies_folder else None


def keep_copy(rig: bpy.types.Object) -> str:
    """Saves the automatic copy, which survives undo and a crash. Returns why it could not be saved; "" if it
    was.
    """
    path = copy_path(rig)
    if path is None:
        return "the user's folder of Blender cannot be made"
    try:
        save(rig, path)
    except (HardwareError, MotionError) as error:
        return str(error)
    return ""
