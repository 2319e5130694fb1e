"""The law by which targets' errors become wanted moves of their links for a step. Knows no Blender.

Rapetti et al. 2020 correct the targets' velocities by the errors, J nu = v + K r (eq. 9), with r = sk(R' R_target) (eq. 5). Two things of
that cost accuracy. r is seen before the step that v makes, so that a target which moves is overtaken by one step's motion whatever K is;
and it is the sine of the error, which is weak beyond 90 degrees and vanishes at a half turn. The law here takes the true logarithm of what
is left once v has been followed, and corrects a share K dt of it, at most all of it.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .so3 import Array, exp, log

BRAKE = 0.5  # of the joints' acceleration with which links brake: they share their turns' errors with others, and with all of it swing past
DEAD_BEAT = np.inf  # [1/s] a gain: all of the error at every step


@dataclass(frozen=True)
class Law:
    """How errors are corrected."""

    gain: float = DEAD_BEAT  # [1/s] K
    enforce_stability: bool = True  # False: a gain may be too large for the step, as to see it diverge
    linear: ClassVar[bool] = False  # whether a step is the linear one alone, without a correction of its second order

    def share(self, gain: Array, dt: float) -> Array:
        """K dt (k,): the share of the error that a step corrects.

        In discrete time errors die out for K dt below 2, without overshoot up to 1 (Ogata 1995): a larger gain is lowered to that.
        """
        share = np.where(np.isinf(gain), 1.0, gain * dt)
        return np.minimum(share, 1.0) if self.enforce_stability else share

    def turns(self, now: Array, target: Array, velocity: Array | None, share: Array, dt: float, acceleration: float | None = None) -> Array:
        """Wanted turns (k, 3) [rad] in the world.

        Args:
            now: The links (k, 3, 3).
            target: Theirs (k, 3, 3).
            velocity: The targets' (k, 3) [rad/s]; None: not known, taken as none.
            share: K dt (k,).
            dt: [s] that the step takes.
            acceleration: [rad/s^2] limit of the joints; None: links can stop at once.
        """
        if acceleration is None and (velocity is None or share.min(initial=1.0) >= 1.0):  # to correct all of it needs no forecast
            whole: Array = share[:, None] * log(target @ now.swapaxes(1, 2))
            return whole
        led = np.zeros((len(now), 3)) if velocity is None else dt * velocity
        left = log(target @ (exp(led) @ now).swapaxes(1, 2))
        if acceleration is not None:
            share = np.minimum(share, _stoppable(np.linalg.norm(left, axis=1), acceleration, dt))
        forecast: Array = led + share[:, None] * left
        return forecast

    def moves(self, now: Array, target: Array, velocity: Array | None, share: Array, dt: float) -> Array:
        """Wanted moves (p, 3) [m] in the world; arguments as for `turns`, with places (p, 3) [m]."""
        left = target - now
        led = np.zeros_like(left) if velocity is None else dt * velocity
        moves: Array = np.asarray(led + share[:, None] * (left - led))
        return moves


def _stoppable(error: Array, acceleration: float, dt: float) -> Array:
    """The largest share (k,) of errors (k,) [rad] to correct in a step after which links can brake without going too far.

    A step at the speed v that is lowered by a dt at every one that follows covers v^2 / 2 a + v dt / 2.
    """
    rate = BRAKE * acceleration
    half = 0.5 * rate * dt
    speed = np.sqrt(half**2 + 2.0 * rate * error) - half
    share: Array = np.minimum(1.0, speed * dt / np.maximum(error, np.finfo(float).tiny))
    return np.where(error > 0.0, share, 1.0)
