"""Why a solution does not meet its goals, and what the user can do about it, in words.

The cause is found by linearisation at the solution: which joints would bring the end nearer, and whether
their limits allow it.
"""

import math
from collections.abc import Sequence

import numpy as np

from .aim_residual import Residual, parts, residual
from .aims.blocks import EndError
from .amounts import rounded
from .gaze import UNFINISHED, is_met
from .goals import EndGoal, GazeGoal
from .kinematics.rotations import length, subtract
from .kinematics.skeleton import Pose, Skeleton
from .tolerances import MET, SAME_ANGLE, TINY

# fraction of an end's error up to which the part that joints could remove counts as none: the cosine of 87
# degrees between the error and the motion that the joints allow
STATIONARY = 0.05
# a target is called out of reach if the end's distance from it is at most this times the distance by which
# the target exceeds the reach; beyond that, something else obstructs the end
NEARLY_ALL = 1.1
CONFLICT = "the goals are not met together: bring the targets nearer to each other, or change a Weight"
UNFINISHED_TOGETHER = (
    "the goals are not met together yet: wait, or bring the targets nearer to each other, or change a Weight"
)


def reason(
    skeleton: Skeleton,
    goal: GazeGoal,
    angles: Sequence[float],
    pose: Pose,
    missed: Sequence[EndError],
    unfinished: str = UNFINISHED,
) -> str:
    """The ends that miss their goals, each with its errors, the cause and the remedy; "" if all goals are
    met.

    Args:
        skeleton: The skeleton.
        goal: The goal.
        angles: The solution (n,) [rad], prismatic joints [m].
        pose: The pose of `angles`.
        missed: Errors of the goal's ends.
        unfinished: Cause and remedy if joints could bring an end nearer and the method has not moved them.
    """
    all_parts = parts(skeleton, goal, pose)
    if sum(end_goal.weight > 0.0 for end_goal in goal.ends) > 1:
        together = _Effect(skeleton, angles, [residual(skeleton, goal, pose)])
        unfinished = CONFLICT if together.is_stationary else UNFINISHED_TOGETHER
    named: dict[str, list[str]] = {}  # shortfalls of the ends, by their cause
    for index, (end_goal, error) in enumerate(zip(goal.ends, missed, strict=True)):
        if not is_met(skeleton, error):
            residuals = [part.residual for part in all_parts if part.end == index]
            cause = _cause(skeleton, end_goal, error, _Effect(skeleton, angles, residuals), unfinished)
            named.setdefault(cause, []).append(_shortfall(skeleton, end_goal, error))
    return ". ".join(f"{' and '.join(shortfalls)}, since {cause}" for cause, shortfalls in named.items())


class _Effect:
    """How the joints could reduce the error of an end.

    Attributes:
        blocked: Names of the joints that would bring the end nearer and are at their limits.
        is_stationary: Whether no joint can bring the end nearer within its limits.
    """

    def __init__(self, skeleton: Skeleton, angles: Sequence[float], residuals: Sequence[Residual]) -> None:
        error = np.concatenate([np.array(residual.error) for residual in residuals])
        jacobian = skeleton.units[:, None] * np.concatenate(
            [np.array(residual.columns) for residual in residuals], axis=1
        )
        slope = jacobian @ error
        current, lower, upper = np.array(angles), np.array(skeleton.lower), np.array(skeleton.upper)
        close = SAME_ANGLE * skeleton.units
        outward = ((slope > 0.0) & (upper - current <= close)) | ((slope < 0.0) & (current - lower <= close))
        least, effect = STATIONARY * float(np.linalg.norm(error)), float(np.linalg.norm(jacobian))
        _, sizes, directions = np.linalg.svd(jacobian[~outward], full_matrices=False)
        self.is_stationary = float(np.linalg.norm(directions[sizes > MET * effect] @ error)) <= least
        noticed = outward & (np.abs(slope) > least * effect / math.sqrt(len(current)) + TINY)
        self.blocked = [skeleton.joints[k].name for k in np.flatnonzero(noticed)]


def _shortfall(skeleton: Skeleton, end_goal: EndGoal, error: EndError) -> str:
    """Sentence with the errors of one end."""
    amounts = []
    if error.whole > MET:
        amounts.append(f"{rounded(math.degrees(error.whole))} degrees")
    if error.distance > MET * skeleton.reach:
        amounts.append(f"{rounded(error.distance)} m")
    return f"'{skeleton.ends[end_goal.end].name}' has an error of {' and '.join(amounts)}"


def _cause(skeleton: Skeleton, end_goal: EndGoal, error: EndError, effect: _Effect, unfinished: str) -> str:
    """Cause of one end's error with its remedy, as the rest of a sentence that begins with "since"."""
    blocked = effect.blocked
    if end_goal.weight == 0.0:
        return "its goal has no weight: give it a Weight above 0"
    beyond = _beyond(skeleton, end_goal)
    if error.distance > MET * skeleton.reach and error.distance <= NEARLY_ALL * beyond:
        return f"the target is {rounded(beyond)} m out of reach: bring it nearer"
    widen = f", or widen the limits of {', '.join(blocked)}" if blocked else ""
    if effect.is_stationary and error.angle <= MET and error.distance <= MET * skeleton.reach:
        return f"it looks at the target but is not upright: choose Free Roll{widen}"
    if effect.is_stationary and blocked:
        at_limits = (
            f"{', '.join(blocked)} {'is at its limit' if len(blocked) == 1 else 'are at their limits'}"
        )
        return f"{at_limits}: widen {'it' if len(blocked) == 1 else 'these'}, or move the target"
    if effect.is_stationary:
        return (
            "no joint of the chain brings it nearer: move the target, unlock another axis, or make the chain"
            " of more bones"
        )
    return unfinished + widen


def _beyond(skeleton: Skeleton, end_goal: EndGoal) -> float:
    """Distance [m] by which a desired position is farther from the first joint than the end can ever be;
    otherwise 0 or less.
    """
    position = end_goal.aim.desired_position
    if position is None:
        return 0.0
    path = skeleton.path(end_goal.end)
    away = length(subtract(position, skeleton.joints[path[0]].rest_offset))
    return away - skeleton.branch(end_goal.end).reach
