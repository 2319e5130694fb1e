"""Finds which axes of a bone are joints, and their limits: from the bone's locks, its constraints, its URDF
record and its IK limits.
"""

from math import pi

import bpy

from . import axes, imported_robot
from .axes import parent_first
from .rotation_modes import hinge_order

NO_RANGE = 1e-6  # [rad or m] range of a constraint below which it locks the axis


def free_axes(pose_bone: bpy.types.PoseBone) -> str:
    """Unlocked rotation axes of a bone, nearest the parent first. The locks of a bone that rotates by
    quaternion or axis-angle are those of its hinges, even if Blender is set to lock the components of the
    rotation instead (4L).
    """
    letters = parent_first(hinge_order(pose_bone.rotation_mode))
    return "".join(
        axis
        for axis in letters
        if not pose_bone.lock_rotation[axes.index(axis)] and not _is_locked(pose_bone, axis)
    )


def prismatic_axes(pose_bone: bpy.types.PoseBone) -> list[str]:
    """Axes of a bone's prismatic joints: the unlocked ones for which a Limit Location has both a minimum and
    a maximum, and that of an imported robot's URDF joint. A connected bone has none.

    An unlocked location alone does not count: in Blender most bones have that. Raises RigError as
    `imported_robot.record_of`.
    """
    if pose_bone.bone.use_connect:
        return []
    return [
        axis
        for axis in axes.PRISMATIC
        if not pose_bone.lock_location[axes.index(axis)]
        and (constraint_range(pose_bone, axis) or imported_robot.motor(pose_bone, axis))
        and not _is_locked(pose_bone, axis)
    ]


def joint_axes(pose_bone: bpy.types.PoseBone) -> list[str]:
    """Axes of all joints of a bone, nearest the parent first. Raises RigError as `prismatic_axes`."""
    return [*prismatic_axes(pose_bone), *free_axes(pose_bone)]


def constraint_range(pose_bone: bpy.types.PoseBone, axis: str) -> tuple[float, float] | None:
    """(lower, upper) limit [rad or m] of a joint from the bone's Limit Rotation or Limit Location; None if no
    such constraint limits it.
    """
    letter = axes.letter(axis).lower()
    # Blender switches the two limits of a location one by one, but the two limits of a rotation only together
    if axes.is_prismatic(axis):
        for constraint in pose_bone.constraints:
            counts = (
                constraint.type == "LIMIT_LOCATION"
                and not constraint.mute
                and not why_no_limits(pose_bone, constraint)
            )
            if (
                counts
                and getattr(constraint, f"use_min_{letter}")
                and getattr(constraint, f"use_max_{letter}")
            ):
                return getattr(constraint, f"min_{letter}"), getattr(constraint, f"max_{letter}")
        return None
    for constraint in pose_bone.constraints:
        counts = (
            constraint.type == "LIMIT_ROTATION"
            and not constraint.mute
            and not why_no_limits(pose_bone, constraint)
        )
        if counts and getattr(constraint, f"use_limit_{letter}"):
            return getattr(constraint, f"min_{letter}"), getattr(constraint, f"max_{letter}")
    return None


def why_no_limits(pose_bone: bpy.types.PoseBone, constraint: bpy.types.Constraint) -> str:
    """Why a Limit Rotation or Limit Location does not limit the joint's value, as part of a sentence; "" if
    the value is limited.
    """
    if constraint.owner_space != "LOCAL":
        return (
            f"limits in {constraint.owner_space.replace('_', ' ').title()} Space: set its Owner to Local"
            " Space"
        )
    if constraint.influence < 1:
        return "does not have its full influence: set it to 1"
    if constraint.type == "LIMIT_LOCATION":
        return ""
    if constraint.euler_order not in {"AUTO", (order := hinge_order(pose_bone.rotation_mode))}:
        return (
            f"limits in Euler order {constraint.euler_order}, not the bone's {order}: set its Euler Order to"
            " Default"
        )
    return ""


def _is_locked(pose_bone: bpy.types.PoseBone, axis: str) -> bool:
    """Whether a constraint locks a joint's axis, since it leaves no range."""
    span = constraint_range(pose_bone, axis)
    return span is not None and abs(span[1] - span[0]) < NO_RANGE


def limits(pose_bone: bpy.types.PoseBone, axis: str) -> tuple[float, float]:
    """(lower, upper) limit of a joint [rad or m] from a constraint, else the URDF joint, else the bone's IK
    limits; without any, -180 to 180 degrees. Raises RigError as `imported_robot.record_of`.
    """
    letter = axes.letter(axis).lower()
    motor = imported_robot.motor(pose_bone, axis)
    if motor is not None:
        otherwise = motor.span
    elif getattr(pose_bone, f"use_ik_limit_{letter}"):
        otherwise = getattr(pose_bone, f"ik_min_{letter}"), getattr(pose_bone, f"ik_max_{letter}")
    else:
        otherwise = -pi, pi
    return constraint_range(pose_bone, axis) or otherwise
