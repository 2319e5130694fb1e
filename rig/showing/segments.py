"""Lines from head to tail of an armature's bones in the world, for a pose other than the shown one."""

import bpy
from mathutils import Matrix

from ..bones import shown_values

Segment = tuple[tuple[float, float, float], tuple[float, float, float]]  # head and tail [m, world]


def segments_of(rig: bpy.types.Object, bases: dict[str, Matrix]) -> list[Segment]:
    """Head and tail [m, world] of the bones with a basis matrix in `bases`, and of all their descendants.
    Relative to its parent, a bone without such a basis has its shown pose.
    """
    matrices: dict[str, Matrix] = {}
    segments = []
    moved: set[str] = set()
    for bone in rig.pose.bones:  # parents come before their children
        basis = bases.get(bone.name) or shown_values.basis(bone)
        parent = bone.parent
        if parent is None:
            matrix = bone.bone.convert_local_to_pose(basis, bone.bone.matrix_local)
        else:
            matrix = bone.bone.convert_local_to_pose(
                basis,
                bone.bone.matrix_local,
                parent_matrix=matrices[parent.name],
                parent_matrix_local=parent.bone.matrix_local,
            )
        matrices[bone.name] = matrix
        if bone.name in bases or (parent is not None and parent.name in moved):
            moved.add(bone.name)
            world = rig.matrix_world @ matrix
            segments.append(
                (tuple(world.translation), tuple(world @ Matrix.Translation((0, bone.length, 0)).translation))
            )
    return segments
