"""Baking of one file in this Blender process: open, bake, and save completely or not at all."""

from contextlib import contextmanager
from time import monotonic

import bpy

from ..files import atomic
from ..rig.blender.errors import RigError
from ..rig.output.bake_scene import bake_scene
from .tasks import Outcome, Settings, Task


def bake_file(task: Task, settings: Settings) -> Outcome:
    """Bakes all scenes of a file. The source file is not changed, unless it is also the output."""
    began = monotonic()
    outcome = _bake(task, settings)
    outcome.seconds = round(monotonic() - began, 2)
    return outcome


def _bake(task: Task, settings: Settings) -> Outcome:
    outcome = Outcome(str(task.source), str(task.output), "failed")
    try:
        bpy.ops.wm.open_mainfile(filepath=str(task.source), load_ui=False, use_scripts=settings.scripts)
    except RuntimeError as error:
        outcome.reason = (
            f"Blender {bpy.app.version_string} cannot open it: {str(error).strip().removeprefix('Error: ')}"
        )
        return outcome
    try:
        for scene in bpy.data.scenes:
            with _inside(scene):
                baked = bake_scene(scene, settings.frames, settings.only_live)
            outcome.actions += baked.actions
            outcome.frames += baked.frames
            outcome.remarks += baked.remarks
    except RigError as error:
        outcome.reason = f"Scene '{scene.name}': {error}"
        return outcome
    if not outcome.actions:
        outcome.state, outcome.reason = "nothing to bake", "No chain has a target, and nothing was saved live"
        return outcome
    outcome.reason = _save(task)
    outcome.state = "failed" if outcome.reason else "baked"
    return outcome


@contextmanager
def _inside(scene):
    """Context override to a scene and its first view layer."""
    with bpy.context.temp_override(scene=scene, view_layer=scene.view_layers[0]):
        yield


def _save(task: Task) -> str:
    """Saves the open file to the output in one step; returns why that failed, or ""."""
    try:
        task.output.parent.mkdir(parents=True, exist_ok=True)
        with atomic.replacing(task.output) as part:
            bpy.ops.wm.save_as_mainfile(
                filepath=str(part), copy=True, relative_remap=True, check_existing=False
            )
    except (OSError, RuntimeError) as error:
        return f"{task.output} cannot be written: {str(error).strip().removeprefix('Error: ')}"
    return ""
