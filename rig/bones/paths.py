"""Bones of a chain: the paths from its root to its end and to its additional ends."""

import bpy

from ..blender.errors import RigError

# remedy for a chain that no longer fits its armature: New Chain refuses bones of a chain that still exists
REMAKE = "remove its chain (-), then press New Chain"


def path_names(pose_bones: bpy.types.bpy_prop_collection, root: str, end: str) -> list[str]:
    """Names of the bones from root to end, along the bones' parents.

    Raises:
        RigError: a bone is missing, or the root is not among the end's ancestors.
    """
    for name in (root, end):
        if name not in pose_bones:
            raise RigError(missing(name))
    names = [end]
    bone = pose_bones[end]
    while names[-1] != root:
        bone = bone.parent
        if bone is None:
            raise RigError(
                f"No path from bone '{root}' to bone '{end}': '{root}' must be '{end}' or one of its parents"
            )
        names.append(bone.name)
    return names[::-1]


def end_bones(chain: bpy.types.PropertyGroup) -> list[str]:
    """Names of a chain's end bones: its main end, then its additional ends."""
    return [chain.end, *(end.bone for end in chain.ends)]


def bone_names(pose_bones: bpy.types.bpy_prop_collection, chain: bpy.types.PropertyGroup) -> list[str]:
    """Names of all bones of a chain, parents before their children: the path to its main end, then the other
    bones on the paths to its additional ends.

    Raises:
        RigError: a bone is missing, or an end is no descendant of the root.
    """
    for name in (chain.root, *end_bones(chain)):
        if name not in pose_bones:
            raise RigError(missing_in_chain(name))
    paths = (path_names(pose_bones, chain.root, end) for end in end_bones(chain))
    return list(dict.fromkeys(name for path in paths for name in path))


def missing(name: str) -> str:
    """Error message for a bone that does not exist."""
    return f"Bone '{name}' is missing: give a bone that name again, or choose another bone"


def missing_in_chain(name: str) -> str:
    """Error message for a bone of a chain that does not exist any more."""
    return f"Bone '{name}' is missing: give a bone that name again, or {REMAKE}"
