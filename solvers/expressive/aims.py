"""Aim errors of many poses at once, and their Jacobians.

The batched counterpart of `aim_residual`; each pose keeps its side of a symmetric end.
"""

from typing import NamedTuple, Protocol

import numpy as np

from ..aim_residual import ROLL_WEIGHT
from ..goals import Direction, EndGoal, GazeGoal, Point, orientation_of, position_of
from ..kinematics.rotations import Quaternion, Vector, normalized, to_matrix, unit
from ..kinematics.se3 import HATS, Array, logarithm
from ..kinematics.skeleton import Angles
from ..kinematics.tree import BASE, Frames, Indices, Tree
from ..tolerances import MET, NO_DIRECTION

# of the reach: nearer than this, the change of a point's direction by the end's movement is left out of the
# linear model
NEAREST = 1e-3
HALF_ROLL = np.array([-1.0, 1.0, -1.0])  # signs by which a half roll multiplies a rotation's columns


class Reaching(Protocol):
    """What aims need of a skeleton, or of a model of one."""

    @property
    def tree(self) -> Tree: ...

    @property
    def reach(self) -> float: ...  # [m]


class AimErrors(NamedTuple):
    """Aim errors of m poses with their Jacobians, stacked over all ends."""

    error: Angles  # (m, r) [rad], positions in shares of the reach: target minus pose
    columns: Angles  # (m, n, r) reduction of the error per unit of each joint
    size: Angles  # (m,)

    def pick(self, rows: Indices) -> "AimErrors":
        """The errors of the poses with the given indices."""
        return AimErrors(*(part[rows] for part in self))


class Part(Protocol):
    """One kind of goal of an end: its orientation, position or view."""

    two_sided: bool

    def evaluate(self, ends: Array, frames: Frames, sides: Angles | None) -> tuple[Array, Array]:
        """Error (m, r) of the end's frames (m, 4, 4) in the base, and its reduction (m, n, r) per unit of
        each joint that moves the end.

        `frames` are those of the joints; `sides` as for `BatchedAim.evaluate`.
        """
        ...


class Weighted(NamedTuple):
    """A part with its end and its weights."""

    part: Part
    node: int  # of `Frames.nodes` that carries the end
    offset: Array  # (4, 4) the end's frame in the node
    weight: float
    shares: Array | None  # (n, 1) the weight, 0 for joints that do not move the end; None: all are 1


class BatchedAim:
    """Aim errors of all end goals of one gaze goal, for many poses."""

    def __init__(self, skeleton: Reaching, goal: GazeGoal) -> None:
        self.goal, tree = goal, skeleton.tree
        self.parts: list[Weighted] = []
        for desired, weight in zip(goal.ends, goal.weights, strict=True):
            node, offset = int(tree.carriers[desired.end]), tree.ends[desired.end]
            moved = tree.moved_by[node, BASE:]
            shares = None if weight == 1.0 and moved.all() else weight * moved[:, None]
            self.parts += [Weighted(part, node, offset, weight, shares) for part in _parts(skeleton, desired)]
        # With several two-sided ends both sides are tried for the first only, the nearer one for the others.
        self._sided = next((index for index, each in enumerate(self.parts) if each.part.two_sided), -1)

    def evaluate(self, frames: Frames, sides: Angles | None = None) -> AimErrors:
        """Weighted errors of poses; `sides` (m,) is +1 for the target itself, -1 for its half roll, 0 for the
        nearer; None: all 0.
        """
        errors, columns = [], []
        for index, (part, node, offset, weight, shares) in enumerate(self.parts):
            error, column = part.evaluate(
                frames.nodes[:, node] @ offset, frames, sides if index == self._sided else None
            )
            errors.append(error if weight == 1.0 else weight * error)
            columns.append(column if shares is None else shares * column)
        error, column = (
            (errors[0], columns[0])
            if len(errors) == 1
            else (np.concatenate(errors, 1), np.concatenate(columns, 2))
        )
        return AimErrors(error, column, np.sqrt(np.einsum("mr,mr->m", error, error)))


def two_sided(goal: GazeGoal) -> bool:
    """Whether a symmetric end of a goal has two solutions to try."""
    return any(
        end_goal.symmetric
        and (orientation_of(end_goal.aim) is not None or getattr(end_goal.aim, "up", None) is not None)
        for end_goal in goal.ends
    )


def _parts(skeleton: Reaching, desired: EndGoal) -> list[Part]:
    aim = desired.aim
    orientation, position = orientation_of(aim), position_of(aim)
    parts: list[Part] = []
    if orientation is not None:
        parts.append(_Orientation(orientation, desired.symmetric))
    if position is not None:
        parts.append(_Position(position, 1.0 / skeleton.reach))
    if isinstance(aim, Direction | Point):
        parts.append(_View(aim, desired.symmetric, NEAREST * skeleton.reach))
    return parts


