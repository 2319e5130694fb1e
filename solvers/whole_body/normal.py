"""Normal equations of all targets by the composite rigid body algorithm, without a Jacobian.

A target's squared error is a quadratic of its link's velocity, like an inertia that the link carries. The
gradient of an unknown is the sum over the links that it moves; the Hessian entry of two unknowns is the sum
over the links moved by the unknown that is nearer to the leaves (Walker & Orin 1982; Featherstone 2008, table
6.2), with weights in the place of masses. Everything is in the world's axes about the base's position, so
that no transformations are needed.
"""

import numpy as np

from ..kinematics.se3 import Array, cross, hat
from ..kinematics.tree import BASE, LINEAR, Frames, Indices
from .body import Body


class Normal:
    """Normal equations J' W J and J' W e of orientation and position targets on a body's links, for the
    body's N = 6 + n unknowns.
    """

    def __init__(self, body: Body, turning: Indices, placed: Indices) -> None:
        """Normal equations for targets on a body's links.

        Args:
            body: The tree.
            turning: Links (k,) with an orientation target.
            placed: Links (p,) with a position target.
        """
        # (k, N) whether an unknown rotates a target's link
        self.turned_by = body.moved_by[body.carriers[turning]].astype(float)
        # (p, N) whether an unknown moves a target's link
        self.placed_by = body.moved_by[body.carriers[placed]].astype(float)
        self.all_at_base = body.are_at_base(placed)
        # (N, N) whether the unknown of the row moves all links that the unknown of the column moves
        above = np.vstack([np.repeat(body.moved_by[:1], BASE, axis=0), body.moved_by[body.held]]).T
        # two unknowns that move the same links count half each
        self.above = above / (1.0 + (above & above.T))
        self._shared = np.zeros(len(turning)), np.zeros((body.unknowns, body.unknowns))

    def shared(self, weights: Array) -> Array:
        """Summed weights (N, N) of the orientation targets that two unknowns both rotate; cached as long as
        `weights` is the same array.
        """
        if self._shared[0] is not weights:
            self._shared = weights, (self.turned_by * weights[:, None]).T @ self.turned_by
        return self._shared[1]

    def equations(
        self,
        frames: Frames,
        turn_weights: Array,
        turn_errors: Array,
        positions: Array,
        weights: Array,
        errors: Array,
    ) -> tuple[Array, Array]:
        """The matrix J' W J (N, N) and the vector J' W e (N,) of the normal equations.

        Args:
            frames: Pose of the body.
            turn_weights: (k,) weights of the orientation targets.
            turn_errors: (k, 3) desired rotation vectors [rad] of the links in the world.
            positions: (p, 3) [m] of the position targets' links, from the base's position.
            weights: (p,) weights of the position targets.
            errors: (p, 3) desired displacements [m] of these links.
        """
        angular = frames.angular
        matrix = angular @ angular.T
        matrix *= self.shared(turn_weights)
        torques = self.turned_by.T @ (turn_weights[:, None] * turn_errors)
        pulls = weights[:, None] * errors
        if self.all_at_base:
            matrix.flat[: LINEAR * len(matrix) : len(matrix) + 1] += weights.sum()
            vector: Array = np.einsum("ij,ij->i", angular, torques)
            vector[:3] += pulls.sum(0)
            return matrix, vector
        torques += self.placed_by.T @ cross(positions, pulls)
        matrix += self._placed(frames, positions, weights)
        return matrix, np.einsum("ij,ij->i", angular, torques) + np.einsum(
            "ij,ij->i", frames.linear, self.placed_by.T @ pulls
        )

    def moves(self, frames: Frames, positions: Array, move: Array) -> tuple[Array, Array]:
        """Rotation vectors (k, 3) [rad] and displacements (p, 3) [m] of the targets' links caused by a step
        `move` (6 + n,), to first order; `positions` (p, 3) [m]: those of the position targets' links, from
        the base's position.
        """
        angular, linear = frames.angular * move[:, None], frames.linear * move[:, None]
        return self.turned_by @ angular, self.placed_by @ linear + cross(self.placed_by @ angular, positions)

    def _placed(self, frames: Frames, positions: Array, weights: Array) -> Array:
        """The contribution of the position targets to J' W J."""
        composite = (self.placed_by.T @ as_inertias(positions, weights).reshape(len(positions), 36)).reshape(
            -1, BASE, BASE
        )
        motions = np.concatenate([frames.linear, frames.angular], axis=1)
        felt = (composite @ motions[:, :, None])[:, :, 0]
        upper = (motions @ felt.T) * self.above
        symmetric: Array = upper + upper.T
        return symmetric


def as_inertias(positions: Array, weights: Array) -> Array:
    """Position targets (p,) as inertias (p, 6, 6) for motions at the origin, linear before angular."""
    arms = hat(positions)
    scaled = weights[:, None, None] * arms
    inertias = np.zeros((len(positions), BASE, BASE))
    inertias[:, (0, 1, 2), (0, 1, 2)] = weights[:, None]
    inertias[:, :3, 3:] = -scaled
    inertias[:, 3:, :3] = scaled
    inertias[:, 3:, 3:] = scaled.swapaxes(1, 2) @ arms
    return inertias
