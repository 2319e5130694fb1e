"""Reads an armature's robot for a character file: its servos, and the source of each joint's value."""

from collections.abc import Mapping

import bpy
import numpy as np

from ...character.file.robots import RobotEntry, RobotJoint
from ...character.file.tracks import track
from ...hardware.calibration_file import RobotCalibration, to_text
from ...hardware.protocols.table import FILE
from ..blender.errors import RigError
from ..bones.file_joints import SourceKey
from ..robot import values
from ..robot.device import describe_plain, sources


class ExportedRobot:
    """Reads one robot over the frames of an export.

    Args:
        rig: The object whose joints the robot follows.

    Raises:
        DeviceError: the robot's properties describe no valid device.
        RigError: its protocol is a Python file, which cannot be exported.
    """

    def __init__(self, rig: bpy.types.Object) -> None:
        self.rig, self.device, self.sources = rig, describe_plain(rig), sources(rig)
        if self.device.protocol.startswith(FILE):
            raise RigError("its protocol is a program of yours, and no program travels in a file")
        self._values = [0.0] * len(self.sources)
        self._rows: list[list[float]] = []

    def read(self) -> None:
        """Reads the joint values that the scene shows in a frame."""
        self._values = values.newest(self.rig, self.sources, self._values)
        self._rows.append(self._values)

    def entry(self, names: Mapping[SourceKey, str], value_names: Mapping[str, str]) -> RobotEntry:
        """The robot as an entry of the character file.

        Args:
            names: Names of the file's joints, by the source that a robot's joint follows.
            value_names: Names of its values in the file, by their names in the object.
        """
        joints = []
        for k, (joint, source) in enumerate(zip(self.device.joints, self.sources, strict=True)):
            name = names.get(source.key, "")
            is_still = not source.auxiliary and not name
            rows = track(np.array([row[k] for row in self._rows])) if is_still else None
            value = value_names[source.auxiliary] if source.auxiliary else ""
            joints.append(RobotJoint(joint.name, joint.unit, joint.limits, name, value, rows))
        calibration = to_text(RobotCalibration.of(self.device))
        return RobotEntry(self.rig.name, self.device.port, tuple(joints), calibration)
