"""The skeleton that solvers see: joints in a chain on a fixed base, forward kinematics and Jacobians. Knows no Blender.

Kinematics, for joint k of a chain, from the base out:  place += R rest_offset;  R = R rest_rotation about(axis, angle).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .rotations import IDENTITY, Quaternion, Vector, about, add, length, multiply, normalized, rotate, scale, to_matrix, unit

Angles = NDArray[np.float64]
UNIT_TOLERANCE = 1e-4  # of a unit vector's length: coarser than single precision, finer than a mistake


class SkeletonError(ValueError):
    """A joint that cannot be; the message names it and the remedy."""


@dataclass(frozen=True)
class Joint:
    """One degree of freedom, with its place in its parent's frame."""

    name: str
    parent: int  # index of the parent joint; -1: the base
    rest_rotation: Quaternion  # the joint's frame in its parent's (after the parent's own turn), at angle 0
    rest_offset: Vector  # [m] the joint's place in its parent's frame
    axis: Vector  # unit, in the joint's own frame
    lower: float  # [rad], prismatic: [m]
    upper: float
    kind: Literal["revolute", "prismatic"] = "revolute"
    velocity: float = math.pi  # [rad/s] limits of movement, for the motion filter
    acceleration: float = 5 * math.pi  # [rad/s^2]
    jerk: float = 50 * math.pi  # [rad/s^3]

    def __post_init__(self) -> None:
        def need(held: bool, what: str) -> None:
            if not held:
                raise SkeletonError(f"joint '{self.name}': {what}")

        numbers = (*self.rest_rotation, *self.rest_offset, *self.axis, self.lower, self.upper)
        need(len(numbers) == 12 and all(map(math.isfinite, numbers)), f"every number must be finite, got {numbers}")
        need(abs(math.hypot(*self.axis) - 1) < UNIT_TOLERANCE, f"the axis {self.axis} must have length 1")
        need(abs(math.hypot(*self.rest_rotation) - 1) < UNIT_TOLERANCE, f"the rest rotation {self.rest_rotation} must have length 1")
        need(self.lower <= self.upper, f"the lower limit {self.lower:.6g} is above the upper limit {self.upper:.6g}: exchange them")
        need(self.kind in ("revolute", "prismatic"), f"kind is 'revolute' or 'prismatic', not '{self.kind}'")
        for field in ("velocity", "acceleration", "jerk"):
            value = getattr(self, field)
            need(value > 0 and math.isfinite(value), f"the {field} limit must be above zero, got {value}")


class Pose(NamedTuple):
    """Where everything is, in the base frame."""

    rotations: tuple[Quaternion, ...]  # of the joints' frames, after their own turn
    places: tuple[Vector, ...]  # [m] of the joints
    tool_rotation: Quaternion
    tool_place: Vector


class PoseBatch(NamedTuple):
    """Poses for many rows of angles at once, in the base frame."""

    rotations: NDArray[np.float64]  # (m, n, 3, 3)
    places: NDArray[np.float64]  # (m, n, 3)
    tool_rotation: NDArray[np.float64]  # (m, 3, 3)
    tool_place: NDArray[np.float64]  # (m, 3)


