"""Where a chain ends: an end bone that moves nothing only shows how long the bone above it is, and that one
looks.
"""

import bpy

from ..bones.controls import Controls
from ..bones.joint_axes import free_axes

LAST_WORDS = (
    "end",
    "nub",
    "tip",
    "top",
)  # of the names of bones that only show where the bone above them ends


def looking(rig: bpy.types.Object, name: str) -> str:
    """The bone that looks where a bone is chosen as an end: its parent where the bone only shows where that
    one ends, else itself.
    """
    return rig.data.bones[name].parent.name if _only_marks(rig, name) else name


def _only_marks(rig: bpy.types.Object, name: str) -> bool:
    """Whether a bone only marks the end of its parent: it has no children, it deforms no part of a mesh or
    its name says that it ends a limb, and no other bone follows it.

    A bone with a locked axis or with constraints is a joint that the user set up, and no such mark.
    """
    bone, pose = rig.data.bones[name], rig.pose.bones[name]
    if (
        bone.children
        or bone.parent is None
        or pose.constraints
        or {len(free_axes(pose)), len(free_axes(pose.parent))} != {3}
    ):
        return False
    if not _deforms(rig, name):
        controls = Controls(rig)
        return _deforms(rig, bone.parent.name) and not any(
            name in controls.leaders(other.name) for other in rig.pose.bones
        )
    return not _skins(rig) and name.lower().rstrip("._0123456789").endswith(LAST_WORDS)


def _deforms(rig: bpy.types.Object, name: str) -> bool:
    """Whether a bone may deform: where meshes have a group for any of the rig's bones, whether one has a
    group for this bone.
    """
    groups = _skins(rig)
    return rig.data.bones[name].use_deform and (not groups or name in groups)


def _skins(rig: bpy.types.Object) -> set[str]:
    """Names of the rig's bones for which its meshes have vertex groups."""
    skins = (
        mesh
        for mesh in bpy.data.objects
        if any(m.type == "ARMATURE" and m.object == rig for m in mesh.modifiers)
    )
    return {group.name for skin in skins for group in skin.vertex_groups}.intersection(rig.data.bones.keys())
