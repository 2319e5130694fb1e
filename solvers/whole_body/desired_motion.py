"""Desired motion of links in a step, from a frame's target values."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..kinematics.se3 import Array
from ..kinematics.tree import Frames, Mask
from .body import Body
from .law import Law
from .targets import Target, Values, has_position, has_rotation


class DesiredMotion(NamedTuple):
    """Desired rotation vectors and displacements of links in one step, with weights."""

    # (k, 3) [rad] rotation vectors, in the world, of links with an orientation target
    rotation_vectors: Array
    turn_weights: Array  # (k,) weights of the rotations
    # (p, 3) [m] positions of the links with a position target, relative to the base's position
    positions: Array
    moves: Array  # (p, 3) [m] displacements of these links
    weights: Array  # (p,) weights of the displacements
    lost: tuple[str, ...]  # names of links with a target that has no value in this frame

    @property
    def mean_square(self) -> float:
        """Mean squared error of all targets [rad^2 and m^2]."""
        count = len(self.rotation_vectors) + len(self.moves)
        return float(
            np.vdot(self.rotation_vectors, self.rotation_vectors) + np.vdot(self.moves, self.moves)
        ) / max(count, 1)


class MotionTargets:
    """Targets of a body's links, with the indices, weights and gains as arrays, from which the desired motion
    of each step is computed by a control law.

    `acceleration`: acceleration limit of the joints [rad/s^2]; None: links can stop at once.
    """

    def __init__(
        self,
        body: Body,
        orientation_targets: Sequence[Target],
        position_targets: Sequence[Target],
        law: Law,
        acceleration: float | None = None,
    ) -> None:
        self.acceleration = acceleration
        self.orientation_targets, self.position_targets, self.law, self.body = (
            tuple(orientation_targets),
            tuple(position_targets),
            law,
            body,
        )
        self.orientation_links = body.link_indices([target.link for target in orientation_targets])
        self.position_links = body.link_indices([target.link for target in position_targets])
        self._at_base = (
            np.zeros((len(position_targets), 3)) if body.are_at_base(self.position_links) else None
        )
        self._nodes, self._ends = (
            body.carriers[self.orientation_links],
            body.ends[self.orientation_links, :3, :3],
        )
        self._turn_weights, self._weights = (
            np.array([target.weight for target in group]) for group in (orientation_targets, position_targets)
        )
        self._turn_gains, self._gains = (
            np.array([law.gain if target.gain is None else target.gain for target in group], float)
            for group in (orientation_targets, position_targets)
        )
        self._shares: Shares | None = None

    def shares(self, dt: float) -> "Shares":
        """The shares of errors for steps of `dt` [s], stored until `dt` changes."""
        if self._shares is None or dt != self._shares.dt:
            self._shares = self._shares_for(dt)
        return self._shares

    def _shares_for(self, dt: float) -> "Shares":
        """Shares of the errors that a step of `dt` [s] corrects, and whether targets' velocities count."""
        shares = self.law.share(self._turn_gains, dt), self.law.share(self._gains, dt)
        heeded = [
            self.acceleration is not None or self.law.heeds_velocity(shares[0]),
            self.law.heeds_velocity(shares[1]),
        ]
        return Shares(dt, *shares, *heeded)

    def rotations(self, frames: Frames) -> Array:
        """Orientations (k, 3, 3) in the world of the links with an orientation target."""
        rotations: Array = frames.nodes.take(self._nodes, axis=0)[:, :3, :3] @ self._ends
        return rotations

    def positions(self, frames: Frames) -> Array:
        """Positions (p, 3) [m] of the links with a position target, relative to the base's position, in world
        axes.
        """
        return (
            self._at_base
            if self._at_base is not None
            else self.body.placed(frames, self.position_links)[:, :3, 3]
        )

    def desired(self, values: Values, frames: Frames, base_position: Array, dt: float) -> DesiredMotion:
        """The desired motion of the links in a step, for the target values of a frame."""
        law = self.law
        _, turn_share, share, with_spins, with_velocities = self.shares(dt)
        rotations, positions = self.rotations(frames), self.positions(frames)
        target, turn_weights = values.rotation, self._turn_weights
        is_known = has_rotation(target)
        lost: tuple[str, ...] = ()
        if not is_known.all():
            lost = tuple(
                target_of_link.link
                for target_of_link, known in zip(self.orientation_targets, is_known, strict=True)
                if not known
            )
            target = np.where(is_known[:, None, None], target, rotations)
            turn_weights = np.where(is_known, turn_weights, 0.0)
        spins = _known(values.angular_velocity, is_known) if with_spins else None
        rotation_vectors = law.rotation_vectors(rotations, target, spins, turn_share, dt, self.acceleration)

        desired_positions, weights, current_positions = (
            values.position,
            self._weights,
            positions + base_position,
        )
        is_placed = has_position(desired_positions)
        if not is_placed.all():
            lost += tuple(
                target_of_link.link
                for target_of_link, placed in zip(self.position_targets, is_placed, strict=True)
                if not placed
            )
            desired_positions = np.where(is_placed[:, None], desired_positions, current_positions)
            weights = np.where(is_placed, weights, 0.0)
        velocities = _known(values.linear_velocity, is_placed) if with_velocities else None
        moves = law.moves(current_positions, desired_positions, velocities, share, dt)
        return DesiredMotion(rotation_vectors, turn_weights, positions, moves, weights, lost)


class Shares(NamedTuple):
    """Shares of the errors that a step of `dt` [s] corrects, and whether the targets' velocities are used."""

    dt: float
    rotations: Array  # (k,) shares of the rotation errors
    moves: Array  # (p,) shares of the position errors
    with_spins: bool  # whether the targets' angular velocities are used
    with_velocities: bool  # whether the targets' linear velocities are used


def _known(velocity: Array | None, is_known: Mask) -> Array | None:
    """Velocities (k, 3) of targets, with zeros where a velocity or its target is unknown; None if no
    velocities are given.
    """
    if velocity is None:
        return None
    sound = is_known & np.isfinite(velocity).all(1)
    return velocity if sound.all() else np.where(sound[:, None], velocity, 0.0)
