"""Adds the mechanism's motors to its joints: actuated DoF, and their limits."""

from collections.abc import Iterable
from dataclasses import replace
from math import inf

import bpy

from ...solvers.mechanism.model import Joint
from ..blender.errors import RigError
from ..bones import axes
from .joint_kinds import dof_axes


def with_motors(settings: bpy.types.PropertyGroup, joints: Iterable[Joint]) -> list[Joint]:
    """The joints; those for which the mechanism's settings have motors are actuated, within the limits of
    their motors too, the others are not.

    Raises:
        RigError: a motor names no joint, or an axis that its joint does not have; a joint has motors for some
            of its DoF only; or a motor's limits are exchanged, or outside of the joint's.
    """
    motors: dict[str, dict[str, object]] = {}
    for motor in settings.motors:
        name = motor.joint.name if motor.joint else motor.bone
        motors.setdefault(name, {})[motor.axis] = motor
    motorised_joints = []
    for joint in joints:
        driven = motors.pop(joint.name, None)
        motorised_joints.append(
            replace(joint, actuated=False) if driven is None else _motorised(joint, driven)
        )
    if motors:
        raise RigError(
            f"Motor '{next(iter(motors))}' has no joint any more: remove the motor, or bring the joint back"
        )
    return motorised_joints


def _motorised(joint: Joint, driven: dict) -> Joint:
    """A joint that the motors `driven` (axis -> motor) actuate; its limits are the narrower of those of the
    joint and the motors. Raises RigError as `with_motors`.
    """
    moved = dof_axes(joint.kind)
    if not moved:
        raise RigError(
            f"Motor '{joint.name}': its joint is fixed and leaves nothing to move: remove the motor, or"
            " choose another kind of joint"
        )
    # a joint is actuated as a whole, so each of its degrees of freedom needs a motor
    for axis in moved:
        if axis not in driven:
            raise RigError(
                f"Joint '{joint.name}' has {len(moved)} degrees of freedom, and motors for other ones: remove"
                " its motors, then select it and press + under Motors"
            )
    if strange := [axis for axis in driven if axis not in moved]:
        raise RigError(
            f"Motor '{joint.name}' is on axis {strange[0]}, about which the joint does not move: remove the"
            " motor, and add it again"
        )
    lower, upper = joint.lower or (-inf,) * len(moved), joint.upper or (inf,) * len(moved)
    lowest = tuple(max(bound, driven[axis].lower) for bound, axis in zip(lower, moved, strict=True))
    highest = tuple(min(bound, driven[axis].upper) for bound, axis in zip(upper, moved, strict=True))
    for axis, low, high, at_least, at_most in zip(moved, lower, upper, lowest, highest, strict=True):
        motor = driven[axis]
        if motor.lower > motor.upper:
            low, high = axes.value_text(axis, motor.lower), axes.value_text(axis, motor.upper)
            raise RigError(
                f"Motor '{motor.name}': its lower limit {low} is above its upper limit {high}: exchange them"
            )
        if at_least > at_most:
            raise RigError(
                f"Motor '{motor.name}': its limits {axes.range_text(axis, motor.lower, motor.upper)} lie"
                f" outside those of its joint, {axes.range_text(axis, low, high)}: change one of them"
            )
    return replace(joint, lower=lowest, upper=highest, actuated=True)
