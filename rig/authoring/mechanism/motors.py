"""Motors on the DoF of joints, with default names, limits, speeds and servo settings."""

from collections.abc import Iterable, Sequence
from itertools import repeat

import bpy
import numpy as np

from ....solvers.mechanism.model import Joint
from ...blender.errors import RigError
from ...bones import axes, imported_robot
from ...bones.joint_axes import joint_axes, limits
from ...mechanisms import bones, joints
from ...mechanisms.joint_kinds import dof_axes
from ...mechanisms.ownership import joint_objects
from ...properties import servo_units
from ...robot import device
from ..chains import LINEAR_LIMITS, apply_rates, fit_servo

# [m] range in each direction of a prismatic joint's motor if the joint has no limits: that of a small linear
# servo or belt drive
USUAL_SLIDE = 0.1
FARTHEST = 1e3  # [rad or m] largest limit, in magnitude, that a motor takes from its joint


def add_motor(
    settings: bpy.types.PropertyGroup,
    owner: bpy.types.Object,
    axis: str,
    joint: bpy.types.Object | None = None,
    bone: str = "",
    seen: str = "",
    limits: tuple[float, float] = (-np.inf, np.inf),
) -> bpy.types.PropertyGroup:
    """Adds a motor to one DoF of a joint; returns it. Its limits [rad or m] are the joint's,
    else those of a usual servo.

    Args:
        settings: The mechanism's settings.
        owner: The object that owns the mechanism.
        axis: Axis of the DoF in the frame of the joint's kind.
        joint: The joint's object; None for a bone's joint.
        bone: Name of the bone, for a bone's joint.
        seen: Name of the axis in the frame of the object or bone, for the motor's name.
        limits: Lower and upper limit [rad or m] of the joint, infinite if it has none.
    """
    servo = device.next_servo(owner)
    motor = settings.motors.add()
    motor.bone, motor.axis, motor.joint = joint.name if joint else bone, axis, joint
    motor.name = axes.label(motor.bone, seen or axis)
    servo_units.make_usual(motor, owner.limber.device.protocol)
    if axes.is_prismatic(axis):
        motor.velocity, motor.acceleration, motor.jerk = LINEAR_LIMITS
        motor.lower, motor.upper = -USUAL_SLIDE, USUAL_SLIDE
    lower, upper = limits
    if np.isfinite(lower):
        motor.lower = max(lower, -FARTHEST)
    if np.isfinite(upper):
        motor.upper = min(upper, FARTHEST)
    if axes.is_prismatic(axis):
        fit_servo(motor)
    motor.servo = servo
    return motor


def add_motors(owner: bpy.types.Object, joint: bpy.types.Object) -> list:
    """Adds motors to all DoF of a joint's object; returns them.

    Raises:
        RigError: the object is no joint of the mechanism, has motors already, or has no DoF.
    """
    settings = owner.limber.mechanism
    mechanism_joint = next((j for j in joints.joints(joint_objects(owner)) if j.frame_object == joint), None)
    if mechanism_joint is None:
        raise RigError(
            f"Object '{joint.name}' is no joint of mechanism '{owner.name}': select a joint of its list"
        )
    if any(motor.joint == joint for motor in settings.motors):
        raise RigError(f"Joint '{joint.name}' has a motor already: remove that first")
    moved = dof_axes(mechanism_joint.aligned_kind.kind)
    if not moved:
        raise RigError(
            f"Joint '{joint.name}' is fixed and leaves nothing to move: choose another joint, or another kind"
            " for it"
        )
    limited = _spans(mechanism_joint.lower, mechanism_joint.upper)
    return [
        add_motor(
            settings, owner, axis, joint=joint, seen=mechanism_joint.aligned_kind.seen(axis), limits=span
        )
        for axis, span in zip(moved, limited, strict=False)
    ]


def _spans(lower: Sequence[float], upper: Sequence[float]) -> Iterable[tuple[float, float]]:
    """(lower, upper) limit of each DoF; infinite for a joint without limits."""
    return zip(lower, upper, strict=True) if lower else repeat((-np.inf, np.inf))


def add_motors_of_bones(owner: bpy.types.Object, names: Sequence[str]) -> list:
    """Adds motors to all DoF of several bones' joints; returns them. If it raises an error,
    nothing is added.

    Raises:
        RigError: as `add_bone_motors`.
    """
    settings = owner.limber.mechanism
    before = len(settings.motors)
    try:
        for name in names:
            add_bone_motors(owner, name)
    except RigError:
        while len(settings.motors) > before:
            settings.motors.remove(len(settings.motors) - 1)
        raise
    return list(settings.motors[before:])


def add_bone_motors(owner: bpy.types.Object, name: str) -> list:
    """Adds motors to all DoF of the joint that moves a bone; returns them.

    Raises:
        RigError: the joint has motors already, has no DoF, or no kind of joint has its axes.
    """
    settings, pose_bone = owner.limber.mechanism, owner.pose.bones[name]
    of_file = bones.file_joint(owner, name) if settings.closures_file else None
    if any(
        motor.joint is None and motor.bone == (of_file.name if of_file else name) for motor in settings.motors
    ):
        raise RigError(f"Bone '{name}' has a motor already: remove that first")
    if of_file is not None:
        return file_motors(settings, owner, of_file)
    free_axes = joint_axes(pose_bone)
    if not free_axes:
        raise RigError(f"All axes of bone '{name}' are locked: unlock the axis that the motor moves")
    aligned_kind = bones.bone_aligned_kind(name, free_axes)
    motors = [
        add_motor(settings, owner, axis, bone=name, seen=aligned_kind.seen(axis))
        for axis in dof_axes(aligned_kind.kind)
    ]
    if len(free_axes) == 1:
        motors[0].lower, motors[0].upper = limits(pose_bone, free_axes[0])
        if axes.is_prismatic(free_axes[0]):
            fit_servo(motors[0])
        record = imported_robot.motor(pose_bone, free_axes[0])
        if record is not None:
            # named after the joint, as makers of robots do; exporters name links
            motors[0].name = axes.label(record.branch.joint.name, free_axes[0])
            apply_rates(motors[0], record.branch.joint)
    return motors


def file_motors(settings: bpy.types.PropertyGroup, rig: bpy.types.Object, joint: Joint) -> list:
    """Adds motors to a joint of an imported robot, with limits and speed from the robot's file;
    returns them.
    """
    joint_record = next(
        record
        for _, record in imported_robot.records(rig)
        if record.branch.joint is not None and record.branch.joint.name == joint.name
    )
    robot_joint, bone_axis = joint_record.branch.joint, imported_robot.axis_of(joint_record)
    motors = []
    for axis, span in zip(dof_axes(joint.kind), _spans(joint.lower, joint.upper), strict=False):
        is_bone_axis = (
            len(dof_axes(joint.kind)) == 1
            and bone_axis
            and axes.is_prismatic(bone_axis) == axes.is_prismatic(axis)
        )
        motor = add_motor(
            settings, rig, axis, bone=joint.name, seen=bone_axis if is_bone_axis else "", limits=span
        )
        if axes.is_prismatic(axis) == (robot_joint.kind == "prismatic"):
            apply_rates(motor, robot_joint)
        motors.append(motor)
    return motors
