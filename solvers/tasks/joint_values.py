"""Objective: joints at values, and ball joints at rotations. Knows no Blender."""

import numpy as np

from ..kinematics.se3 import Array, half_angle
from ..kinematics.tree import Indices
from .task import Kinematics


class JointValues:
    """m coordinates at values: forward kinematics, if all actuators have one."""

    def __init__(self, coordinates: Indices, desired: Array, unit: Array) -> None:
        """`coordinates` (m,) and their values (m,) [rad, m]; `unit` (v,) [rad, m] of a step in each coordinate."""
        self.coordinates, self.desired, self.unit = coordinates, desired, unit[coordinates]
        self._jacobian = np.zeros((len(coordinates), len(unit)))
        self._jacobian[np.arange(len(coordinates)), coordinates] = 1.0

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """As `Task.linear`."""
        return (at.values[self.coordinates] - self.desired) / self.unit, self._jacobian


class BallRotations:
    """m ball joints at rotations."""

    def __init__(self, balls: Indices, back: Array, coordinates: Array, width: int) -> None:
        """`balls` (m,) with the inverses of their rotations (m, 3, 3) and their coordinates (m, 3), of `width`."""
        self.balls, self.back, self.coordinates, self.width = balls, back, coordinates, width

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """As `Task.linear`."""
        turns = self.back @ at.balls[self.balls]
        errors, slopes = half_angle(turns)
        jacobian = np.zeros((len(self.balls), 3, self.width))
        for own, columns, slope in zip(jacobian, self.coordinates, slopes @ turns, strict=True):
            own[:, columns] = slope
        return errors.ravel(), jacobian.reshape(-1, self.width)
