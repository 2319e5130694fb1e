"""Goals of a mechanism in a frame, from poses in the world and its settings, computed in the same way for
every host.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...solvers.kinematics import rotations
from ...solvers.kinematics.rotations import Vector
from ...solvers.kinematics.se3 import Array, RigidTransform, frame_array
from ...solvers.mechanism.goals import CentreGoal, FrameGoal, Goals, RegulariserWeights
from .tick import MechanismModel, by_joint

CENTRE = "CENTRE"  # kind of the goal for the centre of mass
# kind of goal -> the weights that it uses
WEIGHTS = {
    "FRAME": ("position_weight", "rotation_weight"),
    "POSITION": ("position_weight",),
    "ORIENTATION": ("rotation_weight",),
    "AIM": ("position_weight", "direction_weight"),
    "DIRECTION": ("direction_weight",),
    CENTRE: ("position_weight",),
}


class GoalSpec(NamedTuple):
    """Specification of a goal for a body or for the centre of mass.

    Attributes:
        does: Kind of the goal, a key of `WEIGHTS`.
        body: Name of the body; "" for the centre of mass.
        on_body: The coordinate frame on the body that follows the target.
        axis: Axis of that frame which points along the same axis of the target.
    """

    does: str
    body: str
    on_body: RigidTransform
    axis: Vector


class GoalWeights(NamedTuple):
    """Weights of a goal in a frame; 0 leaves an axis, or the direction, free."""

    position: Vector  # along the world's axes
    rotation: Vector  # about the goal's own axes
    direction: float  # of the angle between the body's axis and the target's


def rigid_frame(matrix: Array) -> Array:
    """Pose (4, 4) of a matrix, without its scale; for a mirrored matrix, that with all axes reversed."""
    lengths = np.linalg.norm(matrix[:3, :3], axis=0)
    columns = matrix[:3, :3] / np.where(lengths > 0.0, lengths, 1.0)
    if np.linalg.det(columns) < 0.0:
        columns = -columns
    x, y, z = matrix[:3, 3].tolist()
    return frame_array(RigidTransform(rotations.from_matrix(columns.tolist()), (x, y, z)))


def frame_of(pose: Array) -> RigidTransform:
    """A pose (4, 4) as quaternion and position [m], the form of the solver's goals."""
    return RigidTransform(rotations.from_matrix(pose[:3, :3].tolist()), tuple(pose[:3, 3].tolist()))


def goal(spec: GoalSpec, weights: GoalWeights, at: Array) -> FrameGoal | CentreGoal:
    """The solver's goal; `at`: pose (4, 4) of the target in the base frame.

    Raises:
        MechanismError: a weight or the pose cannot be used.
    """
    frame = frame_of(at)
    if spec.does == CENTRE:
        return CentreGoal(frame.position, weights.position)
    asks = WEIGHTS[spec.does]
    return FrameGoal(
        spec.body,
        spec.on_body,
        frame.position if "position_weight" in asks else None,
        frame.rotation if "rotation_weight" in asks else None,
        weights.position,
        weights.rotation,
        rotations.rotate(frame.rotation, spec.axis) if "direction_weight" in asks else None,
        spec.axis,
        weights.direction,
    )


def driven_goal(body: str, at: Array) -> FrameGoal:
    """Goal of a body whose pose is an input, `at` (4, 4) in the base frame."""
    frame = frame_of(at)
    return FrameGoal(body, position=frame.position, rotation=frame.rotation)


def motor_goals(
    model: MechanismModel, driven: Sequence[FrameGoal], values: Sequence[float], weights: RegulariserWeights
) -> Goals:
    """Goals of a mechanism that is driven by its motors: `values` [rad or m] of all of them, and goals
    `driven` of bodies whose poses are inputs.
    """
    return Goals(
        tuple(driven),
        actuators=by_joint(model, dict(enumerate(values))),
        regulariser_weights=weights,
        counts_full_rotations=True,
    )


def target_goals(
    model: MechanismModel,
    goals: Sequence[FrameGoal | CentreGoal],
    kept: Mapping[int, float],
    weights: RegulariserWeights,
    world_in_base: Array,
) -> Goals:
    """Goals of a mechanism that is driven by targets.

    Args:
        model: Model of the mechanism, whose motors `kept` indexes.
        goals: Goals of bodies, driven ones first, and of the centre of mass.
        kept: Values [rad or m] of motors that keep their values, by index.
        weights: Weights of the motion regulariser.
        world_in_base: Pose (4, 4) of the world in the base frame.
    """
    return Goals(
        tuple(each for each in goals if isinstance(each, FrameGoal)),
        tuple(each for each in goals if isinstance(each, CentreGoal)),
        by_joint(model, kept),
        regulariser_weights=weights,
        weight_axes=frame_of(world_in_base).rotation,
    )
