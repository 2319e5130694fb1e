"""Batched kinematics of one skeleton, and its shape deviation as a least-squares problem. Knows no Blender.

Shape deviation compares unit link directions: d_k of the solved pose and t_k of the authored posture, after the rotation about the base's
axis that fits best (see `gaze.Shape`). With a_j the joint axes in the base frame, the Jacobian's column of joint j is a_j x d_k, and inner
products need no columns: (a_i x d) . (a_j x d) = a_i . a_j - (a_i . d)(a_j . d). The best-fit rotation is one more joint, about the base's
axis, which carries all directions and is eliminated (variable projection).
"""

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..aim_residual import SHORTEST_REACH
from ..gaze import links_of
from ..goals import GazeError
from ..kinematics.rotations import NO_DIRECTION, Vector, Y, Z, between, normalized, perpendicular, rotate, to_matrix, unit
from ..kinematics.se3 import cross
from ..kinematics.skeleton import Angles, Skeleton
from .options import Options

Indices = NDArray[np.intp]
LEAST_WEIGHT = 1e-3  # smallest weight of a direction: with weight 0 the system would be singular
FRAME = 3  # vectors of a joint that are the axes of its frame; the last of them is the joint's own axis
FEW = 8  # configurations up to which frames are multiplied by doubling: numpy's calls then take longer than what they compute


class Poses:
    """Forward kinematics of m configurations, in the base frame; l shape directions, e ends.

    Attributes:
        angles: (m, n) [rad], prismatic joints [m].
        vectors: (m, n, c, 3) of each joint the axes of its frame, then the vectors that it carries.
    """

    def __init__(self, model: "Model", angles: Angles, vectors: Angles) -> None:
        self.model, self.angles, self.vectors = model, angles, vectors

    def pick(self, candidates: Indices) -> "Poses":
        """The configurations with these indices."""
        return Poses(self.model, self.angles[candidates], self.vectors[candidates])

    @cached_property
    def axes(self) -> Angles:
        """(m, n, 3) joint axes."""
        return self.vectors[:, :, FRAME - 1]

    @cached_property
    def directions(self) -> Angles:
        """(m, l, 3) unit shape directions."""
        return self._directions[0]

    @cached_property
    def slides(self) -> Angles | None:
        """(m, l, n, 3) [1/m] derivative of the directions by prismatic joints; None: there are none."""
        return self._directions[1]

    @cached_property
    def _directions(self) -> tuple[Angles, Angles | None]:
        model = self.model
        directions = model.directions.of(self.vectors)
        if not model.slid:
            return directions, None
        slides = np.zeros((*directions.shape[:2], self.angles.shape[1], 3))
        for row, k in model.slid:
            axis = self.axes[:, k]
            reached = directions[:, row] + self.angles[:, k, None] * axis
            size = np.maximum(np.sqrt((reached**2).sum(-1, keepdims=True)), SHORTEST_REACH)
            directions[:, row] = reached / size
            slides[:, row, k] = (axis - directions[:, row] * (axis * directions[:, row]).sum(-1, keepdims=True)) / size
        return directions, slides

    @cached_property
    def positions(self) -> Angles:
        """(m, n, 3) [m] joint positions."""
        model = self.model
        walked = np.empty((*self.angles.shape, 3))
        walked[:, model.roots] = model.root_offsets
        walked[:, model.children] = model.offsets.of(self.vectors)
        if model.sliding:
            walked += (self.angles * (1.0 - model.turns))[:, :, None] * self.axes
        positions: Angles = model.ancestors @ walked
        return positions

    @cached_property
    def end_axes(self) -> Angles:
        """(m, e, 3, 3) the tools' X, Y and Z, one a row."""
        axes: Angles = self.model.tools @ self.vectors[:, self.model.end_joints, :FRAME]
        return axes

    @cached_property
    def end_positions(self) -> Angles:
        """(m, e, 3) [m]."""
        positions: Angles = self.positions[:, self.model.end_joints] + self.model.tool_offsets.of(self.vectors)
        return positions


class Carried(NamedTuple):
    """Where vectors stand in `Poses.vectors`."""

    joints: Indices
    places: Indices

    def of(self, vectors: Angles) -> Angles:
        """(m, count, 3) the vectors of m configurations."""
        found: Angles = vectors[:, self.joints, self.places]
        return found


