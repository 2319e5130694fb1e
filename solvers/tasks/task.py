"""Interface of an objective: weighted error and Jacobian at a configuration; and the frames on links that have goals. Knows no Blender.

Unit steps in the coordinates are 1 rad, or one size (a length that makes distances comparable with radians).
"""

from typing import NamedTuple, Protocol

import numpy as np

from ..kinematics.se3 import Array
from ..kinematics.tree import Frames, Indices


class Kinematics(NamedTuple):
    """Configuration of a tree of n joints and v coordinates, with what follows from it."""

    frames: Frames  # of the base, which is the world, and of the joints
    screws: Array  # (2, 3, v) angular velocity, and velocity at the world's origin, by unit steps
    values: Array  # (v,) coordinates [rad, m]
    balls: Array  # (b, 3, 3) rotations of ball joints


class Task(Protocol):
    """Objective: the solve minimises the sum of its squared errors."""

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """Weighted errors (e,) and their Jacobian (e, v) by unit steps."""


class Ends:
    """Frames on links that have goals of one kind, with weights: k ends, c error components each.

    Components without weight are left out: an axis that is free.
    """

    def __init__(self, nodes: Indices, offsets: Array, carries: Array, weights: Array) -> None:
        """Ends of a tree.

        Args:
            nodes: (k,) of `Frames.nodes` that carry them.
            offsets: (k, 4, 4) frames in the nodes.
            carries: (n + 1, v) 1 where a coordinate moves a node.
            weights: (k, c) of the squared errors.
        """
        self.nodes, self.offsets = nodes, offsets
        roots = np.sqrt(weights)
        picked = np.flatnonzero(roots)
        self._picked: Indices | slice = slice(None) if len(picked) == roots.size else picked
        self.weight = roots.reshape(-1)[picked]
        self._share = self.weight[:, None] * carries[nodes[picked // roots.shape[1]]]

    def frames(self, frames: Frames) -> Array:
        """Frames (k, 4, 4) in the world."""
        placed: Array = frames.nodes.take(self.nodes, axis=0) @ self.offsets
        return placed

    def weighted(self, errors: Array, slopes: Array) -> tuple[Array, Array]:
        """Weighted errors (e,) and Jacobian (e, v), from errors (k, c) and slopes (k, c, v) as if every coordinate moved every end."""
        error = self.weight * errors.reshape(-1)[self._picked]
        jacobian: Array = slopes.reshape(errors.size, slopes.shape[-1])[self._picked] * self._share
        return error, jacobian
