"""The objectives of a frame: its goals and regularisers as tasks. Position errors are in sizes of the
mechanism, rotation errors in radians. Parts that depend only on bodies and weights are stored for the next
frame, which usually has the same.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from ..kinematics.rotations import IDENTITY, Z, between, multiply, to_matrix, unit
from ..kinematics.se3 import Array, RigidTransform, exponential, frame_array
from ..kinematics.tree import Frames, Mask
from ..tasks import (
    BallRotations,
    CentreOfMass,
    DirectionTask,
    Ends,
    JointValues,
    Kinematics,
    Masses,
    OrientationTask,
    PositionTask,
    RotationSpeed,
    Task,
)
from .goals import CentreGoal, FrameGoal, Goals, RegulariserWeights
from .model import Mechanism, MechanismError
from .tree import Passage, SpanningTree

Weighted = tuple[str, RigidTransform, tuple[float, ...]]  # name of a body, a frame on it, weights


def stacked(tasks: Sequence[Task], at: Kinematics, width: int) -> tuple[Array, Array]:
    """Errors (e,) and Jacobian (e, v) of all tasks, in order."""
    parts = [task.linear(at) for task in tasks]
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return np.zeros(0), np.zeros((0, width))
    errors, jacobians = zip(*parts, strict=True)
    return np.concatenate(errors), np.concatenate(jacobians)


class Commands(NamedTuple):
    """Commanded values of actuators, by coordinate and by ball joint."""

    coordinates: list[int]
    desired: list[float]  # [rad, m] desired values of these coordinates
    balls: list[int]  # indices of spherical joints
    back: list[Array]  # inverses (3, 3) of their commanded rotations


class Objectives:
    """Converts the goals and regularisers of a frame to tasks of the solve, for one mechanism."""

    def __init__(self, mechanism: Mechanism, tree: SpanningTree) -> None:
        self.mechanism, self.tree = mechanism, tree
        self._ends = lru_cache(8)(self._make_ends)
        self._moving = lru_cache(4)(self._make_moving)

    # -- goals --

    def of_goals(self, goals: Goals) -> Iterator[Task]:
        """Tasks for all goals with a weight, except those of actuators.

        Raises:
            MechanismError: a goal is for a body that does not exist, or for a centre of mass although no body
                has a mass.
        """
        axes = _weight_axes(goals)
        positions, placed, rotations, turned, directions, pointed = [], [], [], [], [], []
        for goal in goals.frames:
            if goal.position is not None and any(goal.position_weight):
                positions.append(goal.position)
                placed.append((goal.body, goal.on_body, goal.position_weight))
            if goal.rotation is not None and any(goal.rotation_weight):
                rotations.append(to_matrix(goal.rotation))
                turned.append((goal.body, goal.on_body, goal.rotation_weight))
            if goal.direction is not None and goal.direction_weight:
                directions.append(to_matrix(between(Z, unit(goal.direction))))
                pointed.append((goal.body, _along(goal), (goal.direction_weight,) * 2))
        if placed:
            yield PositionTask(self._ends(tuple(placed), self.tree.size**-2.0), positions, axes)
        if turned:
            yield OrientationTask(self._ends(tuple(turned)), rotations)
        if pointed:
            yield DirectionTask(self._ends(tuple(pointed)), directions)
        if goals.centre is not None:
            yield self._centre(goals.centre, axes)

    def _make_ends(self, frames: tuple[Weighted, ...], share: float = 1.0) -> Ends:
        """Ends of (body, frame on it, weights), with squared-error weights times `share`. Raises
        MechanismError for a body that does not exist.
        """
        unknown = [body for body, _, _ in frames if body not in self.mechanism.body_index]
        if unknown:
            raise MechanismError(
                f"there is no body '{unknown[0]}' to have a goal: name one of"
                f" {', '.join(self.mechanism.body_index)}"
            )
        links = [self.mechanism.body_index[body] for body, _, _ in frames]
        offsets = self.tree.ends[links] @ np.array([frame_array(on_body) for _, on_body, _ in frames])
        return Ends(
            self.tree.carriers[links],
            offsets,
            self.tree.carries,
            share * np.array([weight for _, _, weight in frames]),
        )

    @cached_property
    def masses(self) -> Masses:
        """Masses of the bodies.

        Raises:
            MechanismError: no body has a mass.
        """
        bodies = self.mechanism.bodies
        heavy = [k for k, body in enumerate(bodies) if body.mass > 0.0]
        if not heavy:
            raise MechanismError(
                "the centre of mass has a goal, but no body has a mass: give at least one body its mass"
            )
        points = (self.tree.ends[heavy] @ np.array([(*bodies[k].centre, 1.0) for k in heavy])[:, :, None])[
            :, :, 0
        ]
        masses = np.array([bodies[k].mass for k in heavy])
        return Masses(self.tree.carriers[heavy], points, masses, self.tree.carries)

    def _centre(self, goal: CentreGoal, axes: Array | None) -> CentreOfMass:
        x, y, z = (math.sqrt(weight) / self.tree.size for weight in goal.weight)
        return CentreOfMass(self.masses, goal.position, (x, y, z), axes)

    # -- actuators --

    def of_actuators(
        self, goals: Goals, reference: Array, lower: Array, upper: Array
    ) -> tuple[JointValues | None, BallRotations | None]:
        """Tasks that move actuators to their commanded values and ball joints to their commanded rotations;
        None if there is no such command.

        If full rotations do not count, the values are those nearest to `reference` (v,) within the limits
        `lower` and `upper` (v,).
        """
        commands = self.commands(goals)
        driven, desired = commands.coordinates, np.array(commands.desired)
        if driven and not goals.counts_full_rotations:
            slides = self.tree.slides[driven]
            desired = desired - np.where(
                slides, 0.0, math.tau * np.round((desired - reference[driven]) / math.tau)
            )
            desired = by_full_rotations(desired, lower[driven], upper[driven], slides)
        balls = commands.balls
        return (
            JointValues(np.array(driven, int), desired, self.tree.unit) if driven else None,
            (
                BallRotations(
                    np.array(balls, int),
                    np.array(commands.back),
                    self.tree.ball_coordinates[balls],
                    len(self.tree),
                )
                if balls
                else None
            ),
        )

    def commands(self, goals: Goals) -> Commands:
        """The commanded values of the goals' actuators.

        Raises:
            MechanismError: a goal is for a joint that does not exist or has no degree of freedom, or has a
                wrong number of values.
        """
        commands = Commands([], [], [], [])
        for name, values in goals.actuators.items():
            passage = self._driven(name)
            if len(values) != passage.freedoms:
                raise MechanismError(
                    f"joint '{name}' has {passage.freedoms} degrees of freedom and its actuator {len(values)}"
                    " values: give one each"
                )
            if passage.ball >= 0:
                rotation = exponential(np.array(values[-3:]))
                commands.balls.append(passage.ball)
                commands.back.append(rotation if passage.is_backward else rotation.T)
            commands.coordinates.extend(passage.coordinates.tolist())
            commands.desired.extend(values[: len(passage.coordinates)])
        return commands

    def _driven(self, name: str) -> Passage:
        """Passage of a joint that an actuator can drive. Raises MechanismError if there is no such joint."""
        if not self.tree.passage(name).joints:
            free = ", ".join(joint for joint, passage in self.tree.passages.items() if passage.joints)
            raise MechanismError(
                f"there is no joint '{name}' with a degree of freedom to drive: name one of {free}"
            )
        return self.tree.passages[name]

    # -- regularisers --

    def of_regularisers(self, weights: RegulariserWeights, last: Frames, dt: float | None) -> Iterator[Task]:
        """Regulariser tasks that keep bodies near their poses in the last frame, `last`, and slow their
        rotation since then, `dt` [s] ago; without `dt` only the former.
        """
        if weights.weight > 0.0:
            positions, rotations = (
                self._moving(weights.weight * self.tree.size**-2.0, 3),
                self._moving(weights.weight, 3),
            )
            poses = rotations.frames(last)
            yield PositionTask(positions, poses[:, :3, 3])  # R_state (Schumacher et al. 2021, section IV.C)
            yield OrientationTask(rotations, poses[:, :3, :3])
        if weights.speed_weight > 0.0 and dt is not None:
            ends = self._moving(2.0 * weights.speed_weight, 1)
            yield RotationSpeed(ends, ends.frames(last), weights.speed * dt)

    def _make_moving(self, weight: float, components: int) -> Ends:
        """Ends at all bodies that can move, with this weight on each error component."""
        nodes = self.tree.carriers[self.tree.bodies]
        moving = np.flatnonzero(self.tree.carries[nodes].any(1))
        return Ends(
            nodes[moving],
            self.tree.ends[moving],
            self.tree.carries,
            np.full((len(moving), components), weight),
        )


def _weight_axes(goals: Goals) -> Array | None:
    """Axes (3, 3), as columns, along which weights of positions act; None if they are those of the frame of
    all poses.
    """
    return None if goals.weight_axes == IDENTITY else np.array(to_matrix(goals.weight_axes))


def _along(goal: FrameGoal) -> RigidTransform:
    """The goal's frame on its body, rotated so that its Z is the goal's axis."""
    return (
        goal.on_body
        if goal.axis == Z
        else RigidTransform(
            multiply(goal.on_body.rotation, between(Z, unit(goal.axis))), goal.on_body.position
        )
    )


def by_full_rotations(values: Array, lower: Array, upper: Array, slides: Mask) -> Array:
    """Values (v,) moved within limits by the fewest full rotations, if possible; prismatic coordinates (mask
    `slides`) are unchanged.
    """
    with np.errstate(invalid="ignore"):
        below, above = np.ceil((lower - values) / math.tau), -np.ceil((values - upper) / math.tau)
    revolutions = np.where(values < lower, below, np.where(values > upper, above, 0.0))
    turned = values + np.where(slides, 0.0, math.tau * revolutions)
    nearest: Array = np.where((turned >= lower) & (turned <= upper), turned, values)
    return nearest
