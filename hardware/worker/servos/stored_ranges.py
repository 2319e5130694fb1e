"""Limits and offsets that servos store, compared with the device's channels.

Servos clamp goals beyond their own limits (Feetech) or refuse them (Dynamixel, Reachy Mini's), silently. A
homing offset shifts all reported positions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...device import Device, ServoChannel
from ...errors import DeviceError
from ...mixing import Mixing
from ...protocols.servo_state import StoredSettings

# largest loss of range that is not mentioned, as a share of a joint's range; rounding to whole steps is less
NOTICEABLE = 0.01
LISTED = 4  # largest number of joints that a sentence lists

Settings = Mapping[int, StoredSettings]


def within_own_limits(device: Device, settings: Settings, unit: float) -> Device:
    """The device with each channel's range narrowed to the limits that its servo stores; the same object if
    they narrow nothing.

    Args:
        device: The robot.
        settings: Settings that servos have reported, by id.
        unit: Protocol units in one of a channel's raw units.

    Raises:
        DeviceError: A channel's range, its servo's limits and its joints' limits do not overlap; the message
            names the channel.
    """
    channels = tuple(_narrowed(channel, settings.get(channel.servo), unit) for channel in device.channels)
    if channels == device.channels:
        return device
    narrowed = replace(device, channels=channels)
    Mixing(narrowed)  # raises an error if no range is left
    return narrowed


def shortened(device: Device, narrowed: Device) -> str:
    """Joints whose range is noticeably smaller in `narrowed` than in `device`, as text for a sentence that
    lists at most LISTED of them; empty if there are none.
    """
    texts = []
    ranges = zip(device.joints, Mixing(device).ranges, Mixing(narrowed).ranges, strict=True)
    for joint, (low, high), (narrowed_low, narrowed_high) in ranges:
        if narrowed_low - low + high - narrowed_high > NOTICEABLE * (high - low):
            texts.append(
                f"'{joint.name}' goes from {joint.text(narrowed_low)} to {joint.text(narrowed_high)}"
            )
    more = f" and {len(texts) - LISTED} more" if len(texts) > LISTED else ""
    return ", ".join(texts[:LISTED]) + more


def other_offsets(device: Device, settings: Settings) -> str:
    """Servos whose stored homing offset differs from that of their calibration, as text for a sentence;
    empty if there are none.
    """
    texts = []
    for channel in device.channels:
        stored = settings.get(channel.servo)
        homing_offset = None if stored is None else stored.homing_offset
        if (
            homing_offset is not None
            and channel.homing_offset is not None
            and homing_offset != channel.homing_offset
        ):
            texts.append(
                f"{channel.label}: its homing offset is {homing_offset}, and it was calibrated with"
                f" {channel.homing_offset}"
            )
    return "; ".join(texts)


def _narrowed(channel: ServoChannel, stored: StoredSettings | None, unit: float) -> ServoChannel:
    if stored is None or stored.bounds is None:
        return channel
    lowest, highest = (bound / unit for bound in stored.bounds)
    if lowest >= channel.highest or highest <= channel.lowest:
        configured = f"{channel.lowest:g} to {channel.highest:g}"
        raise DeviceError(
            f"{channel.label}: its own limits are {lowest:g} to {highest:g}, and its range here is"
            f" {configured}"
        )
    return replace(channel, lowest=max(lowest, channel.lowest), highest=min(highest, channel.highest))
