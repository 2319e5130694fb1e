"""A skeleton as bones: which joints are one bone, how bones rotate away from an authored pose, and what that
costs.

A bone's joints are revolute joints at one position. Three without limits, and with perpendicular axes, are
one spherical joint, so that no pose of it is singular. A bone's deviation is the rotation vector t from its
authored to its solved orientation, in its own frame. It costs t' K t / 2 with K = (I / i)^p: I is the inertia
of everything that the bone carries (`inertia.py`), and i the trace of the last bone's inertia. Values of the
option `look_from` above its middle lower p; values below it make the rotation of each bone cost more than
that of the next.
"""

import math
from typing import NamedTuple

import numpy as np

from ..expressive.options import ExpressiveOptions
from ..kinematics.rotations import IDENTITY, length, to_matrix
from ..kinematics.se3 import UNIT, Array, hat, logarithm, orthonormal
from ..kinematics.skeleton import SHORTEST_LINK, Angles, Joint, Skeleton, laid_out
from ..kinematics.tree import BASE, Frames, Indices, Tree
from ..tolerances import MET
from .ball_angles import ball_angles, ball_rotation
from .inertia import hanging_inertias, rod_lengths

NO_LIMITS = math.tau - 0.01  # [rad] range from which on a joint counts as unlimited
# power p of the inertia at which bones share a look as animators expect: most in the head, then the neck,
# then the chest
EVEN = 0.25
# if only the last bone is to look (`look_from` 0): factor of cost from each bone to the one before it, and
# largest factor between any two bones
STEEPEST, DEAREST = 100.0, 1e6
LEAST_INERTIA = 1e-6  # smallest inertia, of bones without length, as a fraction of the last bone's
# cost of a single bone about every axis, whatever its inertia: equal costs, so that with a free roll it takes
# the shortest rotation to the target
ALONE = 0.01
# [rad] smallest angle at which the Jacobian's factor is computed; at smaller ones it has the same value, to
# double precision
SMALLEST_ANGLE = 1e-3
FREE_BODY = 1e-4  # factor of the first bone's cost if the body is free to rotate as a whole


class Bone(NamedTuple):
    """Joints that form one bone."""

    joints: tuple[int, ...]  # indices in the skeleton, the one nearest to the parent first
    is_ball: bool  # whether the joints are solved as one spherical joint


class BonePose(NamedTuple):
    """Configuration of a skeleton as bones: joint values (n,) [rad or m], where those of balls are ignored,
    and the balls' rotations (b, 3, 3).
    """

    values: Angles
    balls: Array


class HingedBones:
    """The h bones of a skeleton that are not balls: up to three revolute joints each.

    Attributes:
        numbers: (h,) indices of the bones.
        nodes, parents: (h,) their nodes in the tree, and those of their parents.
    """

    def __init__(self, skeleton: Skeleton, bones: list[Bone], tree: Tree) -> None:
        hinged = [bone for bone in bones if not bone.is_ball]
        above = [skeleton.joints[bone.joints[0]].parent for bone in hinged]
        self.numbers = np.array([k for k, bone in enumerate(bones) if not bone.is_ball], np.intp)
        self.nodes = np.array([tree.held[bone.joints[-1]] for bone in hinged], np.intp)
        self.parents = np.array([tree.held[k] if k >= 0 else 0 for k in above], np.intp)
        # (h, 3) the bones' joints, padded with the first one; and (h, 3, 1) which of them are no padding
        self._joints = np.array(
            [[*bone.joints, *[bone.joints[0]] * (3 - len(bone.joints))] for bone in hinged], np.intp
        ).reshape(-1, 3)
        self._is_joint = np.array([[k < len(bone.joints) for k in range(3)] for bone in hinged]).reshape(
            -1, 3, 1
        )

    def axes(self, frames: Frames) -> Array:
        """Joint axes (h, 3, 3), as columns in the bones' frames; 0 for missing joints."""
        axes = frames.axes[0, self._joints] * self._is_joint
        local: Array = (axes @ frames.nodes[0, self.nodes, :3, :3]).swapaxes(1, 2)
        return local