@dataclass(frozen=True)
class Skeleton:
    """A chain of joints, root first, and the tool that the last one carries: the end looks along the tool's +Y, its up is the tool's +Z."""

    joints: tuple[Joint, ...]
    tool_rotation: Quaternion = IDENTITY  # the tool's frame in the last joint's
    tool_offset: Vector = (0.0, 0.0, 0.0)  # [m]

    def __post_init__(self) -> None:
        if not self.joints:
            raise SkeletonError("a skeleton needs at least one joint: unlock a rotation axis of one of the bones")
        for k, joint in enumerate(self.joints):
            if joint.parent != k - 1:
                raise SkeletonError(f"joint '{joint.name}': a chain's joint {k} hangs on joint {k - 1}, not on {joint.parent}")
        numbers = (*self.tool_rotation, *self.tool_offset)
        if len(numbers) != 7 or not all(map(math.isfinite, numbers)) or abs(math.hypot(*self.tool_rotation) - 1) > UNIT_TOLERANCE:
            raise SkeletonError(
                f"the tool of '{self.joints[-1].name}': its rotation must have length 1 and every number be finite, got {numbers}"
            )

    def __len__(self) -> int:
        return len(self.joints)

    @cached_property
    def lower(self) -> tuple[float, ...]:
        return tuple(joint.lower for joint in self.joints)

    @cached_property
    def upper(self) -> tuple[float, ...]:
        return tuple(joint.upper for joint in self.joints)

    @cached_property
    def reach(self) -> float:
        """[m] The chain's length from its first joint to the tool, prismatic joints at their longest."""
        lengths = [length(joint.rest_offset) for joint in self.joints[1:]] + [length(self.tool_offset)]
        return sum(lengths) + sum(max(abs(j.lower), abs(j.upper)) for j in self.joints if j.kind == "prismatic")

    def clamp(self, angles: Sequence[float] | Angles) -> tuple[float, ...]:
        """`angles` (n,) moved to the nearest within limits."""
        return tuple(min(max(float(a), lo), hi) for a, lo, hi in zip(angles, self.lower, self.upper, strict=True))

    @cached_property
    def _parts(self) -> tuple[tuple[bool, Quaternion | None, Vector | None, Vector], ...]:
        """For each joint: does it turn; rest rotation and offset, None where they do nothing; unit axis."""
        return tuple(
            (
                joint.kind == "revolute",
                None if tuple(joint.rest_rotation) == IDENTITY else normalized(joint.rest_rotation),
                joint.rest_offset if any(joint.rest_offset) else None,
                unit(joint.axis),
            )
            for joint in self.joints
        )

    @cached_property
    def unit_tool_rotation(self) -> Quaternion:
        return normalized(self.tool_rotation)

    def forward(self, angles: Sequence[float]) -> Pose:
        """The pose for angles (n,) [rad], prismatic ones in [m]."""
        turned, place = IDENTITY, (0.0, 0.0, 0.0)
        rotations: list[Quaternion] = []
        places: list[Vector] = []
        for (turns, rest, offset, axis), angle in zip(self._parts, angles, strict=True):
            if offset is not None:
                place = add(place, rotate(turned, offset))
            if rest is not None:
                turned = multiply(turned, rest)
            if turns:
                turned = multiply(turned, about(axis, angle))
            else:
                place = add(place, rotate(turned, scale(axis, angle)))
            rotations.append(turned)
            places.append(place)
        tool_place = add(place, rotate(turned, self.tool_offset))
        return Pose(tuple(rotations), tuple(places), multiply(turned, self.unit_tool_rotation), tool_place)

    def forward_batch(self, angles: Angles) -> PoseBatch:
        """Poses for angles (m, n) [rad], prismatic ones in [m]: the same as `forward`, many at once."""
        m = angles.shape[0]
        turned, place = np.broadcast_to(np.eye(3), (m, 3, 3)), np.zeros((m, 3))
        rotations, places = [], []
        for k, (turns, rest, offset, axis) in enumerate(self._parts):
            if offset is not None:
                place = place + turned @ np.array(offset)
            if rest is not None:
                turned = turned @ _matrix(rest)
            if turns:
                x, y, z = axis
                skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
                angle = angles[:, k, None, None]
                turned = turned @ (np.eye(3) + np.sin(angle) * skew + (1.0 - np.cos(angle)) * (skew @ skew))
            else:
                place = place + (turned @ np.array(axis)) * angles[:, k, None]
            rotations.append(turned)
            places.append(place)
        tool_place = place + turned @ np.array(self.tool_offset)
        return PoseBatch(np.stack(rotations, 1), np.stack(places, 1), turned @ _matrix(self.unit_tool_rotation), tool_place)

    def world_axes(self, pose: Pose) -> list[Vector]:
        """The joints' axes in the base frame."""
        return [rotate(turned, part[3]) for turned, part in zip(pose.rotations, self._parts, strict=True)]

    def jacobian(self, angles: Sequence[float]) -> tuple[Angles, Angles]:
        """Angular [rad/rad] and linear [m/rad] velocity of the tool in the base frame, (3, n) each, per unit speed of each joint."""
        pose = self.forward(angles)
        axes = np.array(self.world_axes(pose)).T
        arms = np.array(pose.tool_place)[:, None] - np.array(pose.places).T
        turns = np.array([part[0] for part in self._parts])
        return np.where(turns, axes, 0.0), np.where(turns, np.cross(axes, arms, axis=0), axes)


def _matrix(q: Quaternion) -> Angles:
    return np.array(to_matrix(q))
