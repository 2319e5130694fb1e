"""Baking of files in this Blender process: open, bake, and save completely or not at all."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any

import bpy

from ..files import atomic
from ..rig.blender.errors import RigError
from ..rig.output.bake_scene import Baked, bake_scene
from .records import FAILED, TaskRecord
from .tasks import FileTask, digest


@contextmanager
def begin(settings: Mapping[str, Any]) -> Iterator[Callable[[FileTask], TaskRecord]]:
    """Context manager whose value is the function that bakes a file.

    Args:
        settings: "frames": first and last; None: in each scene, from the first to the last frame of any
            mover's range. "only_live": bake only movers that were live when the file was saved. "scripts":
            allow Python in the files (drivers with expressions, registered texts).
    """
    yield lambda task: _bake(task, settings)


def _bake(task: FileTask, settings: Mapping[str, Any]) -> TaskRecord:
    """Bakes all scenes of a file, and saves it as the task's output if anything was baked; returns the
    record. The source file is not changed, unless it is also the output.
    """
    began = monotonic()
    try:
        bpy.ops.wm.open_mainfile(filepath=str(task.source), load_ui=False, use_scripts=settings["scripts"])
    except RuntimeError as error:
        return TaskRecord(FAILED, f"Blender {bpy.app.version_string} cannot open it: {_plain(error)}")
    baked = Baked()
    frames = tuple(settings["frames"]) if settings["frames"] else None
    try:
        for scene in bpy.data.scenes:
            with _inside(scene):
                scene_baked = bake_scene(scene, frames, settings["only_live"])
            baked.actions += scene_baked.actions
            baked.frames += scene_baked.frames
            baked.remarks += scene_baked.remarks
    except RigError as error:
        return TaskRecord(FAILED, f"Scene '{scene.name}': {error}")
    if not baked.actions:
        return TaskRecord("nothing to bake", "No chain has a target, and nothing was saved live")
    if why := _save(task):
        return TaskRecord(FAILED, why)
    facts = {"actions": baked.actions, "frames": baked.frames, "remarks": baked.remarks}
    facts["seconds"] = round(monotonic() - began, 2)
    return TaskRecord("baked", output=digest(task.output), facts=facts)


@contextmanager
def _inside(scene):
    """Context override to a scene and its first view layer."""
    with bpy.context.temp_override(scene=scene, view_layer=scene.view_layers[0]):
        yield


def _save(task: FileTask) -> str:
    """Saves the open file to the output atomically; returns the reason if that failed, or ""."""
    try:
        task.output.parent.mkdir(parents=True, exist_ok=True)
        with atomic.replacing(task.output) as part:
            bpy.ops.wm.save_as_mainfile(
                filepath=str(part), copy=True, relative_remap=True, check_existing=False
            )
    except (OSError, RuntimeError) as error:
        return f"{task.output} cannot be written: {_plain(error)}"
    return ""


def _plain(error: Exception) -> str:
    """The text of an error, without Blender's prefix."""
    return str(error).strip().removeprefix("Error: ")
