"""Bones for a robot's links: one bone per link, with the joint's axis along one of the bone's axes.

A bone begins at the joint and points to the next joint as far as the joint's axis allows. Its shape does not
affect the kinematics, which the tree defines.
"""

from dataclasses import dataclass
from math import pi

from ..solvers.kinematics import rotations
from ..solvers.kinematics.rotations import (
    Quaternion,
    Vector,
    cross,
    dot,
    length,
    reject,
    scale,
    subtract,
    unit,
)
from .model import Robot
from .tree import LinkTree

# cosine of the angle (37 degrees) within which an axis counts as along the bone: such a joint axis becomes
# the bone's Y (a twist), others become X (a hinge); instead of the link's z axis its x axis is used
ALONG = 0.8
SAME_PLACE = 1e-3  # share of the robot's size within which two joints are at the same position
# shortest bone, as a share of the robot's size: shorter ones lose their direction in single precision, and
# cannot be clicked
SHORTEST = 0.04
# longest bone of a leaf link, whose end is not in the file, as a share of the robot's size
LONGEST_TIP = 0.25
SMALLEST_ROBOT = 0.01  # [m] smallest size that a robot counts as, even if all links are at one position
# Blender derives a bone's axes from its direction relative to its parent's in single precision, and loses
# digits as the two become opposite: the error grows from 1e-6 rad at this bound to 2.5e-4 rad
# (`vec_roll_to_mat3_normalized`).
FOLDED = -0.85  # cosine of the largest angle between a bone and its parent
# [rad] angles about the joint's axis by which a bone that would point back is rotated, in the order of trying
ASIDE = (0.0, pi / 4, -pi / 4, pi / 2)
# cosine of the angle (2.6 degrees) within which two directions count as parallel; 1 - SNAP is the largest
# cosine of two that count as perpendicular
SNAP = 0.999


@dataclass(frozen=True)
class BoneShape:
    """Bone of a link, in the root link's frame with all joints at 0."""

    head: Vector  # [m] position of the bone's head
    rotation: Quaternion  # orientation of the bone's axes; the bone points along its Y
    length: float  # [m] length from head to tail
    axis: str  # axis of the bone about or along which the joint moves: "X", "Y"; "" for a fixed link
    # -1 if the joint's axis is opposite to the bone's, so that its value is the negative of the bone's
    sign: int = 1


def bone_shapes(robot: Robot, tree: LinkTree) -> tuple[BoneShape, ...]:
    """Bone shapes of all links, in the tree's order."""
    return _BoneLayout(robot, tree).shapes()


