"""How links are drawn as bones: one bone a link, the joint's axis one of its own axes. Knows no Blender.

A bone begins at the joint's place and points to the next joint as well as its axis lets it. What is drawn says nothing of the kinematics:
that stays with the tree.
"""

from dataclasses import dataclass
from math import pi

from ..solvers import rotations
from ..solvers.rotations import Quaternion, Vector, cross, dot, length, reject, scale, subtract, unit
from .model import Robot
from .tree import Tree

ALONG = 0.8  # cosine: an axis nearer than this (37 degrees) to the bone's way is its Y, about which it twists; else it is a hinge's, X
SAME_PLACE = 1e-3  # of the robot's size: joints nearer to each other than this stand at one place
SHORTEST = 0.04  # of the robot's size: single precision keeps the direction of a shorter bone less well, and nobody can click it
LONGEST_TIP = 0.25  # of the robot's size: of a last link, whose end the file does not tell
SMALLEST_ROBOT = 0.01  # [m] where all links are at one place
# Blender derives a bone's axes from its way relative to its parent's in single precision, and loses digits as the two become opposite:
# from 1e-6 rad here to 2.5e-4 rad where they nearly are (`vec_roll_to_mat3_normalized`).
FOLDED = -0.85  # cosine: no bone points back along its parent's by more than this
ASIDE = (0.0, pi / 4, -pi / 4, pi / 2)  # [rad] about the joint's axis: other ways to draw a bone that would
SNAP = 0.999  # cosine: an axis nearer than this (2.6 degrees) to a link's own is taken for it when the other two are chosen


@dataclass(frozen=True)
class BoneShape:
    """A link's bone, in the root link's frame with all joints at 0."""

    head: Vector  # [m]
    rotation: Quaternion  # of its own axes; it points along its Y
    length: float  # [m]
    axis: str  # the letter of the axis about which, or along which, its joint moves it; "" for none
    sign: int = 1  # -1: the joint's axis is the bone's, backwards: values of the joint are the bone's with the other sign


def bone_shapes(robot: Robot, tree: Tree) -> tuple[BoneShape, ...]:
    """A bone for each link, in the tree's order."""
    return _Drawing(robot, tree).shapes()


