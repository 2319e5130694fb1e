"""Time-optimal motion of one joint within velocity, acceleration and jerk limits, in plain floats.

The state of a joint is a point (position, velocity, acceleration). The target is at position 0. Source:
docs/motion.md, "Time-optimal motion".
"""

from math import copysign, sqrt

from .joint import Kinematic, Limits

# position [rad], velocity [rad/s], acceleration [rad/s2] (metres for a prismatic joint)
Point = tuple[float, float, float]
# signed distance [rad], first jerk [rad/s3], derivative of the distance with respect to acceleration [s2]
Stopping = tuple[float, float, float]
# first jerk [rad/s3] (the last one is its negative), durations [s] of the first span, of the span of constant
# acceleration, and of the last span
Pulse = tuple[float, float, float, float]

# rounding error of a position in one step, relative to it: about four units in the last place
ROUNDING = 1e-15
# largest number of trials in the search for a braking time: twice the bisections from any bracket to
# neighbouring floats; about four are usual
_MOST_TRIALS = 100
# number of trials from one bisection to the next, which bounds the number of trials where Newton's method
# converges slowly
_HALVE_EVERY = 6


def pulse_to(goal: float, velocity: float, acceleration: float, limit: float, jerk: float) -> Pulse:
    """Fastest change of the velocity to `goal` [rad/s], with acceleration 0 at its end. Jerk is at most
    `jerk` [rad/s3]; acceleration is at most `limit` [rad/s2] if it begins within this limit.
    """
    excess = velocity - goal
    if excess + 0.5 * acceleration * abs(acceleration) / jerk > 0.0:
        # the velocity is still too high when the acceleration has reached 0
        first = -jerk
    else:
        excess, acceleration, first = -excess, -acceleration, jerk
    # velocity to lose after the acceleration has reached 0
    excess = max(excess + 0.5 * acceleration * acceleration / jerk, 0.0)
    peak = sqrt(jerk * excess)
    middle = 0.0
    if peak > limit:
        middle = excess / limit - limit / jerk
        peak = limit
    return first, max(acceleration + peak, 0.0) / jerk, middle, peak / jerk


def stopping(velocity: float, acceleration: float, limit: float, jerk: float) -> Stopping:
    """Distance, first jerk and derivative (see `Stopping`) of the fastest stop from a velocity [rad/s] and
    acceleration [rad/s2], within an acceleration limit `limit` [rad/s2] and a jerk limit [rad/s3]: the motion
    of `pulse_to(0, ...)`, in closed form.
    """
    sign = 1.0
    if velocity + 0.5 * acceleration * abs(acceleration) / jerk < 0.0:
        velocity, acceleration, sign = -velocity, -acceleration, -1.0
    excess = velocity + 0.5 * acceleration * acceleration / jerk
    peak = sqrt(jerk * excess) if excess > 0.0 else 0.0
    if peak <= limit:
        t = (acceleration + peak) / jerk
        distance = t * (velocity + t * (0.5 * acceleration - jerk * t / 6.0)) + peak * peak * peak / (
            6.0 * jerk * jerk
        )
        return sign * distance, -sign * jerk, 0.5 * t * (t + peak / jerk)
    t = (acceleration + limit) / jerk
    middle = excess / limit - limit / jerk
    last = 0.5 * limit * limit / jerk  # velocity at the beginning of the last span
    distance = (
        t * (velocity + t * (0.5 * acceleration - jerk * t / 6.0))
        + (last + 0.5 * limit * middle) * middle
        + last * limit / (3.0 * jerk)
    )
    return sign * distance, -sign * jerk, 0.5 * t * (t + 2.0 * middle + limit / jerk)


def stopping_distance(velocity: float, acceleration: float, limit: float, jerk: float) -> float:
    """Signed distance [rad] that a joint moves during the fastest stop; arguments as for `stopping`."""
    return stopping(velocity, acceleration, limit, jerk)[0]


def stopping_range(point: Point, limit: float, jerk: float) -> tuple[float, float]:
    """(lowest, highest) position [rad] during the fastest stop from `point`; `limit` and `jerk` as for
    `stopping`.
    """
    position, velocity, acceleration = point
    end = position + stopping_distance(velocity, acceleration, limit, jerk)
    reversal = position
    braking = -copysign(acceleration, velocity * acceleration)  # positive: the acceleration reduces the speed
    speed = abs(velocity)
    if braking * braking > 2.0 * jerk * speed and braking > 0.0:
        # the joint brakes so hard that it reverses before it stops
        t = 2.0 * speed / (braking + sqrt(braking * braking - 2.0 * jerk * speed))
        reversal += copysign(t * (speed - t * (0.5 * braking - jerk * t / 6.0)), velocity)
    return min(position, reversal, end), max(position, reversal, end)


def moved(position: float, velocity: float, acceleration: float, jerk: float, t: float) -> Point:
    """Point (position, velocity, acceleration) of a joint after `t` seconds of constant jerk [rad/s3]."""
    gained = 0.5 * jerk * t
    return (
        position + t * (velocity + t * (0.5 * acceleration + gained / 3.0)),
        velocity + t * (acceleration + gained),
        acceleration + jerk * t,
    )