class System(NamedTuple):
    """Quadratic model of a cost in the joint angles."""

    matrix: Angles  # (m, n, n) Gauss-Newton Hessian
    descent: Angles  # (m, n) negative gradient


class ShapeDirection(NamedTuple):
    """A unit direction of the skeleton (a link's or an end's view) that is compared with the authored one in shape deviation."""

    carrier: int  # index of the joint whose frame holds the direction
    vector: Vector  # [m] in the carrier's frame, any length; where it ends at a prismatic joint, with that joint at 0
    slide: int  # index of the prismatic joint at which it ends; -1: none
    weight: float


class Model:
    """Kinematics of one skeleton, laid out for numpy.

    A joint's frame is rotated so that its third axis is the joint's own. Its matrix is a sum of three constant ones, times 1, the sine and
    the cosine of its angle; so are the vectors that it carries, which are further columns of these.

    Attributes:
        ancestors: (n, n) 1 where a joint is another's ancestor, or itself.
        on_path: (e, n) the same for ends.
        weights: (l,) of the shape directions, mean 1.
    """

    def __init__(self, skeleton: Skeleton, options: Options | None = None) -> None:
        self.skeleton, self.options = skeleton, options or Options()
        n, joints, ends = len(skeleton), skeleton.joints, skeleton.ends
        if len(self.options.link_weights) not in (0, n):
            raise GazeError(f"there are {len(self.options.link_weights)} link weights for {n} joints: give one for each, or none")
        self.lower, self.upper = np.array(skeleton.lower), np.array(skeleton.upper)
        self.turns = np.array([1.0 if joint.kind == "revolute" else 0.0 for joint in joints])
        self.sliding = [k for k in range(n) if not self.turns[k]]
        # (n,) joint units: radians per unit of movement, where a prismatic joint's full reach counts as one radian.
        self.scale = np.where(self.turns > 0.0, 1.0, max(skeleton.reach, SHORTEST_REACH))
        self.parents = [joint.parent for joint in joints]
        self.is_chain = self.parents == list(range(-1, n - 1))
        self.ancestors = np.eye(n)
        for k, parent in enumerate(self.parents):
            if parent >= 0:
                self.ancestors[k] += self.ancestors[parent]
        self.end_joints = [end.joint for end in ends]
        self.on_path = self.ancestors[self.end_joints]
        shape = shape_directions(skeleton, self.options)
        self.slid = [(row, direction.slide) for row, direction in enumerate(shape) if direction.slide >= 0]
        self.roots = [k for k in range(n) if self.parents[k] < 0]
        self.root_offsets = np.array([joints[k].rest_offset for k in self.roots], float)
        self.children = [k for k in range(n) if self.parents[k] >= 0]
        vectors = [(each.carrier, each.vector if each.slide >= 0 else unit(each.vector)) for each in shape]
        vectors += [(self.parents[k], joints[k].rest_offset) for k in self.children] + [(end.joint, end.offset) for end in ends]
        aligned = [np.array(to_matrix(between(Z, unit(joint.axis)))) for joint in joints]  # of each joint's frame, in the joint's own
        places = self._lay_out(aligned, vectors)
        self.directions, self.offsets, self.tool_offsets = (
            Carried(np.array([joint for joint, _ in vectors[part]], np.intp), places[part])
            for part in (slice(len(shape)), slice(len(shape), -len(ends)), slice(-len(ends), None))
        )
        self.tools = np.array([np.array(to_matrix(normalized(end.rotation))).T @ aligned[end.joint] for end in ends])
        self.base_axis = np.array(to_matrix(normalized(joints[0].rest_rotation))) @ unit(joints[0].axis)
        weights = np.array([direction.weight for direction in shape])
        self.weights = weights / weights.mean()
        carried = self.ancestors[[direction.carrier for direction in shape]] * self.turns  # (l, n) 1 where a joint rotates a direction
        self.weighted = (carried * self.weights[:, None]).T
        # The rotation of the whole body comes first, which carries all.
        whole = carried if self.options.hold_body else np.column_stack([np.ones(len(shape)), carried])
        self.rooted = whole * np.sqrt(self.weights)[:, None]
        self.shared = self.rooted.T @ self.rooted  # summed weights of the directions that both joints rotate

    def _lay_out(self, aligned: list[Angles], vectors: list[tuple[int, Vector]]) -> Indices:
        """Makes the matrices of all joints; returns the places of vectors, given with the joints that carry them, in `Poses.vectors`."""
        n = len(self.parents)
        columns: list[list[Angles]] = [list(np.eye(3)) for _ in range(n)]
        places = []
        for joint, vector in vectors:
            places.append(len(columns[joint]))
            columns[joint].append(np.array(vector) @ aligned[joint])
        count = max(map(len, columns))
        terms = np.zeros((3, n, count, 3))
        for k, joint in enumerate(self.skeleton.joints):
            parent = self.parents[k]
            local = np.array(to_matrix(normalized(joint.rest_rotation))) @ aligned[k]
            local = (local if parent < 0 else aligned[parent].T @ local).T  # rows are the frame's axes in the parent's
            carried = np.array(columns[k])
            x, y = carried[:, :1], carried[:, 1:2]
            turned = x * local[0] + y * local[1], x * local[1] - y * local[0]
            if not self.turns[k]:
                terms[0, k, : len(carried)] = carried @ local
                continue
            terms[0, k, : len(carried)] = carried[:, 2:] * local[2]
            terms[1, k, : len(carried)], terms[2, k, : len(carried)] = turned[1], turned[0]
        self._still, self._sine, self._cosine = terms.reshape(3, n, -1)
        return np.array(places, np.intp)

    def poses(self, angles: Angles) -> Poses:
        """Forward kinematics for angles (m, n)."""
        m, n = angles.shape
        wide = angles[:, :, None]
        flat = np.sin(wide) * self._sine
        flat += np.cos(wide) * self._cosine
        flat += self._still
        vectors = flat.reshape(m, n, -1, 3)
        if self.is_chain and m <= FEW:
            span = 1
            while span < n:
                vectors[:, span:] = vectors[:, span:] @ vectors[:, :-span, :FRAME]
                span *= 2
        else:
            for k, parent in enumerate(self.parents):
                if parent >= 0:
                    np.matmul(vectors[:, k], vectors[:, parent, :FRAME], out=vectors[:, k])
        return Poses(self, angles, vectors)


