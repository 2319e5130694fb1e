"""Offset of a body from its target, computed from their current poses, like the inverse matrix of Blender's
Child Of constraint.
"""

import bpy
from mathutils import Matrix

from ...solvers.kinematics.se3 import Array, inverse
from ..blender.errors import RigError
from ..scene.placement import Placement
from .inputs import target_pose
from .poses import rigid

IDENTITY = Matrix()


def keep(owner: bpy.types.Object, goal: bpy.types.PropertyGroup, depsgraph: bpy.types.Depsgraph) -> None:
    """Sets the offset to the body's shown pose relative to the goal's target.

    Raises:
        RigError: the goal has no target or no body, a bone is missing, or a pose is not finite.
    """
    if goal.target is None:
        raise RigError(f"Goal '{goal.name}' has no target: choose an object to follow")
    goal.offset = column_major(
        Matrix(
            (
                inverse(target_pose(goal, Placement(depsgraph, {}))) @ _shown_pose(owner, goal, depsgraph)
            ).tolist()
        )
    )


def clear(goal: bpy.types.PropertyGroup) -> None:
    """Resets the offset, so that the body takes the target's pose."""
    goal.offset = column_major(IDENTITY)


def column_major(matrix: Matrix) -> list[float]:
    """The 16 numbers of a matrix, column by column, as Blender's matrix properties take them."""
    return [number for column in matrix.transposed() for number in column]


def _shown_pose(
    owner: bpy.types.Object, goal: bpy.types.PropertyGroup, depsgraph: bpy.types.Depsgraph
) -> Array:
    """World pose (4, 4) of the goal's object or bone, as shown; raises RigError if it has neither,
    or if its bone is missing.
    """
    if goal.bone:
        shown = owner.evaluated_get(depsgraph)
        if goal.bone not in shown.pose.bones:
            raise RigError(
                f"Goal '{goal.name}': bone '{goal.bone}' is no body of the mechanism: choose another one"
            )
        return rigid(shown.matrix_world @ shown.pose.bones[goal.bone].matrix, f"Bone '{goal.bone}'")
    if goal.body is None:
        raise RigError(f"Goal '{goal.name}' has no body: choose the body that is to follow")
    return rigid(goal.body.evaluated_get(depsgraph).matrix_world, f"Object '{goal.body.name}'")
