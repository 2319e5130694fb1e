"""Rigs that Rigify generates, for tests in a real Blender."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path

import addon_utils
import bpy

KINDS = ("basic_human", "human")
KEPT = Path(__file__).resolve().parents[2] / "build" / "generated"


@contextmanager
def generated(kind: str) -> Iterator:
    """A generated rig, active in Object Mode, with all bones visible. Rigify leaves a handler behind, which
    is removed afterwards.
    """
    handlers = list(bpy.app.handlers.load_post)
    with redirect_stdout(StringIO()):
        addon_utils.enable("rigify", default_set=True)
        made = taken(kind)
    yield made
    if bpy.context.object is not None and bpy.context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    with redirect_stdout(StringIO()):
        addon_utils.disable("rigify", default_set=True)
    bpy.app.handlers.load_post[:] = handlers


def taken(kind: str) -> bpy.types.Object:
    """A rig from the file of its kind, appended as by a user, in the scene and active."""
    path = kept(kind)
    with bpy.data.libraries.load(str(path)) as (_, wanted):
        wanted.objects = ["metarig", "rig"]
    for thing in wanted.objects:
        bpy.context.collection.objects.link(thing)
    rig = wanted.objects[1]
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    return rig


def kept(kind: str) -> Path:
    """The file with a generated rig. Generating takes up to 8 s: it is done once for each Blender, by the
    first process.
    """
    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / f"{kind}_{bpy.app.version_string.replace(' ', '_')}.blend"
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists() or path.stat().st_mtime < Path(__file__).stat().st_mtime:
            fresh = path.with_suffix(".fresh.blend")
            generate(kind, fresh)
            fresh.replace(path)
    return path


def generate(kind: str, path: Path) -> None:
    """Writes a generated rig and its metarig to a file; the open file is empty afterwards."""
    getattr(bpy.ops.object, f"armature_{kind}_metarig_add")()
    metarig = bpy.context.object
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.rigify_generate()
    rig = bpy.context.object
    for collection in rig.data.collections_all:  # deforming and helper bones are hidden at first
        collection.is_visible = True
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.data.libraries.write(str(path), {metarig, rig})
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
