"""Time-optimal motion of one joint within velocity, acceleration and jerk limits, in plain floats. Knows no Blender.

A point (position, velocity, acceleration) is pushed by a jerk of +-`jerk` or 0. Everything is made of one manoeuvre, the quickest change of
velocity: at most three spans of constant jerk. Stopping is that change to zero. The quickest way to rest at 0 is to run for the greatest
speed toward it until the place where the joint would come to stand, if it began to stop now, is 0; and then to stop. That place moves
one way only along the run, so the moment to stop is found within a bracket, and only when it lies within the step at hand: no profile of
seven segments is ever solved for. Positions are samples of a motion in continuous time, so their differences keep the limits as well.

The switching structure is the known one (e.g. Haschke, Weitnauer & Ritter 2008, "On-line planning of time-optimal, jerk-limited
trajectories"); finding the switch from where the joint would come to stand is this file's own.
"""

from math import copysign, sqrt

Point = tuple[float, float, float]  # position, velocity, acceleration
Stopping = tuple[float, float, float]  # distance with its sign, first jerk, distance that is gained by each unit of acceleration [s2]
Pulse = tuple[float, float, float, float]  # first jerk (the last is its opposite), seconds of the first, the held and the last span

ROUNDING = 1e-15  # relative: some four units in the last place, what one step's arithmetic may lose of a position
_MOST_TRIALS = 100  # twice the halvings between any bracket and neighbouring floats; about four are usual
_HALVE_EVERY = 6  # trials: Newton's rule may creep, a halving now and then bounds it


def pulse_to(goal: float, velocity: float, acceleration: float, limit: float, jerk: float) -> Pulse:
    """The quickest change from (velocity, acceleration) to (goal, 0) with |acceleration| at most `limit`, where it starts within that."""
    excess = velocity - goal
    if excess + 0.5 * acceleration * abs(acceleration) / jerk > 0.0:  # too fast still when the acceleration has run out
        first = -jerk
    else:
        excess, acceleration, first = -excess, -acceleration, jerk
    excess = max(excess + 0.5 * acceleration * acceleration / jerk, 0.0)  # to lose from where the acceleration is 0
    peak = sqrt(jerk * excess)
    held = 0.0
    if peak > limit:
        held = excess / limit - limit / jerk
        peak = limit
    return first, max(acceleration + peak, 0.0) / jerk, held, peak / jerk


def stopping(velocity: float, acceleration: float, limit: float, jerk: float) -> Stopping:
    """What becomes of the joint if it stops as soon as it can: `pulse_to(0, ...)` in closed form."""
    sign = 1.0
    if velocity + 0.5 * acceleration * abs(acceleration) / jerk < 0.0:
        velocity, acceleration, sign = -velocity, -acceleration, -1.0
    excess = velocity + 0.5 * acceleration * acceleration / jerk
    peak = sqrt(jerk * excess) if excess > 0.0 else 0.0
    if peak <= limit:
        t = (acceleration + peak) / jerk
        distance = t * (velocity + t * (0.5 * acceleration - jerk * t / 6.0)) + peak * peak * peak / (6.0 * jerk * jerk)
        return sign * distance, -sign * jerk, 0.5 * t * (t + peak / jerk)
    t = (acceleration + limit) / jerk
    held = excess / limit - limit / jerk
    last = 0.5 * limit * limit / jerk  # velocity when the last span begins
    distance = t * (velocity + t * (0.5 * acceleration - jerk * t / 6.0)) + (last + 0.5 * limit * held) * held + last * limit / (3.0 * jerk)
    return sign * distance, -sign * jerk, 0.5 * t * (t + 2.0 * held + limit / jerk)


def stopping_distance(velocity: float, acceleration: float, limit: float, jerk: float) -> float:
    """How far from here, with its sign, the joint comes to stand if it stops as soon as it can."""
    return stopping(velocity, acceleration, limit, jerk)[0]


def stopping_range(point: Point, limit: float, jerk: float) -> tuple[float, float]:
    """The lowest and the highest position on the way to standing, if the joint stops as soon as it can."""
    position, velocity, acceleration = point
    end = position + stopping_distance(velocity, acceleration, limit, jerk)
    turn = position
    braking = -copysign(acceleration, velocity * acceleration)  # above 0: the acceleration takes speed away
    speed = abs(velocity)
    if braking * braking > 2.0 * jerk * speed and braking > 0.0:  # so much that the joint swings back before it stands
        t = 2.0 * speed / (braking + sqrt(braking * braking - 2.0 * jerk * speed))
        turn += copysign(t * (speed - t * (0.5 * braking - jerk * t / 6.0)), velocity)
    return min(position, turn, end), max(position, turn, end)


