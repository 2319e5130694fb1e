"""The skeleton of the gaze solvers: a chain or tree of joints, forward kinematics and Jacobians.

Each joint's kinematics start from the position and the rotation R of its parent: position += R rest_offset,
then R = R rest_rotation. A revolute joint then rotates by R = R about(axis, angle); a prismatic joint moves
by position += R axis * displacement.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..tolerances import SINGLE_PRECISION
from .rotations import (
    IDENTITY,
    ORIGIN,
    Quaternion,
    Vector,
    about,
    add,
    length,
    multiply,
    normalized,
    rotate,
    scale,
    unit,
)
from .se3 import RigidTransform, frame_array
from .tree import BASE, Kind, Tree

Angles = NDArray[np.float64]
# [m] length below which a link counts as having no direction; a shorter skeleton counts as having this reach
SHORTEST_LINK = 1e-6
# [rad or m] farthest limit of a joint: at that distance positions are still exact to a ten-thousandth of a
# millimetre
FARTHEST = 1e9


class SkeletonError(ValueError):
    """An invalid part of a skeleton or of a body; the message names it and says what to do."""


@dataclass(frozen=True)
class Joint:
    """One degree of freedom, with its rest transform in the parent's frame."""

    name: str
    parent: int  # index of the parent joint; -1: the base
    # the joint's frame in its parent's (after the parent's own rotation), at angle 0
    rest_rotation: Quaternion
    rest_offset: Vector  # [m] the joint's position in its parent's frame
    axis: Vector  # unit vector in the joint's own frame
    lower: float  # [rad; prismatic m] lower limit
    upper: float  # [rad; prismatic m] upper limit
    kind: Literal["revolute", "prismatic"] = "revolute"
    # limits of motion, for the motion filter
    velocity: float = math.pi  # [rad/s; prismatic m/s]
    acceleration: float = 5 * math.pi  # [rad/s^2; prismatic m/s^2]
    jerk: float = 50 * math.pi  # [rad/s^3; prismatic m/s^3]

    def __post_init__(self) -> None:
        def need(is_valid: bool, what: str) -> None:
            if not is_valid:
                raise SkeletonError(f"joint '{self.name}': {what}")

        for what, numbers, count in (
            ("rest rotation", self.rest_rotation, 4),
            ("rest offset", self.rest_offset, 3),
            ("axis", self.axis, 3),
        ):
            need(
                len(numbers) == count and all(map(math.isfinite, numbers)),
                f"its {what} {tuple(numbers)} must be {count} finite numbers",
            )
        for field, limit in (("lower", self.lower), ("upper", self.upper)):
            need(math.isfinite(limit), f"its {field} limit is {limit}: give it a finite number")
            need(
                abs(limit) <= FARTHEST,
                f"its {field} limit of {limit:.6g} is too far: narrow it to {FARTHEST:g}",
            )
        need(abs(math.hypot(*self.axis) - 1) < SINGLE_PRECISION, f"the axis {self.axis} must have length 1")
        need(
            abs(math.hypot(*self.rest_rotation) - 1) < SINGLE_PRECISION,
            f"the rest rotation {self.rest_rotation} must have length 1",
        )
        need(
            self.lower <= self.upper,
            f"the lower limit {self.lower:.6g} is above the upper limit {self.upper:.6g}: exchange them",
        )
        need(self.kind in ("revolute", "prismatic"), f"kind is 'revolute' or 'prismatic', not '{self.kind}'")
        for field in ("velocity", "acceleration", "jerk"):
            value = getattr(self, field)
            need(
                value > 0 and math.isfinite(value),
                f"the {field} limit must be above zero and finite, got {value}",
            )


@dataclass(frozen=True)
class End:
    """An end effector: a tool fixed to a joint, which goals apply to. It looks along its own +Y, and its up
    direction is its own +Z.
    """

    joint: int  # index of the joint that carries the tool
    rotation: Quaternion = IDENTITY  # rotation of the tool in that joint's frame
    offset: Vector = (0.0, 0.0, 0.0)  # [m] the tool's position in that joint's frame
    name: str = ""


class Laid(NamedTuple):
    """Joints and ends of a skeleton as the arguments of `Tree`, which describes them; ends are its links."""

    parents: list[int]
    rests: Angles  # (n, 4, 4)
    axes: Angles  # (n, 3)
    kinds: list[Kind]
    carriers: list[int]
    carried: Angles  # (k, 4, 4)