class BoneModel:
    """One skeleton as a tree of bones.

    Attributes:
        tree: Its joints, with the three of a ball as one; coordinate k is that of the skeleton's joint k.
        lower, upper: (n,) limits [rad; prismatic joints m]; infinite if there are none.
        costs: (k, 3, 3) K of each bone, in its own frame.
        slides: (n,) cost of each prismatic joint's squared displacement [1/m2]; 0 for revolute joints.
        sizes: (e,) [m] size of everything that the bone of each end carries: length of a rod with the same
            inertia.
        hinge_units: (n,) units of the coordinates [rad; prismatic joints m]; infinite for those of balls.
    """

    def __init__(self, skeleton: Skeleton, options: ExpressiveOptions) -> None:
        """The bones of `skeleton`, with the costs that `options` give them; `options.inertias` stand in place
        of the skeleton's own inertias.
        """
        self.skeleton, self.reach = skeleton, skeleton.reach
        joints = skeleton.joints
        self.bones = bones_of(skeleton)
        self.balls = np.array([bone.joints for bone in self.bones if bone.is_ball], np.intp).reshape(-1, 3)
        self.ball_axes = np.array([[joints[k].axis for k in row] for row in self.balls]).reshape(-1, 3, 3)
        self.tree = _tree(skeleton, self.bones)
        lower, upper = np.array(skeleton.lower), np.array(skeleton.upper)
        unlimited = np.array([joint.kind == "revolute" for joint in joints]) & (upper - lower >= NO_LIMITS)
        self.lower, self.upper = np.where(unlimited, -np.inf, lower), np.where(unlimited, np.inf, upper)
        self.is_unlimited = bool(np.isinf(self.lower).all() and np.isinf(self.upper).all())
        self._is_ball = np.array([bone.is_ball for bone in self.bones], bool)
        self._hinged = HingedBones(skeleton, self.bones, self.tree)
        self._entries, self._slopes = self._places()
        self._units, self._pair_weights = skeleton.units, dict[int, Array]()
        self.hinge_units = skeleton.units.astype(float)
        self.hinge_units[self.balls] = np.inf
        inertias = (
            np.array(options.inertias).reshape(-1, 3, 3) if options.inertias else _own_inertias(skeleton)
        )
        self.costs, self.slides = self._costs(options, inertias)
        self.sizes = rod_lengths(inertias[[end.joint for end in skeleton.ends]])

    def length(self, step: Angles) -> float:
        """The largest movement, in magnitude, of a coordinate in a step (n,) [rad, or in fractions of the
        reach].
        """
        return max(map(abs, (step / self._units).tolist()), default=0.0)

    def pair_weights(self, node: int) -> Array:
        """Weights (n, n) of pairs of coordinates in the second derivative of a vector that a node carries: 1
        if the first is nearer to the base, 1/2 if both belong to one ball, where they have no order,
        otherwise 0.
        """
        if node not in self._pair_weights:
            joint, moved = self.tree.joint_of, self.tree.moved_by[node, BASE:]
            pairs = np.where(joint[:, None] < joint, 1.0, np.where(joint[:, None] == joint, 0.5, 0.0))
            self._pair_weights[node] = pairs * (moved[:, None] & moved)
        return self._pair_weights[node]

    def _places(self) -> tuple[tuple[Indices, Indices], tuple[Indices, Indices]]:
        """Flat indices from the products (k, 4, 4) of bones in `quadratic` to the Hessian (n, n) and the
        gradient (n,), each as a pair of indices.
        """
        count = len(self.skeleton)
        entries, slopes = [], []
        for number, bone in enumerate(self.bones):
            for row, first in enumerate(bone.joints):
                slopes.append((first, 16 * number + 4 * row + 3))
                entries += [
                    (count * first + second, 16 * number + 4 * row + column)
                    for column, second in enumerate(bone.joints)
                ]
        into_matrix, into_slope = (np.array(pairs, np.intp).reshape(-1, 2) for pairs in (entries, slopes))
        return (into_matrix[:, 0], into_matrix[:, 1]), (into_slope[:, 0], into_slope[:, 1])

    def _costs(self, options: ExpressiveOptions, inertias: Array) -> tuple[Array, Array]:
        """The attributes `costs` and `slides`, from the inertia (n, 3, 3) [m3] of everything that each joint
        carries.
        """
        skeleton, bones = self.skeleton, self.bones
        share = options.look_from
        of_bones = inertias[[bone.joints[-1] for bone in bones]]
        last = next(
            (k for k, bone in enumerate(bones) if skeleton.ends[0].joint in bone.joints), len(bones) - 1
        )
        sizes, axes = principal_costs(of_bones, last, share)
        if len(bones) == 1:
            sizes = np.full_like(sizes, ALONE)
        if share < 0.5:
            sizes *= np.minimum(STEEPEST ** ((1.0 - 2.0 * share) * _bones_beyond(skeleton, bones)), DEAREST)[
                :, None
            ]
        costs = (axes * sizes[:, None]) @ axes.swapaxes(1, 2)
        weights = np.array([options.weight(bone.joints[0]) for bone in bones])
        if not options.hold_body and bones and bones[0].joints[0] == 0:
            weights[0] *= FREE_BODY
        # A displacement by the reach costs as much as a rotation by one radian of the bone with the largest
        # inertia.
        slides = (
            np.array([(j.kind == "prismatic") * options.weight(k) for k, j in enumerate(skeleton.joints)])
            / self.reach**2
        )
        return costs * weights[:, None, None], slides * float(costs.max(initial=1.0))

    def pose(self, angles: Angles) -> BonePose:
        """The configuration for joint values (n,) [rad or m], clamped to the limits."""
        values = self._within(angles)
        return BonePose(values, ball_rotation(self.ball_axes, values[self.balls]))

    def has(self, pose: BonePose) -> bool:
        """Whether a configuration has as many joints and balls as this skeleton. The same skeleton with other
        limits can have other balls.
        """
        return len(pose.values) == len(self.skeleton) and len(pose.balls) == len(self.balls)

    def frames(self, pose: BonePose) -> Frames:
        """Forward kinematics of one configuration, as a batch of one."""
        return self.tree.forward(pose.values[None], balls=pose.balls[None])

    def moved(self, pose: BonePose, step: Angles) -> BonePose:
        """The configuration after a step (n,) [rad or m] of all coordinates, clamped to the limits."""
        values, balls = self.tree.moved(pose.values, pose.balls, step)
        return BonePose(self._within(values), balls)

    def _within(self, values: Angles) -> Angles:
        """Values (n,) within the limits."""
        return values if self.is_unlimited else np.minimum(np.maximum(values, self.lower), self.upper)

    def deviation(self, authored: BonePose, solved: BonePose) -> BonePose:
        """Difference between a configuration and an authored one: differences of the values, and rotations of
        the balls in their own frames.
        """
        return BonePose(
            solved.values - authored.values, orthonormal(authored.balls.swapaxes(1, 2) @ solved.balls)
        )

    def deviated(self, authored: BonePose, deviation: BonePose) -> BonePose:
        """The configuration that differs from an authored one by `deviation`, clamped to the limits."""
        return BonePose(self._within(authored.values + deviation.values), authored.balls @ deviation.balls)

    def angles(self, pose: BonePose, near: Angles) -> Angles:
        """Joint values (n,) [rad or m] of a configuration; those of balls are the nearest to `near` (n,)."""
        values = pose.values.copy()
        values[self.balls] = ball_angles(self.ball_axes, pose.balls, near[self.balls])
        return values

    def orientations(self, pose: BonePose, frames: Frames) -> Array:
        """Rotation (k, 3, 3) of each bone in its parent's frame; for a ball, relative to its rest pose."""
        if not len(self._hinged.numbers):
            return pose.balls
        relative, node_rotations = np.empty((len(self.bones), 3, 3)), frames.nodes[0, :, :3, :3]
        relative[self._is_ball] = pose.balls
        hinged = self._hinged
        relative[hinged.numbers] = (
            node_rotations[hinged.parents].swapaxes(1, 2) @ node_rotations[hinged.nodes]
        )
        return relative

    def quadratic(self, rotations: Array, frames: Frames, moved: Angles) -> tuple[float, Array, Array]:
        """Quadratic model of the cost of the bones' deviations and of displacements of prismatic joints.

        Args:
            rotations: (k, 3, 3) of each bone from the authored pose, in its own frame.
            frames: Forward kinematics.
            moved: (n,) displacements of the joints from the authored pose; only those of prismatic joints
                count.

        Returns:
            The cost, its Gauss-Newton Hessian (n, n) and its negative gradient (n,).
        """
        count = len(self.skeleton)
        # For each bone, the derivative of its rotation vector with respect to its joints, with the vector
        # itself as the last column.
        columns = np.empty((len(self.bones), 3, 4))
        vectors = columns[:, :, 3] = logarithm(rotations)
        columns[:, :, :3] = _inverse_right_jacobians(vectors)
        if len(self._hinged.numbers):
            numbers = self._hinged.numbers
            columns[numbers, :, :3] = columns[numbers, :, :3] @ self._hinged.axes(frames)
        products = columns.swapaxes(1, 2) @ (self.costs @ columns)
        matrix, descent, flat = np.zeros(count * count), -self.slides * moved, products.reshape(-1)
        matrix[self._entries[0]] = flat[self._entries[1]]
        descent[self._slopes[0]] = -flat[self._slopes[1]]
        matrix[:: count + 1] += self.slides
        cost = 0.5 * float(products[:, 3, 3].sum() + self.slides @ (moved * moved))
        return cost, matrix.reshape(count, count), descent


