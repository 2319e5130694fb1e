"""The exact correction: angles that meet the aim, reached from a solution by small steps.

Damped Gauss-Newton steps, each the smallest weighted change within limits that removes the residual
(`aim_residual`), in plain floats: the systems have a few equations, one for each component of the aim.
"""

import math
from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

from .aim_residual import Residual, residual
from .goals import GazeGoal, with_free_roll
from .kinematics.skeleton import Angles, Pose, Skeleton
from .least_squares.bounded_step import LONGEST_STEP, MAX_ITERATIONS
from .least_squares.damping import FIRST_SHARE, MOST_SHARE, REDUNDANT
from .tolerances import MET, SAME_ANGLE, TINY

# ratio of the errors after and before four successful steps, from which the correction ends
SLOWEST = 0.999


class Corrected(NamedTuple):
    """Result of the exact correction of an aim: angles, their pose, the remaining error and the number of
    steps.
    """

    angles: tuple[float, ...]  # (n,) [rad or m] angles within limits
    pose: Pose
    aim_error: float  # [rad; positions in fractions of the reach] size of the remaining residual
    steps: int


def correct(
    skeleton: Skeleton,
    goal: GazeGoal,
    angles: Sequence[float] | Angles,
    costs: Sequence[float],
    most_steps: int = MAX_ITERATIONS,
) -> Corrected:
    """Angles within limits that meet the goal, reached from `angles` (n,) [rad or m] by steps of least cost;
    if the steps do not reach any, those with the least error on their way.

    Args:
        skeleton: The skeleton.
        goal: The goal; only its aims are used, not its posture.
        angles: Angles (n,) to start from.
        costs: Cost of each joint (n,): steps minimise the sum of cost times squared change, in radians or in
            fractions of the reach.
        most_steps: Largest number of steps; 0: the angles are only evaluated.
    """
    current = skeleton.clamp(angles)
    pose = skeleton.forward(current)
    left = residual(skeleton, goal, pose)
    units: list[float] = skeleton.units.tolist()
    longest = [LONGEST_STEP * unit for unit in units]
    costs = [cost / (unit * unit) for cost, unit in zip(costs, units, strict=True)]
    damping, aim_error, history = REDUNDANT, left.size, [math.inf] * 4
    steps = 0
    while aim_error > SAME_ANGLE and steps < most_steps and aim_error < SLOWEST * history[-4]:
        steps += 1
        step = least_change(skeleton, current, left, costs, longest, damping)
        trial = skeleton.clamp([a + s for a, s in zip(current, step, strict=True)])
        trial_pose = skeleton.forward(trial)
        trial_left = residual(skeleton, goal, trial_pose)
        if trial_left.size < aim_error:
            history.append(aim_error)
            current, pose, left, aim_error = trial, trial_pose, trial_left, trial_left.size
            damping = max(REDUNDANT, 0.1 * damping) if damping > FIRST_SHARE else REDUNDANT
        else:
            damping = max(FIRST_SHARE, 10.0 * damping)
            if damping > MOST_SHARE:
                break
    return Corrected(current, pose, aim_error, steps)


def correct_or_look(
    skeleton: Skeleton,
    goal: GazeGoal,
    angles: Sequence[float] | Angles,
    costs: Sequence[float],
    most_steps: int = MAX_ITERATIONS,
) -> Corrected:
    """The corrected angles, as from `correct`; if they miss a goal that also demands uprightness, only the
    views are corrected. `aim_error` includes the roll.
    """
    corrected = correct(skeleton, goal, angles, costs, most_steps)
    views = with_free_roll(goal)
    if corrected.aim_error <= MET or views is goal:
        return corrected
    view = correct(skeleton, views, corrected.angles, costs, most_steps)
    return view._replace(
        aim_error=residual(skeleton, goal, view.pose).size, steps=corrected.steps + view.steps
    )