def laid_out(joints: Sequence[Joint], ends: Sequence[End]) -> Laid:
    """Joints and ends as arguments for `Tree`; `End.joint` is -1 for an end on the base.

    Raises:
        SkeletonError: a parent does not come before its child, or an end is on a joint that does not exist.
    """
    _check_order(joints)
    for end in ends:
        if not -1 <= end.joint < len(joints):
            raise SkeletonError(
                f"link '{end.name}' is carried by joint {end.joint}: there are {len(joints)}, counted from 0"
            )
    return Laid(
        [joint.parent for joint in joints],
        np.array(
            [
                frame_array(RigidTransform(normalized(joint.rest_rotation), joint.rest_offset))
                for joint in joints
            ]
        ),
        np.array([unit(joint.axis) for joint in joints]),
        [joint.kind for joint in joints],
        [end.joint for end in ends],
        np.array([frame_array(RigidTransform(normalized(end.rotation), end.offset)) for end in ends]),
    )


def _check_order(joints: Sequence[Joint]) -> None:
    """Raises SkeletonError if a joint comes before its parent."""
    for k, joint in enumerate(joints):
        if not -1 <= joint.parent < k:
            raise SkeletonError(
                f"joint '{joint.name}': its parent must come before it, and {joint.parent} is not before {k}"
            )


class Pose(NamedTuple):
    """Rotations and positions of the joints and the tool in the base frame."""

    rotations: tuple[Quaternion, ...]  # rotations of the joints' frames, after their own motion
    positions: tuple[Vector, ...]  # [m] positions of the joints
    tool_rotation: Quaternion
    tool_position: Vector


