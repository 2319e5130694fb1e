"""Aim errors of many poses at once, and their Jacobians. Knows no Blender.

The batched counterpart of `aim_residual`, with three components for every orientation, view or position; each pose keeps its side of a
symmetric end.
"""

from typing import NamedTuple, Protocol

import numpy as np

from ..aim_residual import ROLL_WEIGHT
from ..goals import Direction, EndGoal, GazeGoal, Point, orientation_of, position_of
from ..kinematics.rotations import Quaternion, Vector, normalized, to_matrix, unit
from ..kinematics.se3 import cross, logarithm
from ..kinematics.skeleton import Angles
from ..tolerances import MET, NO_DIRECTION
from .model import Model, Poses

NEAREST = 1e-3  # of the reach: nearer than this, the change of a point's direction by the end's movement is left out of the linear model
HALF_ROLL = np.array([-1.0, 1.0, -1.0])  # signs by which a half roll multiplies a rotation's columns


class AimErrors(NamedTuple):
    """Aim errors of m poses with their Jacobians, stacked over all ends."""

    error: Angles  # (m, r) [rad], positions in shares of the reach: target minus pose
    columns: Angles  # (m, n, r) reduction of the error per unit of each joint
    size: Angles  # (m,)


class Part(Protocol):
    """Residual of one end: its orientation, position or view."""

    two_sided: bool

    def evaluate(self, poses: Poses, sides: Angles | None) -> tuple[Angles, Angles]:
        """Error (m, 3) and Jacobian columns (m, n, 3); `sides` as for `BatchedAim.evaluate`."""
        ...


class BatchedAim:
    """Aim errors of all end goals of one gaze goal, for many poses."""

    def __init__(self, model: Model, goal: GazeGoal) -> None:
        self.goal = goal
        self.parts = [(part, weight) for desired, weight in zip(goal.ends, goal.weights, strict=True) for part in _parts(model, desired)]
        self._sided = next((index for index, (part, _) in enumerate(self.parts) if part.two_sided), -1)

    @property
    def two_sided(self) -> bool:
        """Whether a symmetric end has two solutions to try. With several such ends both sides are tried for the first only, and the nearer
        one for the others.
        """
        return self._sided >= 0

    def evaluate(self, poses: Poses, sides: Angles | None = None) -> AimErrors:
        """Weighted errors of poses; `sides` (m,) is +1 for the target itself, -1 for its half roll, 0 for the nearer; None: all 0."""
        errors, columns = [], []
        for index, (part, weight) in enumerate(self.parts):
            error, column = part.evaluate(poses, sides if index == self._sided else None)
            errors.append(error if weight == 1.0 else weight * error)
            columns.append(column if weight == 1.0 else weight * column)
        error, column = (errors[0], columns[0]) if len(errors) == 1 else (np.concatenate(errors, 1), np.concatenate(columns, 2))
        return AimErrors(error, column, np.sqrt((error**2).sum(1)))


def _parts(model: Model, desired: EndGoal) -> list[Part]:
    aim = desired.aim
    orientation, position = orientation_of(aim), position_of(aim)
    parts: list[Part] = []
    if orientation is not None:
        parts.append(_Orientation(model, desired, orientation))
    if position is not None:
        parts.append(_Position(model, desired, position))
    if isinstance(aim, Direction | Point):
        parts.append(_View(model, desired, aim))
    return parts


class _Orientation:
    def __init__(self, model: Model, desired: EndGoal, orientation: Quaternion) -> None:
        self.end, self.two_sided = desired.end, desired.symmetric
        self._target = np.array(to_matrix(normalized(orientation)))
        # The target's trace with a pose's axes less the half roll's, which reverses X and Z: negative where the half roll is nearer.
        self._across = (self._target * (1.0 - HALF_ROLL)).T.ravel()
        self._turns = _turning(model, desired.end)

    def evaluate(self, poses: Poses, sides: Angles | None) -> tuple[Angles, Angles]:
        now = poses.end_axes[:, self.end]
        target = self._target
        if self.two_sided:
            side = now.reshape(len(now), -1) @ self._across
            if sides is not None:
                side = np.where(sides == 0.0, side, sides)
            target = np.where((side < 0.0)[:, None, None], target * HALF_ROLL, target)
        return logarithm(target @ now), poses.axes * self._turns


