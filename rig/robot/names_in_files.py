"""Names of a robot's joints and auxiliary values in motion files."""

from collections.abc import Sequence

import bpy

from ...hardware.motion_files import Named
from ..bones.file_joints import FileJoint, file_joints
from . import lerobot
from .device import Source


def names_in_files(rig: bpy.types.Object, sources: Sequence[Source]) -> tuple[Named, ...]:
    """Name, sign, unit, servo and LeRobot conversion of each source for motion files. A value that follows a
    bone's channel is named after that joint. Raises RigError as `file_joints`.
    """
    joints = file_joints(rig)
    by_key = {joint.key: joint for joint in joints}
    by_path = {
        f"{joint.channel.path}[{joint.channel.index}]": joint for joint in joints if joint.channel is not None
    }
    values = {value.name: value for value in rig.limber.device.auxiliaries}
    names = []
    for source in sources:
        value = values.get(source.auxiliary)
        joint = (
            by_key.get(source.key)
            if value is None
            else by_path.get(value.path)
            if value.owner == rig
            else None
        )
        servo = -1 if value is None else value.servo
        names.append(
            _named(rig, joint, servo)
            if joint is not None
            else Named(source.auxiliary, unit="plain", servo=servo)
        )
    return tuple(names)


def _named(rig: bpy.types.Object, joint: FileJoint, servo: int) -> Named:
    unit = "m" if joint.is_prismatic else "rad"
    return Named(
        joint.name, joint.sign, unit, joint.servo if servo < 0 else servo, lerobot.scale_of(rig, joint)
    )
