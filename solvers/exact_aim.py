"""Exact correction of a solution: the least change of the joints, within limits, that meets the aim. Knows no Blender.

Damped Gauss-Newton steps of least weighted change, with box limits by an active set, in plain floats: the systems have two or three
equations.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from .aim_residual import Residual, residual
from .diagnosis import MET
from .goals import GazeGoal, with_free_roll
from .skeleton import Pose, Skeleton

EXACT = 1e-9  # [rad] error below which the aim is exact
LARGEST_TURN = 0.6  # [rad] of the error that one step corrects, at most: within it the linear model holds
LARGEST_STEP = 0.5  # [rad] of any joint
MAX_STEPS = 40
LEAST_DAMPING = 1e-12  # of the squared lever arms: only keeps a singular system solvable
FIRST_DAMPING = 1e-4  # tried when an undamped step did not help
MOST_DAMPING = 1e3  # beyond it no step helps: it is a minimum
SLOWEST = 0.999  # ratio of errors over four steps above which the correction ends


class Limits(Protocol):
    """Bounds on the joints: a skeleton's own limits, or a box inside them."""

    @property
    def lower(self) -> Sequence[float]: ...  # (n,)
    @property
    def upper(self) -> Sequence[float]: ...


class Finished(NamedTuple):
    """Result of the correction."""

    angles: tuple[float, ...]  # (n,) within limits
    pose: Pose
    aim_error: float  # [rad] size of the remaining residual
    steps: int


def finish(skeleton: Skeleton, goal: GazeGoal, angles: Sequence[float], costs: Sequence[float], max_steps: int = MAX_STEPS) -> Finished:
    """The angles within limits nearest to `angles` (n,) that meet the goal, or the least error that a descent finds.

    Args:
        skeleton: The chain.
        goal: Its aim counts, its posture does not.
        angles: Where to start.
        costs: Cost of a radian of each joint (n,): steps minimise the sum of cost times squared change.
        max_steps: After so many steps the best so far is returned.
    """
    now = skeleton.clamp(angles)
    pose = skeleton.forward(now)
    left = residual(skeleton, goal, pose)
    damping, aim_error, history = LEAST_DAMPING, left.size, [math.inf] * 4
    steps = 0
    while aim_error > EXACT and steps < max_steps and aim_error < SLOWEST * history[-4]:
        steps += 1
        step = least_change(skeleton, now, left, costs, damping)
        trial = skeleton.clamp([a + s for a, s in zip(now, step, strict=True)])
        trial_pose = skeleton.forward(trial)
        trial_left = residual(skeleton, goal, trial_pose)
        if trial_left.size < aim_error:
            history.append(aim_error)
            now, pose, left, aim_error = trial, trial_pose, trial_left, trial_left.size
            damping = max(LEAST_DAMPING, 0.1 * damping) if damping > FIRST_DAMPING else LEAST_DAMPING
        else:
            damping = max(FIRST_DAMPING, 10.0 * damping)
            if damping > MOST_DAMPING:
                break
    return Finished(now, pose, aim_error, steps)


def finish_or_look(
    skeleton: Skeleton, goal: GazeGoal, angles: Sequence[float], costs: Sequence[float], max_steps: int = MAX_STEPS
) -> Finished:
    """As `finish`; where a chain cannot be upright as well, the views alone. `aim_error` is that of the whole goal."""
    way = finish(skeleton, goal, angles, costs, max_steps)
    views = with_free_roll(goal)
    if way.aim_error <= MET or views is goal:
        return way
    view = finish(skeleton, views, way.angles, costs, max_steps)
    return view._replace(aim_error=residual(skeleton, goal, view.pose).size, steps=way.steps + view.steps)


def least_change(limits: Limits, angles: Sequence[float], left: Residual, costs: Sequence[float], damping: float) -> list[float]:
    """The step (n,) of least cost that removes the residual, as far as limits and damping allow.

    Joints that the step would carry over a limit go to the limit; the others compensate.
    """
    size = left.size
    shrink = min(1.0, LARGEST_TURN / size) if size > 0.0 else 1.0
    wanted = [shrink * e for e in left.error]
    step = [0.0] * len(angles)
    free = list(range(len(angles)))
    while free:
        weights = _solve_damped([(left.columns[k], costs[k]) for k in free], wanted, damping)
        over = []
        for k in free:
            move = sum(c * w for c, w in zip(left.columns[k], weights, strict=True)) / costs[k]
            move = min(max(move, -LARGEST_STEP), LARGEST_STEP)
            step[k] = move
            if not limits.lower[k] <= angles[k] + move <= limits.upper[k]:
                over.append(k)
        if not over:
            break
        for k in over:
            step[k] = (limits.lower[k] if step[k] < 0.0 else limits.upper[k]) - angles[k]
            wanted = [w - c * step[k] for w, c in zip(wanted, left.columns[k], strict=True)]
        free = [k for k in free if k not in over]
    return step


def _solve_damped(columns: Sequence[tuple[Sequence[float], float]], wanted: Sequence[float], damping: float) -> list[float]:
    """Solves (sum of c c' / cost + damping trace I) x = error by Cholesky factors, for any number of unknowns."""
    rank = len(wanted)
    if rank == 3:
        return _solve_three(columns, wanted, damping)
    matrix = [[sum(c[i] * c[j] / cost for c, cost in columns) for j in range(i + 1)] for i in range(rank)]
    ridge = damping * sum(matrix[i][i] for i in range(rank)) + 1e-300  # all columns zero: the step is zero, not a division by it
    lower = [[0.0] * rank for _ in range(rank)]
    for i in range(rank):
        for j in range(i + 1):
            rest = matrix[i][j] - sum(lower[i][m] * lower[j][m] for m in range(j))
            lower[i][j] = math.sqrt(max(rest, 0.0) + ridge) if i == j else rest / lower[j][j]
    x = list(wanted)
    for i in range(rank):
        x[i] = (x[i] - sum(lower[i][m] * x[m] for m in range(i))) / lower[i][i]
    for i in reversed(range(rank)):
        x[i] = (x[i] - sum(lower[m][i] * x[m] for m in range(i + 1, rank))) / lower[i][i]
    return x


def _solve_three(columns: Sequence[tuple[Sequence[float], float]], wanted: Sequence[float], damping: float) -> list[float]:
    """As `_solve_damped` for three unknowns, written out: most of a frame's time is spent here."""
    xx = yx = yy = zx = zy = zz = 0.0
    for (x, y, z), cost in columns:
        u, v, w = x / cost, y / cost, z / cost
        xx += x * u
        yx += y * u
        yy += y * v
        zx += z * u
        zy += z * v
        zz += z * w
    ridge = damping * (xx + yy + zz) + 1e-300
    a = math.sqrt(max(xx, 0.0) + ridge)
    b, c = yx / a, zx / a
    d = math.sqrt(max(yy - b * b, 0.0) + ridge)
    e = (zy - c * b) / d
    f = math.sqrt(max(zz - c * c - e * e, 0.0) + ridge)
    p = wanted[0] / a
    q = (wanted[1] - b * p) / d
    r = (wanted[2] - c * p - e * q) / f
    r /= f
    q = (q - e * r) / d
    return [(p - b * q - c * r) / a, q, r]
