"""A robot's tree as the solvers' skeleton, and joint values by name to and from its angles. Knows no Blender."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import pi
from typing import NamedTuple

from ..solvers import skeleton as solver
from ..solvers.rotations import Vector
from .model import Joint
from .transform import STILL, Transform
from .tree import Tree

# Solvers want finite limits. Of what a file leaves unlimited:
TURNS = 4 * pi  # [rad] two whole turns either way: every pose is there, and a target may go round before the joint has to turn back
SLIDE = 1.0  # [m] either way


class Relation(NamedTuple):
    """A joint that follows another: angles[joint] = multiplier * angles[leader] + offset. The leader follows none."""

    joint: int
    leader: int
    multiplier: float
    offset: float  # [rad or m]


@dataclass(frozen=True)
class RobotSkeleton:
    """The skeleton of all joints that move, in its root link's frame."""

    skeleton: solver.Skeleton
    names: tuple[str, ...]  # of the joints
    ends: tuple[str, ...]  # the links that are its ends
    relations: tuple[Relation, ...] = ()

    def complete(self, angles: Sequence[float]) -> tuple[float, ...]:
        """`angles` (n,) with those of following joints as their leaders' make them."""
        found = [float(angle) for angle in angles]
        for joint, leader, multiplier, offset in self.relations:
            found[joint] = multiplier * found[leader] + offset
        return tuple(found)

    def angles(self, values: Mapping[str, float]) -> tuple[float, ...]:
        """Values by name [rad or m] as angles (n,); missing ones are 0, following ones follow.

        Raises:
            KeyError: a name that no joint has.
        """
        unknown = [name for name in values if name not in self.names]
        if unknown:
            raise KeyError(f"no joint '{unknown[0]}': the joints are {', '.join(self.names)}")
        return self.complete([values.get(name, 0.0) for name in self.names])

    def values(self, angles: Sequence[float]) -> dict[str, float]:
        """Angles (n,) by the joints' names."""
        return dict(zip(self.names, map(float, angles), strict=True))


def limits(joint: Joint) -> tuple[float, float]:
    """Smallest and largest value [rad or m] of a joint, finite."""
    most = TURNS if joint.turns else SLIDE
    lower = joint.lower if joint.lower is not None else min(-most, joint.upper if joint.upper is not None else 0.0)
    return lower, joint.upper if joint.upper is not None else max(most, lower)


def build(tree: Tree, ends: Sequence[str] = ()) -> RobotSkeleton:
    """The skeleton of a tree.

    Args:
        tree: Links and joints.
        ends: Links that are ends, the tool first. An end's frame is the link's own. None: all links without children that a joint moves.

    Raises:
        KeyError: there is no such link.
        SkeletonError: no joint moves, or none moves an end.
    """
    carriers: list[int] = []  # of each link: the joint that carries it, -1 the base
    places: list[Transform] = []  # the link's frame in its carrier's
    joints: list[solver.Joint] = []
    names: list[str] = []
    for branch in tree.branches:
        carrier, place = (carriers[branch.parent], places[branch.parent]) if branch.parent >= 0 else (-1, STILL)
        place = place.then(branch.before)
        if branch.joint is not None and branch.joint.moves:
            joints.append(_joint(branch.joint, carrier, place, branch.axis))
            names.append(branch.joint.name)
            carrier, place = len(joints) - 1, STILL
        carriers.append(carrier)
        places.append(place.then(branch.after))
    wanted = [tree.index[name] for name in ends] or [k for k, below in enumerate(tree.children) if not below and carriers[k] >= 0]
    found = [solver.End(carriers[k], places[k].rotation, places[k].offset, tree.branches[k].link) for k in wanted]
    for end in found:
        if end.joint < 0:
            raise solver.SkeletonError(f"no joint moves link '{end.name}' against the root link '{tree.root}': choose another end")
    tool, *more = found or [solver.End(-1)]  # without a joint Skeleton itself says what is missing
    skeleton = solver.Skeleton(tuple(joints), tool.rotation, tool.offset, tool.joint, tuple(more))
    return RobotSkeleton(skeleton, tuple(names), tuple(end.name for end in found), _relations(tree.joints))


def _joint(joint: Joint, parent: int, place: Transform, axis: Vector) -> solver.Joint:
    lower, upper = limits(joint)
    built = solver.Joint(joint.name, parent, place.rotation, place.offset, axis, lower, upper, "revolute" if joint.turns else "prismatic")
    return replace(built, velocity=joint.velocity) if joint.velocity else built


def _relations(joints: Sequence[Joint]) -> tuple[Relation, ...]:
    """What each mimic joint follows in the end, through those that mimic in turn."""
    row = {joint.name: k for k, joint in enumerate(joints)}
    found = []
    for k, joint in enumerate(joints):
        if joint.mimic is None:
            continue
        leader, multiplier, offset = joints[row[joint.mimic.joint]], joint.mimic.multiplier, joint.mimic.offset
        while leader.mimic is not None:
            multiplier, offset = multiplier * leader.mimic.multiplier, multiplier * leader.mimic.offset + offset
            leader = joints[row[leader.mimic.joint]]
        found.append(Relation(k, row[leader.name], multiplier, offset))
    return tuple(found)
