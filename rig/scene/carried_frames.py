"""Frames of objects in those of the objects and bones that carry them, in double precision.

Blender's world matrices have single precision: the frame of one object in another, taken from both, has
a rounding error that depends on where they are. An object's own channels give the same numbers in every
frame.
"""

import bpy
import numpy as np


def in_parent(obj: bpy.types.Object) -> np.ndarray | None:
    """Frame (4, 4) of an object relative to its parent, an object or a bone, from the object's own channels;
    None without a parent, or if only Blender can compute the frame.
    """
    bone = parent_bone(obj)
    is_by_bone = bone is not None and not bone.use_relative_parent
    if not is_by_bone and (obj.parent is None or obj.parent_type != "OBJECT" or is_on_shape(obj)):
        return None
    if any(not constraint.mute and constraint.influence > 0.0 for constraint in obj.constraints):
        return None
    frame = np.array(obj.matrix_parent_inverse, float) @ np.array(obj.matrix_basis, float)
    if bone is not None:  # Blender carries an object by its parent bone's tail
        frame[1, 3] += bone.length
    return frame


def in_carrier(obj: bpy.types.Object, carrier: bpy.types.Object) -> np.ndarray:
    """Frame (4, 4) of an object in the space of another object; of an armature with its bones at rest.

    If parents do not lead from the object to the carrier, the frame comes from both world matrices. Both
    objects are evaluated, or both are original.
    """
    if obj == carrier:
        return np.eye(4)
    parent, bone = obj.parent, parent_bone(obj)
    if parent is None:
        return np.array(carrier.matrix_world.inverted_safe() @ obj.matrix_world, float)
    posed = parent.pose.bones[bone.name].matrix if bone is not None else None
    frame = in_parent(obj)
    if frame is None:
        shown = parent.matrix_world @ posed if bone is not None else parent.matrix_world
        frame = np.array(shown.inverted_safe() @ obj.matrix_world, float)
    if bone is not None:
        frame = np.array(bone.matrix_local if parent == carrier else posed, float) @ frame
    return in_carrier(parent, carrier) @ frame


def parent_bone(obj: bpy.types.Object) -> bpy.types.Bone | None:
    """The bone to which an object is parented; None if there is no such bone."""
    if obj.parent_type != "BONE" or obj.parent is None or obj.parent.type != "ARMATURE":
        return None
    return obj.parent.data.bones.get(obj.parent_bone)


def is_on_shape(obj: bpy.types.Object) -> bool:
    """Whether an object is parented to vertices of its parent, or to a path along a curve."""
    return obj.parent_type in ("VERTEX", "VERTEX_3") or (
        obj.parent_type == "OBJECT" and obj.parent.type == "CURVE" and obj.parent.data.use_path
    )
