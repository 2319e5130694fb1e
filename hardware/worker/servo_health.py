"""Temperature, voltage, load and current of servos, asked of one after the other so that the stream is not held up. Knows no Blender."""

from __future__ import annotations

import math

from ..device import Device
from ..protocols.dynamixel.series import load_worth
from ..protocols.interface import Codec, Exchange, Identified, Measured, Quantity

ASK_EVERY = 0.1  # [s] one servo: a dozen all come round in 1.2 s, faster than a motor warms up, for 3% of a busy line
TOLD = (Quantity.LOAD, Quantity.CURRENT, Quantity.VOLTAGE, Quantity.TEMPERATURE)


class ServoHealth:
    """What servos say of themselves besides where they are.

    Args:
        device: The robot's description.
        codec: The protocol's.

    Attributes:
        readings: Of each channel's servo, newest (channels,): volts, degrees Celsius, share of the greatest load, amperes.
    """

    def __init__(self, device: Device, codec: Codec) -> None:
        self._codec = codec
        self._channel = {channel.servo: k for k, channel in enumerate(device.channels)}
        self._asked_of = [channel.servo for channel in device.channels]
        self._worth = codec.capabilities.worth
        self._tells = tuple(quantity for quantity in TOLD if quantity in codec.capabilities.reads)
        self._loads: dict[int, tuple[float, str]] = {}  # what LOAD is to a servo, where its model decides
        self._asked_at = -math.inf
        self._next = 0
        self.readings: list[dict[Quantity, float]] = [{} for _ in device.channels]

    def ask(self, now: float) -> tuple[Exchange, ...]:
        """The next servo's turn, where it is due."""
        if not self._tells or now - self._asked_at < ASK_EVERY:
            return ()
        self._asked_at = now
        servo = self._asked_of[self._next]
        self._next = (self._next + 1) % len(self._asked_of)
        return self._codec.read(self._tells, (servo,))

    def identify(self, who: Identified) -> None:
        """A servo's model decides what its load is, where the protocol does not."""
        if who.servo is not None and who.model is not None and Quantity.LOAD not in self._worth:
            self._loads[who.servo] = load_worth(who.model)

    def take(self, measured: Measured) -> None:
        """Take note of a quantity."""
        channel = self._channel.get(measured.servo)
        if channel is None or measured.quantity not in TOLD:
            return
        quantity, worth = measured.quantity, self._worth.get(measured.quantity)
        if worth is None:
            worth, kind = self._loads.get(measured.servo, (0.0, "share"))
            quantity = Quantity.LOAD if kind == "share" else Quantity.CURRENT
        if worth:
            self.readings[channel][quantity] = measured.raw * worth
