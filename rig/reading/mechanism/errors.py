"""By how much a mechanism misses what it is asked, in words: millimetres and degrees of what is farthest off."""

from math import degrees

import numpy as np

from ....solvers.mechanism.frames import Array, frame_array, logarithm
from ....solvers.mechanism.goals import CentreGoal, FrameGoal, Goals
from ....solvers.mechanism.solver import MechanismSolver, State
from ....solvers.rotations import to_matrix
from .. import axes
from .shapes import freedoms

LEAST = 1e-5  # [m], [rad] that is told


def missed(solver: MechanismSolver, goals: Goals, state: State) -> str:
    """What is farthest off, as "'Platform' is 20 mm and 3.2 degrees off"; "" where nothing is."""
    poses, size = solver.poses(state), solver.coordinates.size
    found: list[tuple[float, str]] = []
    for goal in goals.frames:
        away, turned = _of_frame(goal, poses[solver.mechanism.body_index[goal.body]] @ frame_array(goal.on_body))
        found.append((away / size + turned, f"'{goal.body}' is {_distance(away, turned)} off"))
    if goals.centre is not None:
        away = _of_centre(goals.centre, solver, poses)
        found.append((away / size, f"the centre of mass is {_distance(away, 0.0)} off"))
    for name, asked in goals.actuators.items():
        for axis, value, reached in zip(freedoms(solver.mechanism.joint[name].kind), asked, solver.values(state, name), strict=True):
            left = abs(value - reached)
            told = _distance(left, 0.0) if axes.slides(axis) else _distance(0.0, left)
            found.append((left / size if axes.slides(axis) else left, f"motor '{name}' is {told} off"))
    left, words = max(found, default=(0.0, ""))
    return words if left > LEAST else ""


def _distance(away: float, turned: float) -> str:
    """Of metres and radians."""
    told = [f"{1e3 * away:.3g} mm"] if away > LEAST else []
    return " and ".join(told + ([f"{degrees(turned):.2g} degrees"] if turned > LEAST else [])) or "0 mm"


def _of_frame(goal: FrameGoal, end: Array) -> tuple[float, float]:
    """[m], [rad] by which a goal is missed along and about the axes that count."""
    away = turned = 0.0
    if goal.position is not None:
        away = float(np.linalg.norm((end[:3, 3] - goal.position) * (np.array(goal.position_weight) > 0.0)))
    if goal.rotation is not None:
        by = logarithm((np.array(to_matrix(goal.rotation)).T @ end[:3, :3])[None])[0]
        turned = float(np.linalg.norm(by * (np.array(goal.rotation_weight) > 0.0)))
    return away, turned


def _of_centre(goal: CentreGoal, solver: MechanismSolver, poses: Array) -> float:
    """[m] between the centre of mass and its goal, along the axes that count."""
    bodies = solver.mechanism.bodies
    masses = np.array([body.mass for body in bodies])
    centres = np.array([(pose @ np.array((*body.centre, 1.0)))[:3] for pose, body in zip(poses, bodies, strict=True)])
    there = masses @ centres / masses.sum()
    return float(np.linalg.norm((there - goal.position) * (np.array(goal.weight) > 0.0)))
