"""The robot's pose before it is driven: measured, held by a pulse, or confirmed by the user. Knows no Blender."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from ..device import Device
from ..mixing import Mixing

UNFIT = 0.5  # [rad], times a joint's scale: 29 degrees beyond its range no calibrated joint can be, and an approach would drag it there
DISAGREE = 0.1  # [rad of the servo] 6 degrees: servos on one axis that differ by more work against each other

Raw = Sequence[float | None]


class PoseConfirmation:
    """Joints that the user has confirmed, and the pose that follows from them and from measured positions.

    Args:
        device: The robot.
        mixing: The device's conversion between joint values and channels.
    """

    def __init__(self, device: Device, mixing: Mixing) -> None:
        self._device = device
        self._mixing = mixing
        self._values: dict[int, float] = {}

    @property
    def confirmed(self) -> tuple[bool, ...]:
        """Whether each joint was confirmed (joints,)."""
        return tuple(joint in self._values for joint in range(len(self._device.joints)))

    def confirm(self, joints: Collection[int], values: Sequence[float]) -> None:
        """Record that these joints are at `values` (joints,)."""
        self._values.update((joint, values[joint]) for joint in joints)

    def forget(self) -> None:
        """Forget all confirmations."""
        self._values.clear()

    def lacks(self, channels: Collection[int], known: Raw) -> tuple[int, ...]:
        """Joints of `channels` whose position is neither known, raw (channels,), nor confirmed."""
        unknown = (joint for channel in channels if known[channel] is None for joint in self._mixing.joints_of(channel))
        return tuple(sorted({joint for joint in unknown if joint not in self._values}))

    def complete(self, known: Raw) -> tuple[float | None, ...]:
        """Known raw positions (channels,), completed by those of confirmed joints."""
        values = [self._values.get(joint, 0.0) for joint in range(len(self._device.joints))]
        completed = []
        for channel, (position, there) in enumerate(zip(known, self._mixing.raw(values), strict=True)):
            is_confirmed = all(joint in self._values for joint in self._mixing.joints_of(channel))
            completed.append(there if position is None and is_confirmed else position)
        return tuple(completed)

    def implausible(self, raw: Raw) -> str:
        """Why the positions raw (channels,) cannot be right, as a sentence; empty: they are plausible."""
        apart = self._mixing.disagreement(raw)
        if apart is not None and abs(apart[2] - apart[1]) > DISAGREE:
            channel, expected, found = apart
            return (
                f"{self._device.channels[channel].label} is rotated by {math.degrees(found):.1f} degrees,"
                f" and the other servos of its joint indicate {math.degrees(expected):.1f}"
            )
        for joint, (low, high), value in zip(self._device.joints, self._mixing.ranges, self._mixing.values(raw), strict=True):
            if value is not None and not low - UNFIT * joint.scale <= value <= high + UNFIT * joint.scale:
                channels = [
                    channel.label for channel in self._device.channels if any(share.joint == joint.name for share in channel.shares)
                ]
                return f"{', '.join(channels)} is at {joint.text(value)}, and may be at {joint.text(low)} to {joint.text(high)}"
        return ""