@dataclass(frozen=True)
class Skeleton:
    """A tree of joints on a base, parents before their children, with its ends: the tool (end 0) and further
    ones.

    In a chain every joint's parent is the one before it, and the last carries the tool.
    """

    joints: tuple[Joint, ...]
    tool_rotation: Quaternion = IDENTITY  # rotation of the tool in its joint's frame
    tool_offset: Vector = (0.0, 0.0, 0.0)  # [m] the tool's position in that frame
    tool_joint: int = -1  # index of the joint that carries the tool; -1: the last
    more_ends: tuple[End, ...] = ()
    tool_name: str = ""  # name of end 0; "": the name of its joint

    def __post_init__(self) -> None:
        if not self.joints:
            raise SkeletonError(
                "a skeleton needs at least one joint: unlock a rotation axis of one of the bones"
            )
        _check_order(self.joints)
        for end in self.ends:
            if not 0 <= end.joint < len(self.joints):
                raise SkeletonError(
                    f"end '{end.name}' is carried by joint {end.joint}: there are {len(self.joints)}, counted"
                    " from 0"
                )
            numbers = (*end.rotation, *end.offset)
            if (
                len(numbers) != 7
                or not all(map(math.isfinite, numbers))
                or abs(math.hypot(*end.rotation) - 1) > SINGLE_PRECISION
            ):
                raise SkeletonError(
                    f"the tool of '{end.name}': its rotation must have length 1 and every number be finite,"
                    f" got {numbers}"
                )

    def __len__(self) -> int:
        return len(self.joints)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.joints, self.ends))

    @cached_property
    def ends(self) -> tuple[End, ...]:
        """All ends, the tool first."""
        carrier = len(self.joints) - 1 if self.tool_joint == -1 else self.tool_joint
        name = self.tool_name or (self.joints[carrier].name if 0 <= carrier < len(self.joints) else "tool")
        return End(carrier, self.tool_rotation, self.tool_offset, name), *self.more_ends

    @cached_property
    def is_chain(self) -> bool:
        """Whether the joints form a single path from the base to a single end."""
        one_path = all(joint.parent == k - 1 for k, joint in enumerate(self.joints))
        return one_path and not self.more_ends and self.ends[0].joint == len(self.joints) - 1

    def path(self, end: int = 0) -> tuple[int, ...]:
        """Indices of the joints from the base to an end, root first."""
        return self._paths[end]

    def moves(self, end: int) -> Angles:
        """Array (n, 1): 1 for joints that move an end, 0 for the others."""
        return self._moves[end]

    @cached_property
    def _moves(self) -> tuple[Angles, ...]:
        tree = self.tree
        return tuple(tree.moved_by[node, BASE:, None].astype(float) for node in tree.carriers)

    @cached_property
    def _paths(self) -> tuple[tuple[int, ...], ...]:
        paths = []
        for end in self.ends:
            path, k = [], end.joint
            while k >= 0:
                path.append(k)
                k = self.joints[k].parent
            paths.append(tuple(path[::-1]))
        return tuple(paths)

    def branch(self, end: int = 0) -> "Skeleton":
        """A skeleton with only the joints on the path to an end, as a chain."""
        return self if self.is_chain else self._branches[end]

    @cached_property
    def _branches(self) -> tuple["Skeleton", ...]:
        return tuple(
            Skeleton(
                tuple(replace(self.joints[k], parent=row - 1) for row, k in enumerate(path)),
                end.rotation,
                end.offset,
                tool_name=end.name,
            )
            for path, end in zip(self._paths, self.ends, strict=True)
        )

    @cached_property
    def revolute(self) -> tuple[bool, ...]:
        """Whether each joint (n,) is revolute; else it is prismatic."""
        return tuple(joint.kind == "revolute" for joint in self.joints)

    @cached_property
    def lower(self) -> tuple[float, ...]:
        """Lower limits (n,) of the joints [rad; prismatic m]."""
        return tuple(float(joint.lower) for joint in self.joints)

    @cached_property
    def upper(self) -> tuple[float, ...]:
        """Upper limits (n,) of the joints [rad; prismatic m]."""
        return tuple(float(joint.upper) for joint in self.joints)

    @cached_property
    def reach(self) -> float:
        """Reach [m]: largest sum of the lengths of the links from a first joint to an end, with prismatic
        joints fully extended; at least `SHORTEST_LINK`.
        """
        return max(
            SHORTEST_LINK,
            *(self._length(path, end) for path, end in zip(self._paths, self.ends, strict=True)),
        )

    @cached_property
    def units(self) -> Angles:
        """Movement (n,) that counts as one unit for each joint: 1 rad for revolute joints, the reach [m] for
        prismatic joints.
        """
        return np.array([self.reach if joint.kind == "prismatic" else 1.0 for joint in self.joints])

    def _length(self, path: tuple[int, ...], end: End) -> float:
        """Length [m] of a path of joints to an end, with prismatic joints fully extended."""
        joints = [self.joints[k] for k in path]
        slides = sum(max(abs(joint.lower), abs(joint.upper)) for joint in joints if joint.kind == "prismatic")
        return sum(length(joint.rest_offset) for joint in joints[1:]) + length(end.offset) + slides

    def clamp(self, angles: Sequence[float] | Angles) -> tuple[float, ...]:
        """`angles` (n,) [rad or m] clamped to the joint limits."""
        values = angles.tolist() if isinstance(angles, np.ndarray) else map(float, angles)
        ranges = zip(values, self.lower, self.upper, strict=True)
        return tuple([lower if a < lower else upper if a > upper else a for a, lower, upper in ranges])

    @cached_property
    def _parts(self) -> tuple[tuple[bool, Quaternion | None, Vector | None, Vector], ...]:
        """For each joint: whether it is revolute; rest rotation and offset (None if they are the identity);
        unit axis.
        """
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
    def _tools(self) -> tuple[tuple[int, Quaternion, Vector], ...]:
        """For each end: its joint, unit rotation and offset [m]."""
        return tuple((end.joint, normalized(end.rotation), end.offset) for end in self.ends)

    def forward(self, angles: Sequence[float]) -> Pose:
        """The pose at angles (n,) [rad; prismatic joints m]."""
        rotations: list[Quaternion] = []
        positions: list[Vector] = []
        for (is_revolute, rest, offset, axis), joint, angle in zip(
            self._parts, self.joints, angles, strict=True
        ):
            parent = joint.parent
            turned, position = (rotations[parent], positions[parent]) if parent >= 0 else (IDENTITY, ORIGIN)
            if offset is not None:
                position = add(position, rotate(turned, offset))
            if rest is not None:
                turned = multiply(turned, rest)
            if is_revolute:
                turned = multiply(turned, about(axis, angle))
            else:
                position = add(position, rotate(turned, scale(axis, angle)))
            rotations.append(turned)
            positions.append(position)
        joint_index, tool, offset = self._tools[0]
        turned = rotations[joint_index]
        return Pose(
            tuple(rotations),
            tuple(positions),
            multiply(turned, tool),
            add(positions[joint_index], rotate(turned, offset)),
        )

    def end_pose(self, pose: Pose, end: int) -> tuple[Quaternion, Vector]:
        """Rotation and position [m] of an end in the base frame."""
        if end == 0:
            return pose.tool_rotation, pose.tool_position
        joint, tool, offset = self._tools[end]
        turned = pose.rotations[joint]
        return multiply(turned, tool), add(pose.positions[joint], rotate(turned, offset))

    def world_axes(self, pose: Pose) -> list[Vector]:
        """Axes of the joints in the base frame, as unit vectors."""
        return [rotate(turned, part[3]) for turned, part in zip(pose.rotations, self._parts, strict=True)]

    def jacobian(
        self, angles: Sequence[float], end: int = 0, floating: bool = False
    ) -> tuple[Angles, Angles]:
        """Angular [rad/rad] and linear [m/rad] Jacobian of an end in the base frame, (3, n) each; for
        prismatic joints per metre.

        Columns of joints that are not on the end's path are zero. If `floating`, six columns come before
        them, (3, 6 + n): for the linear velocity of the base and its angular velocity about its own origin,
        both in the base frame.
        """
        angular, linear = self.tree.jacobian(self.tree.forward(np.array(angles, float)), end)
        return (angular, linear) if floating else (angular[:, BASE:], linear[:, BASE:])

    @cached_property
    def tree(self) -> Tree:
        """The skeleton's joints and ends as a `Tree` on numpy arrays."""
        return Tree(*laid_out(self.joints, self.ends))
