"""Desired motion of links in a step, from a frame's target values. Knows no Blender."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..kinematics.se3 import Array
from .body import Body, Frames
from .law import Law
from .targets import Target, Values

ROTATION_SIZE = 3.0  # the sum of a rotation's squared entries
NO_ROTATION = 0.03  # deviation of that sum from which a matrix is no rotation: a sensor's zeros, a scaled matrix, NaN


class DesiredMotion(NamedTuple):
    """Desired motion of links in one step, with weights."""

    turns: Array  # (k, 3) [rad] rotation vectors of links in the world
    turn_weights: Array  # (k,)
    positions: Array  # (p, 3) [m] of the links with a position target, from the base's position
    moves: Array  # (p, 3) [m]
    weights: Array  # (p,)
    lost: tuple[str, ...]  # links with a target without values

    @property
    def mean_square(self) -> float:
        """Mean squared error [rad^2 and m^2]."""
        count = len(self.turns) + len(self.moves)
        return float(np.vdot(self.turns, self.turns) + np.vdot(self.moves, self.moves)) / max(count, 1)


class MotionTargets:
    """Targets of a body, compiled for steps."""

    def __init__(
        self, body: Body, turning: Sequence[Target], placed: Sequence[Target], law: Law, acceleration: float | None = None
    ) -> None:
        self._acceleration = acceleration
        self.turning, self.placed, self.law, self.body = tuple(turning), tuple(placed), law, body
        self.turning_links = body.link_indices([target.link for target in turning])
        self.placed_links = body.link_indices([target.link for target in placed])
        self._turn_weights, self._weights = (np.array([target.weight for target in group]) for group in (turning, placed))
        self._turn_gains, self._gains = (
            np.array([law.gain if target.gain is None else target.gain for target in group], float) for group in (turning, placed)
        )

    def desired(self, values: Values, frames: Frames, base_position: Array, dt: float) -> DesiredMotion:
        """The desired motion for a frame's values."""
        body, law = self.body, self.law
        now = body.placed(frames, self.turning_links)[:, :3, :3]
        positions = body.placed(frames, self.placed_links)[:, :3, 3]
        target, turn_weights = values.rotation, self._turn_weights
        found = np.abs(np.einsum("kij,kij->k", target, target) - ROTATION_SIZE) < NO_ROTATION
        lost: tuple[str, ...] = ()
        if not found.all():
            lost = tuple(target_of_link.link for target_of_link, is_found in zip(self.turning, found, strict=True) if not is_found)
            target = np.where(found[:, None, None], target, now)
            turn_weights = np.where(found, turn_weights, 0.0)
        turns = law.turns(now, target, _known(values.angular_velocity, found), law.share(self._turn_gains, dt), dt, self._acceleration)

        aim, weights, at = values.position, self._weights, positions + base_position
        here = np.isfinite(aim).all(1)
        if not here.all():
            lost += tuple(target_of_link.link for target_of_link, is_here in zip(self.placed, here, strict=True) if not is_here)
            aim = np.where(here[:, None], aim, at)
            weights = np.where(here, weights, 0.0)
        moves = law.moves(at, aim, _known(values.linear_velocity, here), law.share(self._gains, dt), dt)
        return DesiredMotion(turns, turn_weights, positions, moves, weights, lost)


def _known(velocity: Array | None, found: Array) -> Array | None:
    """Velocities of targets; zero where they or their targets are not known."""
    if velocity is None:
        return None
    sound = found & np.isfinite(velocity).all(1)
    return velocity if sound.all() else np.where(sound[:, None], velocity, 0.0)
