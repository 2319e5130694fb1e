"""Smooth motion at the edge of the workspace: where exact tasks would need high acceleration, joints lag for some frames. Knows no Blender.

Where a mechanism is stretched, the nearest pose to a target of constant velocity has no bounded acceleration: an angle goes with the root
of the distance from the edge, so it stops dead, or starts with a jump. While a target is out of reach, and shortly after, coordinates
therefore take some time to the exact pose, with the least acceleration that gets them there in that time, in directions near the null space
of the tasks; the other directions stay exact. Braking that begins beyond the edge is too late: it begins one frame before the edge, where a
body's acceleration would exceed the limit. Any other target that stays in reach is met exactly.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..kinematics.se3 import Array
from .acceleration_limit import FARTHEST, AccelerationLimit, BodyAccelerations
from .clusters import SMALLEST, Indices
from .descent import CLOSED, MET, Configuration, Descent
from .lookahead import leaves_reach

STANDARD_RATE = 60.0  # [Hz] frame rate for which times and limits are given
# [rad/s2, sizes/s2] of one coordinate, always allowed; several add up in a body
FREE_ACCELERATION = math.radians(1.0) * STANDARD_RATE**2
# [rad/s2] limit of a body's angular acceleration while a target is out of reach, as far as possible
LARGEST_ACCELERATION = math.radians(1.5) * STANDARD_RATE**2
TARGET_SHARE = 1.0  # of the targets' own acceleration, which joints are allowed in addition: sudden targets are followed suddenly
REACHED = 1e-4  # [rad or sizes] task error up to which a target is in reach, since a solve may take several frames
NO_LAG = 1e-9  # [rad or sizes] of a coordinate: a smaller lag is none
LONGEST = 9 / STANDARD_RATE  # [s] to the exact pose while a target is out of reach
CATCH_UP_TIME = 7 / STANDARD_RATE  # [s] to the exact pose after a target has come back into reach
CATCH_UP_FRAMES = 3.6  # the same in frames, where frames are long: the larger counts
GOAL_WEIGHT = 100.0  # weight of the tasks in the last frame before the edge, against those of the frames beyond it
GOAL_TOLERANCE = 0.019  # [rad or sizes] task error that is allowed there to limit accelerations
# share of the exact pose's velocity that is extrapolated while a target is out of reach: its initial jump does not go on
EXTRAPOLATED = 0.4
EXTRAPOLATED_BACK = 0.85  # the same after the target has come back
FASTEST = math.radians(6.0) * STANDARD_RATE  # [rad/s, sizes/s] limit of that velocity: a faster one is such a jump
FEWEST = 2.0  # frames that it takes at least to move and stop
WEAK = 0.4  # of the largest singular value: directions below it are near singular
BENT, LEAST_BEND = 0.25, math.radians(0.05)  # of the last step, [rad or sizes]: a step that differs by more has changed direction
FREE = 1e-10  # of the largest singular value: directions below it are free; at a fold a direction hardly has a value
LEAST_IMPROVEMENT = 0.5  # factor by which another solution must deviate less from the last step to be preferred
TOLERANCE = 1e-9  # [s] rounding of sums of frames
CORRECTIONS = 2  # steps in the exact directions


@dataclass(frozen=True)
class MotionRecord:
    """Motion of one frame, for the next."""

    speed: Array  # (v,) [units/s]
    error: Array  # (e,) task errors at its end
    lag: Array  # (v,) [units] from its end to the exact pose
    pull: Array | None  # (e,) velocity of its targets [per second]; None: not known
    since: float  # [s] since a target was out of reach
    before: Array  # (n + 1, 4, 4) frames of the tree's nodes at its start
    length: float  # [s] its duration


def limited(
    descent: Descent, start: Configuration, exact: Configuration, last: MotionRecord | None, dt: float, nodes: Indices
) -> tuple[Configuration, MotionRecord]:
    """The exact configuration, or one that lags behind it to limit accelerations; and the record for the next frame.

    Args:
        descent: The solve of this frame.
        start: The last frame's coordinates, under this frame's goals.
        exact: The nearest pose to the goals.
        last: The last frame's record; None: its motion is not known.
        dt: [s] between the frames.
        nodes: (b,) nodes of the tree that carry bodies.

    Not for regularisers and commanded actuators: these determine the motion themselves.
    """
    pull = (start.goals[0] - last.error) / dt if last is not None and last.error.shape == start.goals[0].shape else None
    catch_up_time = max(CATCH_UP_TIME, CATCH_UP_FRAMES * dt)
    since = 0.0 if np.abs(exact.goals[0]).max(initial=0.0) > REACHED else dt + (last.since if last is not None else catch_up_time)
    desired = descent.difference(start, exact)
    here, lag = exact, np.zeros_like(desired)
    if last is not None and last.pull is not None and pull is not None and last.pull.shape == pull.shape:
        allowed, continued_step = TARGET_SHARE * float(np.abs(pull - last.pull).max(initial=0.0)) * dt, last.speed * dt
        is_lagging = np.abs(last.lag).max(initial=0.0) > NO_LAG
        if is_lagging or np.abs(desired - continued_step).max(initial=0.0) > FREE_ACCELERATION * dt * dt + allowed:
            accelerations, most = (
                BodyAccelerations.since(last.before, start, nodes, dt / last.length),
                LARGEST_ACCELERATION * dt * dt + allowed,
            )
            if since > catch_up_time + TOLERANCE:
                ahead = (2.0 * pull - last.pull) * dt
                if not is_lagging and accelerations.largest(exact) > most and leaves_reach(descent, exact, ahead, REACHED):
                    here = AccelerationLimit(descent, start, exact, accelerations, most, pull * dt, GOAL_WEIGHT, GOAL_TOLERANCE).applied(
                        exact
                    )
            else:
                frames = (catch_up_time - since) / dt + 1.0 if since > 0.0 else LONGEST / dt
                target_speed = (EXTRAPOLATED_BACK if since > 0.0 else EXTRAPOLATED) * np.clip(
                    desired - last.lag, -FASTEST * dt, FASTEST * dt
                )
                step = _least_acceleration(desired, continued_step, target_speed, frames)
                here = _with_goals(descent, start, exact, np.clip(desired, step - allowed, step + allowed))
                if since == 0.0:
                    farthest = max(FARTHEST, math.sqrt(start.square) - math.sqrt(exact.square))
                    here = AccelerationLimit(descent, start, exact, accelerations, most, pull * dt, farthest=farthest).applied(here)
            desired, lag = descent.difference(start, here), descent.difference(here, exact)
    return here, MotionRecord(desired / dt, here.goals[0], lag, pull, since, start.shape.frames, dt)


def continued(descent: Descent, start: Configuration, here: Configuration, last: Array, iterations: int) -> Configuration | None:
    """The continuation of a path where its solution reverses; None where it does not, or no continuation meets the goals as well.

    Where a path passes a fold, two solutions meet: its continuation, and a mirror image of its past, which soon ends.

    Args:
        descent: The solve of this frame.
        start: The last frame's coordinates, under this frame's goals.
        here: The solution.
        last: (v,) the last step, in units.
        iterations: Most steps.
    """
    step_taken = descent.difference(start, here)
    if not _deviates(step_taken, last) or np.abs(here.goals[0]).max(initial=0.0) > REACHED:
        return None
    last = _determined(descent, start, last)
    if not _deviates(step_taken, last):
        return None
    bent = float(np.abs(step_taken - last).max())
    ahead = descent.close(descent.stepped(start, last), CLOSED)
    if ahead.open > CLOSED:
        return None
    damping, held = descent.damping, descent.held
    there, _, _ = descent.go(ahead, iterations)
    is_met = there.open <= CLOSED and there.square <= max(here.square, MET * MET)
    if is_met and float(np.abs(descent.difference(start, there) - last).max(initial=0.0)) < LEAST_IMPROVEMENT * bent:
        return there
    descent.damping, descent.held = damping, held
    return None


def _deviates(step_taken: Array, last: Array) -> bool:
    return float(np.abs(step_taken - last).max(initial=0.0)) > max(BENT * float(np.abs(last).max(initial=0.0)), LEAST_BEND)


def _determined(descent: Descent, here: Configuration, step_taken: Array) -> Array:
    """The part of a step (v,) that the tasks determine. What they leave free is not continued: it would never come to rest."""
    _, sizes, directions = np.linalg.svd(descent.along(here), full_matrices=False)
    determined = directions[sizes > FREE * sizes.max(initial=0.0)]
    found: Array = determined.T @ (determined @ step_taken)
    return found


def _strong(descent: Descent, here: Configuration) -> Array:
    """Inverse (v, e) of the tasks' Jacobian in the loops' null space, without nearly singular directions."""
    along = descent.along(here)
    square, directions = np.linalg.eigh(along @ along.T)
    gain = square / (square * square + (WEAK * WEAK * square[-1]) ** 2 + SMALLEST)  # 1 / square of strong directions, about 0 of weak ones
    inverse: Array = along.T @ (directions @ (gain[:, None] * directions.T))
    return inverse


def _least_acceleration(desired: Array, last: Array, target_speed: Array, frames: float) -> Array:
    """First step (v,) of the motion with the least sum of squared accelerations that ends after `frames` frames at velocity `target_speed`.

    Args:
        desired: (v,) the whole distance now; its end moves by `target_speed` (v,) per frame.
        last: (v,) the last step.
        target_speed: (v,) units per frame.
        frames: Until the end.
    """
    if frames < FEWEST:
        return desired
    relative = last - target_speed
    step: Array = last + (6.0 * (desired - target_speed) - (4.0 * frames - 2.0) * relative) / (frames * (frames + 1.0))
    return step


def _with_goals(descent: Descent, start: Configuration, exact: Configuration, step: Array) -> Configuration:
    """The configuration after a step, with closed loops and the task errors of `exact` in all directions that are not nearly singular."""
    here = descent.close(descent.stepped(start, step), CLOSED)
    for _ in range(CORRECTIONS):
        back = _strong(descent, here)
        better = descent.close(descent.stepped(here, -back @ (here.goals[0] - exact.goals[0])), CLOSED)
        if better.open > CLOSED:
            break
        here = better
    return here if here.open <= max(CLOSED, exact.open) else exact
