"""Loop residuals of a mechanism, for all joints that close loops at once, and their Jacobian. Source:
Schumacher, Knoop, Baecher 2021, section III.B. The paper misprints the position constraint as
R_i x_i + c_i - R_j x_j + c_j; the last sign must be a minus. The paper's dot products of axes vanish for a
body reversed by 180 degrees, too; `se3.half_angle` does not.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ..kinematics.se3 import Array, angle_of, half_angle, half_swing, hat
from ..kinematics.tree import Frames
from .clusters import Clusters
from .kinds import KINDS, Row
from .tree import LoopJoint, SpanningTree


class JointResiduals:
    """Residuals of c joints: which of the nine components each joint constrains, by its kind."""

    def __init__(self, kinds: Sequence[str]) -> None:
        kinds_and_rows = [(k, row) for k, kind in enumerate(kinds) for row in KINDS[kind].rows]
        self.count = len(kinds)
        self.joint = np.array([k for k, _ in kinds_and_rows], int)  # joint of each residual
        self.row = np.array([row for _, row in kinds_and_rows], int)
        self.is_position = self.row <= Row.Z
        # (r,) flat index of each residual among the components (c, 9) of all joints
        self.picked = self.joint * len(Row) + self.row
        positions = np.zeros((self.count, 3))
        positions[self.joint[self.is_position], self.row[self.is_position]] = 1.0
        self.held_positions = positions  # (c, 3) 1 for position components that a joint constrains, else 0
        # (c,) whether a joint constrains the whole rotation, the swing, or the cosine of two axes
        self.has_rotation_rows = np.array([Row.TURN_X in KINDS[kind].rows for kind in kinds], bool)
        self.swings = np.array([Row.SWING_X in KINDS[kind].rows for kind in kinds], bool)
        self.crosses = np.array([Row.CROSS in KINDS[kind].rows for kind in kinds], bool)
        self.has_turns, self.has_swings, self.has_crosses = (
            bool(self.has_rotation_rows.any()),
            bool(self.swings.any()),
            bool(self.crosses.any()),
        )

    def relative(self, parents: Array, children: Array) -> Array:
        """Transforms (c, 3, 4) from the joints' frames on the children to those on the parents, given both
        (c, 4, 4) in the world.
        """
        apart = children[:, :3].copy()
        apart[:, :, 3] -= parents[:, :3, 3]
        relative: Array = parents[:, :3, :3].transpose(0, 2, 1) @ apart
        return relative

    def residual(self, relative: Array) -> tuple[Array, Array]:
        """Residuals (r,) [m, rad] of transforms (c, 3, 4) as given by `relative`, and derivatives (c, 6, 3)
        of the angular components with respect to a rotation of the child.
        """
        every = np.zeros((self.count, len(Row)))
        grows = np.zeros((self.count, 6, 3))
        rotations = relative[:, :, :3]
        every[:, :3] = relative[:, :, 3]
        if self.has_turns:
            every[:, 3:6], grows[:, :3] = half_angle(rotations)
        if self.has_swings:
            every[:, 6:8], grows[:, 3:5] = half_swing(rotations[:, :, 2])
        if self.has_crosses:
            every[:, 8] = rotations[:, 0, 1]
            grows[:, 5, 1], grows[:, 5, 2] = rotations[:, 2, 1], -rotations[:, 1, 1]
        return every.reshape(-1)[self.picked], grows

    def true_size(self, relative: Array) -> Array:
        """Residual (c,) of each joint, given transforms (c, 3, 4) as from `relative`: the larger of distance
        [m] and true angle [rad].
        """
        if not self.count:
            return np.zeros(0)
        position = relative[:, :, 3] * self.held_positions
        rotations = relative[:, :, :3]
        size: Array = np.sqrt((position * position).sum(-1))
        if self.has_turns:
            size = np.maximum(size, np.where(self.has_rotation_rows, angle_of(rotations), 0.0))
        if self.has_swings:
            # copied: the result of arctan2 for a strided array depends on its position in memory
            cosine = rotations[:, 2, 2].copy()
            tilt = np.arctan2(np.sqrt(rotations[:, 0, 2] ** 2 + rotations[:, 1, 2] ** 2), cosine)
            size = np.maximum(size, np.where(self.swings, tilt, 0.0))
        if self.has_crosses:
            size = np.maximum(
                size, np.where(self.crosses, np.abs(np.arcsin(np.clip(rotations[:, 0, 1], -1.0, 1.0))), 0.0)
            )
        return size


class Loops:
    """The closures (joints that close loops) of a tree: c closures with r residuals in total."""

    def __init__(self, tree: SpanningTree, closures: Sequence[LoopJoint]) -> None:
        self.names = tuple(closure.name for closure in closures)
        self.rows = JointResiduals([closure.kind for closure in closures])
        links = np.array(
            [closure.on_parent for closure in closures] + [closure.on_child for closure in closures], np.intp
        )
        # frames of the parents' ends, then of the children's
        self._nodes, self._ends = tree.carriers[links], tree.ends[links]
        parents, children = np.split(self._nodes, 2)
        signs = tree.carries[children] - tree.carries[parents]
        self.matters = signs.any(0)  # (v,) whether any loop depends on a coordinate
        self.driven = [(k, closure.driven) for k, closure in enumerate(closures) if closure.driven >= 0]
        # (r,) factors that make rotations [rad] and positions [sizes] comparable
        self.weight = np.where(self.rows.is_position, 1.0 / tree.size, 1.0)
        # (r, v) weight and sign with which a coordinate moves a residual
        self._share = self.weight[:, None] * signs[self.rows.joint]
        self.clusters = Clusters(signs != 0.0, self.rows.joint)

    def ends(self, frames: Frames, driven: Mapping[int, Array]) -> tuple[Array, Array]:
        """World frames (c, 4, 4) of the two sides of each closure, on the parent and on the child; `driven`
        contains the poses (4, 4) of driven bodies by index. The closure of a driven body without a pose has
        no gap.
        """
        ends: Array = frames.nodes.take(self._nodes, axis=0) @ self._ends
        parents, children = ends[: len(self.names)], ends[len(self.names) :]
        for k, body in self.driven:
            parents[k] = driven.get(body, children[k])
        return parents, children

    def sizes(self, frames: Frames, driven: Mapping[int, Array]) -> Array:
        """Gap (c,) of each closure: the larger of distance [m] and true angle [rad]; `driven` as for
        `ends`.
        """
        return self.rows.true_size(self.rows.relative(*self.ends(frames, driven)))

    def linear(self, frames: Frames, screws: Array, driven: Mapping[int, Array]) -> tuple[Array, Array]:
        """Weighted residuals (r,) of the loops and their Jacobian (r, v) per unit step of the coordinates;
        `driven` as for `ends`.
        """
        parents, children = self.ends(frames, driven)
        residual, grows = self.rows.residual(self.rows.relative(parents, children))
        back = np.swapaxes(parents[:, :3, :3], -1, -2)
        # (c, 9, 6) components' change by the child's velocity: angular, and linear at the world's origin
        by_screw = np.zeros((len(parents), len(Row), 6))
        np.matmul(back, hat(-children[:, :3, 3]), out=by_screw[:, :3, :3])
        by_screw[:, :3, 3:] = back
        np.matmul(grows, back, out=by_screw[:, 3:, :3])
        moved: Array = by_screw.reshape(-1, 6)[self.rows.picked] @ screws.reshape(6, -1)
        moved *= self._share
        return self.weight * residual, moved
