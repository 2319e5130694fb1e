"""Makes the mechanism's goal and the target object for a link that should have a given pose."""

from dataclasses import replace

import bpy
from mathutils import Matrix

from ...solvers.kinematics.se3 import inverse
from ..mechanisms.link_poses import LinkTarget
from ..mechanisms.offsets import column_major
from .mechanism.build import target_at


def with_target(link: LinkTarget) -> LinkTarget:
    """The link target with its goal and target object; missing ones are made."""
    if link.keyed is not None:
        return link
    rig, goals, index = link.rig, link.rig.limber.mechanism.goals, link.goal
    if index < 0:
        goal, index = goals.add(), len(goals) - 1
        goal.name = goal.bone = link.bone
    shown = rig.pose.bones[link.bone].matrix @ Matrix(link.link_frame.tolist())
    target = goals[index].target = target_at(link.link, rig.matrix_world @ shown, rig.users_collection[0])
    target.rotation_mode = "QUATERNION"
    target.parent, target.matrix_parent_inverse = rig, Matrix()
    position, rotation, _ = shown.decompose()
    target.matrix_basis = Matrix.LocRotScale(position, rotation, None)
    goals[index].offset = column_major(Matrix(inverse(link.link_frame).tolist()))
    return replace(link, goal=index)


def without_target(link: LinkTarget, goal: int) -> None:
    """Removes the target object that `with_target` made, and also the goal if `goal` is -1, which means that
    there was none before.
    """
    goals, target = link.rig.limber.mechanism.goals, link.keyed
    if goal < 0:
        goals.remove(link.goal)
    bpy.data.objects.remove(target)
