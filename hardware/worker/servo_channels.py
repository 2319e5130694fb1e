"""Between a device's channels in radians and the raw positions of any protocol's servos. Knows no Blender."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..calibration import angle_from_pulse, pulse_from_angle
from ..device import Channel, Device
from ..errors import HardwareError
from ..protocols.interface import Codec, Exchange
from .translation import SPEED_HEADROOM


class ServoChannels:
    """The channels of a device as its protocol's servos.

    A channel's pulses are microseconds, or, where the protocol has no pulses, its own units.

    Args:
        device: The robot's description.
        codec: The protocol's.
    """

    def __init__(self, device: Device, codec: Codec) -> None:
        self._channels = device.channels
        self._codec = codec
        self._units = codec.capabilities.units
        self._unit = self._units.microsecond or 1.0
        self.servos = [channel.servo for channel in device.channels]
        self.limp = [channel.servo for channel in device.channels if channel.on_silence == "detach"]
        self._names = {channel.servo: channel.name for channel in device.channels}

    def name(self, servo: int | None) -> str:
        """A servo for messages; None is the device as a whole."""
        return "the controller" if servo is None else f"servo {servo} ('{self._names.get(servo, 'unknown')}')"

    def goals(self, angles: Sequence[float]) -> dict[int, int]:
        """Raw positions by servo for `angles` (channels,) [rad], within each servo's range."""
        pairs = zip(self._channels, angles, strict=True)
        return {channel.servo: round(pulse_from_angle(channel, angle) * self._unit) for channel, angle in pairs}

    def angles(self, places: Mapping[int, int]) -> tuple[float | None, ...]:
        """The channels' angles (channels,) [rad] for raw positions by servo; None where there is none."""
        return tuple(
            None if (raw := places.get(channel.servo)) is None else angle_from_pulse(channel, raw / self._unit)
            for channel in self._channels
        )

    def as_goals(self, places: Mapping[int, int]) -> dict[int, int]:
        """Where servos are, as goals: what the protocol can send; a servo may be read just outside of it."""
        return {servo: min(max(raw, self._units.lowest), self._units.highest) for servo, raw in places.items()}

    def limits(self) -> tuple[Exchange, ...]:
        """What tells the device the joints' speed limits, with headroom, where it can be told."""
        if not self._codec.capabilities.limits_speed:
            return ()
        told: tuple[Exchange, ...] = ()
        for channel in self._channels:
            told += self._codec.limit(channel.servo, channel.limits.velocity * channel.us_per_rad * self._unit * (1.0 + SPEED_HEADROOM))
        return told

    def why_unsuitable(self) -> str | None:
        """What keeps the servos from doing as described, found out by saying the ends of every range; None where nothing does."""
        ids = self._codec.capabilities.servos
        for channel in self._channels:
            if channel.servo not in ids:
                return f"'{channel.name}' uses servo {channel.servo}; it has servos {ids.start} to {ids.stop - 1}"
            if problem := self._why_not(channel):
                return f"'{channel.name}': {problem}"
        return None

    def _why_not(self, channel: Channel) -> str | None:
        try:
            for end in (channel.min_us, channel.max_us):
                self._codec.write({channel.servo: round(end * self._unit)})
        except HardwareError as error:
            return str(error)
        return None