def stopped(point: Point, dt: float, limit: float, jerk: float) -> Point | None:
    """Point after `dt` seconds of the fastest stop from `point`; None if the joint is at rest by then.
    `limit` and `jerk` as for `stopping`.
    """
    first, start, middle, end = pulse_to(0.0, point[1], point[2], limit, jerk)
    if start + middle + end <= dt:
        return None
    if dt < start:
        return moved(*point, first, dt)
    point = moved(*point, first, start)
    dt -= start
    if dt < middle:
        return moved(*point, 0.0, dt)
    if middle > 0.0:
        point = moved(*point, 0.0, middle)
        dt -= middle
    return moved(*point, -first, dt)


def toward_rest(point: Point, dt: float, speed: float, limit: float, jerk: float, grain: float) -> Point:
    """Point `dt` seconds later on the fastest motion to rest at position 0.

    Args:
        point: Position relative to the goal, velocity, acceleration. A point outside the limits first returns
            into them.
        dt: Time step [s], above 0.
        speed, limit, jerk: Largest velocity [rad/s], acceleration [rad/s2] and jerk [rad/s3].
        grain: Rounding error of positions [rad]: planning is no finer.

    Returns:
        The point; exactly (0, 0, 0) once it has arrived.
    """
    if abs(point[2]) > limit:
        outside = (abs(point[2]) - limit) / jerk
        inward = -copysign(jerk, point[2])
        if outside >= dt:
            return moved(*point, inward, dt)
        position, velocity, acceleration = moved(*point, inward, outside)
        point = position, velocity, copysign(limit, acceleration)
        dt -= outside
    grain += ROUNDING * (abs(point[0]) + abs(point[1]) * dt)
    # stopping position if the joint braked now
    short = point[0] + stopping_distance(point[1], point[2], limit, jerk)
    sign = 1.0
    if short > 0.0:
        # the joint would stop beyond the goal: the problem is mirrored, so that the goal is above
        sign, point, short = -1.0, (-point[0], -point[1], -point[2]), -short
    if short < -grain:
        point, dt = _accelerated(point, dt, speed, limit, jerk, grain, short)
    if dt > 0.0:
        at_rest = stopped(point, dt, limit, jerk)
        if at_rest is None:
            return 0.0, 0.0, 0.0
        point = at_rest
    return sign * point[0], sign * point[1], sign * point[2]


def moved_toward(state: Kinematic, goal: float, dt: float, limits: Limits) -> Point:
    """Point `dt` seconds later on the time-optimal motion to rest at `goal`."""
    grain = ROUNDING * (abs(state.position) + abs(goal))
    position, velocity, acceleration = toward_rest(
        (state.position - goal, state.velocity, state.acceleration),
        dt,
        limits.velocity,
        limits.acceleration,
        limits.jerk,
        grain,
    )
    return position + goal, velocity, acceleration


def _accelerated(
    point: Point, dt: float, speed: float, limit: float, jerk: float, grain: float, short: float
) -> tuple[Point, float]:
    """Point after accelerating to `speed` for `dt` seconds, or until braking must begin to stop at 0, and the
    seconds left.

    `short`, below 0, is the position at which the joint would stop if it braked at `point`. Other arguments
    as for `toward_rest`.
    """
    first, start, middle, end = pulse_to(speed, point[1], point[2], limit, jerk)
    for span, push in ((start, first), (middle, 0.0), (end, -first)):
        if span <= 0.0:
            continue
        t = min(span, dt)
        ahead = moved(*point, push, t)
        distance, brake, growth = stopping(ahead[1], ahead[2], limit, jerk)
        stop = ahead[0] + distance
        if stop > 0.0:
            t = _braking_time(point, push, t, limit, jerk, grain, short, stop, (push - brake) * growth)
            return moved(*point, push, t), dt - t
        point, short = ahead, stop
        dt -= t
        if dt <= 0.0:
            return point, 0.0
    t = min(max(-short / speed, 0.0), dt)  # time to the goal at full speed
    return (point[0] + speed * t, speed, 0.0), dt - t


def _braking_time(
    point: Point,
    push: float,
    t: float,
    limit: float,
    jerk: float,
    grain: float,
    short: float,
    beyond: float,
    rate: float,
) -> float:
    """Time within `t` seconds of jerk `push` at which the stopping position passes 0; never later.

    The stopping position is `short` <= 0 at the beginning and `beyond` > 0 at the end, where it moves at
    `rate`. Newton's method within a bracket: the stopping position is constant while the joint brakes, so it
    moves in proportion to the difference of `push` from the braking jerk. The initial guess assumes that it
    is a power of time.
    """
    position, velocity, acceleration = point
    early, late = 0.0, t
    rise, steepest = beyond - short, rate * t
    middle = t * (-short / rise) ** (rise / steepest) if steepest > 0.0 else late
    nearest, error = late, beyond
    for trial in range(1, _MOST_TRIALS):
        if -short <= grain:
            break
        if trial % _HALVE_EVERY == 0 or not early < middle < late:
            middle = 0.5 * (early + late)
            if not early < middle < late:
                break
        gained = 0.5 * push * middle  # the same as `moved`, written out for speed
        distance, brake, growth = stopping(
            velocity + middle * (acceleration + gained), acceleration + push * middle, limit, jerk
        )
        stop = position + middle * (velocity + middle * (0.5 * acceleration + gained / 3.0)) + distance
        if stop > 0.0:
            late = middle
        else:
            early, short = middle, stop
        if abs(stop) < abs(error):
            nearest, error, rate = middle, stop, (push - brake) * growth
        # the time that leads to the middle of the accepted errors
        middle = nearest - (error + 0.5 * grain) / rate if rate > 0.0 else late
    return early
