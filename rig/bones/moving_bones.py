"""The bones of a chain that its joints move."""

import bpy

from . import axes
from .paths import bone_names

# distance of a joint's axis from both ends of a bone up to which the joint counts as not moving the bone, as
# a share of the bone's length
ON_AXIS = 1e-3


def moved_bones(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> list[str]:
    """Names of the chain's bones whose head or tail its joints move. A root that rotates only about its own
    length is not among them.

    Raises:
        RigError: as `bone_names`.
    """
    return [name for name in bone_names(rig.pose.bones, chain) if _is_moved(rig, chain, rig.data.bones[name])]


def _is_moved(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, bone: bpy.types.Bone) -> bool:
    """Whether a joint of the chain moves the head or the tail of a bone."""
    ends = bone.head_local, bone.tail_local
    for joint in chain.joints:
        joint_bone = rig.data.bones[joint.bone]
        if joint_bone != bone and joint_bone not in bone.parent_recursive:
            continue
        axis = joint_bone.matrix_local.col[axes.index(joint.axis)].xyz
        if axes.is_prismatic(joint.axis) or any(
            axis.cross(point - joint_bone.head_local).length > ON_AXIS * bone.length for point in ends
        ):
            return True
    return False
