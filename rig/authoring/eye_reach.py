"""How far eyes look in their skull, and how much of a look a head leaves to them: no more than they can."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ..bones.axes import REVOLUTE
from ..chains.measure import is_of_bones
from ..scene.goal import CUSTOM, forward_axis, signed_axis
from .look_sharing import STEP, UP, WIDE

SIDES = 8  # number of directions in which wide looks are tried
ROUNDING = 1e-5  # [rad] rounding error of directions in single precision
ALL = (1.0, 0.0)  # share and dead zone [rad] of a head that does all of a look
# [rad] range to each side for eyes without limits in the rig: about that of a human eye
EYE_RANGE = math.radians(45)
EYE_ROLL = math.radians(5)  # [rad] range of the eye's roll to each side, since human eyes hardly roll
ROUND = math.tau - 0.01  # [rad] range above which a joint counts as unlimited


def hold_in_skull(chain: bpy.types.PropertyGroup) -> None:
    """Limits how far an eye of a chain looks and rolls in its skull; narrower limits of the rig stay.

    If the eye looks along an axis of its bone, the bone's joints are its yaw, pitch and roll. If the eye
    looks in another direction, each joint also rolls it. Its range is then what the limits of all joints
    allow in every direction.
    """
    chain.options.expressive.roll = 1.0
    if is_of_bones(chain, chain.solver):
        # shortest rotation to the target: the eye does not counter-roll when the head leans
        chain.roll = "FREE"
    view = chain.forward_axis[1] if chain.forward_axis != CUSTOM else ""
    chain.widest_look = EYE_RANGE
    for joint in chain.joints:
        is_free = joint.upper - joint.lower > ROUND
        if not view and not is_free:
            chain.widest_look = min(chain.widest_look, max(0.0, -joint.lower), max(0.0, joint.upper))
        if view and (is_free or joint.axis == view):
            span = EYE_ROLL if joint.axis == view else EYE_RANGE
            joint.lower, joint.upper = max(joint.lower, -span), min(joint.upper, span)


def leave_to_eyes(
    rig: bpy.types.Object,
    head: bpy.types.PropertyGroup,
    eyes: Sequence[bpy.types.PropertyGroup],
    target: bpy.types.Object | None,
) -> None:
    """Raises the share of a head's chain to the least one at which its eyes reach their target in wide looks
    to all sides: at last to all of the look, small changes included. If they reach it with none, because the
    target is too near or an axis of the eyes is locked, the share is the least one at which they miss targets
    that are far away by no more than if the head does all of the look.

    Args:
        rig: The armature object.
        head: Chain of the head.
        eyes: Chains of the eyes.
        target: Object whose distance now is that of the targets; None, or one where the head looks from: they
            are far away.
    """
    pivot = rig.matrix_world @ rig.data.bones[head.end].head_local
    reach = _Reach(pivot, _seen_from(rig, head), [_eye(rig, eye) for eye in eyes])
    away = (target.matrix_world.translation - reach.head.position).length if target else 0.0
    if not away or reach.error(away, *ALL) > ROUNDING:
        away = math.inf
    least = max(reach.error(away, *ALL), ROUNDING)
    larger = [(share, head.dead_zone) for share in np.arange(head.share, 1.0, STEP).tolist()]
    head.share, head.dead_zone = next(
        (follows for follows in larger if reach.error(away, *follows) <= least), ALL
    )


class _View(NamedTuple):
    """Where an end looks from and to at rest, in the world."""

    position: Vector  # [m]
    direction: Vector  # unit vector


class _Eye(NamedTuple):
    """An eye at rest, in the world.

    Attributes:
        view: Where it looks from and to.
        widest: Largest angle [rad] of its rotation.
        axes: (3, n) axes of its joints, as unit vectors.
        lower, upper: (n,) limits of its joints [rad].
    """

    view: _View
    widest: float
    axes: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def error(self, direction: Vector) -> float:
        """Angle [rad] by which the smallest rotation of the joints that turns the view to a direction in the
        skull at rest misses it, or exceeds what the eye can do.
        """
        needed = np.array(self.view.direction.rotation_difference(direction).to_exponential_map())
        view = np.array(self.view.direction)
        # rotations about the view do not turn it
        turning = self.axes - np.outer(view, view @ self.axes)
        angles = np.linalg.pinv(turning, rcond=ROUNDING) @ needed
        missing = float(np.linalg.norm(needed - turning @ angles))
        beyond = [*(self.lower - angles), *(angles - self.upper), float(np.linalg.norm(angles)) - self.widest]
        return max(missing, *beyond)


class _Reach(NamedTuple):
    """Head and eyes at rest, in the world."""

    pivot: Vector  # [m] position about which the head rotates
    head: _View
    eyes: list[_Eye]

    def error(self, away: float, share: float, dead_zone: float) -> float:
        """Largest angle [rad] by which an eye misses targets to all sides while the head follows a share of
        the look; negative if all of them can look farther.

        Args:
            away: Distance [m] of the targets from the head.
            share: Share of the look that the head follows.
            dead_zone: Angle [rad] of the look that the head does not follow.
        """
        position, ahead = self.head
        errors = []
        for k in range(SIDES):
            axis = Matrix.Rotation(math.tau * k / SIDES, 3, ahead) @ UP
            in_skull = Matrix.Rotation(-share * (WIDE - dead_zone), 3, axis)
            # direction of the target and position of the head's view, in the skull at rest
            direction = in_skull @ Matrix.Rotation(WIDE, 3, axis) @ ahead
            origin = self.pivot + in_skull @ (position - self.pivot)
            errors += [eye.error(direction + (origin - eye.view.position) / away) for eye in self.eyes]
        return max(errors)


def _seen_from(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> _View:
    bone = rig.data.bones[chain.end]
    to_world = rig.matrix_world @ bone.matrix_local
    direction = to_world.to_3x3() @ Vector(forward_axis(chain))
    return _View(to_world @ Vector((0.0, chain.eye * bone.length, 0.0)), direction.normalized())


def _eye(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> _Eye:
    to_world = rig.matrix_world.to_3x3()
    joints = [joint for joint in chain.joints if joint.axis in REVOLUTE]
    axes = [
        (
            to_world
            @ rig.data.bones[joint.bone].matrix_local.to_3x3()
            @ Vector(signed_axis(f"+{joint.axis}"))
        ).normalized()
        for joint in joints
    ]
    limits = np.array([(joint.lower, joint.upper) for joint in joints]).reshape(-1, 2)
    return _Eye(_seen_from(rig, chain), chain.widest_look, np.array(axes).reshape(-1, 3).T, *limits.T)
