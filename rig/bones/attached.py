"""Effective parent of a bone: its parent, or the bone that it copies completely by a constraint."""

import bpy

from ..blender.errors import RigError
from .constrained import acts
from .joint_axes import joint_axes
from .paths import missing, path_names

WHOLE = 1.0 - 1e-6  # influence from which a constraint counts as determining a bone's pose alone


def copied(pose_bone: bpy.types.PoseBone) -> bpy.types.PoseBone | None:
    """The pose bone of the same armature that a bone without joints copies completely: by its last Copy
    Transforms constraint of full influence, unless that is in local space. None if there is none.
    """
    rig = pose_bone.id_data
    for constraint in reversed(pose_bone.constraints):
        if acts(constraint) and constraint.type == "COPY_TRANSFORMS" and constraint.influence >= WHOLE:
            in_space = "LOCAL" not in constraint.owner_space + constraint.target_space
            leader = rig.pose.bones.get(constraint.subtarget) if constraint.target == rig else None
            return leader if in_space and not joint_axes(pose_bone) else None
    return None


def with_ancestors(pose_bone: bpy.types.PoseBone) -> list:
    """A pose bone followed by its ancestors, nearest first; the bone that a bone copies (`copied`) counts as
    its parent.
    """
    bones = []
    while pose_bone is not None and pose_bone not in bones:
        bones.append(pose_bone)
        pose_bone = copied(pose_bone) or pose_bone.parent
    return bones


def names_between(pose_bones: bpy.types.bpy_prop_collection, root: str, end: str) -> list[str]:
    """Names of the bones on the path from root to end, both included: along the ancestors of
    `with_ancestors` or, if the root is not among these, along parents.

    Raises:
        RigError: a bone is missing, or the root is no ancestor of the end in either way.
    """
    for name in (root, end):
        if name not in pose_bones:
            raise RigError(missing(name))
    names = [bone.name for bone in with_ancestors(pose_bones[end])]
    return names[names.index(root) :: -1] if root in names else path_names(pose_bones, root, end)
