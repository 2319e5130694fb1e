"""Aligns a joint's object with the axis that its closed loop requires."""

from mathutils import Matrix, Vector

from ....solvers.mechanism.diagnosis import locked_loops
from ...blender.errors import RigError
from ...reading.mechanism import rest_pose
from ...reading.mechanism.assembled import Assembled


def align(owner, made: Assembled, thing) -> float:
    """Rotates a joint's object about its origin, in the scene and in the rest pose; returns the angle [rad].

    Call within an operator that has UNDO.

    Raises:
        RigError: the joint's axis does not lock the loop, or another object would have to be rotated as well.
    """
    blamed = {
        loop.misaligned.joint: loop.misaligned for loop in locked_loops(made.model.solver, made.model.rest) if loop.misaligned is not None
    }
    off = blamed.get(made.reading.joint_names.get(thing.session_uid, thing.name))
    if off is None:
        others = f": the one that is off is '{next(iter(blamed))}'" if blamed else ": no loop is held by a single axis that is off"
        raise RigError(f"The axis of joint '{thing.name}' is as its loop needs it{others}")
    if thing.limber.part.meets is not None:
        raise RigError(f"Joint '{thing.name}' meets '{thing.limber.part.meets.name}' on its second body: rotate both by hand")
    axis, wanted = (Vector((made.base[:3, :3] @ direction).tolist()) for direction in (off.axis, off.correct))
    rotation, own = axis.rotation_difference(wanted), thing.matrix_world.to_quaternion()
    place = Matrix.Translation(thing.matrix_world.translation)
    thing.matrix_world = place @ rotation.to_matrix().to_4x4() @ place.inverted() @ thing.matrix_world
    rest_pose.rotate(owner, thing, own.inverted() @ rotation @ own)
    return off.angle
