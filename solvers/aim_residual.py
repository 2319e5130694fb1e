"""Residual of a goal and its Jacobian at one pose.

The residual of an orientation is the rotation vector [rad] of its error, which does not vanish at 180
degrees. It has three components; if the roll is free, two, which are perpendicular to the view. A position
adds three, in fractions of the skeleton's reach. The residuals of several ends are stacked, each times its
weight.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .aims.blocks import ResidualBlock
from .goals import EndGoal, GazeGoal
from .kinematics.rotations import to_matrix
from .kinematics.se3 import Array, cross
from .kinematics.skeleton import Pose, Skeleton


class Residual(NamedTuple):
    """Error of a goal and its Jacobian with respect to the joints."""

    error: tuple[float, ...]  # (r,) [rad]; positions in fractions of the reach
    # one (r,) for each joint: reduction of the error per radian of its rotation or, if it is prismatic, per
    # displacement by the reach
    columns: Sequence[Sequence[float]]

    @property
    def size(self) -> float:
        """Euclidean norm of the error."""
        return math.hypot(*self.error)


class BlockResidual(NamedTuple):
    """Unweighted residual of one block of an end's aim."""

    block: ResidualBlock
    end: int  # index in `goal.ends`
    error: Array  # (r,) [rad]; positions in fractions of the reach
    columns: Array  # (n, r) reduction of the error per unit of each joint

    @property
    def residual(self) -> Residual:
        return Residual(tuple(self.error.tolist()), self.columns.tolist())


def residual(skeleton: Skeleton, goal: GazeGoal, pose: Pose) -> Residual:
    """The weighted residual of all ends at a pose. Uprightness is weighted by the sine of the angle between
    `up` and the view.
    """
    weights, stacked = goal.weights, parts(skeleton, goal, pose)
    error = np.concatenate([weights[part.end] * part.error for part in stacked])
    columns = np.concatenate([weights[part.end] * part.columns for part in stacked], 1)
    return Residual(tuple(error.tolist()), columns.tolist())


def parts(skeleton: Skeleton, goal: GazeGoal, pose: Pose, at_targets: bool = False) -> list[BlockResidual]:
    """Unweighted residuals of all ends, one part for each block of an aim.

    With `at_targets` the columns of positions are those of the targets, as if the targets were fixed to the
    links that carry the ends: the alternate Jacobian of Buss (2009), section 2. A view's columns do not
    depend on `at_targets`.
    """
    axes, positions = np.array(skeleton.world_axes(pose)), np.array(pose.positions)
    return [
        part
        for index, end_goal in enumerate(goal.ends)
        for part in _of_end(skeleton, index, end_goal, pose, axes, positions, at_targets)
    ]


def _of_end(
    skeleton: Skeleton,
    index: int,
    end_goal: EndGoal,
    pose: Pose,
    axes: Array,
    positions: Array,
    at_targets: bool,
) -> list[BlockResidual]:
    """Residuals of one end; columns of joints that do not move the end are zero. `axes` and `positions` (n,
    3) are those of the joints.
    """
    rotation, position = skeleton.end_pose(pose, end_goal.end)
    rotations, at_end = np.array([to_matrix(rotation)]), np.array([position])
    is_revolute = skeleton.tree.is_revolute
    moved = skeleton.moves(end_goal.end)
    angular = moved * is_revolute * axes
    stacked = []
    for block in end_goal.blocks:
        error, by_rotation, by_movement = block.errors(rotations, at_end, skeleton.reach)
        columns = np.zeros((len(skeleton), error.shape[1]))
        if by_rotation is not None:
            columns += angular @ by_rotation.reshape(3, -1)
        if by_movement is not None:
            point = block.target if at_targets and block.target is not None else position
            velocity = cross(angular, point - positions) + moved * (1.0 - is_revolute) * axes
            columns += velocity @ by_movement.reshape(3, -1)
        stacked.append(BlockResidual(block, index, error[0], columns))
    return stacked
