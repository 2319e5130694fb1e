"""A robot's links as a tree from any chosen root link, and its forward kinematics.

A joint that the new root reverses keeps its name and its values: from child to parent it moves by the same
value about the opposite axis, followed by the inverse of its origin.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ..solvers.kinematics.rotations import Vector, scale
from .errors import UnknownNameError
from .model import Inertial, ModelJoint, Robot
from .transform import IDENTITY_TRANSFORM, Transform, rotation, translation


@dataclass(frozen=True)
class TreeBranch:
    """Branch of the tree: a link with the joint that connects it to its parent link."""

    link: str
    parent: int = -1  # index of the parent link's branch; -1 for the root
    joint: ModelJoint | None = None  # joint to the parent; None for the root
    before: Transform = IDENTITY_TRANSFORM  # pose of the joint's frame in the parent link's
    axis: Vector = (1.0, 0.0, 0.0)  # unit vector in the joint's frame, reversed if the joint is
    after: Transform = IDENTITY_TRANSFORM  # pose of the link's frame in the joint's moved frame
    inertial: Inertial | None = None

    def step(self, value: float) -> Transform:
        """Pose of the link's frame in the parent link's, for a joint value [rad or m]."""
        if not value or self.joint is None or not self.joint.is_movable:
            return self.before.then(self.after)
        move = rotation(self.axis, value) if self.joint.is_rotary else translation(self.axis, value)
        return self.before.then(move).then(self.after)


@dataclass(frozen=True)
class LinkTree:
    """A robot's links as branches, depth first from the root: parents before their children, and the children
    of one link in the file's order.
    """

    branches: tuple[TreeBranch, ...]

    @property
    def root(self) -> str:
        """Name of the root link."""
        return self.branches[0].link

    @cached_property
    def joints(self) -> tuple[ModelJoint, ...]:
        """Movable joints, in the order of their links."""
        return tuple(
            branch.joint for branch in self.branches if branch.joint is not None and branch.joint.is_movable
        )

    def above(self, link: str) -> list[str]:
        """Names of a link and its ancestors, from the link up to the root."""
        index = next(k for k, branch in enumerate(self.branches) if branch.link == link)
        names = []
        while index >= 0:
            names.append(self.branches[index].link)
            index = self.branches[index].parent
        return names

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each branch the indices of its child branches."""
        child_indices: list[list[int]] = [[] for _ in self.branches]
        for k, branch in enumerate(self.branches[1:], 1):
            child_indices[branch.parent].append(k)
        return tuple(map(tuple, child_indices))

    def resting(self) -> dict[str, float]:
        """Rest pose: each joint's value [rad or m] nearest to 0 within its limits; mimic joints follow their
        leaders.
        """
        free = {joint.name: joint.clamp(0.0) for joint in self.joints if joint.mimic is None}
        return self.complete(free)

    def complete(self, values: Mapping[str, float]) -> dict[str, float]:
        """Values of all movable joints [rad or m]: mimic joints computed from their leaders, missing ones 0.

        Raises:
            KeyError: a name in `values` is not that of a joint.
        """
        named = {joint.name: joint for joint in self.joints}
        unknown = [name for name in values if name not in named]
        if unknown:
            raise KeyError(f"no joint '{unknown[0]}': the joints are {', '.join(named)}")

        joint_values: dict[str, float] = {}
        for joint in self.joints:
            line = [joint]  # the joint, its leader, and so on to the last leader
            while line[-1].mimic is not None and line[-1].name not in joint_values:
                line.append(named[line[-1].mimic.joint])
            for follower in reversed(line):
                mimic = follower.mimic
                if follower.name not in joint_values:
                    value = (
                        values.get(follower.name, 0.0)
                        if mimic is None
                        else mimic.multiplier * joint_values[mimic.joint] + mimic.offset
                    )
                    joint_values[follower.name] = float(value)
        return {name: joint_values[name] for name in named}

    def frames(self, values: Mapping[str, float]) -> tuple[Transform, ...]:
        """Forward kinematics: poses of the links in the root's frame, in the tree's order, for joint values
        [rad or m]. Missing ones are 0, also those of mimic joints.
        """
        poses: list[Transform] = []
        for branch in self.branches:
            step = branch.step(values.get(branch.joint.name, 0.0) if branch.joint else 0.0)
            poses.append(poses[branch.parent].then(step) if branch.parent >= 0 else IDENTITY_TRANSFORM)
        return tuple(poses)


def build_tree(robot: Robot, root: str = "") -> LinkTree:
    """Tree of a robot from a root link; without one, from the file's own root.

    Raises:
        UnknownNameError: the robot has no such link.
    """
    root = root or robot.root
    if root not in robot.link:
        raise UnknownNameError(
            robot.file,
            0,
            "",
            f"there is no link '{root}' to be the root: choose one of {', '.join(robot.link)}",
        )
    # from another root than the file's, some joints are passed from child to parent
    joints_at: dict[str, list[ModelJoint]] = {name: [] for name in robot.link}
    for joint in robot.joints:
        joints_at[joint.parent].append(joint)
        joints_at[joint.child].append(joint)
    branches: list[TreeBranch] = []
    waiting: list[tuple[str, int, ModelJoint | None]] = [(root, -1, None)]
    while waiting:
        link, parent, joint_to_link = waiting.pop()
        branches.append(_branch(robot, link, parent, joint_to_link))
        index = len(branches) - 1
        onward = [joint for joint in joints_at[link] if joint is not joint_to_link]
        # reversed, since the stack returns the last one first: branches keep the file's order
        waiting += [
            (joint.child if joint.parent == link else joint.parent, index, joint)
            for joint in reversed(onward)
        ]
    return LinkTree(tuple(branches))


def _branch(robot: Robot, link: str, parent: int, joint: ModelJoint | None) -> TreeBranch:
    """Branch of a link; a joint that leads from the link to its parent is reversed."""
    inertial = robot.link[link].inertial
    if joint is None:
        return TreeBranch(link, inertial=inertial)
    if joint.child == link:
        return TreeBranch(link, parent, joint, joint.origin, joint.axis, joint.child_origin, inertial)
    return TreeBranch(
        link,
        parent,
        joint,
        joint.child_origin.inverse(),
        scale(joint.axis, -1.0),
        joint.origin.inverse(),
        inertial,
    )
