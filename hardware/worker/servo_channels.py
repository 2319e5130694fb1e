"""Between a device's channels and the servos of any protocol. Knows no Blender."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ..device import Channel, Device
from ..errors import HardwareError
from ..mixing import Mixing
from ..protocols.interface import Codec, Exchange
from ..protocols.table import settings_of
from .translation import SPEED_HEADROOM


class ServoChannels:
    """The channels of a device as its protocol's servos.

    Args:
        device: The robot's description.
        codec: The protocol's.
    """

    def __init__(self, device: Device, codec: Codec) -> None:
        self._channels = device.channels
        self._has_models = "channel_count" in settings_of(device.protocol)
        self._mixing = Mixing(device)
        self._codec = codec
        self._units = codec.capabilities.units
        self._unit = self._units.microsecond or 1.0  # of the protocol in one of a channel's
        self.servos = [channel.servo for channel in device.channels]
        self.limp = [channel.servo for channel in device.channels if channel.on_silence == "detach"]
        self._labels = {channel.servo: channel.label for channel in device.channels}

    def name(self, servo: int | None) -> str:
        """A servo for messages; None is the device as a whole."""
        return "the controller" if servo is None else self._labels.get(servo, f"servo {servo}")

    def servos_of(self, channels: Collection[int]) -> list[int]:
        """The servos of channels by their indices."""
        return [self._channels[index].servo for index in sorted(channels)]

    def goals(self, raw: Sequence[float | None]) -> dict[int, int]:
        """What to send to each servo for the channels' positions, but for those that have none."""
        pairs = zip(self._channels, raw, strict=True)
        return {channel.servo: round(position * self._unit) for channel, position in pairs if position is not None}

    def raw(self, places: Mapping[int, int]) -> tuple[float | None, ...]:
        """The channels' positions for what the servos say; None where there is nothing."""
        return tuple(None if (place := places.get(channel.servo)) is None else place / self._unit for channel in self._channels)

    def as_goals(self, places: Mapping[int, int]) -> dict[int, int]:
        """Where servos are, as goals: what the protocol can send; a servo may be read just outside of it."""
        return {servo: min(max(raw, self._units.lowest), self._units.highest) for servo, raw in places.items()}

    def limits(self) -> tuple[Exchange, ...]:
        """What tells the device how fast its servos may be asked to turn, with headroom, where it can be told."""
        if not self._codec.capabilities.limits_speed:
            return ()
        told: tuple[Exchange, ...] = ()
        for index, channel in enumerate(self._channels):
            fastest = self._mixing.top_turn(index) * channel.per_radian * self._unit
            told += self._codec.limit(channel.servo, fastest * (1.0 + SPEED_HEADROOM))
        return told

    def why_unsuitable(self) -> str | None:
        """What keeps the servos from doing as described, found out by saying the ends of every range; None where nothing does."""
        ids = self._codec.capabilities.servos
        for channel in self._channels:
            if channel.servo not in ids:
                larger = ", or choose the controller's Channels" if self._has_models else ""
                return f"{channel.label} is not among its servos, {ids.start} to {ids.stop - 1}: give it another servo{larger}"
            if problem := self._why_not(channel):
                return f"{channel.label}: {problem}"
        return None

    def _why_not(self, channel: Channel) -> str | None:
        try:
            for end in (channel.lowest, channel.highest):
                self._codec.write({channel.servo: round(end * self._unit)})
        except HardwareError as error:
            return str(error)
        return None
