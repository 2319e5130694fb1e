"""Distance of ends from the points that they look at: an eye does not move into what it sees.

An end at its target may look anywhere, so without a cost the least rotation would often be to move the end
there, where the smallest movement of the target demands any rotation. An end that comes nearer than the size
of what hangs on its bone costs the squared logarithm of the ratio, which counts as an angle.
"""

import math
from typing import NamedTuple

import numpy as np

from ..aims.blocks import ViewBlock
from ..goals import GazeGoal
from ..kinematics.se3 import Array
from ..kinematics.skeleton import Angles
from ..kinematics.tree import BASE, Frames, Tree
from ..tolerances import NO_DIRECTION


class _Near(NamedTuple):
    """One end that looks at a point."""

    node: int  # of `Frames.nodes` that carries the end
    offset: Array  # (3,) [m] the end's position in the node
    target: Array  # (3,) [m]
    size: float  # [m] distance below which the end is near
    moving: Array  # (n,) 1 for coordinates that move the end, else 0


class Nearness:
    """Residuals of the distances of one goal's ends from the points that they look at."""

    def __init__(self, tree: Tree, goal: GazeGoal, sizes: Angles) -> None:
        """`sizes`: (e,) [m] of what hangs on the bones of the ends."""
        self._near = []
        for end_goal in goal.ends:
            for block in end_goal.blocks:
                if isinstance(block, ViewBlock) and block.is_point:
                    end, node = end_goal.end, int(tree.carriers[end_goal.end])
                    moving = tree.moved_by[node, BASE:].astype(float)
                    self._near.append(
                        _Near(node, tree.ends[end, :3, 3], np.array(block.goal), float(sizes[end]), moving)
                    )

    def add(self, frames: Frames, matrix: Array, descent: Array) -> float:
        """Cost of the distances of one pose, half the squared residuals; adds its Hessian (n, n) of Gauss and
        Newton to `matrix`, and its descent (n,) to `descent`.
        """
        cost = 0.0
        for near in self._near:
            node = frames.nodes[0, near.node]
            position = node[:3, :3] @ near.offset + node[:3, 3]
            away = position - near.target
            distance = max(math.hypot(*away.tolist()), NO_DIRECTION * near.size)
            if distance >= near.size:
                continue
            residual = math.log(near.size / distance)
            row = near.moving * (frames.velocity(position[None])[0] @ away) / distance**2
            matrix += np.outer(row, row)
            descent += residual * row
            cost += 0.5 * residual * residual
        return cost
