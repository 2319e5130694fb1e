"""A moving chain whose solvers are compared, and the data that a comparison must leave unchanged."""

import bpy
import pytest
from limber.rig.output import compare

from tests.blender.baking import walk
from tests.blender.rigs import keyed, looking_chain, make_active
from tests.blender.shown import authored, pose

FRAMES = range(1, 9)


@pytest.fixture
def chain_in_motion():
    """A chain with a keyed walk and a target that flies past; returns rig and chain."""
    rig, chain = looking_chain()
    walk(rig)
    keyed(chain.target, (1, 8))
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = FRAMES[0], FRAMES[-1]
    bpy.context.scene.frame_set(3)
    return rig, chain


def scene_as_is() -> dict:
    """All data that a comparison must leave unchanged."""
    scene, view = bpy.context.scene, bpy.context.view_layer
    rigs = [thing for thing in scene.objects if thing.type == "ARMATURE"]
    return {
        "frame": scene.frame_current_final,
        "selected": [thing.name for thing in scene.objects if thing.select_get()],
        "bones": [
            bone.name
            for rig in rigs
            for bone in rig.pose.bones
            if (bone if hasattr(bone, "select") else bone.bone).select
        ],
        "active": view.objects.active and view.objects.active.name,
        "mode": bpy.context.mode,
        "authored": [authored(rig) for rig in rigs],
        "shown": [[tuple(map(tuple, matrix)) for matrix in pose(rig)] for rig in rigs],
        "live": [(chain.name, chain.live, chain.solver) for rig in rigs for chain in rig.limber.chains],
        "objects": [(thing.name, tuple(thing.location)) for thing in bpy.data.objects],
        "actions": [(action.name, action.users) for action in bpy.data.actions],
        "scenes": [scene.name for scene in bpy.data.scenes],
    }


def compared(rig, chain, **options) -> compare.ComparisonTable:
    make_active(rig)
    bpy.ops.object.mode_set(mode="POSE")
    assert bpy.ops.limber.compare_solvers(**options) == {"FINISHED"}
    return compare.table(rig, chain)
