"""Residual blocks: the error of an aim as a function of the end's frame, and how movements of the end reduce
it. Their base class, and the blocks that make up Limber's aims: orientation, position and view.

The joints do not appear: the columns of a Jacobian follow from what each joint does to the end. The same code
handles many poses and a single one, which is a batch of 1.
"""

import math
from functools import cached_property
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kinematics.rotations import (
    Quaternion,
    Vector,
    Y,
    length,
    normalized,
    rotate,
    subtract,
    to_matrix,
    unit,
    vector_angle,
)
from ..kinematics.se3 import HATS, UNIT, Array, logarithm
from ..kinematics.skeleton import Angles
from ..tolerances import MET, NO_DIRECTION
from .rolls import upright, whole_angle

Kind = Literal["aim", "upright", "position"]

# smallest distance, as a fraction of the reach, by which the derivative of the direction to a point is
# divided; nearer to the point the derivative no longer grows
NEAREST = 1e-3
ROLL_WEIGHT = 0.1  # weight of uprightness relative to the view: if a chain cannot satisfy both, the view wins
# factors of a rotation matrix's columns that roll it by 180 degrees about Y
HALF_ROLL_SIGNS = np.array([-1.0, 1.0, -1.0])


class EndError(NamedTuple):
    """Errors of one end: of its view, its whole orientation and its position."""

    # [rad] error of the whole orientation; of an aim with a view, such as Point, that of the view alone
    angle: float = 0.0
    whole: float = 0.0  # [rad] error of the orientation including the roll, if the goal prescribes one
    distance: float = 0.0  # [m] error of the position; 0 if the goal has none

    def and_also(self, other: "EndError") -> "EndError":
        """The errors of this block together with those of another block of the same end, each the root of the
        sum of squares.
        """
        return EndError(*map(math.hypot, self, other))


class PoseErrors(tuple[float, ...]):
    """Errors of a pose as numbers (4 ends,): for each of the goal's ends the three fields of `EndError`, then
    1 if the end is at the very point that it should look at, otherwise 0.
    """

    @property
    def angle(self) -> float:
        """The first end's `EndError.angle` [rad]."""
        return self[0]

    @property
    def whole(self) -> float:
        """The largest `EndError.whole` [rad]."""
        return max(self[1::4])

    @property
    def distance(self) -> float:
        """The largest `EndError.distance` [m]."""
        return max(self[2::4])

    @property
    def errors(self) -> tuple[EndError, ...]:
        """The errors of each end."""
        return tuple(map(EndError, self[::4], self[1::4], self[2::4]))

    @property
    def at_targets(self) -> tuple[bool, ...]:
        """For each end, whether it is at the very point that it should look at."""
        return tuple(map(bool, self[3::4]))

    @property
    def is_blind(self) -> bool:
        """Whether an end is at the point that it should look at, so that no direction leads to its target."""
        return any(self[3::4])


class BlockErrors(NamedTuple):
    """Errors of one block in m poses, and their reduction by movements of the end in the base frame."""

    error: Array  # (m, r) [rad], or in fractions of the reach
    # (m, 3, r) or (3, r) reduction per radian about each axis; None if rotations reduce nothing
    by_rotation: Array | None
    # of the same shape: reduction per metre along each axis; None if movements reduce nothing
    by_movement: Array | None = None


