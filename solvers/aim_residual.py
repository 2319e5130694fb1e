"""Residual of a goal and its Jacobian, and the exact correction of a solution by them, in plain floats. Knows no Blender.

Of an orientation the residual is a rotation vector [rad], so its length is the true angle of the error at any distance, and it does not
vanish at 180 degrees. With the roll free it has two components, across the view; else three. A position adds three, in shares of the
skeleton's reach. The residuals of several ends are stacked, each times its weight.

The correction is the least change of the joints, within limits, that meets the aim: damped Gauss-Newton steps of least weighted change,
with box limits by an active set; the systems have two or three equations.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from .diagnosis import MET
from .goals import Direction, EndGoal, GazeGoal, Point, look, nearer_roll, orientation_of, position_of, upright, with_free_roll
from .kinematics.rotations import (
    NO_DIRECTION,
    ORIGIN,
    Quaternion,
    Vector,
    Y,
    between,
    conjugate,
    cross,
    dot,
    length,
    logarithm,
    multiply,
    normalized,
    perpendicular,
    reject,
    rotate,
    scale,
    subtract,
    twist_angle,
    unit,
    vector_angle,
)
from .kinematics.skeleton import Pose, Skeleton

ROLL_WEIGHT = 0.1  # weight of uprightness against the view: where a chain cannot have both, the view wins


class Residual(NamedTuple):
    """Error of a goal and its Jacobian with respect to the joints."""

    error: tuple[float, ...]  # (r,) [rad], positions in shares of the reach
    columns: Sequence[tuple[float, ...]]  # one (r,) for each joint: reduction of the error per unit of its movement

    @property
    def size(self) -> float:
        return math.hypot(*self.error)


class Part(NamedTuple):
    """Unweighted residual of one end's aim or position."""

    kind: Literal["aim", "position"]
    end: int  # index in `goal.ends`
    residual: Residual


def residual(skeleton: Skeleton, goal: GazeGoal, pose: Pose) -> Residual:
    """The weighted residual of all ends at a pose. Uprightness is weighted by the sine of the angle between `up` and the view."""
    weights = goal.weights
    weighted = [_weighted(part.residual, weights[part.end]) for part in parts(skeleton, goal, pose)]
    return weighted[0] if len(weighted) == 1 else _stacked(weighted)


def parts(skeleton: Skeleton, goal: GazeGoal, pose: Pose, at_targets: bool = False) -> list[Part]:
    """The residuals of all ends in parts: of each end the aim, then the position.

    With `at_targets` the columns of positions are those of the targets, as if they were fixed to the links that carry the ends: the
    alternate Jacobian of Buss (2009), section 2. A view's columns are the same for both.
    """
    axes = skeleton.world_axes(pose)
    return [part for index, wanted in enumerate(goal.ends) for part in _of_end(skeleton, index, wanted, pose, axes, at_targets)]


def _of_end(skeleton: Skeleton, index: int, wanted: EndGoal, pose: Pose, axes: list[Vector], at_targets: bool) -> list[Part]:
    """Residuals of one end; columns of joints that do not move it are zero."""
    rotation, position = skeleton.end_pose(pose, wanted.end)
    carried = range(len(skeleton)) if skeleton.is_chain else skeleton.path(wanted.end)
    goal_position, target = position_of(wanted.aim), orientation_of(wanted.aim)
    found = []
    if target is not None:
        difference = multiply(nearer_roll(normalized(target), rotation, wanted.symmetric), conjugate(rotation))
        found.append(Part("aim", index, Residual(logarithm(difference), _angular(skeleton, axes, carried))))
    if goal_position is not None:
        moved = goal_position if at_targets else position
        found.append(Part("position", index, _to_position(skeleton, goal_position, position, moved, pose, axes, carried)))
    if isinstance(wanted.aim, Direction | Point):
        found.append(Part("aim", index, _to_view(skeleton, wanted, rotation, position, pose, axes, carried)))
    return found


def _to_position(
    skeleton: Skeleton, wanted: Vector, position: Vector, moved: Vector, pose: Pose, axes: list[Vector], carried: Sequence[int]
) -> Residual:
    """Residual from `position` to `wanted` [m], with the velocities of a point at `moved` on the end's link."""
    share = 1.0 / skeleton.reach
    velocities = _linear(skeleton, moved, pose, axes, carried)
    return Residual(scale(subtract(wanted, position), share), [scale(velocity, share) for velocity in velocities])


def _to_view(
    skeleton: Skeleton,
    wanted_end: EndGoal,
    rotation: Quaternion,
    position: Vector,
    pose: Pose,
    axes: list[Vector],
    carried: Sequence[int],
) -> Residual:
    aim = wanted_end.aim
    assert isinstance(aim, Direction | Point)
    turns: Sequence[Vector] = _angular(skeleton, axes, carried)
    view = rotate(rotation, Y)
    gap = look(aim, position)
    distance = length(gap)
    if distance <= NO_DIRECTION:  # the end is at its target: any view will do
        return Residual((0.0, 0.0), [(0.0, 0.0)] * len(skeleton))
    wanted = unit(gap)
    if isinstance(aim, Point):  # relative to the direction to the target, which changes as the end moves
        velocities = _linear(skeleton, position, pose, axes, carried)
        pairs = zip(turns, velocities, strict=True)
        turns = [subtract(turn, scale(cross(wanted, velocity), -1.0 / distance)) for turn, velocity in pairs]
    across = perpendicular(view)
    other = cross(view, across)
    normal = cross(view, wanted)
    size = length(normal)
    turn = scale(normal, vector_angle(view, wanted) / size) if size > NO_DIRECTION else scale(across, vector_angle(view, wanted))
    error: tuple[float, ...] = (dot(turn, across), dot(turn, other))
    target = upright(wanted, aim.up)
    if target is None:
        return Residual(error, [(dot(turn, across), dot(turn, other)) for turn in turns])
    assert aim.up is not None
    weight = ROLL_WEIGHT * length(reject(unit(aim.up), wanted))
    levelled = multiply(between(view, wanted), rotation)
    roll = twist_angle(multiply(nearer_roll(target, levelled, wanted_end.symmetric), conjugate(levelled)), wanted)
    rolls = scale(view, weight)
    return Residual((*error, weight * roll), [(dot(turn, across), dot(turn, other), dot(turn, rolls)) for turn in turns])


def _weighted(part: Residual, weight: float) -> Residual:
    if weight == 1.0:
        return part
    return Residual(tuple(weight * e for e in part.error), [tuple(weight * c for c in column) for column in part.columns])


def _stacked(parts: Sequence[Residual]) -> Residual:
    error = tuple(e for part in parts for e in part.error)
    return Residual(error, [tuple(c for column in columns for c in column) for columns in zip(*(p.columns for p in parts), strict=True)])


def _angular(skeleton: Skeleton, axes: list[Vector], carried: Sequence[int]) -> list[Vector]:
    """Angular velocity of the end per unit speed of each joint, base frame."""
    turns: list[Vector] = [ORIGIN] * len(axes)
    for k in carried:
        if skeleton.joints[k].kind == "revolute":
            turns[k] = axes[k]
    return turns


def _linear(skeleton: Skeleton, position: Vector, pose: Pose, axes: list[Vector], carried: Sequence[int]) -> list[Vector]:
    """Velocity [m] of the end's position per unit speed of each joint, base frame."""
    velocities: list[Vector] = [ORIGIN] * len(axes)
    for k in carried:
        velocities[k] = cross(axes[k], subtract(position, pose.positions[k])) if skeleton.joints[k].kind == "revolute" else axes[k]
    return velocities


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
