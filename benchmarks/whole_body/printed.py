"""The method of Rapetti et al. 2020 as printed, for comparison: the law of eq. 5 and 9, the limits of eq. 12
and the integration of eq. 13.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from limber.solvers.kinematics.se3 import HATS, Array
from limber.solvers.kinematics.tree import BASE
from limber.solvers.limits import JointState
from limber.solvers.whole_body.body import Body
from limber.solvers.whole_body.law import Law
from limber.solvers.whole_body.options import WholeBodyOptions
from limber.solvers.whole_body.solver import WholeBody
from limber.solvers.whole_body.state import KinematicState, moved
from limber.solvers.whole_body.targets import Target

# largest K_g b dt in eq. 12 (b: largest velocity): up to 1 a step b dt tanh(K_g d) is shorter than the
# distance d to the position limit, above it the step can be longer
OUTERMOST = 1.0


@dataclass(frozen=True)
class PaperLaw(Law):
    """Eq. 9: the targets' velocities plus K times the sine of the error, measured before the step."""

    corrects_linearisation: ClassVar[bool] = False

    def heeds_velocity(self, share: Array) -> bool:
        """See `Law.heeds_velocity`."""
        return True

    def rotation_vectors(
        self,
        current: Array,
        target: Array,
        velocity: Array | None,
        share: Array,
        dt: float,
        acceleration: float | None = None,
    ) -> Array:
        """See `Law.rotation_vectors`."""
        # eq. 5, in the world's axes
        error = share[:, None] * (current @ vee(current.swapaxes(1, 2) @ target)[:, :, None])[:, :, 0]
        return error if velocity is None else error + dt * velocity  # eq. 9, times dt

    def moves(self, current: Array, target: Array, velocity: Array | None, share: Array, dt: float) -> Array:
        """See `Law.moves`."""
        known = np.zeros_like(current) if velocity is None else dt * velocity
        return np.asarray(known + share[:, None] * (target - current))


@dataclass(frozen=True)
class TanhLimit:
    """Eq. 12: the largest velocity of a joint falls from its limit to 0, as a tanh of the distance to a
    position limit.
    """

    most: Array | float  # (n,), or one for all [rad/s or m/s]: largest velocities
    slope: float = 10.0  # [1/rad or 1/m] K_g; reduced if the step is too long for it

    def bounds(self, joints: JointState, dt: float) -> tuple[Array, Array]:
        """Bounds as in `Limit.bounds`: at a position limit no further move is allowed, beyond it only moves
        back.
        """
        reach = dt * self.most
        slope = np.minimum(self.slope, OUTERMOST / reach)  # K_g b dt <= 1
        # eq. 12b
        down, up = (
            reach * np.tanh(slope * (limit - joints.values)) for limit in (joints.lower, joints.upper)
        )
        return joints.values + down, joints.values + up


def vee(rotations: Array) -> Array:
    """Axes times the sines of the angles (..., 3) of rotation matrices (..., 3, 3), from the matrices'
    antisymmetric part.
    """
    return rotations.reshape(*rotations.shape[:-2], 9) @ (0.5 * HATS.T)


class DriftingBody(WholeBody):
    """Integrates the base's rotation by eq. 13: as a matrix that drifts and is corrected at `rate` [1/s]
    (Baumgarte).
    """

    rate: float

    def __init__(
        self, body: Body, targets: Sequence[Target], options: WholeBodyOptions | None = None
    ) -> None:
        super().__init__(body, targets, options)
        self.compiled = None  # the kernel integrates in another way

    def moved(self, state: KinematicState, move: Array, dt: float) -> KinematicState:
        """See `WholeBody.moved`."""
        after = moved(self.body, state, move, dt)
        rotation = baumgarte(state.base_rotation, move[3:BASE], self.rate * dt)
        return KinematicState(
            after.joints,
            rotation,
            after.base_position,
            after.velocity,
            self.body.forward(after.joints, rotation),
            after.sides,
        )


def baumgarte(rotation: Array, spin: Array, gain: float) -> Array:
    """The base's rotation (3, 3) after a rotation vector `spin` (3,) [rad] in the world's axes; `gain` is rho
    dt.
    """
    x, y, z = np.linalg.solve(rotation, spin)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    drift = 0.5 * gain * (np.linalg.inv(rotation.T @ rotation) - np.eye(3))  # eq. 13a
    return rotation @ (np.eye(3) + cross + drift)  # eq. 13b