class _BoneLayout:
    """Shapes of all bones of a robot. Lists have one entry per branch of the tree; positions and directions
    are in the root link's frame, with all joints at 0.
    """

    def __init__(self, robot: Robot, tree: LinkTree) -> None:
        self.robot, self.tree = robot, tree
        self.frames = tree.frames({})
        self.joint_frames = [
            self.frames[branch.parent].then(branch.before) if branch.parent >= 0 else frame
            for branch, frame in zip(tree.branches, self.frames, strict=True)
        ]
        self.heads = [frame.offset for frame in self.joint_frames]
        self.tips = [self._tip(k) for k in range(len(tree.branches))]
        points = [*self.heads, *(tip for tip in self.tips if tip is not None)]
        spans = [max(point[i] for point in points) - min(point[i] for point in points) for i in range(3)]
        self.size = max(rotations.length((spans[0], spans[1], spans[2])), SMALLEST_ROBOT)
        self.weight = [1] * len(tree.branches)  # number of links in each link's subtree
        for k in range(len(tree.branches) - 1, 0, -1):
            self.weight[tree.branches[k].parent] += self.weight[k]
        # point to which each bone points, from the leaves to the root: the next joint at another position
        self.goals: list[Vector | None] = [None] * len(tree.branches)
        for k in reversed(range(len(tree.branches))):
            self.goals[k] = self._goal(k)
        self.directions: list[Vector] = []  # directions of the links, from the root to the leaves
        for k in range(len(tree.branches)):
            self.directions.append(self._direction(k))

    def _tip(self, k: int) -> Vector | None:
        """Middle of a leaf link: its centre of mass, else the mean position of its visuals; None if neither
        is known, and for other links.
        """
        branch = self.tree.branches[k]
        if self.tree.children[k]:
            return None
        if branch.inertial is not None and branch.inertial.mass > 0.0 and any(branch.inertial.origin.offset):
            return self.frames[k].point(branch.inertial.origin.offset)
        visuals = [visual.origin.offset for visual in self.robot.link[branch.link].visuals]
        if not visuals:
            return None
        middle = tuple(sum(offset[i] for offset in visuals) / len(visuals) for i in range(3))
        return self.frames[k].point((middle[0], middle[1], middle[2]))

    def _goal(self, k: int) -> Vector | None:
        """Point to which the bone of branch k points; None if nothing defines it."""
        near = SAME_PLACE * self.size
        below = sorted(self.tree.children[k], key=lambda child: -self.weight[child])
        for child in below:
            if length(subtract(self.heads[child], self.heads[k])) > near:
                return self.heads[child]
        for goal in (*(self.goals[child] for child in below), self.tips[k]):
            if goal is not None and length(subtract(goal, self.heads[k])) > near:
                return goal
        return None

    def shapes(self) -> tuple[BoneShape, ...]:
        """Bones of all links."""
        drawn: list[BoneShape] = []
        for k, branch in enumerate(self.tree.branches):
            above = rotations.rotate(drawn[branch.parent].rotation, rotations.Y) if k else rotations.Y
            drawn.append(self._shape(k, above))
        return tuple(drawn)

    def _shape(self, k: int, above: Vector) -> BoneShape:
        """Bone of branch k; `above` is the direction of its parent's bone, for the root the armature's Y."""
        branch, link_axes, direction = self.tree.branches[k], self._own_axes(k), self.directions[k]
        is_leaf = not self.tree.children[k]
        letter, sign = "", 1
        if branch.joint is None or not branch.joint.is_movable:
            # the bone of a fixed leaf link has the link's own axes, so that a camera can look along one of
            # them
            candidates = (
                (link_axes[1], link_axes[2], link_axes[0])
                if is_leaf
                else (direction, rotations.perpendicular(above))
            )
            rotation = _pointing(next(each for each in candidates if not _folds_back(each, above)), link_axes)
        else:
            axis = rotations.rotate(self.joint_frames[k].rotation, branch.axis)
            backwards = -1 if dot(axis, direction) < 0.0 else 1
            along = scale(axis, backwards)
            if dot(along, direction) > ALONG and not _folds_back(along, above):
                letter, sign, rotation = "Y", backwards, _pointing(along, link_axes)
            else:
                letter, rotation = (
                    "X",
                    _hinge(
                        axis,
                        _across(_snapped(direction, axis, link_axes) if is_leaf else direction, axis, above),
                    ),
                )
        return BoneShape(self.heads[k], rotation, self._length(k, rotation), letter, sign)

    def _own_axes(self, k: int) -> tuple[Vector, Vector, Vector]:
        """x, y and z axis of the link's frame."""
        x, y, z = (
            rotations.rotate(self.frames[k].rotation, axis)
            for axis in (rotations.X, rotations.Y, rotations.Z)
        )
        return x, y, z

    def _direction(self, k: int) -> Vector:
        """Unit vector along the link, to its goal. Without a goal it is away from the parent's head or, if
        both heads coincide, the parent's direction; for the root, up.
        """
        goal, above = self.goals[k], self.tree.branches[k].parent
        if goal is not None:
            return unit(subtract(goal, self.heads[k]))
        if above < 0:
            return rotations.Z
        step = subtract(self.heads[k], self.heads[above])
        return unit(step) if length(step) > SAME_PLACE * self.size else self.directions[above]

    def _length(self, k: int, rotation: Quaternion) -> float:
        """Length of the bone [m], at least `SHORTEST`: up to the joint that it points to; for a leaf link
        twice the distance of its middle, at most `LONGEST_TIP` (both shares of the robot's size); else
        `SHORTEST`.
        """
        children = [child for child in self.tree.children[k] if self.heads[child] == self.goals[k]]
        goal, shortest = self.goals[k], SHORTEST * self.size
        if goal is None or (self.tree.children[k] and not children):
            return shortest
        along = abs(dot(subtract(goal, self.heads[k]), rotations.rotate(rotation, rotations.Y)))
        return max(along if children else min(2.0 * along, LONGEST_TIP * self.size), shortest)


def _folds_back(direction: Vector, above: Vector) -> bool:
    """Whether a bone in this direction would point back along its parent bone, where Blender computes its
    axes imprecisely.
    """
    return dot(direction, above) < FOLDED


def _across(direction: Vector, axis: Vector, above: Vector) -> Vector:
    """Unit vector perpendicular to the axis and nearest to the direction; if a bone along it would fold back,
    it is rotated about the axis by the first of `ASIDE` with which the bone does not.
    """
    straight = unit(
        reject(direction if abs(dot(direction, axis)) < SNAP else rotations.perpendicular(axis), axis)
    )
    for angle in ASIDE:
        candidate = rotations.rotate(rotations.about(axis, angle), straight)
        if not _folds_back(candidate, above):
            return candidate
    return straight


def _hinge(axis: Vector, y: Vector) -> Quaternion:
    """Rotation with X along the axis and Y along `y`; both are unit vectors and perpendicular."""
    return rotations.from_axes(axis, y, cross(axis, y))


def _pointing(direction: Vector, link_axes: tuple[Vector, Vector, Vector]) -> Quaternion:
    """Rotation with Y along the direction, and Z nearest to the link's z axis, or to its x axis if z is
    within 37 degrees of the direction or its opposite.
    """
    z = unit(reject(link_axes[2] if abs(dot(link_axes[2], direction)) < ALONG else link_axes[0], direction))
    return rotations.from_axes(cross(direction, z), direction, z)


def _snapped(direction: Vector, axis: Vector, link_axes: tuple[Vector, Vector, Vector]) -> Vector:
    """Of the `link_axes` perpendicular to the joint's `axis`, and their opposites, the one nearest to
    `direction`; `direction` itself if `axis` is along none of them.
    """
    if not any(abs(dot(a, axis)) > SNAP for a in link_axes):
        return direction
    across = [scale(a, sign) for a in link_axes for sign in (1.0, -1.0) if abs(dot(a, axis)) < 1.0 - SNAP]
    return max(across, key=lambda a: dot(a, direction)) if across else direction
