"""The end bone of a chain: an end bone that deforms nothing and only marks the tip of its parent is left out,
and its parent is the end instead.
"""

import bpy

from ..bones.controls import Controls
from ..bones.joint_axes import free_axes

# words in the names of bones that only mark the tip of their parent
LAST_WORDS = ("end", "nub", "tip", "top")


def looking(rig: bpy.types.Object, name: str) -> str:
    """The bone that looks if `name` is chosen as the end: its parent if the bone only marks the parent's tip,
    else the bone itself.
    """
    return rig.data.bones[name].parent.name if _only_marks(rig, name) else name


def _only_marks(rig: bpy.types.Object, name: str) -> bool:
    """Whether a bone only marks the tip of its parent: it has no children, does not deform as its parent
    does, and no bone follows it; or, in a rig without vertex groups, its name says that it ends a limb.

    A bone with constraints, or with a locked axis of its own or of its parent, never does: the user has set
    up a joint there.
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
    """Whether a bone may deform a mesh. If the rig's meshes have vertex groups for its bones, there must be
    one for this bone.
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
