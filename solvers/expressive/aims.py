"""How many poses at once miss their goals: rotation vectors and ways, and how the joints take them off. Knows no Blender.

The batched counterpart of `aim_residual`, with three rows for every orientation, view or place; rows hold their side of a symmetric end.
"""

from typing import NamedTuple, Protocol

import numpy as np

from ..aim_residual import ROLL_WEIGHT, SHORTEST_REACH
from ..goals import POLE, Direction, EndGoal, GazeGoal, Point, orientation_of, place_of
from ..rotations import NO_DIRECTION, Quaternion, Vector, normalized, to_matrix, unit
from ..skeleton import Angles
from .model import Model, Poses, crosses

NEAREST = 1e-3  # of the reach: from nearer, how a point's direction moves with the end has no use in a linear model
HALF_TURN = 1e-6  # twice the sine of an angle under which the skew part of a matrix is mostly rounding
HALF_ROLL = np.array([-1.0, 1.0, -1.0])  # what a half roll does to a rotation's columns


class Missed(NamedTuple):
    """What poses miss of the goals."""

    error: Angles  # (m, r) [rad], places in shares of the reach: still to go
    columns: Angles  # (m, n, r) what a unit of each joint's movement takes off
    size: Angles  # (m,)


class Part(Protocol):
    """What one end misses in one way."""

    two_sided: bool

    def missed(self, poses: Poses, sides: Angles | None) -> tuple[Angles, Angles]:
        """Error (m, 3) and columns (m, n, 3); `sides` as for `BatchedAim.missed`."""
        ...


class BatchedAim:
    """All goals of ends, for many poses."""

    def __init__(self, model: Model, goal: GazeGoal) -> None:
        self.goal = goal
        self.parts = [(part, weight) for wanted, weight in zip(goal.ends, goal.weights, strict=True) for part in _parts(model, wanted)]
        self._sided = next((index for index, (part, _) in enumerate(self.parts) if part.two_sided), -1)

    @property
    def two_sided(self) -> bool:
        """Whether a symmetric end has two ways to meet the goal. Of several such ends the first has sides, the others take the nearer."""
        return self._sided >= 0

    def missed(self, poses: Poses, sides: Angles | None = None) -> Missed:
        """Errors of poses; `sides` (m,) is +1 for the target itself, -1 for its half roll, None for the nearer."""
        errors, columns = [], []
        for index, (part, weight) in enumerate(self.parts):
            error, column = part.missed(poses, sides if index == self._sided else None)
            errors.append(error if weight == 1.0 else weight * error)
            columns.append(column if weight == 1.0 else weight * column)
        error, column = (errors[0], columns[0]) if len(errors) == 1 else (np.concatenate(errors, 1), np.concatenate(columns, 2))
        return Missed(error, column, np.sqrt((error**2).sum(1)))


def _parts(model: Model, wanted: EndGoal) -> list[Part]:
    aim = wanted.aim
    orientation, place = orientation_of(aim), place_of(aim)
    parts: list[Part] = []
    if orientation is not None:
        parts.append(_Orientation(model, wanted, orientation))
    if place is not None:
        parts.append(_Place(model, wanted, place))
    if isinstance(aim, Direction | Point):
        parts.append(_View(model, wanted, aim))
    return parts


class _Orientation:
    def __init__(self, model: Model, wanted: EndGoal, orientation: Quaternion) -> None:
        self.end, self.two_sided = wanted.end, wanted.symmetric
        self._target = np.array(to_matrix(normalized(orientation)))
        self._turns = _turning(model, wanted.end)

    def missed(self, poses: Poses, sides: Angles | None) -> tuple[Angles, Angles]:
        now = poses.end_rotations[:, self.end].transpose(0, 2, 1)
        gap = self._target @ now
        if self.two_sided:
            rolled = (self._target * HALF_ROLL) @ now
            other = sides < 0 if sides is not None else np.trace(rolled, axis1=1, axis2=2) > np.trace(gap, axis1=1, axis2=2)
            gap = np.where(other[:, None, None], rolled, gap)
        return logarithms(gap), poses.axes * self._turns