def shape_directions(skeleton: Skeleton, options: Options) -> list[ShapeDirection]:
    """The directions of shape deviation: links, each end's view and, with `options.roll`, a perpendicular of each of them."""
    directions = []
    for carrier, joint, end in links_of(skeleton, with_root=options.hold_body):
        slide = joint if joint >= 0 and skeleton.joints[joint].kind == "prismatic" else -1
        vector = skeleton.joints[joint].rest_offset if joint >= 0 else skeleton.ends[end].offset
        directions.append(ShapeDirection(carrier, vector, slide, options.weight(carrier)))
    for tool in skeleton.ends:
        directions.append(ShapeDirection(tool.joint, rotate(normalized(tool.rotation), Y), -1, options.weight(tool.joint)))
    if options.roll > 0.0:
        directions += [
            ShapeDirection(direction.carrier, perpendicular(unit(direction.vector)), -1, options.roll * direction.weight)
            for direction in directions
        ]
    # the heading of the body, as heavy as all else: rotation of an upright body about its axis would not show otherwise
    if options.hold_body:
        directions.append(
            ShapeDirection(0, perpendicular(unit(skeleton.joints[0].axis)), -1, sum(direction.weight for direction in directions))
        )
    return [direction._replace(weight=max(LEAST_WEIGHT, direction.weight)) for direction in directions]


