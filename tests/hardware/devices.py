"""Devices in which every joint has a servo of its own."""

from collections.abc import Iterable
from typing import Any

from limber.hardware.device import Device, DeviceJoint, ServoChannel, Share, Unit
from limber.motion import Limits


def direct(
    name: str, servo: int, limits: Limits, gear: float = 1.0, unit: Unit = "rad", **settings: Any
) -> tuple[DeviceJoint, ServoChannel]:
    """A joint and the only channel that it drives; `settings` are the channel's."""
    return DeviceJoint(name, limits, unit), ServoChannel(servo, (Share(name, gear),), **settings)


def one_to_one(port: str, pairs: Iterable[tuple[DeviceJoint, ServoChannel]], **settings: Any) -> Device:
    """A device in which every joint has a servo of its own; `settings` are the device's."""
    joints, channels = zip(*pairs, strict=True) if (pairs := tuple(pairs)) else ((), ())
    return Device(port, joints, channels, **settings)
