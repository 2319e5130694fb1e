"""Roll of ends that look: a direction that is level in the authored pose stays level."""

from typing import NamedTuple

import numpy as np

from ..goals import GazeGoal
from ..kinematics.rotations import unit
from ..kinematics.se3 import Array, cross
from ..kinematics.tree import BASE, Frames, Tree


class _Level(NamedTuple):
    """The direction perpendicular to an end's view that is level in the authored pose."""

    node: int  # index in `Frames.nodes` of the node that carries the end
    # (3,) in the node; its length is the sine of the angle from up to the authored view, since a view along
    # up has no roll
    direction: Array
    up: Array  # (3,) unit vector in the base frame
    turning: Array  # (n,) 1 for coordinates that rotate the end, 0 for others


class Levels:
    """Residuals of the rolls of a goal's ends, for ends whose roll should stay as in the posture
    (`level`).
    """

    def __init__(self, tree: Tree, authored: Frames, goal: GazeGoal) -> None:
        """`authored`: the authored pose, as a batch of one."""
        self._levels = []
        for end_goal in goal.ends:
            aim, end = end_goal.aim, end_goal.end
            if aim.level is not None and aim.up is None:
                up, node, axes = np.array(unit(aim.level)), int(tree.carriers[end]), tree.ends[end, :3, :3]
                x, _, z = up @ authored.nodes[0, node, :3, :3] @ axes
                rotates_end = tree.moved_by[node, BASE:] * tree.is_revolute[:, 0]
                self._levels.append(_Level(node, z * axes[:, 0] - x * axes[:, 2], up, rotates_end))

    def add(self, frames: Frames, price: float, matrix: Array, descent: Array) -> float:
        """Cost of the rolls of one pose, half the squared residuals times `price`; adds its Gauss-Newton
        Hessian (n, n) to `matrix` and its negative gradient (n,) to `descent`.

        A residual is the upward component of a level direction.
        """
        cost = 0.0
        for level in self._levels:
            direction = frames.nodes[0, level.node, :3, :3] @ level.direction
            residual = float(level.up @ direction)
            row = level.turning * (frames.axes[0] @ cross(direction, level.up))
            matrix += np.outer(price * row, row)
            descent -= (price * residual) * row
            cost += 0.5 * price * residual * residual
        return cost
