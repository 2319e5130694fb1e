"""The orientation that meets the tool's aim and is nearest to its own, for solvers that need a whole
orientation as their target.
"""

import numpy as np

from ..goals import EndGoal
from ..kinematics.rotations import Quaternion, about, multiply, normalized, scale, to_matrix
from ..kinematics.skeleton import Pose
from ..tolerances import SAME_ANGLE

MOST_STEPS = 20  # largest number of steps of Newton's method, which needs four to six
LONGEST_STEP = 1.0  # [rad] longest step: up to this length a step by the linear model reduces the error


def nearest_orientation(end_goal: EndGoal, pose: Pose, reach: float) -> Quaternion:
    """The orientation that meets the tool's aim at its position in `pose` and is nearest to its orientation
    there, from which Newton's method begins; `reach` [m] is that of the skeleton.
    """
    rotation, position = pose.tool_rotation, np.array([pose.tool_position])
    for _ in range(MOST_STEPS):
        rotations = np.array([to_matrix(rotation)])
        errors = [block.errors(rotations, position, reach) for block in end_goal.blocks]
        rotation_errors = [
            (each.by_rotation, each.error[0]) for each in errors if each.by_rotation is not None
        ]
        if not rotation_errors:
            break
        rows = np.concatenate([by_rotation.reshape(3, -1) for by_rotation, _ in rotation_errors], 1)
        step = np.linalg.lstsq(rows.T, np.concatenate([error for _, error in rotation_errors]), rcond=None)[0]
        angle = float(np.linalg.norm(step))
        if angle <= SAME_ANGLE:
            break
        x, y, z = step.tolist()
        toward_aim = about(scale((x, y, z), 1.0 / angle), min(angle, LONGEST_STEP))
        rotation = normalized(multiply(toward_aim, rotation))
    return rotation
