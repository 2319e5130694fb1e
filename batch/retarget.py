"""Retargeting of clips in this Blender process. Each clip starts from the same file, so that no clip affects
the next.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import Any

import bpy

from ..files import atomic
from ..files.presence import is_file
from ..hardware.errors import HardwareError
from ..hardware.motion_files import FORMATS
from ..hardware.motion_files.lerobot_writing import episode_rows
from ..hardware.motion_files.plain import joint_table
from ..hardware.motion_files.reachy_mini import write as reachy_move
from ..rig.authoring import gallery_folders, gallery_robot
from ..rig.authoring.robot_import import import_robot
from ..rig.authoring.work import SlicedWork
from ..rig.blender.errors import RigError
from ..rig.output.clips.motion import ClipMotion, clip_motion
from ..rig.output.clips.recorded import ClipCheck
from ..rig.output.clips.scene import follow, import_clip, robot_in
from ..rig.output.clips.verdict import judge
from ..robots.errors import UrdfError
from ..robots.gallery.description import read_description
from ..robots.robot_files import read_files
from .episodes import encode_episode
from .records import FAILED, TaskRecord
from .tasks import FileTask, digest

GOOD, FLAGGED = "good", "flagged"  # states of clips that were written
# format of a clip -> rate [1/s] of its player; csv is missing, since it has a row for each frame
USUAL_RATES = {"lerobot": 30, "reachy": 50}
# format of a clip -> format of Export Motion that has the same frames
FRAMES_LIKE = {"lerobot": "lerobot", "reachy": "reachy_mini", "csv": "lerobot"}


@contextmanager
def begin(settings: Mapping[str, Any]) -> Iterator[Callable[[FileTask], TaskRecord]]:
    """Context manager whose value is the function that retargets a clip. Without "setup", the robot is
    imported once at the beginning; if that fails, every clip fails with the reason.

    Args:
        settings: "robot", "setup", "format", "rate" and "values" of the command.
    """
    with tempfile.TemporaryDirectory(prefix="limber_retarget_") as folder:
        setup, problem = Path(settings["setup"] or Path(folder) / "robot.blend"), ""
        try:
            if not settings["setup"]:
                _add_robot(settings["robot"])
                bpy.ops.wm.save_as_mainfile(filepath=str(setup), copy=True)
        except (RigError, UrdfError, OSError, RuntimeError) as error:
            problem = f"Robot '{settings['robot']}': {_plain(error)}"
        yield lambda task: TaskRecord(FAILED, problem) if problem else _retarget(task, settings, setup)


def _add_robot(robot: str) -> None:
    """Replaces the open file by a new one with a robot: of the gallery, given by its name and with its gaze
    switched off, or of a robot's file, given by its path.

    Raises:
        RigError, UrdfError: there is no such robot, or its files cannot be used.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if is_file(Path(robot)):
        import_robot(bpy.context, robot, with_meshes=False)
        return
    description = read_description(gallery_folders.folder_of(robot))
    files = read_files(str(description.model), description.root, True, "AUTO", None)
    adding = SlicedWork(gallery_robot.adding(bpy.context, description, files))
    adding.run(inf)
    for chain in adding.result.rig.limber.chains:
        chain.target = None


def _retarget(task: FileTask, settings: Mapping[str, Any], setup: Path) -> TaskRecord:
    try:
        bpy.ops.wm.open_mainfile(filepath=str(setup), load_ui=False, use_scripts=False)
        scene, rig = bpy.context.scene, robot_in(settings["robot"])
        frames = follow(rig, import_clip(task.source))
        check = ClipCheck(scene, rig, frames, FORMATS[FRAMES_LIKE[settings["format"]]])
        try:
            while check.step():
                pass
            recorded = check.recorded()
        finally:
            check.cancel()
        rate = settings["rate"] or USUAL_RATES.get(settings["format"], round(1.0 / recorded.seconds))
        motion = clip_motion(rig, recorded, check.sent, rate, task.source.stem)
        data, facts = _encoded(motion, settings)
        task.output.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(task.output, data)
    except (RigError, HardwareError, OSError, RuntimeError) as error:
        return TaskRecord(FAILED, _plain(error))
    verdict = judge(recorded)
    facts |= {"frames": len(recorded.frames), "seconds": round(len(recorded.frames) * recorded.seconds, 3)}
    facts |= {"rate": rate, **asdict(verdict)}
    reason = "; ".join(verdict.findings[:1])
    return TaskRecord(GOOD if verdict.is_good else FLAGGED, reason, output=digest(task.output), facts=facts)


def _encoded(motion: ClipMotion, settings: Mapping[str, Any]) -> tuple[bytes, dict[str, Any]]:
    """(content of a motion's file, facts on it for the record).

    Raises:
        MotionFileError: the format cannot contain the motion.
    """
    if settings["format"] == "csv":
        return joint_table(motion.recording), {}
    if settings["format"] == "reachy":
        return reachy_move(motion.recording), {}
    episode = episode_rows(motion.recording, motion.names, motion.rate, settings["values"])
    return encode_episode(episode), {"joints": list(episode.names)}


def _plain(error: Exception) -> str:
    """The last line of an error's text, without Blender's prefix; its type if it has no text."""
    return str(error).strip().removeprefix("Error: ").splitlines()[-1] if str(error).strip() else repr(error)
