"""Ranges, speed limits and behaviour on silence that are configured for each channel of a board with Limber's
firmware.
"""

from __future__ import annotations

import math

from ..device import Device, ServoChannel
from ..mixing import Mixing
from ..protocols.limber import Configure, OnSilence

# relative margin of the device's speed limit above the joint's: the limiter's 10%, and moves that arrive in
# bunches
SPEED_HEADROOM = 0.5
FASTEST = 0xFFFF  # [us/s] largest speed limit in a message


def configurations(device: Device) -> tuple[Configure, ...]:
    """The Configure message of each channel."""
    mixing = Mixing(device)
    return tuple(_configuration(channel, mixing.top_speed(k)) for k, channel in enumerate(device.channels))


def _configuration(channel: ServoChannel, top_speed: float) -> Configure:
    """The Configure message of a channel; `top_speed` is the largest commanded servo speed [rad/s]."""
    silence = OnSilence.HOLD if channel.on_silence == "hold" else OnSilence.DETACH
    speed = min(FASTEST, math.ceil(top_speed * channel.per_radian * (1.0 + SPEED_HEADROOM)))
    return Configure(channel.servo, channel.lowest, channel.highest, speed, silence)
