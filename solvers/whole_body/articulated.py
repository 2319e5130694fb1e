"""Normal equations of all targets, solved limb by limb from the leaves inward, in time linear in the joints.

A limb is a run of joints without a branch. Its targets depend on the rest of the body by the motion of its
root alone, so once its own joints are eliminated it acts on its parent as an inertia and a force: the
articulated body algorithm (Featherstone 1983; 2008, chapter 7), with weights for masses, damping for rotors,
and limbs in place of joints, all limbs of a level at once. Joints at a bound are moved there instead of
eliminated. The equations are those of `normal`; no matrix of the whole body is formed.
"""

import numpy as np

from ..kinematics.se3 import Array, cross
from ..kinematics.tree import BASE, Frames, Indices
from ..least_squares.box import Dense, Sides
from .body import Body
from .limbs import Carried, Layout, Level, padded
from .normal import as_inertias

# Cost of a solve [us], measured on one core; it only chooses between two methods with the same result.
EVERY_TREE, EVERY_LEVEL, EVERY_LIMB = 130.0, 20.0, 10.0
DENSE, DENSE_SQUARE, DENSE_CUBE = 60.0, 2.8e-3, 2.6e-5  # constant, per pair and per triple of unknowns


class Articulated:
    """Least-squares problem of one step, solved limb by limb.

    D below is the number of components of a body's velocity: 3 if targets depend on angular velocity alone,
    else 6, linear before angular.
    """

    def __init__(
        self,
        layout: Layout,
        motions: Array,
        curvature: Array,
        right: Array,
        carried: Array,
        base: Array,
        pull: Array,
    ) -> None:
        """The least squares of one step.

        Args:
            layout: The limbs.
            motions: (m, b, D) velocity by a unit of each joint.
            curvature: (m, b, b) Hessian of a limb's joints by its own targets, with their damping.
            right: (m, b, D + 1) coupling of a limb's joints with its root's motion, and their gradient by its
                targets.
            carried: (m, D, D + 1) a limb's targets as inertia and force on its root.
            base: (6, 6) Hessian of the base alone.
            pull: (6,) negative gradient of the base.
        """
        self.layout, self.motions, self.curvature, self.right, self.carried = (
            layout,
            motions,
            curvature,
            right,
            carried,
        )
        self.base, self.pull = base, pull
        self.wide = motions.shape[2]
        self.steepest = max(
            float(base.diagonal().max()), float(curvature.diagonal(axis1=1, axis2=2).max(initial=0.0))
        )
        self.largest = max(float(np.abs(pull).max()), float(np.abs(right[:, :, -1]).max(initial=0.0)))

    def free(self, sides: Sides, held: Array) -> tuple[Array, Array]:
        """Minimum (n,) with active unknowns at their bounds, and the gradient (n,) of these; see
        `box.Quadratic.free`.
        """
        wide, layout = self.wide, self.layout
        own = None
        if sides[BASE:].any():
            own = np.append(held, 0.0)[layout.index], 1.0 - np.append(sides != 0, False)[layout.index]
        curvature, right, solved = self.curvature.copy(), self.right.copy(), np.empty_like(self.right)
        left = np.zeros(
            (0, wide, wide + 1)
        )  # inertia and force of what has been eliminated, for each limb of the level
        below: Level | None = None
        for level in reversed(layout.levels):
            rows = level.rows
            carried = self.carried[rows]
            if below is not None:
                attached = (below.gathered @ left.reshape(len(left), -1)).reshape(carried.shape)
                motions = self.motions[rows]
                felt = motions @ attached
                right[rows] += felt
                curvature[rows] += felt[:, :, :wide] @ motions.swapaxes(1, 2)
                carried = carried + attached
            solved[rows] = _eliminated(
                curvature[rows], right[rows], None if own is None else (own[0][rows], own[1][rows])
            )
            left = carried - right[rows, :, :wide].swapaxes(1, 2) @ solved[rows]
            below = level
        base, pull = self.base.copy(), self.pull.copy()
        if layout.levels:
            attached = left.sum(0)
            base[-wide:, -wide:] += attached[:, :wide]
            pull[-wide:] += attached[:, wide]
        x, slope = np.zeros((2, len(sides) + 1))
        x[:BASE], slope[:BASE] = Dense(base, pull).free(sides[:BASE], held[:BASE])
        carriers = x[None, BASE - wide : BASE]  # motions of the parents of a level's limbs
        moves = np.empty(layout.index.shape)
        roots = np.empty((len(moves), wide))
        for level in layout.levels:
            rows = level.rows
            root = carriers.take(level.above, axis=0)
            move = solved[rows, :, wide] - (solved[rows, :, :wide] @ root[:, :, None])[:, :, 0]
            carriers = root + (move[:, None] @ self.motions[rows])[:, 0]
            moves[rows], roots[rows] = move, root
        x[layout.index] = moves
        if own is not None:
            slope[layout.index] = (
                (curvature @ moves[:, :, None])[:, :, 0]
                + (right[:, :, :wide] @ roots[:, :, None])[:, :, 0]
                - right[:, :, wide]
            )
        return x[:-1], np.where(sides != 0, slope[:-1], 0.0)


