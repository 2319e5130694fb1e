"""Conversion between joint values and the raw positions of the channels that they drive.

A channel's servo rotates by the sum of its joints' values times their gears, the matrix A (channels, joints):

    rotation = A values, raw = zero + direction * per_radian * rotation

Joints that share channels, directly or through others, are a group; groups are independent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .device import Device, ServoChannel
from .errors import AnglesError, DeviceError

# smallest length of a column's part that is orthogonal to the columns before it, relative to the column's
# length; below it the columns count as linearly dependent, and the device is refused
SINGULAR = 1e-6


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    """Scalar product of two vectors of the same length."""
    return math.fsum(p * q for p, q in zip(a, b, strict=True))


def least_squares_inverse(matrix: Sequence[tuple[float, ...]]) -> tuple[tuple[float, ...], ...] | None:
    """Least-squares inverse (joints, channels) of a (channels, joints) matrix by QR; None if its rank is
    below the number of joints.
    """
    # QR by modified Gram-Schmidt: a column's components along the basis are subtracted one after the other,
    # since subtracting all at once would lose digits
    columns = [[row[k] for row in matrix] for k in range(len(matrix[0]))]
    basis: list[list[float]] = []
    parts: list[list[float]] = []  # components of each column along the basis: R by columns
    for column in columns:
        rest, along, size = list(column), [], math.sqrt(dot(column, column))
        for direction in basis:
            part = dot(direction, rest)
            along.append(part)
            rest = [value - part * other for value, other in zip(rest, direction, strict=True)]
        length = math.sqrt(dot(rest, rest))
        if length <= SINGULAR * size:
            return None
        basis.append([value / length for value in rest])
        parts.append([*along, length])
    # back substitution in R X = Q^T
    inverse: list[list[float]] = [[] for _ in columns]
    for k in reversed(range(len(columns))):
        row = list(basis[k])
        for j in range(k + 1, len(columns)):
            row = [value - parts[j][k] * other for value, other in zip(row, inverse[j], strict=True)]
        inverse[k] = [value / parts[k][k] for value in row]
    return tuple(tuple(row) for row in inverse)


# largest number of rounds in the search for a pose within all limits, each a projection onto every servo
# range and joint limit in turn; about ten are usual, and without a pose the device is refused
ROUNDS = 2000
TOUCHING = 1e-9  # [rad of the servo] tolerance of servo ranges

Values = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    """Joints that share channels, and these channels, by index.

    Attributes:
        rotations: (channels, joints) rotation [rad] of each channel's servo per unit of each joint.
        inverse: The least-squares inverse of `rotations` (joints, channels).
        inside: Joint values within all limits and ranges.
    """

    joints: tuple[int, ...]
    channels: tuple[int, ...]
    rotations: tuple[Values, ...]
    inverse: tuple[Values, ...]
    inside: Values


class Mixing:
    """Conversion between joint values and raw channel positions of one device.

    Args:
        device: The robot.

    Attributes:
        ranges: Lowest and highest value of each joint that its limits and its channels' ranges allow.

    Raises:
        DeviceError: The channels do not determine their joints' values, or joint limits and channel ranges do
            not overlap.
    """

    def __init__(self, device: Device) -> None:
        self._joints = device.joints
        self._channels = device.channels
        index = {joint.name: k for k, joint in enumerate(device.joints)}
        self._shares = [
            [(index[share.joint], share.gear) for share in channel.shares] for channel in device.channels
        ]
        self._spans = [_span(channel) for channel in device.channels]
        self._groups = [self._group(joints, channels) for joints, channels in self._group_indices()]
        ranges = [(joint.limits.lower, joint.limits.upper) for joint in device.joints]
        for group in self._groups:
            for joint, span in zip(group.joints, self._group_ranges(group), strict=True):
                ranges[joint] = span
        self.ranges: tuple[tuple[float, float], ...] = tuple(ranges)

    def raw(self, values: Sequence[float]) -> Values:
        """Raw position of each channel for joint values, clamped to the channel's range.

        Raises:
            AnglesError: There is not one value per joint, or one is not finite.
        """
        pairs = zip(self._channels, self.unbounded(values), strict=True)
        return tuple(raw_within(channel, raw) for channel, raw in pairs)

    def unbounded(self, values: Sequence[float]) -> Values:
        """Raw position of each channel for joint values, without clamping; otherwise as `raw`."""
        if len(values) != len(self._joints):
            raise AnglesError(
                f"{len(values)} values for {len(self._joints)} joints; give one for each, in the joints'"
                " order"
            )
        for joint, value in zip(self._joints, values, strict=True):
            if not math.isfinite(value):
                raise AnglesError(f"The value of '{joint.name}' is {value}: give a finite number")
        rotations = (math.fsum(gear * values[joint] for joint, gear in shares) for shares in self._shares)
        rows = zip(self._channels, rotations, strict=True)
        return tuple(
            channel.zero + channel.direction * channel.per_radian * rotation for channel, rotation in rows
        )

    def values(self, raw: Sequence[float | None]) -> tuple[float | None, ...]:
        """Value of each joint for raw channel positions; None for the joints of a group in which the position
        of a channel is None.

        With more channels than joints these are the least-squares values.
        """
        values: list[float | None] = [None] * len(self._joints)
        for group in self._groups:
            rotations = self._rotations_of(group, raw)
            if rotations is not None:
                for joint, row in zip(group.joints, group.inverse, strict=True):
                    values[joint] = dot(row, rotations)
        return tuple(values)

    def disagreement(self, raw: Sequence[float | None]) -> tuple[int, float, float] | None:
        """(channel, expected rotation, measured rotation) [rad of the servo] of the channel whose position in
        `raw` is farthest from the least-squares joint values; None if no group has more channels than joints
        and all its positions known.
        """
        worst: tuple[int, float, float] | None = None
        for group in self._groups:
            rotations = self._rotations_of(group, raw) if len(group.channels) > len(group.joints) else None
            if rotations is None:
                continue
            values = [dot(row, rotations) for row in group.inverse]
            for channel, row, measured in zip(group.channels, group.rotations, rotations, strict=True):
                expected = dot(row, values)
                if worst is None or abs(measured - expected) > abs(worst[2] - worst[1]):
                    worst = (channel, expected, measured)
        return worst

    def clamp(self, values: Sequence[float]) -> Values:
        """Joint values clamped to all limits and ranges.

        Each joint is clamped to its range; if a channel of its group is then beyond its range, the group's
        values are moved in a straight line toward its `inside` until none is.
        """
        clamped = [min(max(value, low), high) for value, (low, high) in zip(values, self.ranges, strict=True)]
        for group in self._groups:
            if len(group.joints) > 1:
                desired = [clamped[joint] for joint in group.joints]
                share = self._share_inside(group, desired)
                if share < 1.0:
                    for joint, inside, value in zip(group.joints, group.inside, desired, strict=True):
                        clamped[joint] = inside + share * (value - inside)
        return tuple(clamped)

    def reach(self, joint: int, values: Sequence[float]) -> tuple[float, float]:
        """(lowest, highest) value that a joint can have while the others stay at `values`, by its channels'
        ranges alone; includes its current value.
        """
        low, high = -math.inf, math.inf
        for shares, span in zip(self._shares, self._spans, strict=True):
            gear = dict(shares).get(joint)
            if gear is not None:
                rest = math.fsum(other * values[j] for j, other in shares if j != joint)
                ends = _ends(1.0 / gear, span[0] - rest, span[1] - rest)
                low, high = max(low, ends[0]), min(high, ends[1])
        return min(low, values[joint]), max(high, values[joint])

    def joints_of(self, channel: int) -> tuple[int, ...]:
        """Indices of the joints that drive a channel."""
        return tuple(joint for joint, _ in self._shares[channel])

    def channels_of(self, joint: int) -> tuple[int, ...]:
        """Indices of the channels that must be driven and read to move one joint: all channels of the joint's
        group.
        """
        return next(group.channels for group in self._groups if joint in group.joints)

    def group_of(self, joint: int) -> tuple[int, ...]:
        """Indices of the joints of a joint's group, itself included: those that share channels with it,
        directly or through others.
        """
        return next(group.joints for group in self._groups if joint in group.joints)

    def top_speed(self, channel: int) -> float:
        """Largest rotation speed [rad/s] that can be commanded of a channel's servo: with all its joints at
        their velocity limits.
        """
        return math.fsum(
            abs(gear) * self._joints[joint].limits.velocity for joint, gear in self._shares[channel]
        )

    def _rotations_of(self, group: _Group, raw: Sequence[float | None]) -> list[float] | None:
        """Rotation [rad] of each of a group's servos; None if the position of one is None."""
        rotations: list[float] = []
        for channel in group.channels:
            position = raw[channel]
            if position is None:
                return None
            rotations.append(rotation_of_raw(self._channels[channel], position))
        return rotations

    def _group_indices(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Indices of (joints, channels) of each group."""
        groups: list[tuple[set[int], set[int]]] = []
        for channel, shares in enumerate(self._shares):
            joints, channels = {joint for joint, _ in shares}, {channel}
            for group in [group for group in groups if group[0] & joints]:
                joints |= group[0]
                channels |= group[1]
                groups.remove(group)
            groups.append((joints, channels))
        return [(tuple(sorted(joints)), tuple(sorted(channels))) for joints, channels in groups]

    def _group(self, joints: tuple[int, ...], channels: tuple[int, ...]) -> _Group:
        rows = [dict(self._shares[channel]) for channel in channels]
        rotations = tuple(tuple(row.get(joint, 0.0) for joint in joints) for row in rows)
        inverse = least_squares_inverse(rotations)
        if inverse is None:
            names = ", ".join(self._channels[channel].label for channel in channels)
            raise DeviceError(
                f"Channels {names} do not tell their {len(joints)} joints apart: give them as many servos as"
                " joints, with gears that differ"
            )
        return _Group(joints, channels, rotations, inverse, self._inside(joints, channels, rotations))

    def _inside(
        self, joints: tuple[int, ...], channels: tuple[int, ...], rotations: tuple[Values, ...]
    ) -> Values:
        """Joint values near 0 within all limits and ranges, by alternating projection onto them. Raises
        DeviceError if none are found in ROUNDS.
        """
        limits = [self._joints[joint].limits for joint in joints]
        spans = [self._spans[channel] for channel in channels]
        values = [limit.clamp(0.0) for limit in limits]
        # limits and ranges are convex sets, so that projections onto each in turn approach a common point
        for _ in range(ROUNDS):
            for row, (low, high) in zip(rotations, spans, strict=True):
                rotation = dot(row, values)
                missing = min(max(rotation, low), high) - rotation
                if abs(missing) > TOUCHING:
                    square = dot(row, row)
                    values = [
                        value + missing * gear / square for value, gear in zip(values, row, strict=True)
                    ]
            for k, limit in enumerate(limits):
                values[k] = limit.clamp(values[k])
            angles = (dot(row, values) for row in rotations)
            worst = max(
                max(low - rotation, rotation - high)
                for rotation, (low, high) in zip(angles, spans, strict=True)
            )
            if worst <= TOUCHING:
                return tuple(values)
        raise DeviceError(self._nothing_in_common(joints, channels, rotations))

    def _nothing_in_common(
        self, joints: tuple[int, ...], channels: tuple[int, ...], rotations: tuple[Values, ...]
    ) -> str:
        """Message that names the channel whose range is farthest from its joints' limits; `rotations`: gear
        ratios (channels, joints).
        """
        worst, text = -math.inf, ""
        for channel, row in zip(channels, rotations, strict=True):
            ends = [
                sorted((gear * self._joints[j].limits.lower, gear * self._joints[j].limits.upper))
                for gear, j in zip(row, joints, strict=True)
            ]
            required = (math.fsum(end[0] for end in ends), math.fsum(end[1] for end in ends))
            low, high = self._spans[channel]
            apart = max(low - required[1], required[0] - high)
            if apart > worst:
                worst = apart
                servo, joint = (
                    f"from {math.degrees(a):z.0f} to {math.degrees(b):z.0f} degrees"
                    for a, b in ((low, high), required)
                )
                text = (
                    f"Channel {self._channels[channel].label}: its servo goes {servo}, its joint {joint};"
                    " correct zero, direction or range"
                )
        return text

    def _group_ranges(self, group: _Group) -> list[tuple[float, float]]:
        """Range of each joint of a group over all allowed values of the other joints."""
        limits = [
            (self._joints[joint].limits.lower, self._joints[joint].limits.upper) for joint in group.joints
        ]
        spans = [self._spans[channel] for channel in group.channels]
        ranges = []
        for k, (low, high) in enumerate(limits):
            for row, span in zip(group.rotations, spans, strict=True):
                if row[k]:
                    contributions = [_ends(gear, *limits[j]) for j, gear in enumerate(row) if j != k]
                    rest = (
                        math.fsum(end[0] for end in contributions),
                        math.fsum(end[1] for end in contributions),
                    )
                    ends = _ends(1.0 / row[k], span[0] - rest[1], span[1] - rest[0])
                    low, high = max(low, ends[0]), min(high, ends[1])
            if len(group.joints) > 1:
                parts = [_ends(gear, *span) for gear, span in zip(group.inverse[k], spans, strict=True)]
                low, high = (
                    max(low, math.fsum(part[0] for part in parts)),
                    min(high, math.fsum(part[1] for part in parts)),
                )
            # rounding may have put `inside` outside of the range
            ranges.append((min(low, group.inside[k]), max(high, group.inside[k])))
        return ranges

    def _share_inside(self, group: _Group, desired: Sequence[float]) -> float:
        """Largest s in 0...1 for which the joint values `inside` + s (`desired` - `inside`) keep all channels
        within their ranges.
        """
        share = 1.0
        for channel, row in zip(group.channels, group.rotations, strict=True):
            low, high = self._spans[channel]
            begin, end = dot(row, group.inside), dot(row, desired)
            if end > high + TOUCHING:
                share = min(share, max(high - begin, 0.0) / (end - begin))
            elif end < low - TOUCHING:
                share = min(share, max(begin - low, 0.0) / (begin - end))
        return share


def raw_within(channel: ServoChannel, raw: float) -> float:
    """Nearest raw position within a channel's range."""
    return min(max(raw, channel.lowest), channel.highest)


def rotation_of_raw(channel: ServoChannel, raw: float) -> float:
    """Rotation of a channel's servo from zero at a raw position [rad]."""
    return channel.direction * (raw - channel.zero) / channel.per_radian


def _span(channel: ServoChannel) -> tuple[float, float]:
    """Lowest and highest rotation of a channel's servo within its range [rad]."""
    ends = sorted((rotation_of_raw(channel, channel.lowest), rotation_of_raw(channel, channel.highest)))
    return ends[0], ends[1]


def _ends(gear: float, low: float, high: float) -> tuple[float, float]:
    """(lowest, highest) product of `gear` with a number from `low` to `high`."""
    return (gear * low, gear * high) if gear >= 0.0 else (gear * high, gear * low)
