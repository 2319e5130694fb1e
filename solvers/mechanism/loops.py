"""Loop residuals of a mechanism and their Jacobian. Knows no Blender."""

from collections.abc import Mapping

import numpy as np

from ..kinematics.se3 import Array, hat
from .clusters import Clusters
from .joint_residuals import JointResiduals
from .kinds import ROWS
from .tree import Carried, Coordinates, Tree


class Loops:
    """All closures of a tree: c closures, r residuals."""

    def __init__(self, tree: Tree, coordinates: Coordinates) -> None:
        self.names = tuple(closure.name for closure in tree.closures)
        self.rows = JointResiduals([closure.joint.kind for closure in tree.closures])
        self.parents = _carriers([closure.in_parent for closure in tree.closures])
        self.children = _carriers([closure.in_child for closure in tree.closures])
        signs = coordinates.carries[self.children[0]] - coordinates.carries[self.parents[0]]
        self.matters = signs.any(0)  # (v,) coordinates that a loop depends on
        self.driven = [(k, closure.driven) for k, closure in enumerate(tree.closures) if closure.driven >= 0]
        # (r,) makes rotations [rad] and positions [sizes] comparable
        self.weight = np.where(self.rows.is_position, 1.0 / coordinates.size, 1.0)
        self._share = self.weight[:, None] * signs[self.rows.joint]  # (r, v) weight and sign with which a coordinate moves a residual
        self.count = len(self.rows.joint)
        self.clusters = Clusters(signs != 0.0, self.rows.joint)

    def ends(self, frames: Array, driven: Mapping[int, Array]) -> tuple[Array, Array]:
        """Frames (c, 4, 4) of both ends in the world; `driven` has a pose (4, 4) for driven bodies."""
        parents, children = frames[self.parents[0]] @ self.parents[1], frames[self.children[0]] @ self.children[1]
        for k, body in self.driven:
            parents[k] = driven.get(body, children[k])
        return parents, children

    def sizes(self, frames: Array, driven: Mapping[int, Array]) -> Array:
        """Gap (c,) of each closure: the larger of distance [m] and true angle [rad]."""
        return self.rows.true_size(self.rows.relative(*self.ends(frames, driven)))

    def residual(self, frames: Array, driven: Mapping[int, Array]) -> Array:
        """Weighted residuals (r,) [sizes, rad]."""
        return self.weight * self.rows.residual(self.rows.relative(*self.ends(frames, driven)))[0]

    def linear(self, frames: Array, screws: Array, driven: Mapping[int, Array]) -> tuple[Array, Array]:
        """Weighted residuals (r,) and their Jacobian (r, v) by unit steps in the coordinates."""
        parents, children = self.ends(frames, driven)
        residual, grows = self.rows.residual(self.rows.relative(parents, children))
        back = np.swapaxes(parents[:, :3, :3], -1, -2)
        by_screw = np.zeros((len(parents), ROWS, 6))  # of the child: its angular velocity, and its velocity at the world's origin
        np.matmul(back, hat(-children[:, :3, 3]), out=by_screw[:, :3, :3])
        by_screw[:, :3, 3:] = back
        np.matmul(grows, back, out=by_screw[:, 3:, :3])
        moved: Array = by_screw.reshape(-1, 6)[self.rows.picked] @ screws.reshape(6, -1)
        moved *= self._share
        return self.weight * residual, moved


def _carriers(carried: list[Carried]) -> tuple[Array, Array]:
    nodes = np.array([one.node for one in carried], int)
    return nodes, np.array([one.offset for one in carried]).reshape(-1, 4, 4)