def moved(position: float, velocity: float, acceleration: float, jerk: float, t: float) -> Point:
    """The point after `t` seconds of constant jerk."""
    gained = 0.5 * jerk * t
    return (
        position + t * (velocity + t * (0.5 * acceleration + gained / 3.0)),
        velocity + t * (acceleration + gained),
        acceleration + jerk * t,
    )


def stopped(point: Point, dt: float, limit: float, jerk: float) -> Point | None:
    """The point after `dt` seconds of stopping; None where the joint stands by then."""
    first, start, held, end = pulse_to(0.0, point[1], point[2], limit, jerk)
    if start + held + end <= dt:
        return None
    if dt < start:
        return moved(*point, first, dt)
    point = moved(*point, first, start)
    dt -= start
    if dt < held:
        return moved(*point, 0.0, dt)
    if held > 0.0:
        point = moved(*point, 0.0, held)
        dt -= held
    return moved(*point, -first, dt)


def toward_rest(point: Point, dt: float, speed: float, limit: float, jerk: float, grain: float) -> Point:
    """The point `dt` seconds later on the quickest way to rest at position 0.

    Args:
        point: Position measured from where to rest, velocity, acceleration. A point outside the limits first comes back within them.
        dt: [s], above 0.
        speed, limit, jerk: Greatest |velocity|, |acceleration| and |jerk|.
        grain: How exact positions are; planning any finer would chase rounding.

    Returns:
        The point; exactly (0, 0, 0) once the way is done.
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
    short = point[0] + stopping_distance(point[1], point[2], limit, jerk)  # where it would come to stand
    sign = 1.0
    if short > 0.0:  # beyond: look at it in the mirror, so that the way is up
        sign, point, short = -1.0, (-point[0], -point[1], -point[2]), -short
    if short < -grain:
        point, dt = _run(point, dt, speed, limit, jerk, grain, short)
    if dt > 0.0:
        there = stopped(point, dt, limit, jerk)
        if there is None:
            return 0.0, 0.0, 0.0
        point = there
    return sign * point[0], sign * point[1], sign * point[2]


def _run(point: Point, dt: float, speed: float, limit: float, jerk: float, grain: float, short: float) -> tuple[Point, float]:
    """Run for `speed` for `dt` seconds, or until it is time to stop for 0: the point, and the seconds left.

    `short`, below 0, is where it would stand from `point`.
    """
    first, start, held, end = pulse_to(speed, point[1], point[2], limit, jerk)
    for span, push in ((start, first), (held, 0.0), (end, -first)):
        if span <= 0.0:
            continue
        t = min(span, dt)
        ahead = moved(*point, push, t)
        distance, brake, growth = stopping(ahead[1], ahead[2], limit, jerk)
        stand = ahead[0] + distance
        if stand > 0.0:
            t = _moment_to_stop(point, push, t, limit, jerk, grain, short, stand, (push - brake) * growth)
            return moved(*point, push, t), dt - t
        point, short = ahead, stand
        dt -= t
        if dt <= 0.0:
            return point, 0.0
    t = min(max(-short / speed, 0.0), dt)  # at full speed
    return (point[0] + speed * t, speed, 0.0), dt - t


def _moment_to_stop(
    point: Point, push: float, t: float, limit: float, jerk: float, grain: float, short: float, beyond: float, pace: float
) -> float:
    """When within `t` seconds of jerk `push` the place to stand passes 0; never too late.

    It is at `short` <= 0 now, and then at `beyond` > 0, moving on at `pace`. Found by Newton's rule within a bracket: the place stays where
    it is while the joint stops, so any other jerk moves it by what it differs from the one with which stopping begins. The first guess
    takes its way for a power of time.
    """
    place, velocity, acceleration = point
    early, late = 0.0, t
    rise, steepest = beyond - short, pace * t
    middle = t * (-short / rise) ** (rise / steepest) if steepest > 0.0 else late
    nearest, miss = late, beyond
    for trial in range(1, _MOST_TRIALS):
        if -short <= grain:
            break
        if trial % _HALVE_EVERY == 0 or not early < middle < late:
            middle = 0.5 * (early + late)
            if not early < middle < late:
                break
        gained = 0.5 * push * middle  # `moved`, without the time that a call takes
        distance, brake, growth = stopping(velocity + middle * (acceleration + gained), acceleration + push * middle, limit, jerk)
        stand = place + middle * (velocity + middle * (0.5 * acceleration + gained / 3.0)) + distance
        if stand > 0.0:
            late = middle
        else:
            early, short = middle, stand
        if abs(stand) < abs(miss):
            nearest, miss, pace = middle, stand, (push - brake) * growth
        middle = nearest - (miss + 0.5 * grain) / pace if pace > 0.0 else late  # to the middle of what is near enough
    return early
