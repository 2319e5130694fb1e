"""Queries for servos' errors, lost settings, temperature, voltage, load and current.

Readings are queried servo by servo, and errors of all servos at intervals, so that goals are not delayed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from ...device import Device
from ...protocols.dynamixel.series import load_unit
from ...protocols.interface import Codec, Exchange, Identified, Measured, Quantity
from ...protocols.servo_state import VolatileSettings

CHECK_EVERY = 0.2  # [s] time between the queries of `check`, if at most two kinds of them take turns
# [s] time between the queries of `check`, if three kinds of them take turns: each is repeated after 0.4 s, as
# with CHECK_EVERY
CHECK_ALL_EVERY = 0.13
# [s] time between queries for the readings of one servo after the other: those of a dozen take 1.2 s, which
# is faster than a motor warms up and uses 3% of a busy line
ASK_EVERY = 0.1
READINGS = (Quantity.LOAD, Quantity.CURRENT, Quantity.VOLTAGE, Quantity.TEMPERATURE)


class ServoDiagnostics:
    """Diagnostic queries of one connection, and their answers.

    Args:
        device: The robot's description.
        codec: Codec of the device's protocol.

    Attributes:
        is_answered: Whether the last `check` had queries that servos, or their controller, answer.
        readings: Newest readings of each channel's servo (channels,): volts, degrees Celsius, share of the
            maximum load, amperes.
    """

    def __init__(self, device: Device, codec: Codec) -> None:
        self._codec = codec
        self._channel = {channel.servo: k for k, channel in enumerate(device.channels)}
        self._servos = [channel.servo for channel in device.channels]
        self._unit_size = codec.capabilities.unit_size
        self._readable = tuple(quantity for quantity in READINGS if quantity in codec.capabilities.reads)
        # (size, quantity) of a unit of LOAD, by id, of servos whose model determines it; see `load_unit`
        self._loads: dict[int, tuple[float, str]] = {}
        self._checked_at = self._asked_at = -math.inf
        self._checks = self._next = 0
        self._check_every = CHECK_ALL_EVERY if codec.meaning(self._servos[:1]) else CHECK_EVERY
        self.is_answered = False
        self.readings: list[dict[Quantity, float]] = [{} for _ in device.channels]

    def check(self, time: float, settings: Mapping[int, VolatileSettings]) -> tuple[Exchange, ...]:
        """Queries to send at `time` [s]. Three kinds take turns: whether servos still have the volatile
        settings `settings` (by servo id), whether any servo reports errors, and whether goals still mean
        the same to the servos in `settings`. In the time between, the query of `ask`.
        """
        if time - self._checked_at < self._check_every:
            return self.ask(time)
        self._checked_at = time
        setting_queries = self._codec.verify(settings)
        error_queries = self._codec.check(self._servos)
        meaning_queries = self._codec.meaning(tuple(settings))
        kinds = [kind for kind in (setting_queries, error_queries, meaning_queries) if kind]
        self.is_answered = bool(kinds)
        if not kinds:
            return ()
        rounds, index = divmod(self._checks, len(kinds))
        self._checks += 1
        if kinds[index] is setting_queries:
            # one query at a time: servos without sync read need one each, and goals would wait for all
            return (setting_queries[(rounds + 1) % len(setting_queries)],)
        return kinds[index]

    def ask(self, time: float) -> tuple[Exchange, ...]:
        """Query for load, current, voltage and temperature of the next servo, as far as the protocol reads
        them, one servo every ASK_EVERY; empty until then.
        """
        if not self._readable or time - self._asked_at < ASK_EVERY:
            return ()
        self._asked_at = time
        servo = self._servos[self._next]
        self._next = (self._next + 1) % len(self._servos)
        return self._codec.read(self._readable, (servo,))

    def identify(self, who: Identified) -> None:
        """Record a servo's model, which determines the meaning of LOAD if the protocol does not."""
        if who.servo is not None and who.model is not None and Quantity.LOAD not in self._unit_size:
            self._loads[who.servo] = load_unit(who.model)

    def take(self, measured: Measured) -> None:
        """Record a quantity of READINGS that a servo of the device has measured; others are ignored."""
        channel = self._channel.get(measured.servo)
        if channel is None or measured.quantity not in READINGS:
            return
        quantity, unit_size = measured.quantity, self._unit_size.get(measured.quantity)
        if unit_size is None:
            unit_size, kind = self._loads.get(measured.servo, (0.0, "share"))
            quantity = Quantity.LOAD if kind == "share" else Quantity.CURRENT
        if unit_size:
            self.readings[channel][quantity] = measured.raw * unit_size
