"""Monitors of the robot's reports: tracking errors and health of its servos, and its pose before it is
driven.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Sequence

from ..device import Device
from ..mixing import Mixing, rotation_of_raw
from ..protocols.interface import Quantity
from .connection import Readings

# [s] age of commands that a servo may still follow: its lag, the delay of the answer, and one or two lost
# moves
RECENT = 0.3
# [rad of the servo] error above which a servo counts as lagging, 10 degrees: more than any load deflects a
# healthy one
BEHIND = 0.17
BEHIND_FOR = 0.3  # [s] duration after which the user is warned of the lag
# [rad of the servo] error above which a servo counts as blocked, 20 degrees: its motor pushes at full torque
BLOCKED = 0.35
BLOCKED_FOR = 1.0  # [s] duration after which a blocked servo is a fault; its motor burns after a minute


class TrackingErrorMonitor:
    """Compares commanded with measured positions: detects lagging and blocked servos.

    A servo follows its commands with a short delay, so it is compared with all recent commands: only a
    position outside of their range counts as an error.

    Args:
        device: The robot.

    Attributes:
        errors: Signed distance of each servo from the range of recent commands (channels,) [rad of the
            servo], 0 within it; None if it is not commanded, or not measured.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self.errors: list[float | None] = [None] * len(device.channels)
        self.forget()

    def forget(self) -> None:
        """Clear all errors and history, when joints are no longer commanded."""
        count = len(self._device.channels)
        self.errors = [None] * count
        self._recent: list[deque[tuple[float, float]]] = [deque() for _ in range(count)]
        self._desired_rotation = [0.0] * count
        self._measured_rotation = [0.0] * count
        self._behind_since: list[float | None] = [None] * count
        self._blocked_since: list[float | None] = [None] * count

    def take(self, time: float, commanded: Sequence[float | None], measured: Sequence[float | None]) -> None:
        """Record raw positions (channels,) at `time` [s]; None if not commanded, or not measured."""
        for k, (channel, raw, position) in enumerate(
            zip(self._device.channels, commanded, measured, strict=True)
        ):
            recent = self._recent[k]
            while recent and recent[0][0] < time - RECENT:
                recent.popleft()
            if raw is not None:
                recent.append((time, rotation_of_raw(channel, raw)))
            error = None
            if raw is not None and position is not None:
                rotations, self._measured_rotation[k] = (
                    [rotation for _, rotation in recent],
                    rotation_of_raw(channel, position),
                )
                self._desired_rotation[k] = min(
                    max(self._measured_rotation[k], min(rotations)), max(rotations)
                )
                error = self._measured_rotation[k] - self._desired_rotation[k]
            self.errors[k] = error
            self._behind_since[k] = _since(self._behind_since[k], error, BEHIND, time)
            self._blocked_since[k] = _since(self._blocked_since[k], error, BLOCKED, time)

    def warnings(self, time: float) -> list[str]:
        """A sentence for each servo that has lagged behind its commands for too long; `time`: now [s]."""
        late = [
            k for k, since in enumerate(self._behind_since) if since is not None and time - since > BEHIND_FOR
        ]
        return [f"{self._device.channels[k].label} stays behind: {self._difference_text(k)}" for k in late]

    def blocked(self, time: float) -> str | None:
        """Sentence about the first blocked servo with its desired and measured position; None if no servo is
        blocked. `time`: now [s].
        """
        channels = [
            k
            for k, since in enumerate(self._blocked_since)
            if since is not None and time - since > BLOCKED_FOR
        ]
        return (
            f"{self._device.channels[channels[0]].label}: {self._difference_text(channels[0])}"
            if channels
            else None
        )

    def _difference_text(self, k: int) -> str:
        """Text on the desired and measured value of channel `k`'s joint, or of its servo if several joints
        drive it.
        """
        shares = self._device.channels[k].shares
        if len(shares) == 1:
            joint = next(joint for joint in self._device.joints if joint.name == shares[0].joint)
            desired, measured = (
                joint.text(rotation / shares[0].gear)
                for rotation in (self._desired_rotation[k], self._measured_rotation[k])
            )
            return f"it should be at {desired} and is at {measured}"
        desired, measured = (
            f"{math.degrees(rotation):z.1f} degrees"
            for rotation in (self._desired_rotation[k], self._measured_rotation[k])
        )
        return f"its servo should be rotated by {desired} and is by {measured}"


def _since(since: float | None, error: float | None, limit: float, time: float) -> float | None:
    """Time [s] since which the magnitude of `error` has been above `limit`: `since` if it was so at the last
    measurement, else `time`. None if it is not now, or the error is unknown.
    """
    if error is None or abs(error) <= limit:
        return None
    return time if since is None else since


# [rad], times a joint's scale: largest distance of a measured joint from its range, 29 degrees; beyond it the
# joint is wrongly calibrated, and must not be driven
UNFIT = 0.5
# [rad of the servo] largest distance of a servo from the position that all servos of its joint indicate, 6
# degrees; beyond it the robot is not armed, since the servos would work against each other
DISAGREE = 0.1