class _Orientation:
    def __init__(self, orientation: Quaternion, symmetric: bool) -> None:
        self.two_sided = symmetric
        self._target = np.array(to_matrix(normalized(orientation)))
        # The target's trace with a pose's axes less the half roll's, which reverses X and Z: negative where
        # the half roll is nearer.
        self._across = (self._target * (1.0 - HALF_ROLL)).ravel()

    def evaluate(self, ends: Array, frames: Frames, sides: Angles | None) -> tuple[Array, Array]:
        now, target = ends[:, :3, :3], self._target
        if self.two_sided:
            side = _chosen(now.reshape(len(now), 9) @ self._across, sides)
            target = np.where((side < 0.0)[:, None, None], target * HALF_ROLL, target)
        return logarithm(target @ now.swapaxes(1, 2)), frames.turning


class _Position:
    two_sided = False

    def __init__(self, position: Vector, share: float) -> None:
        self._position, self._share = np.array(position), share

    def evaluate(self, ends: Array, frames: Frames, sides: Angles | None) -> tuple[Array, Array]:
        now = ends[:, :3, 3]
        return self._share * (self._position - now), self._share * frames.velocity(now)


class _View:
    """The view along a direction or to a point; with `up` also the roll about it, weighted by the sine of the
    angle between view and up.

    Components are along the end's own axes X, Z and, of the roll, Y.
    """

    def __init__(self, aim: Direction | Point, symmetric: bool, nearest: float) -> None:
        self._target = np.array(unit(aim.vector) if isinstance(aim, Direction) else aim.position)
        self._is_point, self._nearest = isinstance(aim, Point), nearest
        self._up = None if aim.up is None else np.array(unit(aim.up))
        self.two_sided = symmetric and self._up is not None
        self._axes = np.array([0, 2] if aim.up is None else [0, 2, 1])
        self._hats = (
            HATS.reshape(3, 3, 3).take(self._axes, 2).reshape(3, -1)
        )  # these columns of a vector's `hat`

    def evaluate(self, ends: Array, frames: Frames, sides: Angles | None) -> tuple[Array, Array]:
        rotation, position = ends[:, :3, :3], ends[:, :3, 3]
        desired = (
            ((self._target - position)[:, None] @ rotation)[:, 0]
            if self._is_point
            else self._target @ rotation
        )
        # Copied: of strided arrays numpy computes the last bit of arctan2 in one of two ways, by where they
        # are in memory.
        x, y, z = desired.T.copy()
        sine = np.hypot(x, z)  # times the distance, as all of these
        if sine.min() <= NO_DIRECTION:
            y = np.where(
                np.hypot(sine, y) <= NO_DIRECTION, 1.0, y
            )  # an end that is at its target may have any view
            z = np.where(
                sine <= NO_DIRECTION, NO_DIRECTION, z
            )  # at 180 degrees any perpendicular of the view is a rotation axis: X
            sine = np.maximum(sine, NO_DIRECTION)
        distance = np.hypot(sine, y)
        share = np.arctan2(sine, y) / sine
        error, by_turn = np.empty((len(ends), len(self._axes))), rotation.take(self._axes, 2)
        error[:, 0], error[:, 1] = share * z, share * -x
        columns = frames.turning @ by_turn
        if self._is_point:  # the direction to the target changes as the end moves
            slope = -1.0 / (distance * np.maximum(distance, self._nearest))
            by_move = rotation @ (slope[:, None] * desired @ self._hats).reshape(by_turn.shape)
            columns += frames.velocity(position) @ by_move
        if self._up is not None:
            x, y, z, sine = np.array((x, y, z, sine)) / distance
            weight, roll = self._roll(x, y, z, sine, self._up @ rotation, sides)
            error[:, 2] = weight * roll
            columns[:, :, 2] *= weight[:, None]
        return error, columns

    def _roll(
        self, x: Array, y: Array, z: Array, sine: Array, up: Array, sides: Angles | None
    ) -> tuple[Array, Array]:
        """Weight (m,) of the roll, and rotation (m,) [rad] about the view that brings the end upright once
        its view is on target.

        Desired view (x, y, z) and up (m, 3) are in the end's axes.
        """
        sideways = x * up[:, 0] + z * up[:, 2]
        far = np.where(y < 0.0, sine * sine / (1.0 + np.abs(y)), 1.0 + y)  # 1 + y without loss of digits
        tilt = up[:, 1] + sideways / far
        across, along = (
            up[:, 0] - x * tilt,
            up[:, 2] - z * tilt,
        )  # of up: along the end's X and Z after the least rotation of its view
        if self.two_sided:
            side = _chosen(np.where(along < 0.0, -1.0, 1.0), sides)
            across, along = across * side, along * side
        upright = np.sqrt(np.maximum(0.0, 1.0 - (sideways + y * up[:, 1]) ** 2))
        return ROLL_WEIGHT * upright, np.where(upright > MET, np.arctan2(across, along), 0.0)


def _chosen(nearer: Angles, sides: Angles | None) -> Angles:
    """Side (m,) of a symmetric end in each pose: that in `sides`, or the nearer one where `sides` is 0."""
    return nearer if sides is None else np.where(sides == 0.0, nearer, sides)