def principal_costs(inertias: Array, last: int, look_from: float) -> tuple[Array, Array]:
    """Costs (k, 3) of rotating bones about their principal axes of inertia, and these axes (k, 3, 3) as
    columns, in each bone's own frame.

    Args:
        inertias: (k, 3, 3) [m3] of everything that each bone carries.
        last: Index of the last bone, whose inertia is the unit.
        look_from: Value of the option of this name. Below its middle the costs are those of the middle.
    """
    traces = np.trace(inertias, axis1=1, axis2=2)
    unit = (float(traces[last]) or float(traces.max()) or 1.0) if len(traces) else 1.0
    sizes, axes = np.linalg.eigh(inertias / unit)
    power = EVEN if look_from <= 0.5 else EVEN * (1.0 - look_from) / look_from
    return np.maximum(sizes, LEAST_INERTIA) ** power, axes


def bones_of(skeleton: Skeleton) -> list[Bone]:
    """The bones of a skeleton; prismatic joints belong to no bone."""
    rows: list[list[int]] = []
    for k, joint in enumerate(skeleton.joints):
        if joint.kind != "revolute":
            continue
        if (
            rows
            and rows[-1][-1] == joint.parent
            and len(rows[-1]) < 3
            and length(joint.rest_offset) < SHORTEST_LINK
        ):
            rows[-1].append(k)
        else:
            rows.append([k])
    return [Bone(tuple(row), _is_ball([skeleton.joints[k] for k in row])) for row in rows]