class _Drawing:
    def __init__(self, robot: Robot, tree: Tree) -> None:
        self.robot, self.tree = robot, tree
        self.frames = tree.frames({})
        self.joint_frames = [
            self.frames[branch.parent].then(branch.before) if branch.parent >= 0 else frame
            for branch, frame in zip(tree.branches, self.frames, strict=True)
        ]
        self.heads = [frame.offset for frame in self.joint_frames]
        self.tips = [self._tip(k) for k in range(len(tree.branches))]
        places = [*self.heads, *(tip for tip in self.tips if tip is not None)]
        spans = [max(place[i] for place in places) - min(place[i] for place in places) for i in range(3)]
        self.size = max(rotations.length((spans[0], spans[1], spans[2])), SMALLEST_ROBOT)
        self.weight = [1] * len(tree.branches)  # links from this one on
        for k in range(len(tree.branches) - 1, 0, -1):
            self.weight[tree.branches[k].parent] += self.weight[k]
        # Where the bone points, from the leaves in: past joints at its own place to the next one that is elsewhere.
        self.goals: list[Vector | None] = [None] * len(tree.branches)
        for k in reversed(range(len(tree.branches))):
            self.goals[k] = self._goal(k)

    def _tip(self, k: int) -> Vector | None:
        """Where a last link is, as far as the file tells: its centre of mass, else the middle of its visuals."""
        branch = self.tree.branches[k]
        if self.tree.children[k]:
            return None
        if branch.inertial is not None and branch.inertial.mass > 0.0 and any(branch.inertial.origin.offset):
            return self.frames[k].point(branch.inertial.origin.offset)
        visuals = [visual.origin.offset for visual in self.robot.link[branch.link].visuals]
        if not visuals:
            return None
        middle = tuple(sum(place[i] for place in visuals) / len(visuals) for i in range(3))
        return self.frames[k].point((middle[0], middle[1], middle[2]))

    def _goal(self, k: int) -> Vector | None:
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
        drawn: list[BoneShape] = []
        for k, branch in enumerate(self.tree.branches):
            above = rotations.rotate(drawn[branch.parent].rotation, rotations.Y) if k else rotations.Y
            drawn.append(self._shape(k, above))
        return tuple(drawn)

    def _shape(self, k: int, above: Vector) -> BoneShape:
        """The bone of a link; `above` is the way in which its parent's bone points; of the root the armature's own Y."""
        branch, own, way = self.tree.branches[k], self._own_axes(k), self._way(k)
        is_last = not self.tree.children[k]
        letter, sign = "", 1
        if branch.joint is None or not branch.joint.moves:
            # A last link has its own axes: what looks along one of them can say so.
            ways = (own[1], own[2], own[0]) if is_last else (way, rotations.perpendicular(above))
            rotation = _pointing(next(one for one in ways if not _folds_back(one, above)), own)
        else:
            axis = rotations.rotate(self.joint_frames[k].rotation, branch.axis)
            backwards = -1 if dot(axis, way) < 0.0 else 1
            along = scale(axis, backwards)
            if dot(along, way) > ALONG and not _folds_back(along, above):
                letter, sign, rotation = "Y", backwards, _pointing(along, own)
            else:
                letter, rotation = "X", _hinge(axis, _across(_snapped(way, axis, own) if is_last else way, axis, above))
        return BoneShape(self.heads[k], rotation, self._length(k, rotation), letter, sign)

    def _own_axes(self, k: int) -> tuple[Vector, Vector, Vector]:
        turned = self.frames[k].rotation
        return rotations.rotate(turned, rotations.X), rotations.rotate(turned, rotations.Y), rotations.rotate(turned, rotations.Z)

    def _way(self, k: int) -> Vector:
        """The unit vector along which the link runs; where nothing tells it, on from the link before, else up."""
        while k >= 0:
            goal = self.goals[k]
            if goal is not None:
                return unit(subtract(goal, self.heads[k]))
            above = self.tree.branches[k].parent
            if above >= 0 and length(subtract(self.heads[k], self.heads[above])) > SAME_PLACE * self.size:
                return unit(subtract(self.heads[k], self.heads[above]))
            k = above
        return rotations.Z

    def _length(self, k: int, rotation: Quaternion) -> float:
        """To the next joint, where it is elsewhere; a last link's to twice its middle; never too short to see."""
        children = [child for child in self.tree.children[k] if self.heads[child] == self.goals[k]]
        goal, shortest = self.goals[k], SHORTEST * self.size
        if goal is None or (self.tree.children[k] and not children):
            return shortest
        along = abs(dot(subtract(goal, self.heads[k]), rotations.rotate(rotation, rotations.Y)))
        return max(along if children else min(2.0 * along, LONGEST_TIP * self.size), shortest)


def _folds_back(way: Vector, above: Vector) -> bool:
    """Whether a bone would point back along its parent's, which Blender cannot draw precisely."""
    return dot(way, above) < FOLDED


def _across(way: Vector, axis: Vector, above: Vector) -> Vector:
    """The unit vector across the axis that is nearest the way and does not fold back."""
    straight = unit(reject(way if abs(dot(way, axis)) < SNAP else rotations.perpendicular(axis), axis))
    for angle in ASIDE:
        found = rotations.rotate(rotations.about(axis, angle), straight)
        if not _folds_back(found, above):
            return found
    return straight


def _hinge(axis: Vector, y: Vector) -> Quaternion:
    """X along the axis, Y across it."""
    return rotations.from_axes(axis, y, cross(axis, y))


def _pointing(way: Vector, own: tuple[Vector, Vector, Vector]) -> Quaternion:
    """Y along the way, Z as near as can be to the link's own z, or to its x where z is the way."""
    z = unit(reject(own[2] if abs(dot(own[2], way)) < ALONG else own[0], way))
    return rotations.from_axes(cross(way, z), way, z)


def _snapped(way: Vector, axis: Vector, own: tuple[Vector, Vector, Vector]) -> Vector:
    """Of the link's own axes across the joint's axis the one nearest the way, so that a last link can look along each of its own axes."""
    if not any(abs(dot(one, axis)) > SNAP for one in own):
        return way
    across = [scale(one, sign) for one in own for sign in (1.0, -1.0) if abs(dot(one, axis)) < 1.0 - SNAP]
    return max(across, key=lambda one: dot(one, way)) if across else way
