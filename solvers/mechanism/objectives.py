"""The objectives of a frame: its goals and regularisers as tasks. Knows no Blender.

Position errors are in sizes of the mechanism, rotation errors in radians. What depends on bodies and weights alone is kept for the next
frame, which has the same ones as a rule.
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from ..kinematics.rotations import Z, between, multiply, to_matrix, unit
from ..kinematics.se3 import Array, Frame, exponential, frame_array
from ..tasks.centre_of_mass import CentreOfMass
from ..tasks.direction import Direction
from ..tasks.joint_values import BallRotations, JointValues
from ..tasks.last_pose import LastPose
from ..tasks.orientation import Orientation
from ..tasks.position import Position
from ..tasks.rotation_speed import RotationSpeed
from ..tasks.task import Ends, Kinematics, Task
from .goals import CentreGoal, FrameGoal, Goals, RegulariserWeights
from .model import Mechanism, MechanismError
from .tree import Coordinates, Tree

Weighted = tuple[str, Frame, tuple[float, ...]]  # a body, a frame on it, weights


def stacked(tasks: Sequence[Task], at: Kinematics, width: int) -> tuple[Array, Array]:
    """Errors (e,) and Jacobian (e, v) of all tasks, in order."""
    parts = [task.linear(at) for task in tasks]
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return np.zeros(0), np.zeros((0, width))
    errors, jacobians = zip(*parts, strict=True)
    return np.concatenate(errors), np.concatenate(jacobians)


class Objectives:
    """Makes the tasks of frames, for one mechanism."""

    def __init__(self, mechanism: Mechanism, tree: Tree, coordinates: Coordinates) -> None:
        self.mechanism, self.tree, self.coordinates = mechanism, tree, coordinates
        self._ends = lru_cache(8)(self._make_ends)
        self._moving = lru_cache(4)(self._make_moving)

    # -- goals --

    def of_goals(self, goals: Goals) -> Iterator[Task]:
        """The tasks of all goals but the actuators'.

        Raises:
            MechanismError: a goal names no body, or asks for a centre of mass where nothing has a mass.
        """
        per_size = self.coordinates.size**-2.0
        if places := [goal for goal in goals.frames if goal.position is not None and any(goal.position_weight)]:
            ends = self._ends(tuple((goal.body, goal.on_body, goal.position_weight) for goal in places), per_size)
            yield Position(ends, np.array([goal.position for goal in places]))
        if turned := [goal for goal in goals.frames if goal.rotation is not None and any(goal.rotation_weight)]:
            ends = self._ends(tuple((goal.body, goal.on_body, goal.rotation_weight) for goal in turned))
            yield Orientation(ends, np.array([to_matrix(goal.rotation) for goal in turned if goal.rotation]).transpose(0, 2, 1))
        if pointed := [goal for goal in goals.frames if goal.direction is not None and goal.direction_weight]:
            ends = self._ends(tuple((goal.body, _along(goal), (goal.direction_weight,) * 2) for goal in pointed))
            turns = [to_matrix(between(Z, unit(goal.direction))) for goal in pointed if goal.direction]
            yield Direction(ends, np.array(turns).transpose(0, 2, 1))
        if goals.centre is not None and any(goals.centre.weight):
            yield self._centre(goals.centre)

    def _make_ends(self, frames: tuple[Weighted, ...], share: float = 1.0) -> Ends:
        nodes, offsets = [], []
        for body, on_body, _ in frames:
            if body not in self.mechanism.body_index:
                raise MechanismError(f"there is no body '{body}' to have a goal: name one of {', '.join(self.mechanism.body_index)}")
            carried = self.tree.bodies[self.mechanism.body_index[body]]
            nodes.append(carried.node)
            offsets.append(carried.offset @ frame_array(on_body))
        weights = share * np.array([weight for _, _, weight in frames])
        return Ends(np.array(nodes, int), np.array(offsets), self.coordinates.carries, weights)

    def _centre(self, goal: CentreGoal) -> CentreOfMass:
        bodies = self.mechanism.bodies
        heavy = [k for k, body in enumerate(bodies) if body.mass > 0.0]
        if not heavy:
            raise MechanismError("the centre of mass has a goal, but no body has a mass: give at least one body its mass")
        carried = [self.tree.bodies[k] for k in heavy]
        points = np.array([one.offset @ np.array((*bodies[k].centre, 1.0)) for one, k in zip(carried, heavy, strict=True)])
        nodes, masses = np.array([one.node for one in carried], int), np.array([bodies[k].mass for k in heavy])
        weight = np.array(goal.weight) * self.coordinates.size**-2.0
        return CentreOfMass(nodes, points, masses, self.coordinates.carries, np.array(goal.position), weight)

    # -- actuators --

    def of_actuators(self, goals: Goals, reference: Array, lower: Array, upper: Array) -> tuple[JointValues | None, BallRotations | None]:
        """Tasks of the commanded actuators: their values, and the rotations of those that are balls; None without.

        Where full rotations do not count, values are those nearest to `reference` (v,) within limits `lower` and `upper` (v,).
        """
        coordinates = self.coordinates
        driven: list[int] = []
        desired: list[float] = []
        balls, back = [], []
        for name, values in goals.actuators.items():
            nodes, is_backward = self._driven_nodes(name)
            count = sum(3 if self.tree.nodes[node].move == "ball" else 1 for node in nodes)
            if len(values) != count:
                raise MechanismError(f"joint '{name}' has {count} degrees of freedom and its actuator {len(values)} values: give one each")
            if self.tree.nodes[nodes[-1]].move == "ball":
                turn = exponential(np.array(values[-3:]))
                balls.append(int(np.flatnonzero(coordinates.balls == nodes[-1])[0]))
                back.append(turn if is_backward else turn.T)
                nodes, values = nodes[:-1], values[:-3]
            driven += [int(coordinates.first[node]) for node in nodes]
            desired += values
        asked: Array = np.array(desired)
        if driven and not goals.counts_full_rotations:
            is_turn = coordinates.is_turn[driven]
            asked = asked - np.where(is_turn, math.tau * np.round((asked - reference[driven]) / math.tau), 0.0)
            asked = by_full_rotations(asked, lower[driven], upper[driven], is_turn)
        return (
            JointValues(np.array(driven, int), asked, coordinates.unit) if driven else None,
            BallRotations(np.array(balls, int), np.array(back), coordinates.ball_coordinates[balls], coordinates.width) if balls else None,
        )

    def _driven_nodes(self, name: str) -> tuple[tuple[int, ...], bool]:
        if not self.tree.traversed.get(name, ((), False))[0]:
            free = ", ".join(joint for joint, (nodes, _) in self.tree.traversed.items() if nodes)
            raise MechanismError(f"there is no joint '{name}' with a degree of freedom to drive: name one of {free}")
        return self.tree.traversed[name]

    # -- regularisers --

    def of_regularisers(self, weights: RegulariserWeights, last: Array, dt: float | None) -> Iterator[Task]:
        """Tasks that keep bodies near their last frames (n + 1, 4, 4), `dt` [s] ago."""
        at = Kinematics(last, last, last, last)
        if weights.weight > 0.0:
            positions, rotations = self._moving(weights.weight * self.coordinates.size**-2.0, 3), self._moving(weights.weight, 3)
            yield LastPose(positions, rotations, rotations.frames(at))
        if weights.speed_weight > 0.0 and dt is not None:
            ends = self._moving(2.0 * weights.speed_weight, 1)
            yield RotationSpeed(ends, ends.frames(at), weights.speed * dt)

    def _make_moving(self, weight: float, components: int) -> Ends:
        """All bodies that move."""
        bodies = [body for body in self.tree.bodies if self.coordinates.carries[body.node].any()]
        offsets = np.array([body.offset for body in bodies]).reshape(-1, 4, 4)
        nodes = np.array([body.node for body in bodies], int)
        return Ends(nodes, offsets, self.coordinates.carries, np.full((len(bodies), components), weight))


def _along(goal: FrameGoal) -> Frame:
    """The goal's frame on its body, turned so that its Z is the axis."""
    return goal.on_body if goal.axis == Z else Frame(multiply(goal.on_body.rotation, between(Z, unit(goal.axis))), goal.on_body.position)


def by_full_rotations(values: Array, lower: Array, upper: Array, is_turn: Array) -> Array:
    """Values (v,) moved into limits by the fewest full rotations, where possible."""
    with np.errstate(invalid="ignore"):
        below, above = np.ceil((lower - values) / math.tau), -np.ceil((values - upper) / math.tau)
    turns = np.where(values < lower, below, np.where(values > upper, above, 0.0))
    turned = values + np.where(is_turn, math.tau * turns, 0.0)
    found: Array = np.where((turned >= lower) & (turned <= upper), turned, values)
    return found