def _is_ball(joints: list[Joint]) -> bool:
    """Whether joints at one position are solved as one spherical joint: three without limits, with
    perpendicular axes and no rotation between them at rest.
    """
    if len(joints) < 3 or any(joint.upper - joint.lower < NO_LIMITS for joint in joints):
        return False
    axes = np.array([joint.axis for joint in joints])
    straight = all(tuple(joint.rest_rotation) == IDENTITY for joint in joints[1:])
    return straight and bool(np.abs(axes @ axes.T - np.eye(3)).max() < MET)


def _tree(skeleton: Skeleton, bones: list[Bone]) -> Tree:
    """The skeleton's tree with balls as spherical joints."""
    laid = laid_out(skeleton.joints, skeleton.ends)
    # joints that are part of the preceding ball
    later = {k for bone in bones if bone.is_ball for k in bone.joints[1:]}
    node_joints = [k for k in range(len(skeleton)) if k not in later]
    balls = {bone.joints[0] for bone in bones if bone.is_ball}
    number = {-1: -1}
    for k in range(len(skeleton)):
        number[k] = number[k - 1] if k in later else len(number.keys() - later) - 1
    return Tree(
        [number[laid.parents[k]] for k in node_joints],
        laid.rests[node_joints],
        laid.axes[node_joints],
        ["spherical" if k in balls else laid.kinds[k] for k in node_joints],
        [number[k] for k in laid.carriers],
        laid.carried,
    )


def _bones_beyond(skeleton: Skeleton, bones: list[Bone]) -> Array:
    """Number (k,) of bones from each bone to the farthest end of its branch."""
    number = {joint: k for k, bone in enumerate(bones) for joint in bone.joints}
    beyond = np.zeros(len(bones))
    for k in range(len(bones) - 1, -1, -1):
        above = skeleton.joints[bones[k].joints[0]].parent
        while above >= 0 and above not in number:  # a prismatic joint
            above = skeleton.joints[above].parent
        if above >= 0:
            beyond[number[above]] = max(beyond[number[above]], beyond[k] + 1.0)
    return beyond


def _own_inertias(skeleton: Skeleton) -> Array:
    """Inertia (n, 3, 3) [m3] of the links that each joint carries, in its own frame; used if the inertias of
    an armature's bones are unknown.
    """
    count, pose = len(skeleton), skeleton.forward([0.0] * len(skeleton))
    links = [
        (joint.parent, pose.positions[joint.parent], pose.positions[k])
        for k, joint in enumerate(skeleton.joints)
        if joint.parent >= 0
    ]
    links += [
        (end.joint, pose.positions[end.joint], skeleton.end_pose(pose, number)[1])
        for number, end in enumerate(skeleton.ends)
    ]
    # (n, n) whether a joint moves another joint's link
    moved = skeleton.tree.moved_by[skeleton.tree.held, BASE:]
    carried = moved[[carrier for carrier, _, _ in links]].T
    heads, tails = (np.array([link[k] for link in links]).reshape(-1, 3) for k in (1, 2))
    inertias = hanging_inertias(heads, tails, carried, np.array(pose.positions))
    frames = np.array([to_matrix(rotation) for rotation in pose.rotations]).reshape(count, 3, 3)
    in_joints: Array = frames.swapaxes(1, 2) @ inertias @ frames
    return in_joints


def _inverse_right_jacobians(vectors: Array) -> Array:
    """Derivatives (k, 3, 3) of rotation vectors (k, 3) [rad] with respect to a rotation in the rotated
    frame.
    """
    angle = np.maximum(np.sqrt((vectors * vectors).sum(-1)), SMALLEST_ANGLE)
    half = 0.5 * angle
    factor = (1.0 - half / np.tan(half)) / (angle * angle)  # (1 - a / 2 cot(a / 2)) / a^2
    skew = hat(vectors)
    derivatives: Array = UNIT + 0.5 * skew + factor[:, None, None] * (skew @ skew)
    return derivatives
