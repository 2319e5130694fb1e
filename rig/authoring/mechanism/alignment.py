"""Aligns a joint's object with the axis that its closed loop requires."""

import bpy
from mathutils import Matrix, Vector

from ....solvers.mechanism.diagnosis import locked_loops
from ...blender.errors import RigError
from ...mechanisms import rest_pose
from ...mechanisms.assembled import Assembled


def align(owner: bpy.types.Object, assembly: Assembled, joint_object: bpy.types.Object) -> float:
    """Rotates a joint's object about its origin, in the scene and in the rest pose, so that its axis no
    longer locks its loop; returns the angle [rad].

    Call within an operator that has UNDO.

    Raises:
        RigError: the joint's axis does not lock the loop, or another object would have to be rotated as well.
    """
    misaligned_by_joint = {
        loop.misaligned.joint: loop.misaligned
        for loop in locked_loops(assembly.model.solver, assembly.model.rest)
        if loop.misaligned is not None
    }
    misaligned = misaligned_by_joint.get(
        assembly.reading.joint_names.get(joint_object.session_uid, joint_object.name)
    )
    if misaligned is None:
        hint = (
            f": the one that is off is '{next(iter(misaligned_by_joint))}'"
            if misaligned_by_joint
            else ": no loop is held by a single axis that is off"
        )
        raise RigError(f"The axis of joint '{joint_object.name}' is as its loop needs it{hint}")
    if joint_object.limber.part.meets is not None:
        raise RigError(
            f"Joint '{joint_object.name}' meets '{joint_object.limber.part.meets.name}' on its second body:"
            " rotate both by hand"
        )
    axis, desired_axis = (
        Vector((assembly.base[:3, :3] @ direction).tolist())
        for direction in (misaligned.axis, misaligned.correct)
    )
    rotation, orientation = axis.rotation_difference(desired_axis), joint_object.matrix_world.to_quaternion()
    translation = Matrix.Translation(joint_object.matrix_world.translation)
    joint_object.matrix_world = (
        translation @ rotation.to_matrix().to_4x4() @ translation.inverted() @ joint_object.matrix_world
    )
    rest_pose.rotate(owner, joint_object, orientation.inverted() @ rotation @ orientation)
    return misaligned.angle
