"""Conversion between a device's channels and the messages of Limber's own protocol, in microseconds. Knows no Blender."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..device import Channel, Device
from ..mixing import Mixing
from ..protocols.limber import Configure, Features, Move, OnSilence, Result, Welcome

SPEED_HEADROOM = 0.5  # share that the device's own speed limit lies above the joint's: the limiter's 10%, and moves that come in bunches
FASTEST = 0xFFFF  # [us/s] that a message can say
LINE_SHARE = 0.8  # share of the line that moves or their reports may fill
REPORT_BYTES = 17  # of a report around its positions
LONGEST_INTERVAL = 0.1  # [s] between moves: farther apart they come near the device's watchdog


def why_unsuitable(device: Device, welcome: Welcome, period: float) -> str | None:
    """Why the device that sent `welcome` cannot drive the channels of `device`; None: it can."""
    highest = max(device.channels, key=lambda channel: channel.servo)
    if highest.servo >= welcome.channels:
        return f"it has {welcome.channels} servos, counted from 0, and {highest.label} is beyond"
    for channel in device.channels:
        if channel.lowest < welcome.lowest_us or channel.highest > welcome.highest_us:
            return (
                f"its pulses go from {welcome.lowest_us:g} to {welcome.highest_us:g} us,"
                f" those of {channel.label} from {channel.lowest:g} to {channel.highest:g}"
            )
    if periods_per_move(device, welcome, period) * period > LONGEST_INTERVAL:
        return f"{device.baudrate} baud are too slow for its {welcome.channels} servos"
    return None


def configurations(device: Device) -> tuple[Configure, ...]:
    """The Configure message of each channel."""
    mixing = Mixing(device)
    return tuple(_configuration(channel, mixing.top_speed(k)) for k, channel in enumerate(device.channels))


def _configuration(channel: Channel, top_speed: float) -> Configure:
    """The Configure message of a channel; `top_speed` is the largest commanded servo speed [rad/s]."""
    silence = OnSilence.HOLD if channel.on_silence == "hold" else OnSilence.DETACH
    speed = min(FASTEST, math.ceil(top_speed * channel.per_radian * (1.0 + SPEED_HEADROOM)))
    return Configure(channel.servo, channel.lowest, channel.highest, speed, silence)


def periods_per_move(device: Device, welcome: Welcome, period: float) -> int:
    """Number of the worker's periods between two moves, so that moves and reports do not exceed the line's capacity."""
    numbers = 2 if Features.FEEDBACK in welcome.features else 1
    bits = 10 * (REPORT_BYTES + 2 * numbers * welcome.channels)
    return math.ceil(bits / device.baudrate / LINE_SHARE / period)


def move(device: Device, welcome: Welcome, raw: Sequence[float | None], interval: float) -> Move:
    """The Move message to the pulses `raw` (channels,) [us], to be reached in `interval` [s] if supported; None: no goal."""
    positions: list[float | None] = [None] * (max(channel.servo for channel in device.channels) + 1)
    for channel, position in zip(device.channels, raw, strict=True):
        positions[channel.servo] = position
    eased = Features.INTERPOLATION in welcome.features
    return Move(tuple(positions), round(1000 * interval) if eased else 0)


def raw(device: Device, pulses: Sequence[float | None]) -> tuple[float | None, ...]:
    """Pulse of each channel (channels,) [us] from a report's pulses by servo; None for a servo without a pulse."""
    known = dict(enumerate(pulses))
    return tuple(known.get(channel.servo) for channel in device.channels)


def name(result: int) -> str:
    """Name of a result code, as text."""
    return Result(result).name.lower().replace("_", " ") if result in list(Result) else f"result {result}"
