"""Text about the largest error of a mechanism against its goals, in millimetres and degrees."""

from math import degrees

import numpy as np

from ....character.mover import GoalError
from ....solvers.amounts import rounded
from ....solvers.kinematics.rotations import to_matrix, vector_angle
from ....solvers.kinematics.se3 import Array, frame_array, logarithm
from ....solvers.mechanism.goals import CentreGoal, FrameGoal, Goals
from ....solvers.mechanism.solver import MechanismSolver, State
from .. import axes
from .shapes import dof_axes

LEAST = 1e-5  # [m], [rad] the smallest error that is reported


def missed(solver: MechanismSolver, goals: Goals, state: State) -> str:
    """Text about the largest error, as "'Platform' is off by 20 mm and 3.2 degrees"; "" if all goals are met."""
    size = solver.tree.size
    worst = max(errors_of(solver, goals, state), key=lambda error: error.distance / size + error.angle, default=None)
    if worst is None or worst.distance / size + worst.angle <= LEAST:
        return ""
    return f"{worst.name} is off by {_distance(worst.distance, worst.angle)}"


def errors_of(solver: MechanismSolver, goals: Goals, state: State) -> list[GoalError]:
    """Errors of all goals in a state, with names for sentences."""
    poses = solver.poses(state)
    found: list[GoalError] = []
    for goal in goals.frames:
        distance, angle = _of_frame(goal, poses[solver.mechanism.body_index[goal.body]] @ frame_array(goal.on_body))
        found.append(GoalError(f"'{goal.body}'", angle, distance))
    if goals.centre is not None:
        found.append(GoalError("the centre of mass", 0.0, _of_centre(goals.centre, solver, poses)))
    for name, requested in goals.actuators.items():
        for axis, value, reached in zip(dof_axes(solver.mechanism.joint[name].kind), requested, solver.values(state, name), strict=True):
            left = abs(value - reached)
            found.append(GoalError(f"motor '{name}'", *((0.0, left) if axes.is_prismatic(axis) else (left, 0.0))))
    return found


def _distance(distance: float, angle: float) -> str:
    """A distance [m] and an angle [rad] in words."""
    words = [f"{rounded(1e3 * distance, 3)} mm"] if distance > LEAST else []
    return " and ".join(words + ([f"{rounded(degrees(angle))} degrees"] if angle > LEAST else [])) or "0 mm"


def _of_frame(goal: FrameGoal, end: Array) -> tuple[float, float]:
    """Position error [m] and angle error [rad] of a frame at pose `end` (4, 4) against its goal, on axes with a weight above 0."""
    distance = angle = 0.0
    if goal.position is not None:
        distance = float(np.linalg.norm((end[:3, 3] - goal.position) * (np.array(goal.position_weight) > 0.0)))
    if goal.rotation is not None:
        rotation = logarithm((np.array(to_matrix(goal.rotation)).T @ end[:3, :3])[None])[0]
        angle = float(np.linalg.norm(rotation * (np.array(goal.rotation_weight) > 0.0)))
    if goal.direction is not None and goal.direction_weight > 0.0:
        angle = vector_angle(tuple((end[:3, :3] @ goal.axis).tolist()), goal.direction)
    return distance, angle


def _of_centre(goal: CentreGoal, solver: MechanismSolver, poses: Array) -> float:
    """Distance [m] between the centre of mass and its goal, along axes with a weight above 0."""
    bodies = solver.mechanism.bodies
    masses = np.array([body.mass for body in bodies])
    centres = np.array([(pose @ np.array((*body.centre, 1.0)))[:3] for pose, body in zip(poses, bodies, strict=True)])
    there = masses @ centres / masses.sum()
    return float(np.linalg.norm((there - goal.position) * (np.array(goal.weight) > 0.0)))
