"""State of the tracker from frame to frame, and the form in which it compares two frames' goals."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..goals import Aim, GazeGoal
from ..kinematics.skeleton import Angles
from .model import Model
from .motion import Settling
from .plan import Planning
from .prediction import Velocity, farthest, velocity

# [rad] movement in a frame that counts as none; a start within this distance of the last solution counts as
# equal to it
STILL = 1e-6


class TrackedGoal(NamedTuple):
    """A frame's goal, in the form in which frames are compared."""

    problem: tuple[object, ...] = ()  # skeleton, options and kinds of goal
    values: tuple[tuple[float, ...], ...] = ()  # numbers of the posture and of each aim
    aims: tuple[Aim, ...] = ()

    @staticmethod
    def of(model: Model, goal: GazeGoal, posture: tuple[float, ...]) -> "TrackedGoal":
        """A goal for a model, with the posture (n,) [rad or m] to keep."""
        ends = goal.ends
        values = (posture, *(end.aim.numbers for end in ends))
        kinds = (
            (type(end.aim), end.aim.up is None, end.aim.level is None, end.end, end.symmetric) for end in ends
        )
        problem = (model.skeleton, model.options, goal.keep, *kinds, *goal.weights, *map(len, values))
        return TrackedGoal(problem, values, tuple(end.aim for end in ends))

    def equals(self, last: "TrackedGoal") -> bool:
        """Whether this goal and its posture are the same as the last frame's."""
        return self.problem == last.problem and self.values == last.values

    def velocities(self, last: "TrackedGoal", moving: Sequence[Velocity], dt: float) -> tuple[Velocity, ...]:
        """Velocity of each aim, from the last frame's goal, `dt` [s] ago, and the velocities `moving` up to
        then.
        """
        if len(last.aims) != len(self.aims):
            return tuple(Velocity() for _ in self.aims)
        return tuple(velocity(*pair, dt) for pair in zip(last.aims, self.aims, moving, strict=True))

    def distance(self, last: "TrackedGoal") -> float:
        """Change of aims or posture [rad, or relative to their size] since the last frame's goal, which has
        the same `problem`.
        """
        posture, last_posture = self.values[0], last.values[0]
        return max(farthest(self.values[1:], last.values[1:]), math.dist(posture, last_posture))


class TrackerMemory(NamedTuple):
    """State of the tracker, passed on from frame to frame."""

    goal: TrackedGoal = TrackedGoal()
    moving: tuple[Velocity, ...] = ()  # velocity of each aim
    angles: tuple[float, ...] = ()  # (n,) [rad] last solution
    velocity: tuple[float, ...] = ()  # (n,) [rad/s] velocities in the last frame
    speed: float = 0.0  # [rad/s] speed of the transition in progress
    aim_error: float = 0.0  # [rad] aim error of the solution
    # [s] time since the aim was last met: within AIM_LOST, or within AT_RISK if the goal stands still
    lost: float = 0.0
    settling: Settling = Settling()
    idle: float = 0.0  # [s] time since the goal changed or a joint moved
    planning: Planning = Planning()

    def settling_for(self, goal: TrackedGoal, is_still: bool, dt: float) -> Settling:
        """The settling state of the next frame, of `dt` [s], before its step; `is_still`: whether its goal is
        the same as the last frame's, and so are the known ones ahead.
        """
        if goal.problem != self.goal.problem:
            return Settling()
        return self.settling if is_still else self.settling.after_change(goal.distance(self.goal), dt)


def usable_memory(memory: object, start: Angles) -> TrackerMemory:
    """The last frame's memory, for a frame that starts at angles `start` (n,); if these are not the last
    solution, only the part about the target's motion and other branches.
    """
    angles, at_rest = tuple(start.tolist()), (0.0,) * len(start)
    if not isinstance(memory, TrackerMemory) or len(memory.angles) != len(angles):
        return TrackerMemory(angles=angles, velocity=at_rest)
    if memory.angles == angles or float(np.abs(memory.angles - start).max()) <= STILL:
        return memory
    return TrackerMemory(
        goal=TrackedGoal(aims=memory.goal.aims),
        moving=memory.moving,
        angles=angles,
        velocity=at_rest,
        planning=Planning(pool=memory.planning.pool),
    )
