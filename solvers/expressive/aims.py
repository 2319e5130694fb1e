"""Aim errors of many poses at once, and their Jacobians. Knows no Blender.

The batched counterpart of `aim_residual`, with three components for every orientation, view or position; each pose keeps its side of a
symmetric end.
"""

from typing import NamedTuple, Protocol

import numpy as np

from ..aim_residual import ROLL_WEIGHT, SHORTEST_REACH
from ..goals import POLE, Direction, EndGoal, GazeGoal, Point, orientation_of, position_of
from ..kinematics.rotations import NO_DIRECTION, Quaternion, Vector, normalized, to_matrix, unit
from ..kinematics.se3 import cross, logarithm
from ..kinematics.skeleton import Angles
from .model import Authored, Model, Poses, System

NEAREST = 1e-3  # of the reach: nearer than this, the change of a point's direction by the end's movement is left out of the linear model
HALF_ROLL = np.array([-1.0, 1.0, -1.0])  # signs by which a half roll multiplies a rotation's columns


class AimErrors(NamedTuple):
    """Aim errors of m poses, all ends stacked."""

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
    """All end goals of one gaze goal, for many poses."""

    def __init__(self, model: Model, goal: GazeGoal) -> None:
        self.goal = goal
        self.parts = [(part, weight) for desired, weight in zip(goal.ends, goal.weights, strict=True) for part in _parts(model, desired)]
        self._sided = next((index for index, (part, _) in enumerate(self.parts) if part.two_sided), -1)

    @property
    def two_sided(self) -> bool:
        """Whether a symmetric end has two solutions. Of several such ends the first is solved for both sides, the others for the nearer."""
        return self._sided >= 0

    def evaluate(self, poses: Poses, sides: Angles | None = None) -> AimErrors:
        """Weighted errors of poses; `sides` (m,) is +1 for the target itself, -1 for its half roll; None: the nearer."""
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
        self._turns = _turning(model, desired.end)

    def evaluate(self, poses: Poses, sides: Angles | None) -> tuple[Angles, Angles]:
        now = poses.end_axes[:, self.end]
        gap = self._target @ now
        if self.two_sided:
            rolled = (self._target * HALF_ROLL) @ now
            other = sides < 0 if sides is not None else np.trace(rolled, axis1=1, axis2=2) > np.trace(gap, axis1=1, axis2=2)
            gap = np.where(other[:, None, None], rolled, gap)
        return logarithm(gap), poses.axes * self._turns


class _Position:
    two_sided = False

    def __init__(self, model: Model, desired: EndGoal, position: Vector) -> None:
        self.end, self._position = desired.end, np.array(position)
        self._moves = _Moves(model, desired.end)
        self._share = 1.0 / max(model.skeleton.reach, SHORTEST_REACH)

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
            side = sides if sides is not None else np.where(along < 0.0, -1.0, 1.0)
            across, along = across * side, along * side
        return np.where((upright**2).sum(1) > POLE**2, np.arctan2(across, along), 0.0)


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


SHARE = 4.0  # weight of the roll against the mean of all directions: a rolled head is seen before anything else; chosen by eye


class _DesiredRoll(NamedTuple):
    """The posture's roll of one end: sine and cosine, times the sine of the angle from up to the view."""

    end: int
    up: Angles  # (3,) unit
    sine: float
    cosine: float
    symmetric: bool


class _RollError(NamedTuple):
    """Differences of roll from the posture's, of m poses."""

    sine: Angles  # (m,) times both sines of the angle from up to the view
    cosine: Angles
    most: Angles  # (m,) the product of both sines: the largest cosine


class Rolls:
    """Preferred rolls of one goal's ends: a secondary objective keeps the posture's roll where an end's aim leaves the roll free.

    The roll of an end is its angle about its view, measured from upright. With view y, tool axes x and z, and up vector u, its sine and
    cosine are -x . u and z . u, both over s, the sine of the angle from u to y. A pose loses s s' (1 - cos(roll - posture's roll)) of the
    mean cosine, times `SHARE`; s' is that of the posture, whose roll is undefined where it looks along u. While the view is held, a joint
    changes the roll by its rotation about the view.
    """

    def __init__(self, model: Model, authored: Authored, goal: GazeGoal) -> None:
        self.model, self.keep = model, authored.keep
        self._desired = []
        for end_goal in goal.ends:
            if isinstance(end_goal.aim, Direction | Point) and end_goal.aim.level is not None and end_goal.aim.up is None:
                up = np.array(unit(end_goal.aim.level))
                x, _, z = authored.end_axes[end_goal.end]
                self._desired.append(_DesiredRoll(end_goal.end, up, float(-x @ up), float(z @ up), end_goal.symmetric))

    def __bool__(self) -> bool:
        return bool(self._desired)

    def loss(self, poses: Poses) -> Angles:
        """Loss (m,) of the mean cosine of shape directions."""
        loss = np.zeros(len(poses.angles))
        for desired in self._desired:
            error = _roll_error(desired, poses)
            loss += SHARE * (error.most - error.cosine)
        return loss

    def added(self, poses: Poses, system: System) -> System:
        """The shape's system plus that of the rolls."""
        matrix, descent = system
        weight = self.keep * SHARE * len(self.model.weights)  # the system is that of a sum over all directions
        for desired in self._desired:
            error = _roll_error(desired, poses)
            view = poses.end_axes[:, desired.end, 1]
            columns = (poses.axes @ view[:, :, None])[..., 0] * self.model.turns * self.model.on_path[desired.end]
            matrix = matrix + (weight * error.most)[:, None, None] * columns[:, :, None] * columns[:, None, :]
            descent = descent + (weight * error.sine)[:, None] * columns
        return System(matrix, descent)


def _roll_error(desired: _DesiredRoll, poses: Poses) -> _RollError:
    axes = poses.end_axes[:, desired.end]
    sine, cosine = -(axes[:, 0] @ desired.up), axes[:, 2] @ desired.up
    error_sine = desired.sine * cosine - desired.cosine * sine
    error_cosine = desired.cosine * cosine + desired.sine * sine
    if desired.symmetric:  # the nearer of the roll and the opposite one
        side = np.where(error_cosine < 0.0, -1.0, 1.0)
        error_sine, error_cosine = side * error_sine, side * error_cosine
    return _RollError(error_sine, error_cosine, np.hypot(sine, cosine) * np.hypot(desired.sine, desired.cosine))
