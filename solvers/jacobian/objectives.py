"""Secondary objectives for the null space of the goals, with their gradients.

Each is a function of the angles that is to be minimised (Liegeois 1977; Buss 2009, eq. 7). Joint units are
those of the module `linear`.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from ..goals import GazeGoal
from ..kinematics.rotations import Vector, Y, cross, length, rotate
from ..kinematics.skeleton import Joint, Pose, Skeleton
from ..tolerances import NO_DIRECTION, SINGLE_PRECISION
from .linear import Array, Mask


class ObjectiveInputs(NamedTuple):
    """Arguments of secondary objectives: goal, posture, angles and pose."""

    skeleton: Skeleton
    units: Array  # (n,) movement of each joint that counts as one unit
    goal: GazeGoal
    posture: Array  # (n,) [rad or m] posture, within limits
    kept: Mask  # (n,) mask of joints whose posture counts
    angles: Array  # (n,) [rad or m]
    pose: Pose


class Objective(Protocol):
    """Interface of a secondary objective, which is minimised in the null space of the goals."""

    def value(self, state: ObjectiveInputs) -> float: ...

    def downhill(self, state: ObjectiveInputs) -> Array:
        """Negative gradient (n,) of the objective, in the joints' units."""
        ...


@dataclass(frozen=True)
class KeepPosture:
    """Half the squared distance from the posture, times the goal's `keep` (Liegeois 1977; Girard &
    Maciejewski 1985).
    """

    gain: float = 1.0  # fraction of the distance to the posture that one update covers

    def value(self, state: ObjectiveInputs) -> float:
        away = np.where(state.kept, state.posture - state.angles, 0.0) / state.units
        return 0.5 * self.gain * state.goal.keep * float(away @ away)

    def downhill(self, state: ObjectiveInputs) -> Array:
        return (
            self.gain
            * state.goal.keep
            * np.where(state.kept, state.posture - state.angles, 0.0)
            / state.units
        )


@dataclass(frozen=True)
class LeaveLimits:
    """Half the mean square of each joint's distance from the middle of its range, relative to half the range
    (Liegeois 1977).
    """

    gain: float = 1.0

    def _away(self, state: ObjectiveInputs) -> tuple[Array, Array]:
        """Distance (n,) of each joint from the middle of its range, relative to half the range, 0 for a joint
        without a range; and half the range (n,) [rad or m], 1 for such a joint.
        """
        lower, upper = np.array(state.skeleton.lower), np.array(state.skeleton.upper)
        halves = 0.5 * (upper - lower)
        moves = halves > NO_DIRECTION
        safe = np.where(moves, halves, 1.0)
        return np.where(moves, (state.angles - 0.5 * (lower + upper)) / safe, 0.0), safe

    def value(self, state: ObjectiveInputs) -> float:
        away, _ = self._away(state)
        return 0.5 * self.gain * float(away @ away) / len(away)

    def downhill(self, state: ObjectiveInputs) -> Array:
        away, halves = self._away(state)
        return -self.gain / len(away) * away * state.units / halves


@dataclass(frozen=True)
class Manipulability:
    """Negative manipulability (Yoshikawa 1985), the product of the singular values: avoids singular poses. It
    considers the goal's first end: its linear velocity if its aim has a position, and its angular velocity
    if its aim has a view or an orientation.
    """

    gain: float = 1.0

    def value(self, state: ObjectiveInputs) -> float:
        jacobian, _ = _scaled_jacobian(state)
        return -self.gain * float(np.prod(np.linalg.svd(jacobian, compute_uv=False)))

    def downhill(self, state: ObjectiveInputs) -> Array:
        jacobian, slopes = _scaled_jacobian(state)
        left, values, right = np.linalg.svd(jacobian, full_matrices=False)
        # The derivative of a singular value is u'(dJ)v; in the derivative of the product the other values
        # multiply it.
        others = np.array([np.prod(np.delete(values, i)) for i in range(len(values))])
        downhill: Array = self.gain * np.einsum("ri,krj,ij,i->k", left, slopes, right, others)
        return downhill


def _scaled_jacobian(state: ObjectiveInputs) -> tuple[Array, Array]:
    """The Jacobian (r, n) of the goal's first end, per joint unit, and its derivative (n, r, n) with respect
    to each joint. Its rows: angular velocities if the end has an aim, velocities in fractions of the reach if
    it has a position.
    """
    skeleton, (end_goal, *_) = state.skeleton, state.goal.ends
    angular, linear = skeleton.jacobian(state.angles.tolist(), end_goal.end)
    # A joint rotates all velocities caused by joints farther out; those caused by joints nearer to the base
    # change with the end's movement.
    on_path = np.isin(np.arange(len(skeleton)), skeleton.path(end_goal.end))
    # (n, n, 3): joint of the derivative, joint of the velocity
    angular_slopes = np.cross(angular.T[:, None], angular.T[None])
    moves = np.cross(angular.T[:, None], linear.T[None])
    outward = np.triu(np.ones((len(skeleton), len(skeleton)), dtype=bool))
    turn_slopes = np.where(outward[..., None], angular_slopes, 0.0)
    move_slopes = (
        np.where(outward[..., None], moves, moves.transpose(1, 0, 2))
        * (on_path[:, None] & on_path)[..., None]
    )
    share = 1.0 / skeleton.reach
    rows, slopes = [], []
    kinds = {block.kind for block in end_goal.blocks}
    if "aim" in kinds:
        rows.append(angular)
        slopes.append(turn_slopes)
    if "position" in kinds:
        rows.append(share * linear)
        slopes.append(share * move_slopes)
    units = state.units
    jacobian = np.vstack(rows) * units
    return jacobian, np.concatenate(slopes, axis=2).transpose(0, 2, 1) * units * units[:, None, None]


def twists(skeleton: Skeleton) -> Mask:
    """Mask (n,) of joints that only twist, at the root or at an end: everything that they carry lies along
    their axis.
    """
    mask = np.zeros(len(skeleton), dtype=bool)
    carried: list[list[Vector]] = [[] for _ in skeleton.joints]
    for joint in skeleton.joints:
        if joint.parent >= 0:
            carried[joint.parent].append(joint.rest_offset)
    for end in skeleton.ends:
        if not carried[end.joint]:
            lines = [
                line
                for each in skeleton.ends
                if each.joint == end.joint
                for line in (rotate(each.rotation, Y), each.offset)
            ]
            mask[end.joint] = _along(skeleton.joints[end.joint], lines)
    mask[0] = _along(skeleton.joints[0], carried[0]) if carried[0] and any(map(any, carried[0])) else mask[0]
    return mask


def _along(joint: Joint, lines: list[Vector]) -> bool:
    """Whether all lines (in a joint's frame) that have a length lie along its axis; False for a prismatic
    joint.
    """
    sines = [length(cross(joint.axis, line)) / length(line) for line in lines if any(line)]
    return joint.kind == "revolute" and all(sine <= SINGLE_PRECISION for sine in sines)
