"""Where the robot stands before it is driven: measured, held by a pulse, or confirmed by the user; and whether it can. Knows no Blender."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from ..device import Device
from ..mixing import Mixing

UNFIT = 0.5  # [rad], times a joint's scale: 29 degrees beyond its range no joint stands that was calibrated, and a ramp would drag it there
DISAGREE = 0.1  # [rad of the servo] 6 degrees: servos on one axis that differ by more work against each other

Raw = Sequence[float | None]


class PoseConfirmation:
    """What the user has confirmed, and what follows from that and from what is measured.

    Args:
        device: The robot.
        mixing: Of the same.
    """

    def __init__(self, device: Device, mixing: Mixing) -> None:
        self._device = device
        self._mixing = mixing
        self._values: dict[int, float] = {}

    @property
    def confirmed(self) -> tuple[bool, ...]:
        """Which joints the user has confirmed (joints,)."""
        return tuple(joint in self._values for joint in range(len(self._device.joints)))

    def confirm(self, joints: Collection[int], values: Sequence[float]) -> None:
        """These joints are where `values` (joints,) say."""
        self._values.update((joint, values[joint]) for joint in joints)

    def forget(self) -> None:
        """Nothing is confirmed any more."""
        self._values.clear()

    def lacks(self, channels: Collection[int], known: Raw) -> tuple[int, ...]:
        """The joints whose place is neither known, raw (channels,), nor confirmed, of those that drive `channels`."""
        unknown = (joint for channel in channels if known[channel] is None for joint in self._mixing.joints_of(channel))
        return tuple(sorted({joint for joint in unknown if joint not in self._values}))

    def complete(self, known: Raw) -> tuple[float | None, ...]:
        """The known raw positions (channels,), with those that follow from what was confirmed."""
        values = [self._values.get(joint, 0.0) for joint in range(len(self._device.joints))]
        completed = []
        for channel, (position, there) in enumerate(zip(known, self._mixing.raw(values), strict=True)):
            is_confirmed = all(joint in self._values for joint in self._mixing.joints_of(channel))
            completed.append(there if position is None and is_confirmed else position)
        return tuple(completed)

    def implausible(self, raw: Raw) -> str:
        """Why the robot cannot stand where its servos say, raw (channels,); empty: it can."""
        apart = self._mixing.disagreement(raw)
        if apart is not None and abs(apart[2] - apart[1]) > DISAGREE:
            channel, expected, found = apart
            return (
                f"{self._device.channels[channel].label} is turned by {math.degrees(found):.1f} degrees,"
                f" and the other servos of its joint say {math.degrees(expected):.1f}"
            )
        for joint, (low, high), value in zip(self._device.joints, self._mixing.ranges, self._mixing.values(raw), strict=True):
            if value is not None and not low - UNFIT * joint.scale <= value <= high + UNFIT * joint.scale:
                channels = [
                    channel.label for channel in self._device.channels if any(share.joint == joint.name for share in channel.shares)
                ]
                return f"{', '.join(channels)} is at {joint.text(value)}, and may be at {joint.text(low)} to {joint.text(high)}"
        return ""