def _eliminated(curvature: Array, right: Array, own: tuple[Array, Array] | None) -> Array:
    """Elimination of limbs' joints (k, b, D + 1): their negative movement per unit of root motion, and their
    movement without it.

    `own` has the moves (k, b) of joints at a bound, and ones (k, b) for those that are free.
    """
    if own is None:
        alone: Array = np.linalg.solve(curvature, right)
        return alone
    held, free = own
    goal = right * free[:, :, None]
    goal[:, :, -1] = free * (goal[:, :, -1] - (curvature @ held[:, :, None])[:, :, 0]) + held
    matrix = curvature * free[:, :, None] * free[:, None]
    diagonal = np.arange(free.shape[1])
    matrix[:, diagonal, diagonal] += 1.0 - free
    solved: Array = np.linalg.solve(matrix, goal)
    return solved


class Limbs:
    """Builds the least-squares problem `Articulated` for the targets on a body's links."""

    def __init__(self, body: Body, turning: Indices, placed: Indices) -> None:
        """Limbs and targets of a body.

        Args:
            body: The tree.
            turning: Links (k,) with an orientation target.
            placed: Links (p,) with a position target.
        """
        self.layout = Layout(body)
        self.all_at_base = body.are_at_base(placed)
        self.turned = Carried(self.layout, body.carrying[turning])
        self.placed = Carried(self.layout, body.carrying[placed])
        count, width = self.layout.index.shape
        self._diagonal = np.arange(width)
        self._later = np.maximum(
            np.arange(width)[:, None], np.arange(width)
        )  # of two joints of a limb, the one nearer to its end
        self._half = np.triu(np.ones((width, width))) - 0.5 * np.eye(width)
        self._shared: tuple[bytes, Array, Array] | None = None
        unknowns = body.unknowns
        by_limbs = EVERY_TREE + EVERY_LEVEL * len(self.layout.levels) + EVERY_LIMB * count
        self.is_quicker = (
            by_limbs < DENSE + DENSE_SQUARE * unknowns**2 + DENSE_CUBE * unknowns**3
        )  # than the whole matrix at once

    def shared(self, weights: Array) -> tuple[Array, Array]:
        """Summed weights of the orientation targets at or beyond each joint of a limb (m, b), and at or
        beyond both of two joints (m, b, b).
        """
        key = weights.tobytes()
        if self._shared is None or self._shared[0] != key:
            single = self.turned.summed(weights)
            self._shared = key, single, single[:, self._later]
        return self._shared[1:]

    def equations(
        self,
        frames: Frames,
        turn_weights: Array,
        turn_errors: Array,
        positions: Array,
        weights: Array,
        errors: Array,
        damped: Array,
        drawn: Array,
    ) -> Articulated:
        """The least-squares problem of a step.

        Args:
            frames: Pose of the body; this and the next five as for `Normal.equations`.
            turn_weights: (k,) weights of the orientation targets.
            turn_errors: (k, 3) [rad] desired rotation vectors of the links in the world.
            positions: (p, 3) [m] positions of the position targets' links, relative to the base's position.
            weights: (p,) weights of the position targets.
            errors: (p, 3) [m] desired displacements of these links.
            damped: (6 + n,) damping, added to the diagonal.
            drawn: (6 + n,) added to the negative gradient.
        """
        index = self.layout.index
        single, pairs = self.shared(turn_weights)
        pulls = turn_weights[:, None] * turn_errors
        torques = self.turned.summed(pulls)
        base, pull = np.diag(damped[:BASE]), drawn[:BASE].copy()
        base[(3, 4, 5), (3, 4, 5)] += self.turned.at_base @ turn_weights
        pull[3:] += self.turned.at_base @ pulls
        if self.all_at_base:
            base[(0, 1, 2), (0, 1, 2)] += weights.sum()
            pull[:3] += (weights[:, None] * errors).sum(0)
            motions = padded(frames.angular).take(index, axis=0)
            felt = motions * single[:, :, None]
            curvature = (motions @ motions.swapaxes(1, 2)) * pairs
            forces, inertias = torques, single[:, :1, None] * np.eye(3)
        else:
            own, drawn_by = as_inertias(positions, weights), weights[:, None] * errors
            pulled = np.concatenate([drawn_by, cross(positions, drawn_by)], axis=1)
            base += np.tensordot(self.placed.at_base, own, 1)
            pull += self.placed.at_base @ pulled
            motions = padded(np.concatenate([frames.linear, frames.angular], axis=1)).take(index, axis=0)
            carried = self.placed.summed(own)
            carried[:, :, (3, 4, 5), (3, 4, 5)] += single[:, :, None]
            felt = (carried @ motions[:, :, :, None])[:, :, :, 0]
            upper = (motions @ felt.swapaxes(1, 2)) * self._half
            curvature = upper + upper.swapaxes(1, 2)
            forces, inertias = self.placed.summed(pulled), carried[:, 0]
            forces[:, :, 3:] += torques
        curvature[:, self._diagonal, self._diagonal] += np.append(damped, 1.0)[index]
        pulled_at = (motions * forces).sum(-1) + np.append(drawn, 0.0)[index]
        right = np.concatenate([felt, pulled_at[:, :, None]], axis=2)
        return Articulated(
            self.layout,
            motions,
            curvature,
            right,
            np.concatenate([inertias, forces[:, 0, :, None]], axis=2),
            base,
            pull,
        )
