"""Preference for the posture's roll, of ends whose aim leaves the roll free: part of the shape, beneath the aim. Knows no Blender.

The roll of an end is its angle about its view, against upright. With view y, tool axes x and z, and up u, its sine and cosine are -x . u
and z . u, both over s, the sine of the angle from u to y. A pose loses s s' (1 - cos(roll - the posture's roll)) of the mean cosine, times
`SHARE`; s' is that of the posture, which has no roll where it looks along up. While the view is held, a joint changes the roll by its turn
about it.
"""

from typing import NamedTuple

import numpy as np

from ..goals import Direction, GazeGoal, Point
from ..rotations import unit
from ..skeleton import Angles
from .model import Authored, Model, Poses, System

SHARE = 4.0  # of the roll against the mean of all directions: a head that rolls is seen before anything else of the body


class _Wanted(NamedTuple):
    """The posture's roll of one end, times the sine of the angle from up to its view."""

    end: int
    up: Angles  # (3,) unit
    sine: float
    cosine: float
    symmetric: bool


class _Gap(NamedTuple):
    """The roll that poses (m,) still have to go."""

    sine: Angles  # times both sines of the angle from up to the view
    cosine: Angles
    most: Angles  # both sines


class Rolls:
    """The preferred rolls of one goal's ends."""

    def __init__(self, model: Model, authored: Authored, goal: GazeGoal) -> None:
        self.model, self.keep = model, authored.keep
        self._wanted = []
        for asked in goal.ends:
            if isinstance(asked.aim, Direction | Point) and asked.aim.level is not None and asked.aim.up is None:
                up = np.array(unit(asked.aim.level))
                x, _, z = authored.end_rotations[asked.end].T
                self._wanted.append(_Wanted(asked.end, up, float(-x @ up), float(z @ up), asked.symmetric))

    def __bool__(self) -> bool:
        return bool(self._wanted)

    def lost(self, poses: Poses) -> Angles:
        """What poses (m,) lose of the mean cosine of the directions that count."""
        lost = np.zeros(len(poses.angles))
        for wanted in self._wanted:
            gap = _gap(wanted, poses)
            lost += SHARE * (gap.most - gap.cosine)
        return lost

    def added(self, poses: Poses, system: System) -> System:
        """The shape's system with the rolls' part."""
        matrix, descent = system
        weight = self.keep * SHARE * len(self.model.weights)  # the system is that of a sum over all directions
        for wanted in self._wanted:
            gap = _gap(wanted, poses)
            view = poses.end_rotations[:, wanted.end, :, 1]
            columns = (poses.axes @ view[:, :, None])[..., 0] * self.model.turns * self.model.on_path[wanted.end]
            matrix = matrix + (weight * gap.most)[:, None, None] * columns[:, :, None] * columns[:, None, :]
            descent = descent + (weight * gap.sine)[:, None] * columns
        return System(matrix, descent)


def _gap(wanted: _Wanted, poses: Poses) -> _Gap:
    rotation = poses.end_rotations[:, wanted.end]
    sine, cosine = -(rotation[:, :, 0] @ wanted.up), rotation[:, :, 2] @ wanted.up
    gap_sine = wanted.sine * cosine - wanted.cosine * sine
    gap_cosine = wanted.cosine * cosine + wanted.sine * sine
    if wanted.symmetric:  # the half roll is as good
        side = np.where(gap_cosine < 0.0, -1.0, 1.0)
        gap_sine, gap_cosine = side * gap_sine, side * gap_cosine
    return _Gap(gap_sine, gap_cosine, np.hypot(sine, cosine) * np.hypot(wanted.sine, wanted.cosine))