class ResidualBlock:
    """A part of an end's aim, such as its view or position, with its error as a function of the end's pose.

    Attributes:
        kind: Whether its rows belong to an aim or to a position, which may have different priorities.
        upright_rows: Number of the last rows, which only make the end upright.
        two_sided: Whether there are two solutions: the target, and the target rolled by pi about its own Y.
        target: Position [m] that the end should have; None if the block prescribes none.
    """

    kind: ClassVar[Kind] = "aim"
    upright_rows: int = 0
    two_sided: bool = False
    target: Vector | None = None

    def errors(
        self, rotations: Array, positions: Array, reach: float, sides: Angles | None = None
    ) -> BlockErrors:
        """Errors at poses of the end in the base frame; they are zero if the block is met.

        Args:
            rotations: (m, 3, 3) of the end; it looks along its own +Y, and its up is +Z.
            positions: (m, 3) [m].
            reach: Reach of the skeleton [m]; distances are divided by it.
            sides: (m,) for a block with two solutions, which one: +1 the target itself, -1 the target rolled
                by pi, 0 the nearer; None: all 0.
        """
        raise NotImplementedError

    def end_error(self, rotation: Quaternion, position: Vector) -> EndError:
        """Error at one orientation and position [m] of the end, as angles [rad] or a distance [m], unlike the
        residual of `errors`.
        """
        residual = self.errors(np.array([to_matrix(rotation)]), np.array([position]), 1.0)
        size = float(np.linalg.norm(residual.error[0]))
        return EndError(distance=size) if self.kind == "position" else EndError(size, size)

    def kinds(self, rows: int) -> list[tuple[Kind, int]]:
        """The kinds of the block's components in order, each with the number of components."""
        if not self.upright_rows:
            return [(self.kind, rows)]
        return [(self.kind, rows - self.upright_rows), ("upright", self.upright_rows)]


class OrientationBlock(ResidualBlock):
    """Block of a given orientation of the end; the error is the rotation vector to that orientation, which
    does not vanish at 180 degrees.
    """

    def __init__(self, wxyz: Quaternion, symmetric: bool) -> None:
        self.wxyz, self.two_sided = normalized(wxyz), symmetric

    @cached_property
    def _matrix(self) -> Array:
        return np.array(to_matrix(self.wxyz))

    @cached_property
    def _across(self) -> Array:
        """Weights (9,) of the entries of an end's rotation R: the weighted sum is trace(T' R) - trace(H' R),
        with the target T, and H the target rolled by pi, whose X and Z are reversed. It is negative if H is
        nearer.
        """
        return (self._matrix * (1.0 - HALF_ROLL_SIGNS)).ravel()

    def errors(
        self, rotations: Array, positions: Array, reach: float, sides: Angles | None = None
    ) -> BlockErrors:
        target = self._matrix
        if self.two_sided:
            side = _chosen(rotations.reshape(len(rotations), 9) @ self._across, sides)
            target = np.where((side < 0.0)[:, None, None], target * HALF_ROLL_SIGNS, target)
        return BlockErrors(logarithm(target @ rotations.swapaxes(1, 2)), UNIT)

    def end_error(self, rotation: Quaternion, position: Vector) -> EndError:
        angle = whole_angle(self.wxyz, rotation, self.two_sided)
        return EndError(angle, angle)


class PositionBlock(ResidualBlock):
    """Block of a given position of the end; the error is the vector to that position, in fractions of the
    reach.
    """

    kind: Kind = "position"  # type: ignore[misc]

    def __init__(self, position: Vector) -> None:
        self.target = self.position = position

    def errors(
        self, rotations: Array, positions: Array, reach: float, sides: Angles | None = None
    ) -> BlockErrors:
        share = 1.0 / reach
        return BlockErrors(share * (np.array(self.position) - positions), None, share * UNIT)

    def end_error(self, rotation: Quaternion, position: Vector) -> EndError:
        return EndError(distance=length(subtract(self.position, position)))


