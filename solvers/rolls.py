"""Preferred rolls of a goal's ends: a secondary objective that keeps the posture's roll where an end's aim leaves it free. Knows no Blender.

The roll of an end is its angle about its view, measured from upright. With view y, tool axes x and z, and up vector u, its sine and cosine
are -x . u and z . u, both over s, the sine of the angle from u to y. A pose loses s s' (1 - cos(roll - posture's roll)); s' is that of the
posture, whose roll is undefined where it looks along u. While the view is held, a joint changes the roll by its rotation about the view.
"""

from typing import NamedTuple

import numpy as np

from .goals import Direction, GazeGoal, Point
from .kinematics.rotations import unit
from .kinematics.se3 import Array
from .kinematics.tree import BASE, Frames, Tree


class _DesiredRoll(NamedTuple):
    """The posture's roll of one end."""

    node: int  # of `Frames.nodes` that carries it
    # (16, 2) their products with the node's frame are cosine and sine of a roll's difference, times both sines from up to the view
    differences: Array
    view: Array  # (3, 1) in the node
    turning: Array  # (v,) 1 for coordinates that rotate the end, else 0
    symmetric: bool


class Rolls:
    """The posture's rolls of one goal's ends."""

    def __init__(self, tree: Tree, posture: Frames, goal: GazeGoal) -> None:
        """`posture`: the authored pose, as one of a batch (1)."""
        self._desired = []
        for end_goal in goal.ends:
            if isinstance(end_goal.aim, Direction | Point) and end_goal.aim.level is not None and end_goal.aim.up is None:
                up, end = np.array(unit(end_goal.aim.level)), end_goal.end
                node, axes = tree.carriers[end], tree.ends[end, :3, :3]
                sine, _, cosine = (up @ posture.nodes[0, node, :3, :3] @ axes).tolist()  # of the posture's roll, less than 0
                differences = np.zeros((4, 4, 2))
                differences[:3, :3] = up[:, None, None] * (axes[:, ::-2] @ ((cosine, -sine), (sine, cosine)))
                turning = tree.moved_by[node, BASE:] * tree.turns[:, 0]
                self._desired.append(_DesiredRoll(node, differences.reshape(16, 2), axes[:, 1:2], turning, end_goal.symmetric))

    def __bool__(self) -> bool:
        return bool(self._desired)

    def losses(self, nodes: Array) -> list[Array]:
        """Loss (m,) of the frames (m, 1 + n, 4, 4) of m poses, for each end."""
        found = []
        for desired in self._desired:
            cosine, _, most = _difference(desired, nodes)
            found.append(most - cosine)
        return found

    def added(self, frames: Frames, matrix: Array, descent: Array, weight: float) -> tuple[Array, Array]:
        """A quadratic model (m, v, v) and (m, v) of an objective plus that of the rolls, times `weight`."""
        for desired in self._desired:
            _, sine, most = _difference(desired, frames.nodes)
            view = frames.nodes[:, desired.node, :3, :3] @ desired.view
            columns = (frames.axes @ view)[..., 0] * desired.turning
            matrix = matrix + ((weight * most)[:, None] * columns)[:, :, None] * columns[:, None]
            descent = descent + (weight * sine)[:, None] * columns
        return matrix, descent


def _difference(desired: _DesiredRoll, nodes: Array) -> tuple[Array, Array, Array]:
    """Cosine and sine (m,) of the difference of poses' rolls from the posture's, times both sines from up to the view; and that product."""
    cosine, sine = (nodes[:, desired.node].reshape(-1, 16) @ desired.differences).T
    most = np.hypot(cosine, sine)
    if desired.symmetric:  # the nearer of the roll and the opposite one
        cosine, sine = np.abs(cosine), sine * np.copysign(1.0, cosine)
    return cosine, sine, most
