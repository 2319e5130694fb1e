"""The target of a new figure's look: where it is, and how torso, head and eyes look at it at rest."""

import bpy
from mathutils import Vector

from . import forward, targets
from .gaze_bones import GazeBones


def between_eyes(rig: bpy.types.Object, ends: GazeBones) -> Vector:
    """Mean position [m, armature space] of the eyes at rest."""
    positions = [rig.data.bones[eye].head_local for eye in ends.eyes]
    return sum(positions, Vector()) / len(positions)


def eye_height(rig: bpy.types.Object, ends: GazeBones) -> float:
    """Position of the eyes along the head bone: 0 at its head, 1 at its tail. Without eyes it is 0, where the
    head rotates.
    """
    if not ends.eyes:
        return 0.0
    bone = rig.data.bones[ends.head]
    along = (between_eyes(rig, ends) - bone.head_local).dot(forward.axis_at_rest(rig, ends.head, "+Y"))
    return max(0.0, min(1.0, along / bone.length))


def in_front(rig: bpy.types.Object, ends: GazeBones, front: Vector) -> Vector:
    """Position [m, armature space] in front of a figure's eyes at rest, at the distance of a new target.

    Args:
        rig: The armature object.
        ends: Last bone of torso, head and each eye.
        front: Direction (armature space) that the figure faces at rest.
    """
    head = rig.data.bones[ends.head]
    eyes = between_eyes(rig, ends) if ends.eyes else (head.head_local + head.tail_local) / 2
    return eyes + targets.IN_FRONT * head.length * front


def make(
    context: bpy.types.Context, rig: bpy.types.Object, ends: GazeBones, front: Vector
) -> bpy.types.Object:
    """Makes an empty in front of a figure's eyes, as its head is posed; arguments as for `in_front`."""
    head = rig.pose.bones[ends.head]
    posed = head.matrix @ head.bone.matrix_local.inverted() @ in_front(rig, ends, front)
    size = rig.matrix_world.median_scale * head.bone.length
    return targets.new_target(context, rig, rig.matrix_world @ posed, size)


def face(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, position: Vector) -> None:
    """Sets the forward direction of a chain's end to a position [m, armature space], so that the end looks
    there at rest.
    """
    bone = rig.data.bones[chain.end]
    looks_from = bone.head_local.lerp(bone.tail_local, chain.eye)
    forward.point(chain, rig, chain.end, position - looks_from)
