"""A descent of CCD: sweeps over the joints until the goal is met or sweeps no longer help."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..coordinate_descent import NO_PULL, Pull, SweepStart, Tool, sweep
from ..gaze import end_errors
from ..goals import GazeGoal
from ..kinematics.rotations import IDENTITY, Vector
from ..kinematics.skeleton import Pose, Skeleton
from ..least_squares.damping import regularise
from ..tolerances import MET
from .options import CcdOptions
from .tasks import EndTask, Range, rotation_within

# [rad, or fraction of the reach] error below which revolute joints take the optimal step, which no longer
# swings widely
NEAR = 0.1
# number of last joints that serve an orientation, which has three angles; of a chain with fewer than twice as
# many revolute joints, half of them
WRIST_JOINTS = 3
# number of sweeps that are extrapolated: fewer carry too little information, more belong to another curve.
# Also the number of sweeps over which progress is measured
MEMORY = 5
STUCK = 0.95  # ratio of the errors after and before `MEMORY` sweeps from which the descent ends


class RankedErrors(NamedTuple):
    """Errors of a pose, most important first, so that comparing tuples ranks poses; weights of goals are
    relative to the largest.
    """

    # [rad, or fraction of the reach] error of views, whole orientations and positions, at least MET
    seen: float
    whole: float  # the same, including the rolls of views
    unmet: bool  # whether any goal with a weight above 0 is not met


class DescentResult(NamedTuple):
    """Result of a descent: the angles, their pose and error, and the number of sweeps."""

    angles: tuple[float, ...]  # (n,) angles within limits
    pose: Pose
    error: RankedErrors
    sweeps: int


class CoordinateDescent:
    """Coordinate descent on one skeleton."""

    def __init__(self, skeleton: Skeleton, options: CcdOptions) -> None:
        self.skeleton, self.options = skeleton, options
        self._parents = [joint.parent for joint in skeleton.joints]
        self._prismatic = [joint.kind == "prismatic" for joint in skeleton.joints]
        ends = range(len(skeleton.ends))
        paths = [skeleton.path(e) for e in ends]
        self._wrists = [self._wrist(path) for path in paths]
        before = [
            tuple(k for k in path if k < min(wrist, default=0))
            for path, wrist in zip(paths, self._wrists, strict=True)
        ]
        # for each joint, the ends that it moves
        carried = [[e for e, path in enumerate(paths) if k in path] for k in range(len(skeleton))]
        self._carried = carried
        # for each joint, the tools of a sweep that it moves: those of the ends, then those of their wrists
        self._carried_with_spots = [
            [*tools, *(len(paths) + e for e in ends if k in before[e])] for k, tools in enumerate(carried)
        ]

    def _wrist(self, path: Sequence[int]) -> frozenset[int]:
        """The last revolute joints on an end's path, which can serve its orientation alone."""
        revolute = [k for k in path if not self._prismatic[k]]
        return frozenset(revolute[len(revolute) - min(WRIST_JOINTS, len(revolute) // 2) :])

    def error(self, goal: GazeGoal, pose: Pose) -> RankedErrors:
        """Error of a pose over all end goals with a weight above 0."""
        seen = whole = 0.0
        unmet = False
        for share, end_goal, end_error in zip(
            _shares(goal), goal.ends, end_errors(self.skeleton, goal, pose), strict=True
        ):
            if end_goal.weight > 0.0:
                distance = end_error.distance / self.skeleton.reach
                seen += share * (end_error.angle**2 + distance**2)
                whole += share * (end_error.whole**2 + distance**2)
                unmet = unmet or max(end_error.whole, distance) > MET
        return RankedErrors(max(MET, math.sqrt(seen)), max(MET, math.sqrt(whole)), unmet)

    def descend(
        self,
        goal: GazeGoal,
        angles: Sequence[float],
        lower: Sequence[float],
        upper: Sequence[float],
        splits: bool,
        sweeps: int,
    ) -> DescentResult:
        """The best result found from `angles` (n,) [rad or m], within the limits `lower` and `upper` (n,), in
        at most `sweeps` sweeps over the joints. `splits`: whether joints are divided between an
        orientation and a position, as in `EndTask`.

        Sweeps converge linearly, slowly where joints work against each other. So, if the options say so, the
        angles are extrapolated after every `MEMORY` sweeps (Anderson acceleration), and the result is kept if
        its error is smaller.
        """
        tasks = self._tasks(goal, splits)
        current = list(angles)
        pose = self.skeleton.forward(current)
        best = DescentResult(tuple(current), pose, self.error(goal, pose), 0)
        error, trail, history, done = best.error, [tuple(current)], [math.inf] * MEMORY, 0
        while error.unmet and done < sweeps and error.whole < STUCK * history[-MEMORY]:
            done += 1
            history.append(error.whole)
            self._sweep(tasks, current, pose, lower, upper, error.whole < NEAR)
            pose = self.skeleton.forward(current)
            error = self.error(goal, pose)
            if error < best.error:
                best = DescentResult(tuple(current), pose, error, 0)
            trail.append(tuple(current))
            if self.options.extrapolates and len(trail) > MEMORY:
                ahead = [
                    min(max(a, lo), hi) for a, lo, hi in zip(_extrapolated(trail), lower, upper, strict=True)
                ]
                pose_ahead = self.skeleton.forward(ahead)
                error_ahead = self.error(goal, pose_ahead)
                if error_ahead < best.error:
                    current, pose, error = ahead, pose_ahead, error_ahead
                    best = DescentResult(tuple(current), pose, error, 0)
                trail = [tuple(current)]
        return best._replace(sweeps=done)

    def _tasks(self, goal: GazeGoal, splits: bool) -> list[list[tuple[float, EndTask]]]:
        """The tasks of each end, each with the factor of its squared error; `splits` as for `descend`."""
        ends = len(self.skeleton.ends)
        tasks: list[list[tuple[float, EndTask]]] = [[] for _ in range(ends)]
        for share, end_goal in zip(_shares(goal), goal.ends, strict=True):
            if end_goal.weight > 0.0:
                task = EndTask(
                    end_goal, ends + end_goal.end, self._wrists[end_goal.end], self.skeleton.reach, splits
                )
                tasks[end_goal.end].append((share, task))
        return tasks

    def _sweep(
        self,
        tasks: Sequence[Sequence[tuple[float, EndTask]]],
        angles: list[float],
        pose: Pose,
        lower: Sequence[float],
        upper: Sequence[float],
        near: bool,
    ) -> None:
        """One sweep over all joints, which changes `angles` (n,) [rad or m] in place, within the limits
        `lower` and `upper` (n,). `pose`: the pose at these angles; `near`: whether the goals are nearly
        met.
        """
        skeleton, prismatic, carried = self.skeleton, self._prismatic, self._carried_with_spots
        ends = len(tasks)
        tools = [Tool(*skeleton.end_pose(pose, e)) for e in range(ends)]
        tools += [
            Tool(IDENTITY, pose.positions[min(wrist)] if wrist else tools[e].position)
            for e, wrist in enumerate(self._wrists)
        ]
        tasks_of_joint = [[task for e in carried_ends for task in tasks[e]] for carried_ends in self._carried]

        def move(k: int, axis: Vector, position: Vector) -> float:
            if prismatic[k]:
                new = self._translated(tasks_of_joint[k], k, axis, tools, angles[k])
            else:
                new = angles[k] + self._rotated(
                    tasks_of_joint[k],
                    k,
                    axis,
                    position,
                    Range(lower[k] - angles[k], upper[k] - angles[k]),
                    tools,
                    near,
                )
            new = min(max(new, lower[k]), upper[k])
            before, angles[k] = angles[k], new
            return new - before

        sweep_start = SweepStart(
            skeleton.world_axes(pose), pose.positions, self._parents, prismatic, carried, tools
        )
        sweep(sweep_start, move, self.options.order == "tip")

    @staticmethod
    def _rotated(
        tasks_of_joint: Sequence[tuple[float, EndTask]],
        k: int,
        axis: Vector,
        position: Vector,
        range_left: Range,
        tools: Sequence[Tool],
        near: bool,
    ) -> float:
        """Rotation [rad] of revolute joint `k` in its step, within `range_left`; with `near` the optimal one,
        otherwise by the quaternion step.
        """
        pull = Pull()
        for weight, task in tasks_of_joint:
            pull = pull.plus(task.rotation_pull(k, axis, position, range_left, tools).times(weight))
        rotation = pull.best_rotation if near else pull.quaternion_rotation
        return rotation_within(pull, rotation, range_left) if rotation else 0.0

    @staticmethod
    def _translated(
        tasks_of_joint: Sequence[tuple[float, EndTask]],
        k: int,
        axis: Vector,
        tools: Sequence[Tool],
        position: float,
    ) -> float:
        """Value [m] of prismatic joint `k` after its step from the value `position`, without limits."""
        pull = stiffness = 0.0
        for weight, task in tasks_of_joint:
            slide = task.translation_pull(k, axis, tools)
            pull += weight * slide.pull
            stiffness += weight * slide.stiffness
        return position + pull / stiffness if stiffness > NO_PULL else position


def _shares(goal: GazeGoal) -> list[float]:
    """Factors of the goals' squared errors: the squares of their weights relative to the largest weight."""
    return [weight**2 for weight in goal.weights]


def _extrapolated(trail: Sequence[Sequence[float]]) -> list[float]:
    """Extrapolated limit of the angles (m + 1, n) of m sweeps: the weighted mean of the last m, with the
    weights at which the weighted sum of their steps is shortest; the last angles if there are no such
    weights.

    Source: Anderson's acceleration, as Bertrand & Massias 2021 use it for coordinate descent.
    """
    rows = np.array(trail)
    steps = np.diff(rows, axis=0)
    gram = steps @ steps.T
    regularise(gram)  # since steps can be parallel
    weights = np.linalg.solve(gram, np.ones(len(gram)))
    total = float(weights.sum())
    return (weights @ rows[1:] / total).tolist() if total > 0.0 else list(trail[-1])
