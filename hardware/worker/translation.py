"""Between a device's channels in radians and the messages of Limber's own protocol in microseconds. Knows no Blender."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..calibration import angle_from_pulse, pulse_from_angle, speed_us_per_s
from ..device import Channel, Device
from ..protocols.limber import Configure, Features, Move, OnSilence, Result, Welcome

SPEED_HEADROOM = 0.5  # share that the device's own speed limit lies above the joint's: the limiter's 10%, and moves that come in bunches
LINE_SHARE = 0.8  # share of the line that moves or their reports may fill
REPORT_BYTES = 17  # of a report around its positions
LONGEST_INTERVAL = 0.1  # [s] between moves: farther apart they come near the device's watchdog


def why_unsuitable(device: Device, welcome: Welcome, turn: float) -> str | None:
    """What keeps the device that said `welcome` from doing as described; None where nothing does."""
    highest = max(device.channels, key=lambda channel: channel.servo)
    if highest.servo >= welcome.channels:
        return f"it has {welcome.channels} servos, counted from 0, and '{highest.name}' uses servo {highest.servo}"
    for channel in device.channels:
        if channel.min_us < welcome.lowest_us or channel.max_us > welcome.highest_us:
            return f"its pulses go from {welcome.lowest_us:g} to {welcome.highest_us:g} us, those of '{channel.name}' beyond"
    if turns_per_move(device, welcome, turn) * turn > LONGEST_INTERVAL:
        return f"{device.baudrate} baud are too slow for its {welcome.channels} servos"
    return None


def configuration(channel: Channel) -> Configure:
    """What the device has to know of a channel."""
    silence = OnSilence.HOLD if channel.on_silence == "hold" else OnSilence.DETACH
    return Configure(channel.servo, channel.min_us, channel.max_us, speed_us_per_s(channel, SPEED_HEADROOM), silence)


def turns_per_move(device: Device, welcome: Welcome, turn: float) -> int:
    """Of how many turns [s] one may send a move, so that neither moves nor their reports, which are longer, outrun the line."""
    numbers = 2 if Features.FEEDBACK in welcome.features else 1
    bits = 10 * (REPORT_BYTES + 2 * numbers * welcome.channels)
    return math.ceil(bits / device.baudrate / LINE_SHARE / turn)


def move(device: Device, welcome: Welcome, angles: Sequence[float], interval: float) -> Move:
    """The move to `angles` (channels,) [rad], to be reached in `interval` [s] where the device can do so."""
    positions: list[float | None] = [None] * (max(channel.servo for channel in device.channels) + 1)
    for channel, angle in zip(device.channels, angles, strict=True):
        positions[channel.servo] = pulse_from_angle(channel, angle)
    eased = Features.INTERPOLATION in welcome.features
    return Move(tuple(positions), round(1000 * interval) if eased else 0)


def angles(device: Device, pulses: Sequence[float | None]) -> tuple[float | None, ...]:
    """The channels' angles (channels,) [rad] for the pulses of a report [us]; None where it has none."""
    known = dict(enumerate(pulses))
    return tuple(None if (pulse := known.get(channel.servo)) is None else angle_from_pulse(channel, pulse) for channel in device.channels)


def name(result: int) -> str:
    """A result in words."""
    return Result(result).name.lower().replace("_", " ") if result in list(Result) else f"result {result}"
