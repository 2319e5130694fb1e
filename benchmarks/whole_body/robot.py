"""A robot's tree as the solvers' skeleton and as the body of a whole-body solver."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

from limber.robots.model import Joint
from limber.robots.transform import IDENTITY_TRANSFORM, Transform
from limber.robots.tree import Tree
from limber.solvers.kinematics import skeleton as solver
from limber.solvers.kinematics.rotations import Vector
from limber.solvers.whole_body.body import Body, Coupling


class Relation(NamedTuple):
    """Relation of a mimic joint: angles[joint] = multiplier * angles[leader] + offset. The leader is no mimic
    joint.
    """

    joint: int
    leader: int
    multiplier: float
    offset: float  # [rad or m]


@dataclass(frozen=True)
class RobotSkeleton:
    """Skeleton of all movable joints, in the root link's frame."""

    skeleton: solver.Skeleton
    names: tuple[str, ...]  # names of the joints
    ends: tuple[str, ...]  # names of the links that are its ends
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
            KeyError: a name is not that of a joint.
        """
        unknown = [name for name in values if name not in self.names]
        if unknown:
            raise KeyError(f"no joint '{unknown[0]}': the joints are {', '.join(self.names)}")
        return self.complete([values.get(name, 0.0) for name in self.names])

    def values(self, angles: Sequence[float]) -> dict[str, float]:
        """Values by joint name [rad or m] from angles (n,)."""
        return dict(zip(self.names, map(float, angles), strict=True))


def build(tree: Tree, ends: Sequence[str] = ()) -> RobotSkeleton:
    """Skeleton of a tree.

    Args:
        tree: Links and joints.
        ends: Links that are end effectors, the tool first; an end's frame is the link's own. None: all leaf
            links that a joint moves.

    Raises:
        KeyError: there is no such link.
        SkeletonError: there is no movable joint, or none moves an end.
    """
    movers: list[int] = []  # index of the joint that moves each link; -1 for the base
    frames: list[Transform] = []  # frame of each link in that joint's frame
    joints: list[solver.Joint] = []
    names: list[str] = []
    for branch in tree.branches:
        mover, frame = (
            (movers[branch.parent], frames[branch.parent]) if branch.parent >= 0 else (-1, IDENTITY_TRANSFORM)
        )
        frame = frame.then(branch.before)
        if branch.joint is not None and branch.joint.is_movable:
            joints.append(_joint(branch.joint, mover, frame, branch.axis))
            names.append(branch.joint.name)
            mover, frame = len(joints) - 1, IDENTITY_TRANSFORM
        movers.append(mover)
        frames.append(frame.then(branch.after))
    index = {branch.link: k for k, branch in enumerate(tree.branches)}
    end_indices = [index[name] for name in ends] or [
        k for k, below in enumerate(tree.children) if not below and movers[k] >= 0
    ]
    end_frames = [
        solver.End(movers[k], frames[k].rotation, frames[k].offset, tree.branches[k].link)
        for k in end_indices
    ]
    for end in end_frames:
        if end.joint < 0:
            raise solver.SkeletonError(
                f"no joint moves link '{end.name}' against the root link '{tree.root}': choose another end"
            )
    tool, *more = end_frames or [solver.End(-1)]  # without a joint, Skeleton's own error says what is missing
    skeleton = solver.Skeleton(tuple(joints), tool.rotation, tool.offset, tool.joint, tuple(more))
    return RobotSkeleton(
        skeleton, tuple(names), tuple(end.name for end in end_frames), _relations(tree.joints)
    )


def _joint(joint: Joint, parent: int, frame: Transform, axis: Vector) -> solver.Joint:
    lower, upper = joint.finite_limits
    built = solver.Joint(
        joint.name,
        parent,
        frame.rotation,
        frame.offset,
        axis,
        lower,
        upper,
        "revolute" if joint.is_rotary else "prismatic",
    )
    return replace(built, velocity=joint.velocity) if joint.velocity else built


def _relations(joints: Sequence[Joint]) -> tuple[Relation, ...]:
    """Relation of each mimic joint to the independent leader at the end of its chain of mimic joints."""
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


def body(tree: Tree, floating: bool = True, further: Sequence[Coupling] = ()) -> Body:
    """Body of all movable joints, in the tree's order, and of all links. Its base is the tree's root link.

    Joints without limits remain unlimited; mimic joints are coupled with their leaders, in addition to the
    couplings `further`.

    Raises:
        SkeletonError: there is no movable joint.
    """
    moved: list[bool] = []  # whether a joint moves each link
    for branch in tree.branches:
        moves = branch.joint is not None and branch.joint.is_movable
        moved.append(moves or (branch.parent >= 0 and moved[branch.parent]))
    built = build(tree, [branch.link for branch, moves in zip(tree.branches, moved, strict=True) if moves])
    at_zero = zip(tree.branches, tree.frames({}), moved, strict=True)
    ends = [replace(end, name=name) for end, name in zip(built.skeleton.ends, built.ends, strict=True)]
    still = [
        solver.End(-1, frame.rotation, frame.offset, branch.link)
        for branch, frame, moves in at_zero
        if not moves
    ]
    lower = [-inf if joint.lower is None else joint.lower for joint in tree.joints]
    upper = [inf if joint.upper is None else joint.upper for joint in tree.joints]
    names = built.names
    couplings = [
        Coupling(
            f"{names[joint]} follows {names[leader]}",
            {names[joint]: 1.0, names[leader]: -multiplier},
            offset,
            offset,
        )
        for joint, leader, multiplier, offset in built.relations
    ]
    return Body(built.skeleton.joints, [*still, *ends], floating, lower, upper, [*couplings, *further])
