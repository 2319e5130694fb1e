"""Brings a take that ends in motion to rest after its last frame, as fast as its joints' limits allow.

Velocity, acceleration and jerk are finite differences of the frames, as in `check`. The accelerations of the
added frames, times the interval between frames, add up to minus the last frame's velocity. They are samples
of a curve whose slope is at most the jerk limit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest

from ...motion import Limits
from .check import first_excess
from .take import STANDING, Take, Values

HALVINGS = 60  # number of bisections in the search for the braking time; more than a float has bits


def brought_to_rest(take: Take) -> Take:
    """The take followed by frames in which its joints brake.

    A joint keeps its last value if a stop in the last frame exceeds no limit, or if its frames without that
    stop already exceed one; if all joints do, the take itself is returned.
    """
    added = []
    for joint, values in zip(take.device.joints, take.joints(), strict=True):
        moving_values = values[:-STANDING]  # without frames at rest at the end
        is_within = first_excess(moving_values, joint.limits, take.rate) is None
        stops_at_once = first_excess(values, joint.limits, take.rate) is None
        added.append(
            braking(moving_values, joint.limits, 1.0 / take.rate) if is_within and not stops_at_once else []
        )
    return take.followed_by(_rows(added, take.frames[-1]))


def _rows(columns: Sequence[Sequence[float]], last: Values) -> tuple[Values, ...]:
    """Rows from columns of different lengths; a joint that has come to rest keeps its last value."""
    ends = [column[-1] if column else value for column, value in zip(columns, last, strict=True)]
    return tuple(
        tuple(end if value is None else value for value, end in zip(row, ends, strict=True))
        for row in zip_longest(*columns)
    )


def braking(values: Sequence[float], limits: Limits, interval: float) -> list[float]:
    """Positions [rad or m] after the last value, `interval` [s] apart, until the joint is at rest.

    Args:
        values: At least three positions [rad or m] at this interval, within the limits.
        limits: The joint's limits; position limits are ignored.
        interval: Time between two positions [s].
    """
    before, middle, position = values[-3:]
    velocity = (position - middle) / interval
    acceleration = (position - 2.0 * middle + before) / interval**2
    # the joint brakes against the velocity that remains once its acceleration has ended as fast as possible
    remaining_velocity = velocity + interval * math.fsum(_fading(acceleration, limits, interval))
    sign = math.copysign(1.0, remaining_velocity)
    added = []
    for change in _decelerations(sign * velocity, sign * acceleration, limits, interval):
        velocity += sign * change * interval
        position += velocity * interval
        added.append(position)
    return added


def _fading(acceleration: float, limits: Limits, interval: float) -> list[float]:
    """Accelerations of the next frames if the acceleration goes to zero as fast as the jerk limit allows."""
    frames = math.ceil(abs(acceleration) / (limits.jerk * interval))
    return [
        math.copysign(max(abs(acceleration) - limits.jerk * k * interval, 0.0), acceleration)
        for k in range(1, frames + 1)
    ]


def _decelerations(velocity: float, acceleration: float, limits: Limits, interval: float) -> list[float]:
    """Accelerations [rad/s^2 or m/s^2] of the next frames that bring a joint to rest whose velocity is
    positive, or will be when its acceleration has ended.

    They fall at the jerk limit, as far as the acceleration limit allows, and rise to zero at the end of the
    braking time. The longer that time, the lower they all are, so the time after which the velocity is zero
    is found by bisection.
    """

    def during(seconds: float) -> list[float]:
        times = (k * interval for k in range(1, math.ceil(seconds / interval) + 1))
        return [
            (
                max(acceleration - limits.jerk * time, -limits.acceleration, limits.jerk * (time - seconds))
                if time < seconds
                else 0.0
            )
            for time in times
        ]

    def velocity_after(seconds: float) -> float:
        return velocity + interval * math.fsum(during(seconds))

    shortest = abs(acceleration) / limits.jerk
    longest = shortest + interval
    while velocity_after(longest) > 0.0:
        longest *= 2.0
    for _ in range(HALVINGS):
        middle = 0.5 * (shortest + longest)
        shortest, longest = (middle, longest) if velocity_after(middle) > 0.0 else (shortest, middle)
    return during(longest)
