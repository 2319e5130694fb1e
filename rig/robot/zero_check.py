"""Visual check of a robot's zeros: its model takes a known pose, and the difference from the measured pose
is listed for each joint.
"""

from typing import NamedTuple

import bpy

from ...hardware.device import DeviceJoint
from ...hardware.mixing import Mixing
from ...robots.lerobot_zeros import KNOWN
from ..blender.errors import RigError
from ..bones import imported_robot
from . import calibrating, lerobot, links, values
from . import device as robot_device


class Difference(NamedTuple):
    """Shown and measured value of a joint [rad; prismatic joints m]; the measured value is None if the servo
    reports none.
    """

    joint: DeviceJoint
    shown: float
    measured: float | None


def pose(rig: bpy.types.Object) -> None:
    """Poses the robot's joints at their zero (LeRobot's zero if Limber knows the model, else 0) or, if that
    is beyond a limit, at the limit. Auxiliary values stay.

    Raises:
        RigError: nothing has a servo.
        DeviceError: the rig's properties describe no valid device.
    """
    sources = robot_device.sources(rig)
    if not sources:
        raise RigError(f"'{rig.name}' has no servo: give its joints servos first")
    zeros = _zeros(rig)
    zero_values = []
    for source, joint in zip(sources, robot_device.describe_plain(rig).joints, strict=True):
        zero = zeros.get((source.bone, source.axis), 0.0)
        zero_values.append(None if source.auxiliary else joint.limits.clamp(zero))
    values.pose(rig, sources, zero_values)


def differences(rig: bpy.types.Object) -> list[Difference]:
    """Shown and measured value of each joint and motor of the connected robot, by the current calibration of
    the rig, even if the robot was connected with an earlier one.

    Raises:
        RigError: the robot is not connected, or servos were added or removed since.
        DeviceError: the rig's properties describe no valid device.
    """
    raw = calibrating.positions(rig)
    device = robot_device.describe_plain(rig)
    link = links.link(rig)
    if link is None or [channel.servo for channel in link.device.channels] != [
        channel.servo for channel in device.channels
    ]:
        raise RigError("Servos were added or removed: press Reconnect first")
    sources = robot_device.sources(rig)
    shown = values.newest(rig, sources, [0.0] * len(sources))
    rows = zip(sources, device.joints, shown, Mixing(device).values(raw), strict=True)
    return [
        Difference(joint, shown_value, measured)
        for source, joint, shown_value, measured in rows
        if not source.auxiliary
    ]


def _zeros(rig: bpy.types.Object) -> dict[tuple[str, str], float]:
    """Value of each bone's axis at LeRobot's zero [rad]; empty if the model is not known."""
    known = KNOWN.get(lerobot.model_name(rig), {})
    if not known:
        return {}
    known = {zero.of or name: zero for name, zero in known.items()}
    joints = (
        (name, record)
        for name, record in imported_robot.records(rig)
        if record.axis and record.branch.joint.name in known
    )
    return {
        (name, imported_robot.axis_of(record)): record.sign * known[record.branch.joint.name].value
        for name, record in joints
    }
