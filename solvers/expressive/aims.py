"""How many poses at once miss one aim: rotation vectors, and how the joints turn them. Knows no Blender.

The batched counterpart of `aim_residual`, with three components for every kind of goal; rows hold their side of a symmetric end.
"""

from typing import NamedTuple

import numpy as np

from ..aim_residual import ROLL_WEIGHT
from ..goals import POLE, Direction, GazeGoal, Orientation, Point
from ..rotations import NO_DIRECTION, normalized, to_matrix, unit
from ..skeleton import Angles
from .model import Model, Poses, crosses

NEAREST = 1e-3  # of the chain's reach: from nearer, how a point's direction moves with the end has no use in a linear model
HALF_TURN = 1e-6  # twice the sine of an angle under which the skew part of a matrix is mostly rounding


class Missed(NamedTuple):
    """What rows miss of the aim."""

    error: Angles  # (m, 3) [rad] still to be turned
    columns: Angles  # (m, n, 3) what a unit of each joint's movement takes off
    size: Angles  # (m,) [rad]


class BatchedAim:
    """One goal's aim for many poses."""

    def __init__(self, model: Model, goal: GazeGoal) -> None:
        self.model, self.aim = model, goal.aim
        self.target = np.array(to_matrix(normalized(goal.aim.wxyz))) if isinstance(goal.aim, Orientation) else None
        up = goal.aim.up if isinstance(goal.aim, Direction | Point) else None
        self.up = None if up is None else np.array(unit(up))
        self.two_sided = goal.symmetric and (self.target is not None or self.up is not None)

    def missed(self, poses: Poses, sides: Angles | None = None) -> Missed:
        """Errors of poses; `sides` (m,) is +1 for the target itself, -1 for its half roll, None for the nearer."""
        turns = poses.axes * self.model.turns[:, None]
        if self.target is not None:
            gap = self.target @ poses.tool_rotation.transpose(0, 2, 1)
            if self.two_sided:
                rolled = (self.target * np.array([-1.0, 1.0, -1.0])) @ poses.tool_rotation.transpose(0, 2, 1)
                other = sides < 0 if sides is not None else np.trace(rolled, axis1=1, axis2=2) > np.trace(gap, axis1=1, axis2=2)
                gap = np.where(other[:, None, None], rolled, gap)
            error = logarithms(gap)
            return Missed(error, turns, np.sqrt((error**2).sum(1)))
        view = poses.tool_rotation[:, :, 1]
        assert isinstance(self.aim, Direction | Point)
        if isinstance(self.aim, Direction):
            wanted = np.broadcast_to(unit(self.aim.vector), view.shape)
        else:
            away = np.array(self.aim.place) - poses.tool_place
            distance = np.maximum(np.sqrt((away**2).sum(1, keepdims=True)), NO_DIRECTION)
            wanted = away / distance
            arms = crosses(poses.axes, poses.tool_place[:, None] - poses.places)
            moves = np.where(self.model.turns[:, None] > 0.0, arms, poses.axes)
            turns = (
                turns
                + crosses(np.broadcast_to(wanted[:, None], moves.shape), moves)
                / np.maximum(distance, NEAREST * self.model.skeleton.reach)[:, None]
            )
        normal = crosses(view, wanted)
        sine = np.sqrt((normal**2).sum(1))
        cosine = (view * wanted).sum(1)
        angle = np.arctan2(sine, cosine)
        lost = sine <= NO_DIRECTION  # at 180 degrees any way across the view will do
        if lost.any():
            normal = np.where(lost[:, None], poses.tool_rotation[:, :, 0], normal)
            sine = np.where(lost, 1.0, sine)
        error = normal * (angle / sine)[:, None]
        along = (turns * view[:, None]).sum(-1, keepdims=True)
        columns = turns - along * view[:, None]
        if self.up is not None:
            roll = self._roll(poses, wanted, normal / sine[:, None], angle, sides)
            weight = ROLL_WEIGHT * np.sqrt(np.maximum(0.0, 1.0 - (wanted @ self.up) ** 2))[:, None]
            error = error + view * weight * roll[:, None]
            columns = columns + along * view[:, None] * weight[:, None]
        return Missed(error, columns, np.sqrt((error**2).sum(1)))

    def _roll(self, poses: Poses, wanted: Angles, normal: Angles, angle: Angles, sides: Angles | None) -> Angles:
        """Turns (m,) [rad] about the view that bring the levelled tool upright."""
        assert self.up is not None
        z = poses.tool_rotation[:, :, 2]
        sine, cosine = np.sin(angle)[:, None], np.cos(angle)[:, None]
        levelled = z * cosine + crosses(normal, z) * sine + normal * (normal * z).sum(1, keepdims=True) * (1.0 - cosine)
        upright = self.up - wanted * (wanted @ self.up)[:, None]
        across, along = (crosses(levelled, upright) * wanted).sum(1), (levelled * upright).sum(1)
        if self.two_sided:
            side = sides if sides is not None else np.where(along < 0.0, -1.0, 1.0)
            across, along = across * side, along * side
        return np.where((upright**2).sum(1) > POLE**2, np.arctan2(across, along), 0.0)


def logarithms(rotations: Angles) -> Angles:
    """Rotation vectors (m, 3) of matrices (m, 3, 3), good to rounding away from half turns, and a valid turn near them."""
    skew = np.stack(
        [
            rotations[:, 2, 1] - rotations[:, 1, 2],
            rotations[:, 0, 2] - rotations[:, 2, 0],
            rotations[:, 1, 0] - rotations[:, 0, 1],
        ],
        1,
    )
    double_sine = np.sqrt((skew**2).sum(1))
    trace = rotations[:, 0, 0] + rotations[:, 1, 1] + rotations[:, 2, 2]
    angle = np.arctan2(double_sine, trace - 1.0)
    half_turns = (double_sine < HALF_TURN) & (trace < 0.0)
    vectors: Angles = skew * (angle / np.maximum(double_sine, NO_DIRECTION))[:, None]
    if half_turns.any():
        for row in np.flatnonzero(half_turns):
            spread = rotations[row] + np.eye(3)  # 2 u u' near a half turn
            column = spread[:, int(np.argmax(np.diagonal(spread)))]
            column = column / np.sqrt((column**2).sum())
            vectors[row] = column * (angle[row] if float(column @ skew[row]) >= 0.0 else -angle[row])
    return vectors
