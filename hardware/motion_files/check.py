"""Checks of a motion against its joints' limits and its channels' ranges.

Limits are checked on finite differences of the frames. Derivatives of the curve through the frames
(`motion.joint`) are convex combinations of these, so they exceed a limit only near frames where a difference
does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ...motion import Limits
from ...motion.limiter import HEADROOM
from ..device import DeviceJoint
from ..errors import ExportError
from ..mixing import Mixing
from .take import STANDING, Take

SINGLE = 2.0**-23  # relative rounding error of a keyframe, which has single precision
SHARE = 1e-3  # relative excess over a derivative's limit that is ignored, besides rounding
ORDERS = ("velocity", "acceleration", "jerk")
# unit of a joint -> (its name in messages, factor to it)
UNITS = {"rad": ("degrees", 180.0 / math.pi), "m": ("mm", 1000.0), "plain": ("", 1.0)}
PER = ("/s", "/s2", "/s3")
FILTERED = "play it with a motion filter (Live, or Bake), let it come to rest, or correct the joint's limits"


class Excess(NamedTuple):
    """Differences of a joint's values that exceed one limit.

    Attributes:
        order: 1 for the limit of velocity, 2 for acceleration, 3 for jerk.
        first: Index of the value at which the first of them ends.
        number: Number of these differences.
        difference: The first of them [rad or m, per second to the power of `order`].
    """

    order: int
    first: int
    number: int
    difference: float


def check(take: Take, has_positions: bool = True) -> None:
    """Raise ExportError if a frame breaks a limit of a joint, the range of a channel, or the speed of its
    servo.

    Args:
        take: The frames.
        has_positions: Whether the file has the channels' positions; only then their ranges are checked.

    Raises:
        ExportError: The message names the joint or channel, its first such frame, the expected and the found
            value.
    """
    check_ranges(take, has_positions)
    check_speeds(take)


def check_ranges(take: Take, has_positions: bool = True) -> None:
    """Raise ExportError if a joint value or channel position is out of its range; arguments and errors as in
    `check`.
    """
    for joint, values in zip(take.device.joints, take.joints(), strict=True):
        _check_position(take, joint, values)
    if has_positions:
        check_channels(take)


def check_speeds(take: Take) -> None:
    """Raise ExportError if a frame breaks a joint's limit of velocity, acceleration or jerk, or the speed of
    a servo; errors as in `check`.
    """
    for joint, values in zip(take.device.joints, take.joints(), strict=True):
        _check_motion(take, joint, values)
    _check_servo_speeds(take)


def _check_position(take: Take, joint: DeviceJoint, values: Sequence[float]) -> None:
    lower, upper = joint.limits.lower, joint.limits.upper
    slack = SINGLE * max(abs(lower), abs(upper))
    for index, value in enumerate(values):
        if not math.isfinite(value):
            raise ExportError(
                f"Joint '{joint.name}', {_frame(take, index)}: its value is {value}, no number; correct its"
                " animation"
            )
        if not lower - slack <= value <= upper + slack:
            raise ExportError(
                f"Joint '{joint.name}', {_frame(take, index)}: {joint.text(value)}; expected"
                f" {joint.text(lower)} to {joint.text(upper)}. Correct the animation or the joint's limits"
            )


def _check_motion(take: Take, joint: DeviceJoint, values: Sequence[float]) -> None:
    excess = first_excess(values, joint.limits, take.rate)
    if excess is None:
        return
    more = f", and in {excess.number - 1} more" if excess.number > 1 else ""
    limit = _derivative_limits(joint.limits)[excess.order - 1]
    raise ExportError(
        f"Joint '{joint.name}', {_frame(take, excess.first)}{more}: {ORDERS[excess.order - 1]}"
        f" {_text(joint, excess.difference, excess.order)}; expected at most {_text(joint, limit, excess.order)}."
        f" Remedy: {FILTERED}"
    )


def first_excess(values: Sequence[float], limits: Limits, rate: float) -> Excess | None:
    """Finite differences of a joint's values [rad or m], `rate` of them per second, that exceed its velocity
    limit; without any, its acceleration limit, then its jerk limit. None if all are within, up to `SHARE` and
    rounding.
    """
    largest = max(map(abs, values))
    differences = list(values)
    for order, limit in enumerate(_derivative_limits(limits), 1):
        differences = [(b - a) * rate for a, b in pairwise(differences)]
        slack = SHARE * limit + 2.0**order * SINGLE * largest * rate**order
        broken = [index for index, derivative in enumerate(differences) if abs(derivative) > limit + slack]
        if broken:
            return Excess(order, broken[0] + order, len(broken), differences[broken[0]])
    return None


def _derivative_limits(limits: Limits) -> tuple[float, float, float]:
    """(velocity, acceleration, jerk): limits of the derivatives of order 1 to 3."""
    return limits.velocity, limits.acceleration, limits.jerk


def check_channels(take: Take) -> None:
    """Raise ExportError if a channel position is out of its range; errors as in `check`."""
    mixing = Mixing(take.device)
    for index, values in enumerate(take.frames):
        for channel, raw in zip(take.device.channels, mixing.unbounded(values), strict=True):
            slack = SINGLE * max(abs(channel.lowest), abs(channel.highest))
            if not channel.lowest - slack <= raw <= channel.highest + slack:
                raise ExportError(
                    f"Channel {channel.label}, {take.name(index)}: position {raw:z.1f}; expected"
                    f" {channel.lowest:g} to {channel.highest:g}. Correct the animation, or zero, direction"
                    " and range of the channel"
                )


def _check_servo_speeds(take: Take) -> None:
    """Raise ExportError if a servo would rotate faster than its known speed and HEADROOM allow, by the sum of
    its joints' contributions.
    """
    joints = dict(zip((joint.name for joint in take.device.joints), take.joints(), strict=True))
    for channel in take.device.channels:
        if channel.speed is None:
            continue
        rotations = [
            math.fsum(parts)
            for parts in zip(
                *([share.gear * v for v in joints[share.joint]] for share in channel.shares), strict=True
            )
        ]
        for index, (before, after) in enumerate(pairwise(rotations)):
            velocity = (after - before) * take.rate
            if abs(velocity) > (1.0 + HEADROOM) * channel.speed:
                raise ExportError(
                    f"Channel {channel.label}, {_frame(take, index + 1)}: its servo rotates at"
                    f" {math.degrees(velocity):.0f} degrees/s; expected at most"
                    f" {math.degrees(channel.speed):.0f}. Remedy: lower its joints' velocity"
                )


def _frame(take: Take, index: int) -> str:
    """Text for the frame at an index of `Take.standing`."""
    return take.name(min(index - STANDING, len(take.frames) - 1))


def _text(joint: DeviceJoint, value: float, order: int) -> str:
    unit, scale = UNITS[joint.unit]
    return f"{scale * value:.4g}{' ' if unit else ''}{unit}{PER[order - 1]}"
