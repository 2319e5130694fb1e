"""The motion of a robot that follows a clip, in the form of motion files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isclose

import bpy

from ....hardware.motion_files.frames import at_rate
from ....hardware.motion_files.named import Named
from ....hardware.motion_files.recording import RecordedColumn, Recording
from ...bones import shown_values
from ...bones.file_joints import file_joints
from ...robot.device import Source
from ...robot.names_in_files import names_in_files
from ..robot_frames import RobotFrames
from .recorded import Recorded

ROUNDED = 1e-3  # relative difference between two rates within which they count as equal


@dataclass(frozen=True)
class ClipMotion:
    """A robot's motion at a constant rate.

    Attributes:
        recording: The motion of its joints, by their names in files of the robot's maker.
        names: Names, signs, units and scales of the recording's columns.
        rate: Rows per second.
    """

    recording: Recording
    names: Sequence[Named]
    rate: int


def clip_motion(
    rig: bpy.types.Object, recorded: Recorded, sent: RobotFrames | None, rate: int, title: str
) -> ClipMotion:
    """The robot's motion while it follows a clip. For a robot with servos it is what Export Motion writes,
    including auxiliary values; for other robots, the joints of its body and chains.

    Args:
        rig: The robot's armature.
        recorded: The clip, followed by the body.
        sent: Values to send to the robot in the clip's frames; None for a robot without servos.
        rate: Rows per second.
        title: Name of the motion.

    Raises:
        HardwareError: as `RobotFrames.motion`, for a robot with servos.
        RigError: the record of an imported robot's link was edited, for other robots.
    """
    if sent is None:
        return _body_motion(rig, recorded, rate, title)
    motion = sent.motion(rate)  # the motion ends with the clip, without time to come to rest
    return ClipMotion(replace(motion.recording, title=title), motion.named, rate)


def _body_motion(rig: bpy.types.Object, recorded: Recorded, rate: int, title: str) -> ClipMotion:
    """Motion of all joints of a robot without servos, so that all its clips have the same joints; joints that
    neither the body nor a chain moves keep their posed values.
    """
    joints = {joint.key[1:]: joint for joint in file_joints(rig)}
    owners = {key: joint.key[0] for key, joint in joints.items()}
    limits = {key: (joint.lower, joint.upper) for key, joint in joints.items()}
    still = [key for key in joints if key not in recorded.rows[0]]
    pose = shown_values.posed(rig, still, lambda: limits)
    keys = sorted({**pose, **recorded.rows[0]}, key=list(dict.fromkeys([*joints, *recorded.rows[0]])).index)
    names = names_in_files(rig, [Source(owners.get(key, ""), *key) for key in keys])
    frames = [tuple((pose | row)[key] for key in keys) for row in recorded.rows]
    clip_rate = 1.0 / recorded.seconds
    # clips contain a rounded frame time, such as .0333333 s, which does not mean a different rate
    values = at_rate(frames, rate if isclose(clip_rate, rate, rel_tol=ROUNDED) else clip_rate, rate)
    columns = tuple(
        RecordedColumn(named.name, tuple(named.sign * row[k] for row in values), named.unit, named.servo)
        for k, named in enumerate(names)
    )
    times = tuple(row / rate for row in range(len(values)))
    return ClipMotion(Recording(times, columns, title=title), names, rate)