class _Position:
    two_sided = False

    def __init__(self, model: Model, desired: EndGoal, position: Vector) -> None:
        self.end, self._position = desired.end, np.array(position)
        self._moves = _Moves(model, desired.end)
        self._share = 1.0 / model.skeleton.reach

    def evaluate(self, poses: Poses, sides: Angles | None) -> tuple[Angles, Angles]:
        return self._share * (self._position - poses.end_positions[:, self.end]), self._share * self._moves.of(poses)


class _View:
    def __init__(self, model: Model, desired: EndGoal, aim: Direction | Point) -> None:
        self.end, self._aim = desired.end, aim
        self._up = None if aim.up is None else np.array(unit(aim.up))
        self.two_sided = desired.symmetric and self._up is not None
        self._turns = _turning(model, desired.end)
        self._moves = _Moves(model, desired.end)
        self._nearest = NEAREST * model.skeleton.reach

    def evaluate(self, poses: Poses, sides: Angles | None) -> tuple[Angles, Angles]:
        turns = poses.axes * self._turns
        axes = poses.end_axes[:, self.end]
        view = axes[:, 1]
        if isinstance(self._aim, Direction):
            desired = np.broadcast_to(unit(self._aim.vector), view.shape)
        else:
            away = np.array(self._aim.position) - poses.end_positions[:, self.end]
            distance = np.maximum(np.sqrt((away**2).sum(1, keepdims=True)), NO_DIRECTION)
            desired = away / distance
            moves = self._moves.of(poses)
            turns = turns + cross(np.broadcast_to(desired[:, None], moves.shape), moves) / np.maximum(distance, self._nearest)[:, None]
        normal = cross(view, desired)
        sine = np.sqrt((normal**2).sum(1))
        angle = np.arctan2(sine, (view * desired).sum(1))
        lost = sine <= NO_DIRECTION  # at 180 degrees any perpendicular of the view is a rotation axis
        if lost.any():
            normal = np.where(lost[:, None], axes[:, 0], normal)
            sine = np.where(lost, 1.0, sine)
        error = normal * (angle / sine)[:, None]
        along = (turns * view[:, None]).sum(-1, keepdims=True)
        columns = turns - along * view[:, None]
        if self._up is not None:
            roll = self._roll(axes[:, 2], desired, normal / sine[:, None], angle, sides)
            weight = ROLL_WEIGHT * np.sqrt(np.maximum(0.0, 1.0 - (desired @ self._up) ** 2))[:, None]
            error = error + view * weight * roll[:, None]
            columns = columns + along * view[:, None] * weight[:, None]
        return error, columns

    def _roll(self, z: Angles, desired: Angles, normal: Angles, angle: Angles, sides: Angles | None) -> Angles:
        """Rotation (m,) [rad] about the view that brings the tool upright once its view is on target."""
        assert self._up is not None
        sine, cosine = np.sin(angle)[:, None], np.cos(angle)[:, None]
        levelled = z * cosine + cross(normal, z) * sine + normal * (normal * z).sum(1, keepdims=True) * (1.0 - cosine)
        upright = self._up - desired * (desired @ self._up)[:, None]
        across, along = (cross(levelled, upright) * desired).sum(1), (levelled * upright).sum(1)
        if self.two_sided:
            side = np.where(along < 0.0, -1.0, 1.0)
            if sides is not None:
                side = np.where(sides == 0.0, side, sides)
            across, along = across * side, along * side
        return np.where((upright**2).sum(1) > MET**2, np.arctan2(across, along), 0.0)


def _turning(model: Model, end: int) -> Angles:
    """(n, 1) 1 for joints that rotate an end, else 0."""
    turning: Angles = (model.turns * model.on_path[end])[:, None]
    return turning


class _Moves:
    """Linear Jacobian of an end's position."""

    def __init__(self, model: Model, end: int) -> None:
        self.end = end
        self._turns = model.turns[:, None] > 0.0
        self._on_path = model.on_path[end][:, None]

    def of(self, poses: Poses) -> Angles:
        """(m, n, 3) [m] per unit of each joint."""
        arms = cross(poses.axes, poses.end_positions[:, self.end, None] - poses.positions)
        moves: Angles = np.where(self._turns, arms, poses.axes) * self._on_path
        return moves
