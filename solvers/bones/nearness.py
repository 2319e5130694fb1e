"""Cost of the distance between ends and the points that they look at, so that an eye does not move into its
target.

An end at its target meets its aim with any view, so without this cost the least rotation would often be to
move the end to the target, where the smallest movement of the target demands arbitrary rotations. An end that
is nearer to its target than the size of everything that its bone carries costs the squared logarithm of the
ratio of this size to the distance, which counts as an angle [rad].
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

    node: int  # index in `Frames.nodes` of the node that carries the end
    offset: Array  # (3,) [m] position of the end in the node's frame
    target: Array  # (3,) [m] position of the point that the end looks at, in the base frame
    size: float  # [m] distance to the target below which the end counts as near
    moving: Array  # (n,) 1 for coordinates that move the end, 0 for others


class Nearness:
    """Residuals of the distances of one goal's ends from the points that they look at."""

    def __init__(self, tree: Tree, goal: GazeGoal, sizes: Angles) -> None:
        """`sizes`: (e,) [m] distances below which the ends are near, as in `BoneModel.sizes`."""
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
        """Cost of the distances of one pose, half the squared residuals; adds its Gauss-Newton Hessian (n, n)
        to `matrix` and its negative gradient (n,) to `descent`.
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