def least_change(
    skeleton: Skeleton,
    angles: Sequence[float],
    left: Residual,
    costs: Sequence[float],
    longest: Sequence[float],
    damping: float,
) -> list[float]:
    """The step (n,) of least cost that removes the residual `left` (of a longer one `LONGEST_STEP`), as far
    as limits and damping allow. No joint moves by more than `longest` (n,) [rad or m]. Joints that the step
    would take beyond a limit stop at the limit; the others compensate.
    """
    size = left.size
    shrink = min(1.0, LONGEST_STEP / size) if size > 0.0 else 1.0
    remaining = [shrink * e for e in left.error]
    step = [0.0] * len(angles)
    free = list(range(len(angles)))
    while free:
        weights = _solve_damped([(left.columns[k], costs[k]) for k in free], remaining, damping)
        over = []
        for k in free:
            move = sum(map(mul, left.columns[k], weights)) / costs[k]
            step[k] = move = min(max(move, -longest[k]), longest[k])
            if not skeleton.lower[k] <= angles[k] + move <= skeleton.upper[k]:
                over.append(k)
        if not over:
            break
        for k in over:
            step[k] = (skeleton.lower[k] if step[k] < 0.0 else skeleton.upper[k]) - angles[k]
            remaining = [w - c * step[k] for w, c in zip(remaining, left.columns[k], strict=True)]
        free = [k for k in free if k not in over]
    return step


def _solve_damped(
    columns: Sequence[tuple[Sequence[float], float]], error: Sequence[float], damping: float
) -> list[float]:
    """Solves (sum of c c' / cost + damping trace I) x = error by Cholesky factors, for any number of
    unknowns. `columns`: (c, cost) of each free joint, with its column c of the Jacobian; trace: that of the
    sum.
    """
    rank = len(error)
    if rank == 3:
        return _solve_three(columns, error, damping)
    matrix = [[sum(c[i] * c[j] / cost for c, cost in columns) for j in range(i + 1)] for i in range(rank)]
    # TINY: if all columns are zero, the step is zero, instead of a division by zero
    ridge = damping * sum(matrix[i][i] for i in range(rank)) + TINY
    lower = [[0.0] * rank for _ in range(rank)]
    for i in range(rank):
        for j in range(i + 1):
            rest = matrix[i][j] - sum(lower[i][m] * lower[j][m] for m in range(j))
            lower[i][j] = math.sqrt(max(rest, 0.0) + ridge) if i == j else rest / lower[j][j]
    x = list(error)
    for i in range(rank):
        x[i] = (x[i] - sum(lower[i][m] * x[m] for m in range(i))) / lower[i][i]
    for i in reversed(range(rank)):
        x[i] = (x[i] - sum(lower[m][i] * x[m] for m in range(i + 1, rank))) / lower[i][i]
    return x


def _solve_three(
    columns: Sequence[tuple[Sequence[float], float]], error: Sequence[float], damping: float
) -> list[float]:
    """Same as `_solve_damped` for three unknowns, written out because most of a frame's time is spent here,
    and by factors without square roots (L D L'): their pivots are the squares of Cholesky's.
    """
    # Matrix J W^-1 J': joints with a high cost contribute little.
    xx = yx = yy = zx = zy = zz = 0.0
    for (x, y, z), cost in columns:
        u, v, w = x / cost, y / cost, z / cost
        xx += x * u
        yx += y * u
        yy += y * v
        zx += z * u
        zy += z * v
        zz += z * w
    # The matrix's factors, with a ridge proportional to the trace: nearly singular poses then take short
    # steps.
    ridge = damping * (xx + yy + zz) + TINY
    first = max(xx, 0.0) + ridge
    b, c = yx / first, zx / first
    second, rest = max(yy - b * yx, 0.0) + ridge, zy - c * yx
    e = rest / second
    third = max(zz - c * zx - e * rest, 0.0) + ridge
    # Forward and back substitution.
    y = error[1] - b * error[0]
    z = (error[2] - c * error[0] - e * y) / third
    y = y / second - e * z
    return [error[0] / first - b * y - c * z, y, z]