Raw = Sequence[float | None]


class PoseConfirmation:
    """Pose of a robot that cannot measure all positions, from measured positions and those confirmed by the
    user.

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
        """For each joint whether the user has confirmed its position (joints,)."""
        return tuple(joint in self._values for joint in range(len(self._device.joints)))

    def confirm(self, joints: Collection[int], values: Sequence[float]) -> None:
        """Record the user's confirmation that these joints are at their `values` (joints,)."""
        self._values.update((joint, values[joint]) for joint in joints)

    def forget(self) -> None:
        """Discard all confirmations of joints."""
        self._values.clear()

    def lacks(self, channels: Collection[int], known: Raw) -> tuple[int, ...]:
        """Indices of the joints of `channels` without a known position: their raw position in `known`
        (channels,) is None, and they were not confirmed.
        """
        unknown = (
            joint
            for channel in channels
            if known[channel] is None
            for joint in self._mixing.joints_of(channel)
        )
        return tuple(sorted({joint for joint in unknown if joint not in self._values}))

    def complete(self, known: Raw) -> tuple[float | None, ...]:
        """Raw positions (channels,): the known ones, and those that follow from the joints' confirmed values;
        None for a channel that is neither known nor has all of its joints confirmed.
        """
        values = [self._values.get(joint, 0.0) for joint in range(len(self._device.joints))]
        completed = []
        for channel, (position, raw) in enumerate(zip(known, self._mixing.raw(values), strict=True)):
            is_confirmed = all(joint in self._values for joint in self._mixing.joints_of(channel))
            completed.append(raw if position is None and is_confirmed else position)
        return tuple(completed)

    def implausible(self, raw: Raw) -> str:
        """Why the raw positions `raw` (channels,) cannot be right, as a sentence; empty if they are
        plausible.
        """
        apart = self._mixing.disagreement(raw)
        if apart is not None and abs(apart[2] - apart[1]) > DISAGREE:
            channel, expected, measured = apart
            return (
                f"{self._device.channels[channel].label} is rotated by {math.degrees(measured):z.1f} degrees,"
                f" and the other servos of its joint indicate {math.degrees(expected):z.1f}"
            )
        for joint, (low, high), value in zip(
            self._device.joints, self._mixing.ranges, self._mixing.values(raw), strict=True
        ):
            if value is not None and not low - UNFIT * joint.scale <= value <= high + UNFIT * joint.scale:
                channels = [
                    channel.label
                    for channel in self._device.channels
                    if any(share.joint == joint.name for share in channel.shares)
                ]
                return (
                    f"{', '.join(channels)} is at {joint.text(value)}, and may be at {joint.text(low)} to"
                    f" {joint.text(high)}"
                )
        return ""


# [degrees Celsius] temperature to warn of; most bus servos switch off at 70 to 80, some minutes later
HOT = 60.0
SAG = 0.85  # share of the highest measured voltage to warn of: a supply is near the servos' minimum below it
STRAINED = 0.8  # share of the maximum load to warn of; overload protection trips there after some seconds
STRAINED_FOR = 1.0  # [s] duration after which a high load is reported: longer than an acceleration or braking


class HealthMonitor:
    """Monitors the readings of a device's servos.

    Args:
        device: The robot.
    """

    def __init__(self, device: Device) -> None:
        self._channels = device.channels
        self._highest = [0.0] * len(device.channels)  # highest measured voltage [V]
        self._strained_since: list[float | None] = [None] * len(device.channels)

    def warnings(self, time: float, readings: Sequence[Readings]) -> list[str]:
        """Sentences on those of the `readings` (channels,) that are near a limit; `time`: now [s]."""
        texts = []
        for k, (channel, reading) in enumerate(zip(self._channels, readings, strict=True)):
            temperature = reading.get(Quantity.TEMPERATURE)
            if temperature is not None and temperature >= HOT:
                texts.append(
                    f"{channel.label} is hot ({temperature:.0f} °C): let it rest before it reaches 70"
                )
            # the supply's nominal voltage is not known: the highest measured one stands for it
            voltage = reading.get(Quantity.VOLTAGE)
            if voltage is not None:
                self._highest[k] = max(self._highest[k], voltage)
                if voltage < SAG * self._highest[k]:
                    texts.append(
                        f"{channel.label} gets {voltage:.1f} V of {self._highest[k]:.1f} V: check supply and"
                        " cables"
                    )
            load = reading.get(Quantity.LOAD)
            strained = load is not None and abs(load) >= STRAINED
            self._strained_since[k] = (
                (self._strained_since[k] if self._strained_since[k] is not None else time)
                if strained
                else None
            )
            since = self._strained_since[k]
            if load is not None and since is not None and time - since > STRAINED_FOR:
                texts.append(
                    f"{channel.label} works at {100 * abs(load):.0f}% of its strength: relieve it, or it"
                    " switches off"
                )
        return texts
