"""Joints whose limits of speed or position exceed what a robot's servos can do."""

import math

from .device import Device, DeviceJoint
from .mixing import Mixing


def speed_problems(device: Device) -> tuple[str, ...]:
    """Sentences about channels whose servos are slower than their joints' velocity limits require."""
    mixing = Mixing(device)
    problems = []
    for index, channel in enumerate(device.channels):
        required = mixing.top_speed(index)
        if channel.speed is not None and required > channel.speed:
            problems.append(
                f"{channel.label} needs {math.degrees(required):.0f} degrees a second and can do"
                f" {math.degrees(channel.speed):.0f}: it is held to that; lower its joints' velocity, or"
                " they lag"
            )
    return tuple(problems)


def short_joints(device: Device) -> tuple[tuple[DeviceJoint, float, float], ...]:
    """Joints whose limits exceed their channels' ranges, each with the lowest and highest value that the
    ranges allow.
    """
    pairs = zip(device.joints, Mixing(device).ranges, strict=True)
    return tuple(
        (joint, low, high)
        for joint, (low, high) in pairs
        if joint.limits.lower < low or joint.limits.upper > high
    )
