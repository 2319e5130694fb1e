"""Control law: desired motion of links in a step, from the errors and velocities of their targets.

Rapetti et al. 2020 correct the targets' velocities v by the errors r, J nu = v + K r (eq. 9), where J is the
Jacobian, nu the body's velocity and r = sk(R' R_target) (eq. 5). That reduces accuracy in two ways: r is
measured before the step due to v, so that the body is one step ahead of a moving target for any K; and r is
the sine of the error, which decreases beyond 90 degrees and vanishes at 180 degrees. This law uses the
logarithm of the error that remains after v, and corrects a share K dt of it, at most all.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..kinematics.se3 import Array, exponential, logarithm
from ..tolerances import TINY

# share of the joints' acceleration limit used for braking: since links share joints, braking with all of it
# overshoots
BRAKE = 0.5
DEAD_BEAT = np.inf  # [1/s] gain that corrects the whole error in every step


@dataclass(frozen=True)
class Law:
    """Control law: the desired motion of links from the errors and velocities of their targets."""

    gain: float = DEAD_BEAT  # [1/s] gain K
    enforce_stability: bool = True  # whether a gain that is too large for the step is reduced
    # whether a second step corrects an error of linearisation above `solver.CORRECTED_ERROR`
    corrects_linearisation: ClassVar[bool] = True

    def share(self, gain: Array, dt: float) -> Array:
        """Share K dt (k,) of the error that a step corrects.

        In discrete time errors decay for K dt below 2, and without overshoot for K dt up to 1 (Ogata 1995).
        With `enforce_stability` the share is therefore 1 at most.
        """
        share = np.where(np.isinf(gain), 1.0, gain * dt)
        return np.minimum(share, 1.0) if self.enforce_stability else share

    def heeds_velocity(self, share: Array) -> bool:
        """Whether the law uses the targets' velocities: a step that corrects the whole error does not need
        the velocities.
        """
        return bool(share.min(initial=1.0) < 1.0)

    def rotation_vectors(
        self,
        current: Array,
        target: Array,
        velocity: Array | None,
        share: Array,
        dt: float,
        acceleration: float | None = None,
    ) -> Array:
        """Desired rotation vectors (k, 3) [rad] of links in a step, in the world.

        Args:
            current: Orientations of the links (k, 3, 3).
            target: Orientations of the targets (k, 3, 3).
            velocity: Angular velocities of the targets (k, 3) [rad/s]; None: taken as zero.
            share: Share K dt (k,) of the error to correct.
            dt: Duration of the step [s].
            acceleration: Acceleration limit of the joints [rad/s^2]; None: links can stop at once.
        """
        feedforward = None if velocity is None else dt * velocity
        predicted = current if feedforward is None else exponential(feedforward) @ current
        remaining = logarithm(target @ predicted.swapaxes(1, 2))
        if acceleration is not None:
            share = np.minimum(share, stoppable(np.linalg.norm(remaining, axis=1), acceleration, dt))
        corrected: Array = share[:, None] * remaining
        return corrected if feedforward is None else feedforward + corrected

    def moves(self, current: Array, target: Array, velocity: Array | None, share: Array, dt: float) -> Array:
        """Desired displacements (p, 3) [m] of links in a step, in the world; arguments as for
        `rotation_vectors`, with positions (p, 3) [m].
        """
        feedforward = 0.0 if velocity is None else dt * velocity
        moves: Array = np.asarray(feedforward + share[:, None] * (target - current - feedforward))
        return moves


def stoppable(error: Array, acceleration: Array | float, dt: float) -> Array:
    """The largest share (k,) of errors (k,) [rad] to correct in one step so that links can still brake
    without overshoot, by `BRAKE` of the acceleration limit.

    Braking from speed v by a dt in every further step covers v^2 / 2 a + v dt / 2.
    """
    rate = BRAKE * acceleration
    half = 0.5 * rate * dt
    speed = np.sqrt(half**2 + 2.0 * rate * error) - half
    share: Array = np.minimum(1.0, speed * dt / np.maximum(error, TINY))
    return np.where(error > 0.0, share, 1.0)