class ViewBlock(ResidualBlock):
    """The view along a direction or to a point; with `up` also the roll about it, weighted by `ROLL_WEIGHT`
    times the sine of the angle between view and up.

    The error is a rotation vector's components along the end's own axes X and Z and, for the roll, Y.
    """

    def __init__(
        self, goal: Vector, is_point: bool, up: Vector | None = None, symmetric: bool = False
    ) -> None:
        """`goal`: the direction, or the position [m] of the point; `symmetric`: whether the end is equally
        good when rolled by pi, which matters with `up`.
        """
        self.goal, self.is_point = goal if is_point else unit(goal), is_point
        self.up = None if up is None else unit(up)
        self.upright_rows = 0 if up is None else 1
        self.symmetric, self.two_sided = symmetric, symmetric and up is not None

    def gaze(self, eye: Vector) -> Vector:
        """Direction (base frame, any length) in which an end at position `eye` should look."""
        return subtract(self.goal, eye) if self.is_point else self.goal

    @cached_property
    def _target(self) -> Array:
        return np.array(self.goal)

    @cached_property
    def _axes(self) -> NDArray[np.intp]:
        return np.array([0, 2] if self.up is None else [0, 2, 1])

    @cached_property
    def _hats(self) -> Array:
        """Columns of `HATS`, (3, 6) or with roll (3, 9), that give the columns `_axes` of a vector's cross
        product matrix.
        """
        hats: Array = HATS.reshape(3, 3, 3).take(self._axes, 2).reshape(3, -1)
        return hats

    def errors(
        self, rotations: Array, positions: Array, reach: float, sides: Angles | None = None
    ) -> BlockErrors:
        desired = (
            ((self._target - positions)[:, None] @ rotations)[:, 0]
            if self.is_point
            else self._target @ rotations
        )
        # Copied, because for strided arrays numpy computes the last bit of arctan2 in one of two ways,
        # depending on their position in memory.
        x, y, z = desired.T.copy()
        sine = np.hypot(x, z)  # sine of the view's error, times the distance, as are x, y and z
        if sine.min() <= NO_DIRECTION:
            # at its target, an end effector meets the aim with any view
            y = np.where(np.hypot(sine, y) <= NO_DIRECTION, 1.0, y)
            # at 180 degrees any perpendicular to the view is a rotation axis; X is chosen
            x, z = np.where(sine <= NO_DIRECTION, 0.0, x), np.where(sine <= NO_DIRECTION, NO_DIRECTION, z)
            sine = np.maximum(sine, NO_DIRECTION)
        distance = np.hypot(sine, y)
        share = np.arctan2(sine, y) / sine
        error, by_rotation = np.empty((len(rotations), len(self._axes))), rotations.take(self._axes, 2)
        error[:, 0], error[:, 1] = share * z, share * -x
        by_movement = None
        if self.is_point:  # the direction to the target changes as the end moves
            slope = -1.0 / distance / np.maximum(distance, NEAREST * reach)
            by_movement = rotations @ (slope[:, None] * desired @ self._hats).reshape(by_rotation.shape)
        if self.up is not None:
            x, y, z, sine = np.array((x, y, z, sine)) / distance
            weight, roll = self._roll(x, y, z, sine, np.array(self.up) @ rotations, sides)
            error[:, 2] = weight * roll
            by_rotation[:, :, 2] *= weight[:, None]
            if by_movement is not None:
                by_movement[:, :, 2] *= weight[:, None]
        return BlockErrors(error, by_rotation, by_movement)

    def _roll(
        self, x: Array, y: Array, z: Array, sine: Array, up: Array, sides: Angles | None
    ) -> tuple[Array, Array]:
        """Weight (m,) of the roll, and rotation (m,) [rad] about the view that brings the end upright once
        its view is on target.

        The desired view (`x`, `y`, `z`), each (m,), and `up` (m, 3) are in the end's own axes.
        """
        sideways = x * up[:, 0] + z * up[:, 2]
        far = np.where(y < 0.0, sine * sine / (1.0 + np.abs(y)), 1.0 + y)  # 1 + y without loss of digits
        tilt = up[:, 1] + sideways / far
        # components of up along the end's X and Z after the smallest rotation of its view to the target
        across, along = up[:, 0] - x * tilt, up[:, 2] - z * tilt
        if self.two_sided:
            side = _chosen(np.where(along < 0.0, -1.0, 1.0), sides)
            across, along = across * side, along * side
        upright_sine = np.sqrt(np.maximum(0.0, 1.0 - (sideways + y * up[:, 1]) ** 2))
        return ROLL_WEIGHT * upright_sine, np.where(upright_sine > MET, np.arctan2(across, along), 0.0)

    def end_error(self, rotation: Quaternion, position: Vector) -> EndError:
        direction = self.gaze(position)
        angle = vector_angle(rotate(rotation, Y), direction)
        if self.up is None or length(direction) <= NO_DIRECTION:
            return EndError(angle, angle)
        target = upright(unit(direction), self.up)
        if target is None:
            return EndError(angle, angle)
        return EndError(angle, whole_angle(target, rotation, self.symmetric))


def _chosen(nearer: Angles, sides: Angles | None) -> Angles:
    """Side (m,) of a symmetric end in each pose: the one in `sides`, or the nearer one if `sides` is 0."""
    return nearer if sides is None else np.where(sides == 0.0, nearer, sides)
