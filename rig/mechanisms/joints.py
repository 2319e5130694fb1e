"""Joints between objects: Blender's rigid body constraints, and empties with a Limber joint."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf

import bpy
import numpy as np

from ...solvers.kinematics.se3 import Array
from ..blender.errors import RigError
from ..blender.presence import is_deleted
from ..bones import axes
from .joint_kinds import LETTERS, AlignedKind, aligned_kind_of, dof_axes
from .ownership import NONE

# type of Blender's rigid body constraint that drives another constraint between the same bodies
MOTOR = "MOTOR"
# [m or rad] range of a generic constraint below which it locks the axis; a lower limit that is above the
# upper one by this much is refused
LOCKED = 1e-6
# Blender's type -> (axes of translation, axes of rotation) of the joint
PLAIN_TYPES = {
    "FIXED": ("", ""),
    "POINT": ("", "XYZ"),
    "HINGE": ("", "Z"),
    "SLIDER": ("X", ""),
    "PISTON": ("X", "X"),
}
GENERIC_TYPES = ("GENERIC", "GENERIC_SPRING")


@dataclass(frozen=True)
class ObjectJoint:
    """A joint between two objects. A body that is None stands for the world."""

    frame_object: bpy.types.Object  # the object whose frame is the joint's frame
    first: bpy.types.Object | None
    second: bpy.types.Object | None
    aligned_kind: AlignedKind
    lower: tuple[float, ...] = ()  # [rad or m] lower limits, relative to the rest pose
    upper: tuple[float, ...] = ()  # [rad or m] upper limits, relative to the rest pose
    # object on the second body with which the joint should coincide; None: there is no gap
    meets: bpy.types.Object | None = None

    @property
    def name(self) -> str:
        return self.frame_object.name

    @property
    def bodies(self) -> tuple:
        """(parent, child) bodies of the joint. A missing body is the world, which is always the parent."""
        return (self.first, self.second) if self.second is not None else (None, self.first)

    def frames(self, poses: Mapping[int, Array]) -> tuple[Array, Array]:
        """Joint frames (4, 4) on parent and child, oriented as the solver's kind of joint requires. `poses`:
        session_uid -> world pose (4, 4) of each object.
        """
        at_parent: Array = poses[self.frame_object.session_uid] @ self.aligned_kind.rotation
        return at_parent, (
            at_parent if self.meets is None else poses[self.meets.session_uid] @ self.aligned_kind.rotation
        )


def signature(joint_objects: Iterable) -> tuple:
    """Kind and bodies of each joint, and whether it is enabled, as a tuple by which changes are detected."""
    signatures = []
    for joint_object in joint_objects:
        constraint, part = joint_object.rigid_body_constraint, joint_object.limber.part
        if constraint is not None:
            signatures.append(
                (
                    _uid(joint_object),
                    constraint.type,
                    constraint.enabled,
                    _uid(constraint.object1),
                    _uid(constraint.object2),
                    0,
                )
            )
        elif part.kind != NONE:
            signatures.append(
                (_uid(joint_object), part.kind, True, _uid(part.first), _uid(part.second), _uid(part.meets))
            )
    return tuple(signatures)


def _uid(obj: bpy.types.Object) -> int:
    """An object's session_uid; 0 for None and for a deleted object."""
    return 0 if obj is None or is_deleted(obj) else obj.session_uid


def names(joint_objects: Iterable) -> dict[int, str]:
    """session_uid -> name of each joint object, for messages about a deleted joint."""
    return {
        joint_object.session_uid: joint_object.name
        for joint_object in joint_objects
        if joint_object.rigid_body_constraint or joint_object.limber.part.kind != NONE
    }


def joints(joint_objects: Iterable) -> Iterator[ObjectJoint]:
    """The joints of these objects, in order of their names; without disabled constraints and Blender's
    motors.

    Raises:
        RigError: a joint connects nothing or a body to itself, a lower limit is above the upper one, or no
            kind of joint has its DoF.
    """
    for joint_object in sorted(joint_objects, key=lambda joint_object: joint_object.name):
        constraint, part = joint_object.rigid_body_constraint, joint_object.limber.part
        if constraint is not None:
            if constraint.enabled and constraint.type != MOTOR:
                yield _checked(_from_constraint(joint_object, constraint))
        elif part.kind != NONE:
            yield _checked(
                ObjectJoint(
                    joint_object, part.first, part.second, AlignedKind(part.kind, np.eye(4)), meets=part.meets
                )
            )


