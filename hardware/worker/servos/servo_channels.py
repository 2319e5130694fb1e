"""Conversion between a device's channels and the servos of any protocol."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ...device import Device, ServoChannel
from ...errors import HardwareError
from ...mixing import Mixing
from ...protocols.dialogue import BITS
from ...protocols.interface import Codec, Exchange
from ...protocols.servo_state import StoredSettings
from ...protocols.table import settings_of
from ..configuration import SPEED_HEADROOM
from ..connection import LONGEST_MOVE_INTERVAL, TOO_SLOW
from .stored_ranges import within_own_limits

# [rad of the servo] largest distance from the protocol's range, 3 degrees, from which a servo may still be
# moved back into it
BEYOND = 0.05


class ServoChannels:
    """The channels of a device as servos of its protocol.

    Args:
        device: The robot's description.
        codec: Codec of the device's protocol.

    Attributes:
        device: The robot's description.
        servos: Ids of the servos, in the channels' order.
        limp: Ids of servos that are set to lose torque when the robot is disarmed or stopped.
        speeds: Speed limit to set for each servo [units/s], by id: the fastest that can be commanded, with
            headroom. Empty if the protocol sets no speed limits.
    """

    def __init__(self, device: Device, codec: Codec) -> None:
        self.device = device
        self._channels = device.channels
        self._has_models = "channel_count" in settings_of(device.protocol)
        self._mixing = Mixing(device)
        self._codec = codec
        self._units = codec.capabilities.units
        self._unit = self._units.microsecond or 1.0  # protocol units in one of a channel's raw units
        self.servos = [channel.servo for channel in device.channels]
        self.limp = [channel.servo for channel in device.channels if channel.on_silence == "detach"]
        self._per_radian = {channel.servo: channel.per_radian * self._unit for channel in device.channels}
        self.speeds = self._fastest() if codec.capabilities.limits_speed else {}
        self._labels = {channel.servo: channel.label for channel in device.channels}

    def name(self, servo: int | None) -> str:
        """Name of a servo for messages; None is the whole device."""
        return "the controller" if servo is None else self._labels.get(servo, f"servo {servo}")

    def names(self, servos: Iterable[int | None]) -> str:
        """Names of several servos for messages."""
        return ", ".join(map(self.name, servos))

    def servos_of(self, channels: Collection[int]) -> list[int]:
        """Servo ids of channels given by index."""
        return [self._channels[index].servo for index in sorted(channels)]

    def goals(self, raw: Sequence[float | None]) -> dict[int, int]:
        """Goal of each servo by id, in the protocol's units, for raw positions (channels,); servos whose
        position is None are left out.
        """
        pairs = zip(self._channels, raw, strict=True)
        return {
            channel.servo: round(position * self._unit) for channel, position in pairs if position is not None
        }

    def raw(self, positions: Mapping[int, int]) -> tuple[float | None, ...]:
        """Raw positions (channels,) for positions of servos by id, in the protocol's units; None for a servo
        without a position.
        """
        return tuple(
            None if (position := positions.get(channel.servo)) is None else position / self._unit
            for channel in self._channels
        )

    def near_goals(self, positions: Mapping[int, int]) -> dict[int, int]:
        """Goals at servos' positions by id, clamped to the protocol's range; servos that are farther than
        BEYOND out of that range are left out.
        """
        lowest, highest = self._units.lowest, self._units.highest
        near = {servo: min(max(raw, lowest), highest) for servo, raw in positions.items()}
        return {
            servo: goal
            for servo, goal in near.items()
            if abs(goal - positions[servo]) <= self.raw_rotation(servo, BEYOND)
        }

    def raw_rotation(self, servo: int, rotation: float) -> float:
        """A servo's rotation [rad] in the protocol's units."""
        return rotation * self._per_radian[servo]

    def why_no_goal(self, servo: int, raw: int, bounds: tuple[int, int] | None) -> str:
        """Why a servo at raw position `raw`, which accepts goals within `bounds`, cannot be commanded to stay
        there; empty if it can.
        """
        units = self._units
        if not units.lowest <= raw <= units.highest:
            return (
                f"{self.name(servo)} reads {raw}, and goals go from {units.lowest} to {units.highest}"
                f" {units.name}"
            )
        if bounds is not None and not bounds[0] <= raw <= bounds[1]:
            return (
                f"{self.name(servo)} reads {raw}, and its own limits are {bounds[0]} to {bounds[1]}"
                f" {units.name}"
            )
        return ""

    def within_own_limits(self, settings: Mapping[int, StoredSettings]) -> Device:
        """The device with its channels' ranges narrowed to the limits that servos store; see
        `stored_ranges.within_own_limits`.
        """
        return within_own_limits(self.device, settings, self._unit)

    def limits(self, servos: Collection[int], speed: float | None = None) -> tuple[Exchange, ...]:
        """Commands that set servos' speed limits to `speeds`, or all to `speed` [units/s]; empty if the
        protocol sets no speed limits.
        """
        commands: tuple[Exchange, ...] = ()
        for servo in servos:
            if servo in self.speeds:
                commands += self._codec.limit(servo, self.speeds[servo] if speed is None else speed)
        return commands

    def why_unsuitable(self) -> str | None:
        """Why the protocol cannot drive the device's channels: an unknown servo, a range whose ends cannot be
        encoded, or a line that is too slow. None if it can.
        """
        ids = self._codec.capabilities.servos
        for channel in self._channels:
            if channel.servo not in ids:
                larger = ", or choose the controller's Channels" if self._has_models else ""
                return (
                    f"{channel.label} is not among its servos, {ids.start} to {ids.stop - 1}: give it another"
                    f" servo{larger}"
                )
            if problem := self._why_not_encodable(channel):
                return f"{channel.label}: {problem}"
        return self._why_too_slow()

    def _fastest(self) -> dict[int, float]:
        """`speeds` of a protocol that sets speed limits."""
        tops = {channel.servo: self._mixing.top_speed(index) for index, channel in enumerate(self._channels)}
        return {servo: self.raw_rotation(servo, top) * (1.0 + SPEED_HEADROOM) for servo, top in tops.items()}

    def _why_too_slow(self) -> str | None:
        """Why the line is too slow for the goals of all servos, or why these cannot be encoded; else None."""
        goals = {channel.servo: round(channel.lowest * self._unit) for channel in self._channels}
        try:
            size = sum(len(exchange.data) for exchange in self._codec.write(goals))
        except HardwareError as error:
            return str(error)
        if BITS * size / self.device.baudrate <= LONGEST_MOVE_INTERVAL:
            return None
        return TOO_SLOW.format(self.device.baudrate, len(goals))

    def _why_not_encodable(self, channel: ServoChannel) -> str | None:
        """Why the ends of a channel's range cannot be sent as goals; None if they can."""
        try:
            for end in (channel.lowest, channel.highest):
                self._codec.write({channel.servo: round(end * self._unit)})
        except HardwareError as error:
            return str(error)
        return None