class _Place:
    two_sided = False

    def __init__(self, model: Model, wanted: EndGoal, place: Vector) -> None:
        self.end, self._place = wanted.end, np.array(place)
        self._moves = _Moves(model, wanted.end)
        self._share = 1.0 / max(model.skeleton.reach, SHORTEST_REACH)

    def missed(self, poses: Poses, sides: Angles | None) -> tuple[Angles, Angles]:
        return self._share * (self._place - poses.end_places[:, self.end]), self._share * self._moves.of(poses)


class _View:
    def __init__(self, model: Model, wanted: EndGoal, aim: Direction | Point) -> None:
        self.end, self._aim = wanted.end, aim
        self._up = None if aim.up is None else np.array(unit(aim.up))
        self.two_sided = wanted.symmetric and self._up is not None
        self._turns = _turning(model, wanted.end)
        self._moves = _Moves(model, wanted.end)
        self._nearest = NEAREST * model.skeleton.reach

    def missed(self, poses: Poses, sides: Angles | None) -> tuple[Angles, Angles]:
        turns = poses.axes * self._turns
        rotation = poses.end_rotations[:, self.end]
        view = rotation[:, :, 1]
        if isinstance(self._aim, Direction):
            wanted = np.broadcast_to(unit(self._aim.vector), view.shape)
        else:
            away = np.array(self._aim.place) - poses.end_places[:, self.end]
            distance = np.maximum(np.sqrt((away**2).sum(1, keepdims=True)), NO_DIRECTION)
            wanted = away / distance
            moves = self._moves.of(poses)
            turns = turns + crosses(np.broadcast_to(wanted[:, None], moves.shape), moves) / np.maximum(distance, self._nearest)[:, None]
        normal = crosses(view, wanted)
        sine = np.sqrt((normal**2).sum(1))
        angle = np.arctan2(sine, (view * wanted).sum(1))
        lost = sine <= NO_DIRECTION  # at 180 degrees any way across the view will do
        if lost.any():
            normal = np.where(lost[:, None], rotation[:, :, 0], normal)
            sine = np.where(lost, 1.0, sine)
        error = normal * (angle / sine)[:, None]
        along = (turns * view[:, None]).sum(-1, keepdims=True)
        columns = turns - along * view[:, None]
        if self._up is not None:
            roll = self._roll(rotation, wanted, normal / sine[:, None], angle, sides)
            weight = ROLL_WEIGHT * np.sqrt(np.maximum(0.0, 1.0 - (wanted @ self._up) ** 2))[:, None]
            error = error + view * weight * roll[:, None]
            columns = columns + along * view[:, None] * weight[:, None]
        return error, columns

    def _roll(self, rotation: Angles, wanted: Angles, normal: Angles, angle: Angles, sides: Angles | None) -> Angles:
        """Turns (m,) [rad] about the view that bring the levelled tool upright."""
        assert self._up is not None
        z = rotation[:, :, 2]
        sine, cosine = np.sin(angle)[:, None], np.cos(angle)[:, None]
        levelled = z * cosine + crosses(normal, z) * sine + normal * (normal * z).sum(1, keepdims=True) * (1.0 - cosine)
        upright = self._up - wanted * (wanted @ self._up)[:, None]
        across, along = (crosses(levelled, upright) * wanted).sum(1), (levelled * upright).sum(1)
        if self.two_sided:
            side = sides if sides is not None else np.where(along < 0.0, -1.0, 1.0)
            across, along = across * side, along * side
        return np.where((upright**2).sum(1) > POLE**2, np.arctan2(across, along), 0.0)


def _turning(model: Model, end: int) -> Angles:
    """(n, 1) 1 where a joint turns an end."""
    turning: Angles = (model.turns * model.on_path[end])[:, None]
    return turning


class _Moves:
    """How joints move an end's place."""

    def __init__(self, model: Model, end: int) -> None:
        self.end = end
        self._turns = model.turns[:, None] > 0.0
        self._on_path = model.on_path[end][:, None]

    def of(self, poses: Poses) -> Angles:
        """(m, n, 3) [m] per unit of each joint's movement."""
        arms = crosses(poses.axes, poses.end_places[:, self.end, None] - poses.places)
        moves: Angles = np.where(self._turns, arms, poses.axes) * self._on_path
        return moves


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
