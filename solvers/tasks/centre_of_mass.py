"""Objective: the centre of mass at a position. Knows no Blender. Paper: Schumacher et al. 2021, section IV.B."""

import numpy as np

from ..kinematics.se3 import Array, cross
from ..kinematics.tree import Indices
from .task import Kinematics


class CentreOfMass:
    """The common centre of m masses."""

    def __init__(self, nodes: Indices, points: Array, masses: Array, carries: Array, target: Array, weight: Array) -> None:
        """Masses on a tree.

        Args:
            nodes: (m,) of `Frames.nodes` that carry them.
            points: (m, 4) their centres in the nodes [m], with a 1.
            masses: (m,) [kg].
            carries: (n + 1, v) 1 where a coordinate moves a node.
            target: (3,) [m].
            weight: (3,) [1 / m^2] along the world's axes.
        """
        self.nodes, self.points, self.target = nodes, points[..., None], target
        self.shares = masses / masses.sum()
        self.carries = carries[nodes]
        self.carried = self.shares @ self.carries  # (v,) share of the mass that each coordinate moves
        self.weight = np.sqrt(weight)

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """As `Task.linear`."""
        turn, moment = at.screws
        centres = self.shares[:, None] * (at.frames.nodes.take(self.nodes, axis=0) @ self.points)[:, :3, 0]
        moved = self.carries.T @ centres  # (v, 3) moments of what each coordinate moves
        jacobian: Array = self.carried * moment + cross(turn.T, moved).T
        return self.weight * (centres.sum(0) - self.target), self.weight[:, None] * jacobian
