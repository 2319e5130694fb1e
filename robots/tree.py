"""A robot's links from a chosen root, and where they are: forward kinematics in doubles. Knows no Blender.

A joint that is walked against its own direction keeps its name and its values: the way back from child to parent is a turn by the same
value about the opposite axis, with the joint's origin, backwards, after it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ..solvers.rotations import Vector, scale
from .errors import UnknownNameError
from .model import Inertial, Joint, Robot
from .transform import STILL, Transform, slide, turn


@dataclass(frozen=True)
class Branch:
    """A link and the way to it from the link on which it hangs."""

    link: str
    parent: int = -1  # index of that link's branch; -1: this link is the root
    joint: Joint | None = None  # None: the root's
    before: Transform = STILL  # the joint's frame in the parent link's
    axis: Vector = (1.0, 0.0, 0.0)  # unit, in the joint's frame, the way in which it counts here
    after: Transform = STILL  # the link's frame in the joint's, once that has moved
    inertial: Inertial | None = None

    def step(self, value: float) -> Transform:
        """The link's frame in the parent link's, for the joint's value [rad or m]."""
        if not value or self.joint is None or not self.joint.moves:
            return self.before.then(self.after)
        move = turn(self.axis, value) if self.joint.turns else slide(self.axis, value)
        return self.before.then(move).then(self.after)


@dataclass(frozen=True)
class Tree:
    """Links, the root first, parents before their children, in the file's order."""

    branches: tuple[Branch, ...]

    @property
    def root(self) -> str:
        return self.branches[0].link

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """Those that move, in the order of their links."""
        return tuple(branch.joint for branch in self.branches if branch.joint is not None and branch.joint.moves)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        found: list[list[int]] = [[] for _ in self.branches]
        for k, branch in enumerate(self.branches[1:], 1):
            found[branch.parent].append(k)
        return tuple(map(tuple, found))

    def resting(self) -> dict[str, float]:
        """Every joint's value [rad or m] nearest to 0 that its limits allow; of those that mimic, what follows from it."""
        free = {joint.name: joint.nearest(0.0) for joint in self.joints if joint.mimic is None}
        return self.complete(free)

    def complete(self, values: Mapping[str, float]) -> dict[str, float]:
        """Values of all joints that move: those of mimic joints from the joints that they follow, missing ones 0.

        Raises:
            KeyError: a name that no joint has.
        """
        named = {joint.name: joint for joint in self.joints}
        unknown = [name for name in values if name not in named]
        if unknown:
            raise KeyError(f"no joint '{unknown[0]}': the joints are {', '.join(named)}")

        found: dict[str, float] = {}
        for joint in self.joints:
            line = [joint]  # from a joint to the one that it follows in the end
            while line[-1].mimic is not None and line[-1].name not in found:
                line.append(named[line[-1].mimic.joint])
            for follower in reversed(line):
                mimic = follower.mimic
                if follower.name not in found:
                    value = values.get(follower.name, 0.0) if mimic is None else mimic.multiplier * found[mimic.joint] + mimic.offset
                    found[follower.name] = float(value)
        return {name: found[name] for name in named}

    def frames(self, values: Mapping[str, float]) -> tuple[Transform, ...]:
        """Frames of the links in the root's, in the tree's order; a joint whose value is missing is at 0."""
        found: list[Transform] = []
        for branch in self.branches:
            step = branch.step(values.get(branch.joint.name, 0.0) if branch.joint else 0.0)
            found.append(found[branch.parent].then(step) if branch.parent >= 0 else STILL)
        return tuple(found)


def grow(robot: Robot, root: str = "") -> Tree:
    """The robot's tree from a link, or from the file's own root.

    Raises:
        UnknownNameError: it has no such link.
    """
    root = root or robot.root
    if root not in robot.link:
        raise UnknownNameError(robot.file, 0, "", f"there is no link '{root}' to be the root: its links are {', '.join(robot.link)}")
    ways: dict[str, list[Joint]] = {name: [] for name in robot.link}
    for joint in robot.joints:
        ways[joint.parent].append(joint)
        ways[joint.child].append(joint)
    branches: list[Branch] = []
    waiting: list[tuple[str, int, Joint | None]] = [(root, -1, None)]
    while waiting:
        link, parent, came = waiting.pop()
        branches.append(_branch(robot, link, parent, came))
        here = len(branches) - 1
        onward = [joint for joint in ways[link] if joint is not came]
        waiting += [(joint.child if joint.parent == link else joint.parent, here, joint) for joint in reversed(onward)]
    return Tree(tuple(branches))


def _branch(robot: Robot, link: str, parent: int, joint: Joint | None) -> Branch:
    inertial = robot.link[link].inertial
    if joint is None:
        return Branch(link, inertial=inertial)
    if joint.child == link:
        return Branch(link, parent, joint, joint.origin, joint.axis, STILL, inertial)
    return Branch(link, parent, joint, STILL, scale(joint.axis, -1.0), joint.origin.inverse(), inertial)
