"""Forward kinematics of one skeleton for many configurations at once, with all vectors that the errors need. Knows no Blender."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..goals import GazeError
from ..kinematics.rotations import Quaternion, Vector, Z, between, normalized, to_matrix, unit
from ..kinematics.skeleton import SHORTEST_LINK, Angles, Skeleton
from .options import Options
from .shape_directions import shape_directions

Indices = NDArray[np.intp]
FRAME = 3  # vectors of a joint that are the axes of its frame; the last of them is the joint's own axis
FEW = 8  # configurations up to which frames are multiplied by doubling: numpy's calls then take longer than what they compute


class Poses:
    """Forward kinematics of m configurations, in the base frame; l shape directions, e ends.

    Attributes:
        angles: (m, n) [rad], prismatic joints [m].
        vectors: (m, n, c, 3) of each joint the axes of its frame, then the vectors that it carries.
        lines: (m, k + l, 3) the `whole`, then the `directions`.
        whole: (m, k, 3) axes about which the shape rotates: the base's, unless the body is held, then the joints' `axes`.
        axes: (m, n, 3) joint axes.
        directions: (m, l, 3) unit shape directions.
        slides: (m, l, n, 3) [1/m] derivative of the directions by prismatic joints; None: there are none.
    """

    def __init__(self, model: "Model", angles: Angles, vectors: Angles) -> None:
        self.model, self.angles, self.vectors = model, angles, vectors
        self.lines = self._carried(model.lines)
        count = model.rooted.shape[1]
        self.whole, self.directions = self.lines[:, :count], self.lines[:, count:]
        self.axes = self.whole[:, count - angles.shape[1] :]
        self.slides = self._slide() if model.slid else None

    def pick(self, candidates: Indices) -> "Poses":
        """The configurations with the given indices."""
        return Poses(self.model, self.angles[candidates], self.vectors[candidates])

    def _carried(self, places: Indices) -> Angles:
        """(m, count, 3) the vectors at places among all that the joints carry."""
        found: Angles = self.vectors.reshape(len(self.vectors), -1, 3).take(places, 1)
        return found

    def _slide(self) -> Angles:
        """Moves directions that end at prismatic joints; returns `slides`."""
        directions = self.directions
        slides = np.zeros((*directions.shape[:2], self.angles.shape[1], 3))
        for row, k in self.model.slid:
            axis = self.axes[:, k]
            reached = directions[:, row] + self.angles[:, k, None] * axis
            size = np.maximum(np.sqrt((reached**2).sum(-1, keepdims=True)), SHORTEST_LINK)
            directions[:, row] = reached / size
            slides[:, row, k] = (axis - directions[:, row] * (axis * directions[:, row]).sum(-1, keepdims=True)) / size
        return slides

    @cached_property
    def positions(self) -> Angles:
        """Positions (m, n, 3) [m] of the joints."""
        model = self.model
        walked = np.empty((*self.angles.shape, 3))
        walked[:, model.roots] = model.root_offsets
        walked[:, model.children] = self._carried(model.offsets)
        if model.sliding:
            walked += (self.angles * (1.0 - model.turns))[:, :, None] * self.axes
        positions: Angles = model.ancestors @ walked
        return positions

    @cached_property
    def end_axes(self) -> Angles:
        """Axes (m, e, 3, 3) of the tools: X, Y and Z as rows."""
        axes: Angles = self.model.tools @ self.vectors[:, self.model.end_joints, :FRAME]
        return axes

    @cached_property
    def end_positions(self) -> Angles:
        """Positions (m, e, 3) [m] of the ends."""
        positions: Angles = self.positions[:, self.model.end_joints] + self._carried(self.model.tool_offsets)
        return positions


class Rows:
    """An immutable, hashable copy of configurations (m, n), for use in states."""

    def __init__(self, array: Angles) -> None:
        self.array = np.array(array)
        self.array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.array)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and self.array.shape == other.array.shape and self.array.tobytes() == other.array.tobytes()

    def __hash__(self) -> int:
        return hash(self.array.tobytes())


class System(NamedTuple):
    """Quadratic model of a cost as a function of the joint angles."""

    matrix: Angles  # (m, n, n) Gauss-Newton Hessian
    descent: Angles  # (m, n) negative gradient


class Model:
    """Forward kinematics of one skeleton, precomputed for numpy.

    Each joint's frame is chosen so that its third axis is the joint's axis. The rotation matrix of a joint is then a linear combination,
    with the factors 1, sine and cosine of its angle, of three constant matrices. The vectors that a joint carries are appended to these
    matrices as further columns.

    Attributes:
        ancestors: (n, n) 1 where a joint is another's ancestor, or itself.
        on_path: (e, n) 1 where a joint is on the path to an end.
        lines, offsets, tool_offsets: Indices of the vectors that `Poses` are made of.
        weights: (l,) weights of the shape directions, mean 1.
    """

    def __init__(self, skeleton: Skeleton, options: Options | None = None) -> None:
        self.skeleton, self.options = skeleton, options or Options()
        n, joints, ends = len(skeleton), skeleton.joints, skeleton.ends
        if len(self.options.link_weights) not in (0, n):
            raise GazeError(f"there are {len(self.options.link_weights)} link weights for {n} joints: give one for each, or none")
        self.lower, self.upper = np.array(skeleton.lower), np.array(skeleton.upper)
        self.turns = np.array([1.0 if joint.kind == "revolute" else 0.0 for joint in joints])
        self.sliding = [k for k in range(n) if not self.turns[k]]
        self.scale = skeleton.units
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
        aligned = [_matrix(between(Z, unit(joint.axis))) for joint in joints]  # of each joint's frame, in the joint's own
        places = self._lay_out(aligned, vectors)
        axes, count = self._axis_places, len(shape)
        self.lines = np.concatenate([axes[: 0 if self.options.hold_body else 1], axes, places[:count]])
        self.offsets, self.tool_offsets = places[count : -len(ends)], places[-len(ends) :]
        self.tools = np.array([_matrix(end.rotation).T @ aligned[end.joint] for end in ends])
        weights = np.array([direction.weight for direction in shape])
        self.weights = weights / weights.mean()
        carried = self.ancestors[[direction.carrier for direction in shape]] * self.turns  # (l, n) 1 where a joint rotates a direction
        self.weighted = (carried * self.weights[:, None]).T
        # The rotation of the whole body comes first, which carries all.
        whole = carried if self.options.hold_body else np.column_stack([np.ones(len(shape)), carried])
        self.rooted = whole * np.sqrt(self.weights)[:, None]
        self.shared = self.rooted.T @ self.rooted  # summed weights of the directions that both joints rotate

    def _lay_out(self, aligned: list[Angles], vectors: list[tuple[int, Vector]]) -> Indices:
        """Makes the matrices of all joints; returns the places of vectors, given with the joints that carry them, in `Poses.vectors`.

        A place counts through the vectors of all joints.
        """
        n = len(self.parents)
        columns: list[list[Angles]] = [list(np.eye(3)) for _ in range(n)]
        places = []
        for joint, vector in vectors:
            places.append((joint, len(columns[joint])))
            columns[joint].append(np.array(vector) @ aligned[joint])
        count = max(map(len, columns))
        terms = np.zeros((3, n, count, 3))
        for k, parent in enumerate(self.parents):
            local = _matrix(self.skeleton.joints[k].rest_rotation) @ aligned[k]
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
        self._axis_places = np.arange(n) * count + FRAME - 1
        return np.array([joint * count + place for joint, place in places], np.intp)

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


def _matrix(q: Quaternion) -> Angles:
    return np.array(to_matrix(normalized(q)))
