"""Errors and diagnostics of a solution, the same for every solver."""

import time
from collections.abc import Sequence

import numpy as np

from .aims.blocks import EndError, PoseErrors
from .gaze import UNFINISHED, GazeSolution, PostureShape, end_errors, is_met, limits_hit
from .goals import GazeGoal
from .kinematics.rotations import length
from .kinematics.skeleton import Angles, Pose, Skeleton
from .shortfall import reason
from .tolerances import MET, SAME_ANGLE
from .virtual_chain.chain import VirtualChain
from .virtual_chain.posture_error import AGGRAVATION, POSTURE_WEIGHT, PostureError


def measure(skeleton: Skeleton, goal: GazeGoal, pose: Pose) -> PoseErrors:
    """Errors of a goal's ends in a pose of the skeleton."""
    least = SAME_ANGLE * skeleton.reach
    numbers: list[float] = []
    for end_goal, error in zip(goal.ends, end_errors(skeleton, goal, pose), strict=True):
        gaze = end_goal.aim.gaze(skeleton.end_pose(pose, end_goal.end)[1])
        numbers += [*error, gaze is not None and length(gaze) <= least]
    return PoseErrors(numbers)


class Diagnosis:
    """Diagnostics for one skeleton. The last posture's shape is cached, since postures seldom change."""

    def __init__(
        self, skeleton: Skeleton, posture_weight: float = POSTURE_WEIGHT, aggravation: float = AGGRAVATION
    ) -> None:
        """`posture_weight` and `aggravation` are parameters of the ERIK paper's posture error."""
        self.skeleton = skeleton
        self.posture_weight, self.aggravation = posture_weight, aggravation
        self._path = skeleton.path()
        branch = skeleton.branch()
        self._chain = (
            VirtualChain(branch) if any(joint.kind == "revolute" for joint in branch.joints) else None
        )
        self._posture: tuple[float, ...] = ()  # posture whose shape is cached
        self._errors_of: tuple[float, ...] = ()  # posture whose posture error is cached

    def shape(self, posture: tuple[float, ...]) -> PostureShape:
        """The authored shape of a posture (n,) [rad], from which shape deviations are measured."""
        if posture != self._posture:
            self._shape, self._posture = PostureShape(self.skeleton, posture), posture
        return self._shape

    def posture_error_of(self, posture: tuple[float, ...], angles: Sequence[float]) -> float:
        """The ERIK paper's posture error of angles (n,) [rad], weighted; on a tree only the joints on the
        path to the tool count. It is 0 without a revolute joint there.
        """
        chain = self._chain
        if chain is None:
            return 0.0
        if posture != self._errors_of:
            hinge_angles = [posture[self._path[k]] for k in chain.turning]
            self._error, self._errors_of = PostureError(chain, hinge_angles, self.aggravation), posture
        return self.posture_weight * self._error(chain.bases([angles[self._path[k]] for k in chain.turning]))

    def solution(
        self,
        goal: GazeGoal,
        posture: tuple[float, ...],
        angles: Sequence[float] | Angles,
        *,
        iterations: int,
        began: float,
        memory: object = None,
        converged: bool | None = None,
        pose: Pose | None = None,
        measured: PoseErrors | None = None,
        unfinished: str = UNFINISHED,
        lowered: float | None = None,
    ) -> GazeSolution:
        """The solution with its errors and diagnostics.

        Args:
            goal: The goal.
            posture: The goal's posture (n,) [rad] as authored; it can exceed limits.
            angles: The solution (n,) [rad], within limits.
            iterations: Number of iterations, as the solver counts them.
            began: `time.perf_counter()` at its start.
            memory: State of the solver for the next frame.
            converged: Whether the solver has converged, by its own criterion; None: whether every goal is met
                to within `MET`.
            pose: The pose of `angles`; None if unknown.
            measured: Errors of this pose; None if unknown.
            unfinished: Why the method has not converged although the joints would allow it, and the remedy;
                see `shortfall.reason`.
            lowered: Value for `GazeSolution.lowered`.
        """
        if measured is None:
            measured = measure(
                self.skeleton, goal, pose or self.skeleton.forward(np.asarray(angles, float).tolist())
            )
        return GazeSolution(
            np.asarray(angles, float),
            iterations,
            time.perf_counter() - began,
            self,
            goal,
            posture,
            measured,
            memory,
            lowered,
            converged,
            unfinished,
        )

    def converged(self, solution: GazeSolution) -> bool:
        measured, is_accepted = solution.measured, solution.is_accepted
        if is_accepted is None:
            is_accepted = is_met(self.skeleton, EndError(0.0, measured.whole, measured.distance))
        return is_accepted and not measured.is_blind

    def limits_hit(self, solution: GazeSolution) -> tuple[int, ...]:
        return limits_hit(self.skeleton, solution.angles.tolist())

    def remark(self, solution: GazeSolution) -> str:
        return _remark(self.skeleton, solution.posture)

    def shape_deviation(self, solution: GazeSolution) -> float:
        return self.shape(solution.posture).deviation(self.skeleton.forward(solution.angles.tolist()))

    def posture_error(self, solution: GazeSolution) -> float:
        return self.posture_error_of(solution.posture, solution.angles.tolist())

    def reason(self, solution: GazeSolution) -> str:
        skeleton, goal, measured = self.skeleton, solution.goal, solution.measured
        if solution.converged:
            return ""
        if measured.is_blind:
            end = goal.ends[measured.at_targets.index(True)].end
            return (
                f"the target is at the very position of '{skeleton.ends[end].name}', so it is in no direction:"
                " move it away"
            )
        angles = solution.angles.tolist()
        pose = skeleton.forward(angles)
        sentence = reason(skeleton, goal, angles, pose, measured.errors, solution.unfinished)
        return sentence or solution.unfinished


def _remark(skeleton: Skeleton, posture: tuple[float, ...]) -> str:
    """Sentence that names joints whose posture is outside their limits; "" if there are none."""
    ranges = zip(skeleton.joints, posture, strict=True)
    outside = [joint.name for joint, angle in ranges if not joint.lower - MET <= angle <= joint.upper + MET]
    return (
        f"the posture is outside the limits of {', '.join(outside)}: it is kept as near as they allow"
        if outside
        else ""
    )
