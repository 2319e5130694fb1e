"""The motion of a robot that follows a clip, as motion files have it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....hardware.motion_files.frames import at_rate
from ....hardware.motion_files.named import Named
from ....hardware.motion_files.recording import RecordedColumn, Recording
from ...bones.file_joints import file_joints
from ...live import live
from ...live.mover import Mover
from ...robot.device import Source, sources
from ...robot.names_in_files import names_in_files
from ..export import Export
from .recorded import Recorded


@dataclass(frozen=True)
class ClipMotion:
    """A robot's motion at a constant rate.

    Attributes:
        recording: Its joints, under the names that files of the robot's maker have.
        names: Names, signs, units and scales of the recording's columns.
        rate: Rows per second.
    """

    recording: Recording
    names: Sequence[Named]
    rate: int


def clip_motion(
    scene, rig, recorded: Recorded, movers: Sequence[Mover], rate: int, form: str, title: str
) -> ClipMotion:
    """The robot's motion while it follows a clip.

    Of a robot with servos it is what Export Motion writes, auxiliary values included; of another one the
    joints of its body and chains.

    Args:
        scene, rig: The scene and the robot's armature.
        recorded: The clip, followed by the body.
        movers: What moves the robot: its body, and chains that look.
        rate: Rows per second.
        form: Name of a format of motion files that has the frames unchanged.
        title: Name of the motion.

    Raises:
        RigError, HardwareError: the robot cannot be described, or a limit is exceeded.
    """
    if not sources(rig):
        return _body_motion(rig, recorded, rate, title)
    for mover in movers:
        if not mover.is_live:
            live.start(*mover)
    work = Export(scene, rig, recorded.frames[0], recorded.frames[-1], rate, False, form)
    try:
        while work.step():
            pass
        motion = work.motion()
    finally:
        work.cancel()
    return ClipMotion(replace(motion.recording, title=title), motion.named, rate)


def _body_motion(rig, recorded: Recorded, rate: int, title: str) -> ClipMotion:
    """Motion of the joints that the body and its chains move, of a robot without servos."""
    owners = {joint.key[1:]: joint.key[0] for joint in file_joints(rig)}
    keys = list(recorded.rows[0])
    names = names_in_files(rig, [Source(owners.get(key, ""), *key) for key in keys])
    frames = [tuple(row[key] for key in keys) for row in recorded.rows]
    values = at_rate(frames, 1.0 / recorded.seconds, rate)
    columns = tuple(
        RecordedColumn(named.name, tuple(named.sign * row[k] for row in values), named.unit, named.servo)
        for k, named in enumerate(names)
    )
    times = tuple(row / rate for row in range(len(values)))
    return ClipMotion(Recording(times, columns, title=title), names, rate)
