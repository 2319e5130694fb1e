"""Objectives of a solve: each computes an error and its Jacobian for all its goals at once. Unit steps in the
coordinates are 1 rad, or one size (a length that makes distances comparable with radians). Source:
Schumacher et al. 2021, section IV.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from .kinematics.rotations import Matrix, Vector
from .kinematics.se3 import Array, cross, half_angle, half_swing, hat
from .kinematics.tree import Frames, Indices
from .tolerances import TINY


class Kinematics(NamedTuple):
    """Configuration of a tree with n joints and v coordinates, and the quantities computed from it."""

    frames: Frames  # frames of the base, which is the world, and of the joints
    screws: Array  # (2, 3, v) angular velocity, and velocity at the world's origin, per unit step
    values: Array  # (v,) coordinates [rad, m]
    balls: Array  # (b, 3, 3) rotations of ball joints


class Task(Protocol):
    """Interface of an objective; the solve minimises the sum of the squared errors of all."""

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """Weighted errors (e,) and their Jacobian (e, v) for unit steps of the coordinates."""


class Ends:
    """Frames on links that have goals of one kind, with weights: k ends with c error components each.
    Components with weight 0 are left out, since their axes are free.
    """

    def __init__(self, nodes: Indices, offsets: Array, carries: Array, weights: Array) -> None:
        """Ends on the nodes of a tree.

        Args:
            nodes: Indices (k,), in `Frames.nodes`, of the nodes that carry the ends.
            offsets: (k, 4, 4) frames of the ends in these nodes.
            carries: (n + 1, v) 1 if a coordinate moves a node, otherwise 0.
            weights: (k, c) weights of the squared errors.
        """
        self.nodes, self.offsets, self.roots, self._carries = nodes, offsets, np.sqrt(weights), carries

    @cached_property
    def _picked(self) -> Indices:
        """Indices (e,), among all components, of those whose weight is not 0."""
        return np.flatnonzero(self.roots)

    @cached_property
    def weight(self) -> Array:
        """Square roots (e,) of the components' weights."""
        return self.roots.reshape(-1)[self._picked]

    @cached_property
    def _share(self) -> Array:
        """(e, v) factors of the Jacobian: a component's root weight where a coordinate moves its end, else
        0.
        """
        share: Array = self.weight[:, None] * self._carries[self.nodes[self._picked // self.roots.shape[1]]]
        return share

    def frames(self, frames: Frames) -> Array:
        """Frames (k, 4, 4) of the ends in the world."""
        placed: Array = frames.nodes.take(self.nodes, axis=0) @ self.offsets
        return placed

    def weighted(self, errors: Array, slopes: Array) -> tuple[Array, Array]:
        """Weighted errors (e,) and Jacobian (e, v), from errors (k, c) and their derivatives `slopes` (k, c,
        v), computed as if every coordinate moved every end.
        """
        error = self.weight * errors.reshape(-1)[self._picked]
        jacobian: Array = slopes.reshape(errors.size, slopes.shape[-1])[self._picked] * self._share
        return error, jacobian


@dataclass(eq=False)
class PositionTask:
    """Task that brings k ends to positions, with weights along axes (section IV.B)."""

    ends: Ends  # the ends, with weights (k, 3) [1 / m^2]
    targets: Array | Sequence[Vector]  # (k, 3) [m] desired positions
    axes: Array | None = None  # (3, 3) axes of the weights, as columns; None: the axes of the tree's base

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """Weighted position errors (e,) and their Jacobian (e, v); see `Task.linear`."""
        angular, linear = at.screws
        points = self.ends.frames(at.frames)[:, :3, 3]
        errors, slopes = points - np.asarray(self.targets), linear - hat(points) @ angular
        if self.axes is not None:
            errors, slopes = errors @ self.axes, self.axes.T @ slopes
        return self.ends.weighted(errors, slopes)


@dataclass(eq=False)
class OrientationTask:
    """Task that brings k ends to orientations (section IV.B).

    The error is the half-angle vector in the target's axes, 2 sin(h / 2) times the axis: its square is twice
    the paper's f_ori at even weights, and it grows up to 180 degrees.
    """

    ends: Ends  # the ends, with weights (k, 3) [1 / rad^2] about the target's axes
    targets: Array | Sequence[Matrix]  # (k, 3, 3) desired orientations

    @cached_property
    def back(self) -> Array:
        """Inverses (k, 3, 3) of the target rotations."""
        return np.asarray(self.targets).swapaxes(1, 2)

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """Weighted orientation errors (e,) and their Jacobian (e, v); see `Task.linear`."""
        errors, slopes = half_angle(self.back @ self.ends.frames(at.frames)[:, :3, :3])
        return self.ends.weighted(errors, slopes @ self.back @ at.screws[0])


@dataclass(eq=False)
class DirectionTask:
    """Task that aligns the Z axes of k ends with directions; the roll about them is free.

    The error is the half-angle vector of the least rotation from the direction to the axis: two components
    across the direction.
    """

    ends: Ends  # the ends, with weights (k, 2) [1 / rad^2]; their frames have the axis as Z
    targets: Sequence[Matrix]  # (k, 3, 3) rotations that take Z to the direction

    @cached_property
    def back(self) -> Array:
        """Inverses (k, 3, 3) of the target rotations."""
        return np.array(self.targets).swapaxes(1, 2)

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """Weighted direction errors (e,) and their Jacobian (e, v); see `Task.linear`."""
        errors, slopes = half_swing((self.back @ self.ends.frames(at.frames)[:, :3, 2:3])[..., 0])
        return self.ends.weighted(errors, slopes @ self.back @ at.screws[0])


class Masses:
    """Point masses that are fixed to the nodes of a tree, m in number."""

    def __init__(self, nodes: Indices, points: Array, masses: Array, carries: Array) -> None:
        """Masses on the nodes of a tree.

        Args:
            nodes: Indices (m,) in `Frames.nodes` of the nodes that carry the masses.
            points: (m, 4) centres of the masses in these nodes [m], in homogeneous coordinates.
            masses: (m,) [kg].
            carries: (n + 1, v) 1 if a coordinate moves a node, otherwise 0.
        """
        self.nodes, self.points = nodes, points[..., None]
        self.shares = masses / masses.sum()
        self.carries = carries[nodes]
        # (v,) fraction of the total mass that each coordinate moves
        self.carried = self.shares @ self.carries


@dataclass(eq=False)
class CentreOfMass:
    """Task that brings the common centre of the masses to a position (section IV.B)."""

    masses: Masses
    target: Vector  # [m] desired position of the centre of mass
    roots: Vector  # square roots of the weights along the axes [1 / m]
    axes: Array | None = None  # (3, 3) axes of the weights, as columns; None: the axes of the tree's base

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """Weighted error (e,) of the centre of mass and its Jacobian (e, v); see `Task.linear`."""
        masses, (angular, linear) = self.masses, at.screws
        weigh = np.array(self.roots)[:, None] * (np.eye(3) if self.axes is None else self.axes.T)
        centres = (
            masses.shares[:, None] * (at.frames.nodes.take(masses.nodes, axis=0) @ masses.points)[:, :3, 0]
        )
        moved = masses.carries.T @ centres  # (v, 3) moments of the masses that each coordinate moves
        jacobian: Array = masses.carried * linear + cross(angular.T, moved).T
        return weigh @ (centres.sum(0) - np.array(self.target)), weigh @ jacobian


class JointValues:
    """Task that brings m coordinates to given values; if they include all actuators, the solve is forward
    kinematics.
    """

    def __init__(self, coordinates: Indices, desired: Array, unit: Array) -> None:
        """`coordinates` (m,) are indices, `desired` (m,) their values [rad, m], and `unit` (v,) the length of
        a unit step in each coordinate [rad, m].
        """
        self.coordinates, self.desired, self.unit = coordinates, desired, unit[coordinates]
        self._jacobian = np.zeros((len(coordinates), len(unit)))
        self._jacobian[np.arange(len(coordinates)), coordinates] = 1.0

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """Weighted errors (e,) of the coordinates and their Jacobian (e, v); see `Task.linear`."""
        return (at.values[self.coordinates] - self.desired) / self.unit, self._jacobian


class BallRotations:
    """Task that holds m ball joints at given rotations: the error (m, 3) is the axis times twice the sine of
    half the angle.
    """

    def __init__(self, balls: Indices, back: Array, coordinates: Array, width: int) -> None:
        """`balls`: indices (m,) of ball joints; `back`: inverses (m, 3, 3) of their desired rotations;
        `coordinates`: indices (m, 3) of their coordinates among all `width` ones.
        """
        self.balls, self.back, self.coordinates, self.width = balls, back, coordinates, width

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """Errors (e,) of the ball joints' rotations and their Jacobian (e, v); see `Task.linear`."""
        remaining = self.back @ at.balls[self.balls]
        errors, slopes = half_angle(remaining)
        jacobian = np.zeros((len(self.balls), 3, self.width))
        for rows, columns, slope in zip(jacobian, self.coordinates, slopes @ remaining, strict=True):
            rows[:, columns] = slope
        return errors.ravel(), jacobian.reshape(-1, self.width)


class RotationSpeed:
    """Regulariser that limits the rotation of k ends to a threshold (section IV.D, R_vel, equations 4 and 5).
    The squared error is the paper's g_reg.

    The threshold is a rotation angle here: with a rotation by h a frame, 3 - tr(R) is 2 - 2 cos h, so the
    paper's 1.11e-5 at 1200 frames a second is 4.0 rad/s.
    """

    def __init__(self, ends: Ends, last: Array, threshold: float) -> None:
        """`ends`: ends with weights (k, 1); `last`: their last frames (k, 4, 4); `threshold`: the rotation
        [rad] since then above which the objective applies.
        """
        self.ends, self.back = ends, np.swapaxes(last[:, :3, :3], -1, -2)
        self.threshold = max(2.0 - 2.0 * math.cos(min(threshold, math.pi)), TINY)

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """Errors (e,) of ends that rotate faster than the threshold and their Jacobian (e, v); see
        `Task.linear`.
        """
        twists, slopes = half_angle(self.back @ self.ends.frames(at.frames)[:, :3, :3])
        square = (twists * twists).sum(-1)
        over = np.log(np.maximum(square / self.threshold, 1.0))
        factor = 3.0 * np.sqrt(over) / np.maximum(square, self.threshold)
        jacobian = (factor[:, None] * twists)[:, None, :] @ slopes @ self.back @ at.screws[0]
        return self.ends.weighted(over[:, None] ** 1.5, jacobian)
