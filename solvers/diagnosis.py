"""Errors and diagnostics of a solution, the same for every solver."""

import time
from typing import NamedTuple

import numpy as np

from .aims.block import Measured
from .gaze import Shape, Solution, end_errors, is_met, limits_hit
from .goals import GazeGoal
from .kinematics.rotations import length
from .kinematics.skeleton import Pose, Skeleton
from .shortfall import UNFINISHED, reason
from .tolerances import MET, SAME_ANGLE
from .virtual_chain.chain import VirtualChain
from .virtual_chain.posture_error import AGGRAVATION, POSTURE_WEIGHT, PostureError


def measure(skeleton: Skeleton, goal: GazeGoal, pose: Pose) -> Measured:
    """Errors of a goal's ends in a pose of the skeleton."""
    least = SAME_ANGLE * skeleton.reach
    gazes = (end_goal.aim.gaze(skeleton.end_pose(pose, end_goal.end)[1]) for end_goal in goal.ends)
    at_targets = tuple(gaze is not None and length(gaze) <= least for gaze in gazes)
    return Measured(end_errors(skeleton, goal, pose), at_targets)


class Diagnosis:
    """Diagnostics for one skeleton. The shape of the last posture is cached, as it seldom changes."""

    def __init__(
        self, skeleton: Skeleton, posture_weight: float = POSTURE_WEIGHT, aggravation: float = AGGRAVATION
    ) -> None:
        """`posture_weight` and `aggravation` are parameters of the paper's posture error."""
        self.skeleton = skeleton
        self.posture_weight, self.aggravation = posture_weight, aggravation
        self._path = skeleton.path()
        branch = skeleton.branch()
        self._chain = (
            VirtualChain(branch) if any(joint.kind == "revolute" for joint in branch.joints) else None
        )
        self._posture: tuple[float, ...] = ()  # posture whose shape is cached
        self._errors_of: tuple[float, ...] = ()  # posture whose posture error is cached

    def shape(self, posture: tuple[float, ...]) -> Shape:
        """The authored shape of a posture (n,) [rad], from which shape deviations are measured."""
        if posture != self._posture:
            self._shape, self._posture = Shape(self.skeleton, posture), posture
        return self._shape

    def posture_error(self, posture: tuple[float, ...], angles: tuple[float, ...]) -> float:
        """The paper's posture error of `angles` (n,) [rad or m], weighted; on a tree only the joints on the
        path to the tool count.
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
        angles: tuple[float, ...],
        *,
        iterations: int,
        began: float,
        memory: object = None,
        converged: bool | None = None,
        pose: Pose | None = None,
        measured: Measured | None = None,
        unfinished: str = UNFINISHED,
        lowered: float | None = None,
    ) -> Solution:
        """The solution with its errors and diagnostics.

        Args:
            goal: The goal.
            posture: The goal's posture (n,) [rad] as authored; it may exceed limits.
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
            lowered: Value for `Solution.lowered`.
        """
        skeleton = self.skeleton
        if measured is None:
            pose = pose or skeleton.forward(angles)
            measured = measure(skeleton, goal, pose)
        if converged is None:
            converged = all(is_met(skeleton, error) for error in measured.errors)
        converged = converged and not measured.is_blind
        return Solution(
            angles=np.array(angles),
            end_errors=measured.errors,
            iterations=iterations,
            converged=converged,
            seconds=time.perf_counter() - began,
            findings=_Findings(self, goal, posture, angles, pose, measured, converged, unfinished),
            memory=memory,
            lowered=lowered,
        )


class _Findings(NamedTuple):
    """Properties of a solution that are computed on first access."""

    diagnosis: Diagnosis
    goal: GazeGoal
    posture: tuple[float, ...]  # (n,) [rad] as authored
    angles: tuple[float, ...]  # (n,) [rad]
    pose: Pose | None  # pose of the angles; None if unknown
    measured: Measured
    converged: bool
    unfinished: str  # why the method has not converged although the joints would allow it

    def limits_hit(self) -> tuple[int, ...]:
        return limits_hit(self.diagnosis.skeleton, self.angles)

    def remark(self) -> str:
        return _remark(self.diagnosis.skeleton, self.posture)

    def shape_deviation(self) -> float:
        pose = self.pose or self.diagnosis.skeleton.forward(self.angles)
        return self.diagnosis.shape(self.posture).deviation(pose)

    def posture_error(self) -> float:
        return self.diagnosis.posture_error(self.posture, self.angles)

    def reason(self) -> str:
        skeleton, goal, measured = self.diagnosis.skeleton, self.goal, self.measured
        if self.converged:
            return ""
        if measured.is_blind:
            end = goal.ends[measured.at_targets.index(True)].end
            return (
                f"the target is at the very position of '{skeleton.ends[end].name}', so it is in no direction:"
                " move it away"
            )
        pose = self.pose or skeleton.forward(self.angles)
        sentence = reason(skeleton, goal, self.angles, pose, measured.errors, self.unfinished)
        return sentence or self.unfinished


def _remark(skeleton: Skeleton, posture: tuple[float, ...]) -> str:
    ranges = zip(skeleton.joints, posture, strict=True)
    outside = [joint.name for joint, angle in ranges if not joint.lower - MET <= angle <= joint.upper + MET]
    return (
        f"the posture is outside the limits of {', '.join(outside)}: it is kept as near as they allow"
        if outside
        else ""
    )
