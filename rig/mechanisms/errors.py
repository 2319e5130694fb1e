"""Errors of a mechanism's goals, as numbers and as text, and a sentence if the mechanism would tip over."""

from collections.abc import Mapping
from math import degrees

import numpy as np

from ...character.mover import GoalResidual
from ...solvers.amounts import rounded
from ...solvers.kinematics.rotations import Vector, to_matrix, vector_angle
from ...solvers.kinematics.se3 import Array, frame_array, logarithm
from ...solvers.mechanism.goals import FrameGoal, Goals
from ...solvers.mechanism.model import WORLD
from ...solvers.mechanism.solution import AssemblyState
from ...solvers.mechanism.solver import MechanismSolver
from ...solvers.mechanism.support import centre_of_mass, tipping
from ..bones.axes import is_prismatic
from .authored_mechanism import Reading
from .joint_kinds import dof_axes

# height of the Ground bodies above the mechanism's lowest point up to which they count as standing on the
# ground, as a share of the mechanism's height; if they are higher, the mechanism counts as mounted
LEVEL = 0.01
LEAST = 1e-5  # [rad, m, or share of the mechanism's size] error above which it is reported


def error_text(solver: MechanismSolver, goals: Goals, state: AssemblyState) -> str:
    """Text on the goal with the largest error, such as "'Platform' is off by 20 mm and 3.2 degrees"; "" if
    all goals are met.
    """
    size = solver.tree.size
    worst = max(
        errors_of(solver, goals, state), key=lambda error: error.distance / size + error.angle, default=None
    )
    if worst is None or worst.distance / size + worst.angle <= LEAST:
        return ""
    return f"{worst.name} is off by {_distance(worst.distance, worst.angle)}"


def errors_of(solver: MechanismSolver, goals: Goals, state: AssemblyState) -> list[GoalResidual]:
    """Errors of all goals in a state, with names for sentences."""
    poses, weight_axes = solver.poses(state), np.array(to_matrix(goals.weight_axes))
    errors: list[GoalResidual] = []
    for goal in goals.frames:
        distance, angle = _frame_error(
            goal, poses[solver.mechanism.body_index[goal.body]] @ frame_array(goal.on_body), weight_axes
        )
        errors.append(GoalResidual(f"'{goal.body}'", angle, distance))
    if (centre := goals.centre) is not None:
        distance = _position_error(
            centre_of_mass(solver.mechanism, poses), centre.position, centre.weight, weight_axes
        )
        errors.append(GoalResidual("the centre of mass", 0.0, distance))
    for name, requested in goals.actuators.items():
        for axis, value, reached in zip(
            dof_axes(solver.mechanism.joint[name].kind), requested, solver.values(state, name), strict=True
        ):
            error = abs(value - reached)
            errors.append(
                GoalResidual(f"motor '{name}'", *((0.0, error) if is_prismatic(axis) else (error, 0.0)))
            )
    return errors


def _distance(distance: float, angle: float) -> str:
    """A distance [m] and an angle [rad] as text."""
    words = [f"{rounded(1e3 * distance, 3)} mm"] if distance > LEAST else []
    return " and ".join(words + ([f"{rounded(degrees(angle))} degrees"] if angle > LEAST else [])) or "0 mm"


def _frame_error(goal: FrameGoal, end: Array, axes: Array) -> tuple[float, float]:
    """Position error [m] and angle error [rad] of a frame at pose `end` (4, 4) against its goal, along axes
    with a weight above 0. `axes` (3, 3): the axes of the position's weights, as columns.
    """
    distance = angle = 0.0
    if goal.position is not None:
        distance = _position_error(end[:3, 3], goal.position, goal.position_weight, axes)
    if goal.rotation is not None:
        rotation = logarithm((np.array(to_matrix(goal.rotation)).T @ end[:3, :3])[None])[0]
        angle = float(np.linalg.norm(rotation * (np.array(goal.rotation_weight) > 0.0)))
    if goal.direction is not None and goal.direction_weight > 0.0:
        angle = vector_angle(tuple((end[:3, :3] @ goal.axis).tolist()), goal.direction)
    return distance, angle


def _position_error(point: Array, position: Vector, weight: Vector, axes: Array) -> float:
    """Distance [m] of a point (3,) from its goal, along the axes with a weight above 0. `axes` (3, 3): all
    axes, as columns.
    """
    return float(np.linalg.norm((point - position) @ axes * (np.array(weight) > 0.0)))


def unbalanced(reading: Reading, base: Array, poses: Array) -> str:
    """Sentence on the edge of what stands on the ground over which the mechanism would tip; "" if the
    mechanism stands, or is mounted on something else than the ground.

    `base` (4, 4) is the world matrix of the mechanism's base, `poses` (b, 4, 4) are those of the bodies in
    the base frame.
    """
    mechanism, world_poses = reading.mechanism, base @ poses
    named = zip(reading.parts, reading.corners, world_poses, strict=True)
    corners = {
        part.name: points @ pose[:3, :3].T + pose[:3, 3] for part, points, pose in named if len(points)
    }
    edge = tipping(_soles(reading, corners), centre_of_mass(mechanism, world_poses))
    if edge is None or edge.distance <= LEAST:
        return ""
    x, y = edge.outward
    side = ("+X" if x > 0.0 else "-X") if abs(x) > abs(y) else "+Y" if y > 0.0 else "-Y"
    first, second = edge.bodies
    edge_text = (
        f"the {side} edge of '{first}'"
        if first == second
        else f"the edge from '{first}' to '{second}', toward {side}"
    )
    return (
        f"The centre of mass is {_distance(edge.distance, 0.0)} outside of what stands on the ground: the"
        f" robot would tip over {edge_text}. Move its targets slower, or bring the targets of the centre of mass"
        " over the soles"
    )


def _soles(reading: Reading, corners: Mapping[str, Array]) -> Mapping[str, Array]:
    """Body -> points (n, 3) [m] on which a mechanism can stand: `corners`, those of all bodies; empty if it
    is mounted on something other than the ground. All points are in world space.
    """
    is_mounted = any(part.role == "DRIVEN" for part in reading.parts)
    is_mounted |= any(WORLD in (joint.parent, joint.child) for joint in reading.mechanism.joints)
    heights = {name: float(points[:, 2].min()) for name, points in corners.items()}
    lowest = min(heights.values(), default=0.0)
    top = max((float(points[:, 2].max()) for points in corners.values()), default=0.0)
    ground = [heights.get(part.name, np.inf) for part in reading.parts if part.role == "GROUND"]
    is_mounted |= bool(ground) and min(ground) > lowest + LEVEL * (top - lowest)
    return {} if is_mounted else corners
