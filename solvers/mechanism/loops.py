"""Loop residuals of a mechanism and their Jacobian. Knows no Blender."""

from collections.abc import Mapping, Sequence

import numpy as np

from ..kinematics.se3 import Array, hat
from ..kinematics.tree import Frames
from .clusters import Clusters
from .joint_residuals import JointResiduals
from .kinds import Row
from .tree import Closure, SpanningTree


class Loops:
    """All closures of a tree: c closures, r residuals."""

    def __init__(self, tree: SpanningTree, closures: Sequence[Closure]) -> None:
        self.names = tuple(closure.name for closure in closures)
        self.rows = JointResiduals([closure.kind for closure in closures])
        links = np.array([closure.on_parent for closure in closures] + [closure.on_child for closure in closures], np.intp)
        self._nodes, self._ends = tree.carriers[links], tree.ends[links]  # of the parents' ends, then the children's
        parents, children = np.split(self._nodes, 2)
        signs = tree.carries[children] - tree.carries[parents]
        self.matters = signs.any(0)  # (v,) coordinates that a loop depends on
        self.driven = [(k, closure.driven) for k, closure in enumerate(closures) if closure.driven >= 0]
        # (r,) makes rotations [rad] and positions [sizes] comparable
        self.weight = np.where(self.rows.is_position, 1.0 / tree.size, 1.0)
        self._share = self.weight[:, None] * signs[self.rows.joint]  # (r, v) weight and sign with which a coordinate moves a residual
        self.clusters = Clusters(signs != 0.0, self.rows.joint)

    def ends(self, frames: Frames, driven: Mapping[int, Array]) -> tuple[Array, Array]:
        """Frames (c, 4, 4) of both ends in the world; `driven` has a pose (4, 4) for driven bodies."""
        ends: Array = frames.nodes.take(self._nodes, axis=0) @ self._ends
        parents, children = ends[: len(self.names)], ends[len(self.names) :]
        for k, body in self.driven:
            parents[k] = driven.get(body, children[k])
        return parents, children

    def sizes(self, frames: Frames, driven: Mapping[int, Array]) -> Array:
        """Gap (c,) of each closure: the larger of distance [m] and true angle [rad]."""
        return self.rows.true_size(self.rows.relative(*self.ends(frames, driven)))

    def linear(self, frames: Frames, screws: Array, driven: Mapping[int, Array]) -> tuple[Array, Array]:
        """Weighted residuals (r,) and their Jacobian (r, v) by unit steps in the coordinates."""
        parents, children = self.ends(frames, driven)
        residual, grows = self.rows.residual(self.rows.relative(parents, children))
        back = np.swapaxes(parents[:, :3, :3], -1, -2)
        by_screw = np.zeros((len(parents), len(Row), 6))  # of the child: its angular velocity, and its velocity at the world's origin
        np.matmul(back, hat(-children[:, :3, 3]), out=by_screw[:, :3, :3])
        by_screw[:, :3, 3:] = back
        np.matmul(grows, back, out=by_screw[:, 3:, :3])
        moved: Array = by_screw.reshape(-1, 6)[self.rows.picked] @ screws.reshape(6, -1)
        moved *= self._share
        return self.weight * residual, moved
