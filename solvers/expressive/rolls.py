"""The posture's roll of an end, preferred where the end's aim leaves its roll free. Knows no Blender."""

from typing import NamedTuple

import numpy as np

from ..goals import Direction, GazeGoal, Point
from ..kinematics.rotations import unit
from ..kinematics.skeleton import Angles
from .model import Model, Poses, System
from .shape import Authored

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
