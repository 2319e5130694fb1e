"""Regulariser of bodies' motion: residuals that keep them near the last frame's poses. Knows no Blender.

Paper: section IV.C, R_state, and IV.D, eq. 4 and 5. Its threshold is given here as a speed: with a rotation by h radians a frame, 3 - tr(R)
is 2 - 2 cos h, so the paper's 1.11e-5 at 1200 frames a second is 4.0 rad/s.
"""

import numpy as np

from ..kinematics.se3 import Array, half_angle, hat
from .goals import RegulariserWeights
from .tree import Coordinates, Tree

LEAST_LOG = 1e-12  # of eq. 5: at its threshold the root of the regulariser has no second derivative


class Regulariser:
    """Residuals that grow with the distance from the last frame's poses; squared and halved they are the paper's regularisers."""

    def __init__(
        self, tree: Tree, coordinates: Coordinates, regulariser_weights: RegulariserWeights, frames: Array, dt: float | None
    ) -> None:
        self.coordinates = coordinates
        self.nodes = np.array([body.node for body in tree.bodies], int)
        self.offsets = np.array([body.offset for body in tree.bodies]).reshape(-1, 4, 4)
        moving = coordinates.carries[self.nodes].any(1)
        self.nodes, self.offsets = self.nodes[moving], self.offsets[moving]
        self.carries = coordinates.carries[self.nodes][:, None, :]
        self.last = frames[self.nodes] @ self.offsets
        self.back = np.swapaxes(self.last[:, :3, :3], -1, -2)
        self.state = np.sqrt(regulariser_weights.weight)
        has_speed = regulariser_weights.speed_weight > 0.0 and dt is not None
        self.speed = np.sqrt(2.0 * regulariser_weights.speed_weight) if has_speed else 0.0
        self.threshold = 2.0 - 2.0 * np.cos(min(regulariser_weights.speed * (dt or 0.0), np.pi))
        self.is_needed = self.state > 0.0 or self.speed > 0.0

    def linear(self, frames: Array, screws: Array) -> tuple[Array, Array]:
        """Residuals (s,) and their Jacobian (s, v)."""
        turn, moment = screws
        now = frames[self.nodes] @ self.offsets
        twist, grows = half_angle(self.back @ now[:, :3, :3])
        turned = (grows @ self.back @ turn) * self.carries
        rows, derivatives = [], []
        width = self.coordinates.width
        if self.state > 0.0:
            moved = (moment - hat(now[:, :3, 3]) @ turn) * self.carries
            rows += [self.state * (now[:, :3, 3] - self.last[:, :3, 3]).ravel() / self.coordinates.size, self.state * twist.ravel()]
            shape = 3 * len(self.nodes), width
            derivatives += [self.state / self.coordinates.size * moved.reshape(shape), self.state * turned.reshape(shape)]
        if self.speed > 0.0:
            square = (twist * twist).sum(-1)
            fast = square > self.threshold
            over = np.log(square[fast] / self.threshold)
            rows.append(self.speed * over**1.5)
            factor = self.speed * 3.0 * np.sqrt(np.maximum(over, LEAST_LOG)) / square[fast]
            fast_turns = (factor[:, None] * twist[fast])[:, None, :] @ turned[fast]
            derivatives.append(fast_turns.reshape(len(over), width))
        return np.concatenate(rows), np.concatenate(derivatives)