class Authored:
    """The shape of one authored posture, from which deviations are measured."""

    def __init__(self, model: Model, posture: Angles, keep: float = 1.0) -> None:
        self.model, self.keep = model, keep
        poses = model.poses(posture[None])
        self.directions = poses.directions[0]  # (l, 3)
        self.end_axes = poses.end_axes[0]  # (e, 3, 3)
        axis, weights = model.base_axis, model.weights[:, None]
        self._up = (self.directions @ axis)[:, None] * axis
        self._level = self.directions - self._up
        self._side = cross(np.broadcast_to(axis, self.directions.shape), self.directions)
        # (3 l, 3) columns whose products with directions are the mean cosine's parts: upright, along and across the best-fit rotation
        parts = [(weights * part).ravel() / len(weights) for part in (self._up, self._level, self._side)]
        self._parts = np.stack(parts, 1)

    def fit(self, poses: Poses) -> tuple[Angles, Angles]:
        """Mean cosine (m,) after the best-fit rotation, and the authored directions (m, l, 3) so rotated."""
        directions = poses.directions
        parts = directions.reshape(len(directions), -1) @ self._parts
        if self.model.options.hold_body:
            return parts[:, 0] + parts[:, 1], np.broadcast_to(self.directions, directions.shape)
        size = np.sqrt((parts[:, 1:] ** 2).sum(1))
        lost = size <= NO_DIRECTION
        turn = parts[:, 1:, None, None] / np.where(lost, 1.0, size)[:, None, None, None]
        if lost.any():
            turn[lost, :, 0, 0] = (1.0, 0.0)
        return parts[:, 0] + size, self._up + turn[:, 0] * self._level + turn[:, 1] * self._side

    def system(self, poses: Poses, desired: Angles) -> System:
        """Gauss-Newton system of half the summed squared differences of directions, best-fit rotation eliminated; times `keep`."""
        model, axes, directions = self.model, poses.axes, poses.directions
        m, n = poses.angles.shape
        whole = axes if model.options.hold_body else np.concatenate([np.broadcast_to(model.base_axis, (m, 1, 3)), axes], 1)
        if poses.slides is not None:
            matrix, descent = self._with_slides(poses, desired, whole)
        else:
            products = np.concatenate([whole, directions], 1) @ whole.transpose(0, 2, 1)
            count = whole.shape[1]
            on_links = products[:, count:] * model.rooted
            matrix = model.shared * products[:, :count] - on_links.transpose(0, 2, 1) @ on_links
            descent = np.einsum("mnc,mnc->mn", axes, model.weighted @ cross(directions, desired))
        if not model.options.hold_body:
            together, lever = matrix[:, :1, 1:], np.maximum(matrix[:, :1, :1], NO_DIRECTION)
            matrix = matrix[:, 1:, 1:] - (together / lever) * together.transpose(0, 2, 1)
        return System(matrix, descent) if self.keep == 1.0 else System(self.keep * matrix, self.keep * descent)

    def _with_slides(self, poses: Poses, desired: Angles, whole: Angles) -> tuple[Angles, Angles]:
        """Hessian and descent as in `system`, from explicit Jacobian columns."""
        model, directions = self.model, poses.directions
        assert poses.slides is not None
        m, n = poses.angles.shape
        columns = cross(whole[:, None], directions[:, :, None]) * model.rooted[:, :, None]
        columns[:, :, whole.shape[1] - n :] += poses.slides * np.sqrt(model.weights)[:, None, None]
        flat = columns.transpose(0, 2, 1, 3).reshape(m, whole.shape[1], -1)
        wanted = (desired * np.sqrt(model.weights)[:, None]).reshape(m, -1, 1)
        return flat @ flat.transpose(0, 2, 1), (flat[:, whole.shape[1] - n :] @ wanted)[..., 0]


LARGEST_MOVE = math.radians(8)  # [rad per frame] of a joint: more is seen as a jump (15 degrees is a pop)
LARGEST_ACCELERATION = math.radians(2.1)  # [rad per frame^2] change of a joint's speed; 7600 deg/s2 at 60 frames per second
REFERENCE_RATE = 60.0  # [Hz] frame rate for which it holds
DIRECT_ACCELERATION = LARGEST_MOVE  # the same for direct transitions, which lose the aim: the fewer frames the better
EMERGENCY_ACCELERATION = LARGEST_MOVE  # the same where the aim would be lost otherwise: rare, for a frame or two
ARRIVAL_DISTANCE = math.radians(5)  # [rad] distance of the farthest joint at which a transition ends and local steps go on


def allowed_acceleration(dt: float) -> float:
    """Largest change of a joint's speed [rad per frame^2] that may be used to keep the aim, for frames of `dt` seconds.

    Frames longer than those of `REFERENCE_RATE` allow more: the acceleration per second is the same.
    """
    return min(LARGEST_MOVE, LARGEST_ACCELERATION * max(1.0, REFERENCE_RATE * dt) ** 2)
