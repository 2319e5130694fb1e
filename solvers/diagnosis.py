"""Errors and diagnostics of a solution, the same for every solver. Knows no Blender."""

import math
import time
from functools import partial

import numpy as np

from .erik.chain import VirtualChain
from .erik.errors import PostureError
from .erik.parameters import Hyperparameters
from .gaze import EndError, Shape, Solution, end_errors, limits_hit, papers_error
from .goals import EndGoal, GazeGoal, Point
from .kinematics.rotations import length, subtract
from .kinematics.skeleton import Pose, Skeleton
from .tolerances import MET, SAME_ANGLE


class Diagnosis:
    """Diagnostics for one skeleton. The last posture's shape is cached, as it seldom changes."""

    def __init__(self, skeleton: Skeleton, hyper: Hyperparameters | None = None) -> None:
        self.skeleton = skeleton
        self.hyper = hyper or Hyperparameters()
        self._path = skeleton.path()
        branch = skeleton.branch()
        self._chain = VirtualChain(branch) if any(joint.kind == "revolute" for joint in branch.joints) else None
        self._posture: tuple[float, ...] = ()  # whose shape is cached
        self._errors_of: tuple[float, ...] = ()  # whose posture error is

    def shape(self, posture: tuple[float, ...]) -> Shape:
        """The authored shape of a posture (n,) [rad], from which shape deviations are measured."""
        if posture != self._posture:
            self._shape, self._posture = Shape(self.skeleton, posture), posture
        return self._shape

    def posture_error(self, posture: tuple[float, ...], angles: tuple[float, ...]) -> float:
        """The paper's posture error of angles (n,), weighted; on a tree only the joints on the path to the tool count."""
        chain = self._chain
        if chain is None:
            return 0.0
        if posture != self._errors_of:
            turning = [posture[self._path[k]] for k in chain.turning]
            self._error, self._errors_of = PostureError(chain, turning, self.hyper.aggravation), posture
        return self.hyper.posture_weight * self._error(chain.bases([angles[self._path[k]] for k in chain.turning]))

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
        why: str = "",
        lowered: float | None = None,
        deviation: float | None = None,
    ) -> Solution:
        """The solution with its errors and diagnostics.

        Args:
            goal: The goal.
            posture: The goal's posture (n,) [rad] as authored; it may exceed limits.
            angles: The solution (n,) [rad], within limits.
            iterations: Number of iterations, as the solver counts them.
            began: `time.perf_counter()` at its start.
            memory: State of the solver for the next frame.
            converged: Whether the solver has converged, by its own criterion; None: whether every goal is met to within `MET`.
            pose: The pose of `angles`, where it is known.
            why: The method's own reason for not converging; the errors of the goals are appended.
            lowered: Value for `Solution.lowered`.
            deviation: The shape deviation [rad], where it is known.
        """
        skeleton = self.skeleton
        pose = pose or skeleton.forward(angles)
        missed = end_errors(skeleton, goal, pose)
        hit = limits_hit(skeleton, angles)
        blind = _without_a_direction(skeleton, goal, pose)
        met = not blind and all(self._is_met(error) for error in missed)
        converged = met if converged is None else converged and not blind
        return Solution(
            angles=np.array(angles),
            aim_error=missed[0].angle,
            orientation_error=papers_error(missed[0].whole),
            shape_deviation=self.shape(posture).deviation(pose) if deviation is None else deviation,
            limits_hit=hit,
            iterations=iterations,
            converged=converged,
            seconds=time.perf_counter() - began,
            memory=memory,
            end_errors=missed,
            reason="" if converged else blind or self._reason(goal, missed, hit, why),
            remark=_remark(skeleton, posture),
            lowered=lowered,
            papers_posture_error=partial(self.posture_error, posture, angles),
        )

    def _is_met(self, error: EndError) -> bool:
        return error.whole <= MET and error.distance <= MET * self.skeleton.reach

    def _reason(self, goal: GazeGoal, missed: tuple[EndError, ...], hit: tuple[int, ...], why: str) -> str:
        short = [(end_goal, error) for end_goal, error in zip(goal.ends, missed, strict=True) if not self._is_met(error)]
        said = [why] if why else []
        what = "; ".join([*said, *(self._shortfall(end_goal, error) for end_goal, error in short)]) or "the answer is not settled yet"
        if sum(end_goal.weight > 0.0 for end_goal in goal.ends) > 1 and any(end_goal.weight > 0.0 for end_goal, _ in short):
            what += ": the goals cannot be met together"
        if hit:
            names = ", ".join(self.skeleton.joints[k].name for k in hit)
            return f"{what}; at their limits: {names}"
        return what

    def _shortfall(self, end_goal: EndGoal, error: EndError) -> str:
        name = self.skeleton.ends[end_goal.end].name
        parts = []
        if error.whole > MET:
            parts.append(f"{math.degrees(error.whole):.2g} degrees")
        if error.distance > MET * self.skeleton.reach:
            parts.append(f"{error.distance:.2g} m")
        weightless = "" if end_goal.weight > 0.0 else ", as that has no weight"
        return f"'{name}' has an error of {' and '.join(parts)}{weightless}"


def _without_a_direction(skeleton: Skeleton, goal: GazeGoal, pose: Pose) -> str:
    """A message where an end is at the very position that it should look at; "" elsewhere."""
    for end_goal in goal.ends:
        if isinstance(end_goal.aim, Point):
            away = length(subtract(end_goal.aim.position, skeleton.end_pose(pose, end_goal.end)[1]))
            if away <= SAME_ANGLE * skeleton.reach:
                return f"the target is at the very position of '{skeleton.ends[end_goal.end].name}', so it is in no direction: move it away"
    return ""


def _remark(skeleton: Skeleton, posture: tuple[float, ...]) -> str:
    ranges = zip(skeleton.joints, posture, strict=True)
    outside = [joint.name for joint, angle in ranges if not joint.lower - MET <= angle <= joint.upper + MET]
    return f"the posture is outside the limits of {', '.join(outside)}: it is kept as near as they allow" if outside else ""
