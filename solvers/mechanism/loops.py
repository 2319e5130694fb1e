"""How far a mechanism's loops are from closed, and how that changes with its coordinates. Knows no Blender."""

from collections.abc import Mapping

import numpy as np

from .clusters import Clusters
from .frames import Array, hat
from .rows import Rows
from .tree import Carried, Coordinates, Tree


class Loops:
    """All closures of a tree: c closures, r rows."""

    def __init__(self, tree: Tree, coordinates: Coordinates) -> None:
        self.names = tuple(closure.name for closure in tree.closures)
        self.rows = Rows([closure.joint.kind for closure in tree.closures])
        self.parents = _carriers([closure.in_parent for closure in tree.closures])
        self.children = _carriers([closure.in_child for closure in tree.closures])
        self.signs = (coordinates.carries[self.children[0]] - coordinates.carries[self.parents[0]])[:, None, :]
        self.matters = self.signs.any((0, 1))  # (v,) coordinates that a loop depends on
        self.driven = [(k, closure.driven) for k, closure in enumerate(tree.closures) if closure.driven >= 0]
        self.weight = np.where(self.rows.is_place, 1.0 / coordinates.size, 1.0)  # of each row: turns [rad] and places alike in effect
        self.count = len(self.rows.joint)
        self.clusters = Clusters(self.signs[:, 0, :] != 0.0, self.rows.joint)

    def ends(self, frames: Array, driven: Mapping[int, Array]) -> tuple[Array, Array]:
        """(c, 4, 4) of both ends in the world; `driven` has a pose (4, 4) for driven bodies."""
        parents, children = frames[self.parents[0]] @ self.parents[1], frames[self.children[0]] @ self.children[1]
        for k, body in self.driven:
            parents[k] = driven.get(body, children[k])
        return parents, children

    def sizes(self, frames: Array, driven: Mapping[int, Array]) -> Array:
        """(c,) by how much each closure is open: the larger of distance [m] and true angle [rad]."""
        return self.rows.true_size(self.rows.relative(*self.ends(frames, driven)))

    def residual(self, frames: Array, driven: Mapping[int, Array]) -> Array:
        """(r,) weighted: in units of the mechanism's size, and radians."""
        return self.weight * self.rows.residual(self.rows.relative(*self.ends(frames, driven)))[0]

    def linear(self, frames: Array, screws: tuple[Array, Array], driven: Mapping[int, Array]) -> tuple[Array, Array]:
        """The residual (r,) and its derivative (r, v) by unit steps in the coordinates, both weighted."""
        parents, children = self.ends(frames, driven)
        residual, grows = self.rows.residual(self.rows.relative(parents, children))
        turn, moment = screws
        back = np.swapaxes(parents[:, :3, :3], -1, -2)
        motion = np.empty((len(parents), 9, turn.shape[1]))
        np.matmul(back, moment - hat(children[:, :3, 3]) @ turn, out=motion[:, :3])
        np.matmul(grows @ back, turn, out=motion[:, 3:])
        motion *= self.signs
        return self.weight * residual, self.weight[:, None] * motion.reshape(9 * len(parents), turn.shape[1])[self.rows.picked]


def _carriers(carried: list[Carried]) -> tuple[Array, Array]:
    nodes = np.array([one.node for one in carried], int)
    return nodes, np.array([one.offset for one in carried]).reshape(-1, 4, 4)
