"""Between a joint's angle and its servo's pulse. Knows no Blender."""

from __future__ import annotations

import math

from .device import Channel
from .errors import AnglesError, DeviceError


def pulse_from_angle(channel: Channel, angle: float) -> float:
    """The pulse [us] that puts the joint at `angle` [rad], within the servo's range.

    Raises:
        AnglesError: `angle` is not a finite number.
    """
    if not math.isfinite(angle):
        raise AnglesError(f"The angle of '{channel.name}' is {angle}: give a finite number of radians")
    pulse = channel.zero_us + channel.direction * channel.us_per_rad * angle
    return min(max(pulse, channel.min_us), channel.max_us)


def angle_from_pulse(channel: Channel, pulse: float) -> float:
    """The angle [rad] at which `pulse` [us] puts the joint: the inverse of `pulse_from_angle` within the range."""
    return channel.direction * (pulse - channel.zero_us) / channel.us_per_rad


def angle_range(channel: Channel) -> tuple[float, float]:
    """Lowest and highest angle [rad] that the joint's limits and the servo's range both allow.

    Raises:
        DeviceError: There is none: zero, direction or range of the channel are wrong.
    """
    ends = sorted((angle_from_pulse(channel, channel.min_us), angle_from_pulse(channel, channel.max_us)))
    lower, upper = max(ends[0], channel.limits.lower), min(ends[1], channel.limits.upper)
    if lower > upper:
        servo, joint = (
            f"from {math.degrees(low):.0f} to {math.degrees(high):.0f} degrees"
            for low, high in (ends, (channel.limits.lower, channel.limits.upper))
        )
        raise DeviceError(f"Channel '{channel.name}': its servo turns {servo}, its joint {joint}; correct zero, direction or pulse range")
    return lower, upper


def speed_us_per_s(channel: Channel, headroom: float) -> int:
    """The fastest change of the pulse [us/s] that the device itself may allow: the joint's velocity limit and `headroom` of it more."""
    return min(0xFFFF, math.ceil(channel.limits.velocity * channel.us_per_rad * (1.0 + headroom)))
