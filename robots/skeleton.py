"""Skeleton for the solvers, directly from a robot's file and in its double precision, without an armature.

Limber's import into Blender stores the same tree on the bones (`imported_robot.tree_of`). A chain on these
bones takes its rest transforms from the armature instead, in single precision, so that its solutions fit the
bones that Blender shows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..solvers.kinematics.rotations import Vector
from ..solvers.kinematics.skeleton import End, Joint, Skeleton, SkeletonError
from .model import ModelJoint
from .transform import IDENTITY_TRANSFORM, Transform
from .tree import LinkTree


class Relation(NamedTuple):
    """Mimic joint: angles[joint] = multiplier * angles[leader] + offset. The leader itself mimics no
    joint.
    """

    joint: int
    leader: int
    multiplier: float
    offset: float  # [rad or m]


@dataclass(frozen=True)
class RobotSkeleton:
    """Skeleton of all joints that move, in the root link's frame."""

    skeleton: Skeleton
    names: tuple[str, ...]  # names of the joints
    ends: tuple[str, ...]  # names of the links that are end effectors
    relations: tuple[Relation, ...] = ()

    def complete(self, angles: Sequence[float]) -> tuple[float, ...]:
        """Angles (n,) with those of mimic joints computed from their leaders'."""
        complete = [float(angle) for angle in angles]
        for joint, leader, multiplier, offset in self.relations:
            complete[joint] = multiplier * complete[leader] + offset
        return tuple(complete)

    def angles(self, values: Mapping[str, float]) -> tuple[float, ...]:
        """Angles (n,) from values by joint name [rad or m]; missing ones are 0, those of mimic joints are
        computed.

        Raises:
            KeyError: a name that no joint has.
        """
        unknown = [name for name in values if name not in self.names]
        if unknown:
            raise KeyError(f"no joint '{unknown[0]}': the joints are {', '.join(self.names)}")
        return self.complete([values.get(name, 0.0) for name in self.names])

    def values(self, angles: Sequence[float]) -> dict[str, float]:
        """Values by joint name [rad or m] from angles (n,)."""
        return dict(zip(self.names, map(float, angles), strict=True))


def robot_skeleton(tree: LinkTree, ends: Sequence[str] = ()) -> RobotSkeleton:
    """Skeleton of a tree.

    Args:
        tree: Links and joints.
        ends: Links that are end effectors, the tool first; an end's frame is the link's own. (): all leaf
            links that a joint moves.

    Raises:
        KeyError: there is no such link.
        SkeletonError: no joint moves, or none moves an end.
    """
    joints, carried = _joints(tree)
    index = {branch.link: k for k, branch in enumerate(tree.branches)}
    end_indices = [index[name] for name in ends] or [
        k for k, below in enumerate(tree.children) if not below and carried[k].joint >= 0
    ]
    end_frames = [carried[k] for k in end_indices]
    for end in end_frames:
        if end.joint < 0:
            raise SkeletonError(
                f"no joint moves link '{end.name}' against the root link '{tree.root}': choose another end"
            )
    tool, *more = end_frames or [End(-1)]  # without a joint, Skeleton raises the error
    skeleton = Skeleton(tuple(joints), tool.rotation, tool.offset, tool.joint, tuple(more))
    names = tuple(joint.name for joint in joints)
    return RobotSkeleton(skeleton, names, tuple(end.name for end in end_frames), _relations(tree.joints))


def _joints(tree: LinkTree) -> tuple[list[Joint], list[End]]:
    """The joints that move, and each link as an end: its frame in that of the last joint that moves it."""
    joints: list[Joint] = []
    carried: list[End] = []
    for branch in tree.branches:
        mover, frame = -1, IDENTITY_TRANSFORM
        if branch.parent >= 0:
            parent = carried[branch.parent]
            mover, frame = parent.joint, Transform(parent.rotation, parent.offset)
        frame = frame.then(branch.before)
        if branch.joint is not None and branch.joint.is_movable:
            joints.append(_joint(branch.joint, mover, frame, branch.axis))
            mover, frame = len(joints) - 1, IDENTITY_TRANSFORM
        frame = frame.then(branch.after)
        carried.append(End(mover, frame.rotation, frame.offset, branch.link))
    return joints, carried


def _joint(joint: ModelJoint, parent: int, frame: Transform, axis: Vector) -> Joint:
    """The skeleton's joint for a joint of the robot, in a frame relative to its parent's."""
    lower, upper = joint.finite_limits
    built = Joint(
        joint.name,
        parent,
        frame.rotation,
        frame.offset,
        axis,
        lower,
        upper,
        "revolute" if joint.is_rotary else "prismatic",
    )
    return replace(
        built,
        velocity=joint.velocity or built.velocity,
        acceleration=joint.acceleration or built.acceleration,
        jerk=joint.jerk or built.jerk,
    )


def _relations(joints: Sequence[ModelJoint]) -> tuple[Relation, ...]:
    """Each mimic joint's relation to the leader at the end of its line of mimic joints."""
    row = {joint.name: k for k, joint in enumerate(joints)}
    relations = []
    for k, joint in enumerate(joints):
        if joint.mimic is None:
            continue
        leader, multiplier, offset = (
            joints[row[joint.mimic.joint]],
            joint.mimic.multiplier,
            joint.mimic.offset,
        )
        while leader.mimic is not None:
            multiplier, offset = (
                multiplier * leader.mimic.multiplier,
                multiplier * leader.mimic.offset + offset,
            )
            leader = joints[row[leader.mimic.joint]]
        relations.append(Relation(k, row[leader.name], multiplier, offset))
    return tuple(relations)
