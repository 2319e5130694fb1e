"""Rigs that Rigify generates, for tests in a real Blender."""

from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO

import addon_utils
import bpy

KINDS = ("basic_human", "human")


@contextmanager
def generated(kind: str) -> Iterator:
    """A generated rig, active in Pose Mode, all its bones visible. Rigify leaves a handler behind, which goes afterwards."""
    handlers = list(bpy.app.handlers.load_post)
    with redirect_stdout(StringIO()):
        addon_utils.enable("rigify", default_set=True)
        getattr(bpy.ops.object, f"armature_{kind}_metarig_add")()
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.pose.rigify_generate()
    made = bpy.context.object
    for collection in made.data.collections_all:  # what deforms and what helps is hidden at first
        collection.is_visible = True
    yield made
    if bpy.context.object is not None and bpy.context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    with redirect_stdout(StringIO()):
        addon_utils.disable("rigify", default_set=True)
    bpy.app.handlers.load_post[:] = handlers
