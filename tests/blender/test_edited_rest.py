"""Tests armatures whose rest pose is edited while chains that depend on each other are live."""

import bpy
from limber.rig.live import live
from mathutils import Vector

from tests.blender.shown import evaluated, no_handler_raises  # noqa: F401
from tests.blender.test_live_hanging import torso_with_head
from tests.blender.together import go_live_all


def shown_heads(rig) -> dict[str, Vector]:
    """Positions of the bones' heads as shown."""
    return {bone.name: bone.head.copy() for bone in evaluated(rig).pose.bones}


def test_a_chain_hangs_where_its_bone_is_after_the_rest_pose_is_edited():
    rig, torso, head = torso_with_head()
    go_live_all((rig, torso), (rig, head))
    bpy.context.scene.frame_set(2)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name in ("neck", "head"):
        bone = rig.data.edit_bones[name]
        bone.use_connect = False
        bone.head += Vector((0.1, 0.0, 0.05))
        bone.tail += Vector((0.1, 0.0, 0.05))
    bpy.ops.object.mode_set(mode="OBJECT")
    for frame in range(3, 6):
        bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()
    base = Vector(row[3] for row in live.session(rig, head).base[:3])
    assert (base - rig.matrix_world @ shown_heads(rig)["neck"]).length < 1e-5