def driven_pairs(joint_objects: Iterable) -> list[set]:
    """Pairs of bodies, by session_uid, that enabled Motor constraints of Blender connect."""
    constraints = [
        joint_object.rigid_body_constraint
        for joint_object in joint_objects
        if joint_object.rigid_body_constraint
    ]
    return [
        {_uid(constraint.object1), _uid(constraint.object2)}
        for constraint in constraints
        if constraint.enabled and constraint.type == MOTOR
    ]


def _checked(joint: ObjectJoint) -> ObjectJoint:
    """The joint; raises RigError if it does not connect two bodies, or a body and the world."""
    if joint.first is None and joint.second is None:
        raise RigError(f"Joint '{joint.name}' joins nothing: choose its first and second body")
    if joint.first == joint.second:
        raise RigError(f"Joint '{joint.name}' joins body '{joint.first.name}' to itself: choose two bodies")
    return joint


def _from_constraint(obj: bpy.types.Object, constraint: bpy.types.Constraint) -> ObjectJoint:
    if constraint.type in GENERIC_TYPES:
        along = "".join(letter for letter in LETTERS if not _is_locked(constraint, "lin", letter))
        about = "".join(letter for letter in LETTERS if not _is_locked(constraint, "ang", letter))
    else:
        along, about = PLAIN_TYPES[constraint.type]
    aligned_kind = aligned_kind_of(along, about)
    if aligned_kind is None:
        free = [f"moves along {letter}" for letter in along] + [f"rotates about {letter}" for letter in about]
        raise RigError(
            f"Joint '{obj.name}' {', '.join(free)}, which no kind of joint does: lock axes of this Generic"
            " constraint (both limits 0), or make two joints with a body between them"
        )
    lower, upper = _limits(constraint, aligned_kind)
    return ObjectJoint(obj, constraint.object1, constraint.object2, aligned_kind, lower, upper)


def _is_locked(constraint: bpy.types.Constraint, word: str, letter: str) -> bool:
    span = _span(constraint, word, letter)
    return span is not None and span[1] - span[0] < LOCKED


def _span(constraint: bpy.types.Constraint, word: str, letter: str) -> tuple[float, float] | None:
    """Limits [m or rad] of an axis in a rigid body constraint; None for an unlimited axis.

    Raises:
        RigError: the lower limit is above the upper one, which Blender's physics treats as no limit.
    """
    if not getattr(constraint, f"use_limit_{word}_{letter.lower()}"):
        return None
    lower, upper = (getattr(constraint, f"limit_{word}_{letter.lower()}_{end}") for end in ("lower", "upper"))
    if lower - upper >= LOCKED:
        axis = axes.prismatic(letter) if word == "lin" else letter
        raise RigError(
            f"Joint '{constraint.id_data.name}': its lower limit {axes.value_text(axis, lower)} is above its"
            f" upper limit {axes.value_text(axis, upper)} ({letter} {'Axis' if word == 'lin' else 'Angle'} of"
            " its rigid body constraint): exchange them, or switch that limit off"
        )
    return lower, max(lower, upper)


def _limits(
    constraint: bpy.types.Constraint, aligned_kind: AlignedKind
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Lower and upper limits [rad or m] of the DoF; infinite for a spherical joint and for unlimited axes."""
    lower, upper = [], []
    for axis in dof_axes(aligned_kind.kind):
        column = aligned_kind.rotation[:3, LETTERS.index(axis[-1])]
        k = int(np.argmax(np.abs(column)))
        span = (
            None
            if aligned_kind.kind == "spherical"
            else _span(constraint, "lin" if axes.is_prismatic(axis) else "ang", LETTERS[k])
        )
        if span is not None and column[k] < 0:
            span = -span[1], -span[0]
        lower.append(-inf if span is None else span[0])
        upper.append(inf if span is None else span[1])
    return tuple(lower), tuple(upper)


def has_lost_limits(joint: ObjectJoint) -> bool:
    """Whether a constraint limits rotations but is read as a spherical or free joint, whose rotation cannot
    have limits.
    """
    constraint = joint.frame_object.rigid_body_constraint
    is_ball = joint.aligned_kind.kind in ("spherical", "free")
    return (
        is_ball
        and constraint is not None
        and constraint.type in GENERIC_TYPES
        and any(_span(constraint, "ang", letter) for letter in LETTERS)
    )
