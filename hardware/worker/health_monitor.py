"""Warnings about servos' temperature, voltage and load, before they switch off. Knows no Blender."""

from __future__ import annotations

from collections.abc import Sequence

from ..device import Device
from ..protocols.interface import Quantity
from .connection import Readings

HOT = 60.0  # [degrees Celsius] bus servos switch off at 70 to 80, and not all do: some minutes earlier
SAG = 0.85  # share of the highest voltage seen: a supply that drops so far is near the servos' lowest
STRAINED = 0.8  # share of the greatest load: their overload protection trips at about that after some seconds
STRAINED_FOR = 1.0  # [s] longer than a swing's beginning and end


class HealthMonitor:
    """Monitors the readings of a device's servos.

    Args:
        device: The robot.
    """

    def __init__(self, device: Device) -> None:
        self._channels = device.channels
        self._highest = [0.0] * len(device.channels)  # voltage seen [V]
        self._strained_since: list[float | None] = [None] * len(device.channels)

    def warnings(self, now: float, readings: Sequence[Readings]) -> list[str]:
        """Sentences about `readings` (channels,) that are near a limit."""
        texts = []
        for k, (channel, reading) in enumerate(zip(self._channels, readings, strict=True)):
            heat = reading.get(Quantity.TEMPERATURE)
            if heat is not None and heat >= HOT:
                texts.append(f"{channel.label} is hot ({heat:.0f} °C): let it rest before it reaches 70")
            voltage = reading.get(Quantity.VOLTAGE)
            if voltage is not None:
                self._highest[k] = max(self._highest[k], voltage)
                if voltage < SAG * self._highest[k]:
                    texts.append(f"{channel.label} gets {voltage:.1f} V of {self._highest[k]:.1f} V: check supply and cables")
            load = reading.get(Quantity.LOAD)
            strained = load is not None and abs(load) >= STRAINED
            self._strained_since[k] = (self._strained_since[k] if self._strained_since[k] is not None else now) if strained else None
            since = self._strained_since[k]
            if load is not None and since is not None and now - since > STRAINED_FOR:
                texts.append(f"{channel.label} works at {100 * abs(load):.0f}% of its strength: relieve it, or it switches off")
        return texts
