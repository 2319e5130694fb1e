"""Measured positions of servos, with their times. Independent of ports and clocks."""

from __future__ import annotations

import math


class ServoPositions:
    """Newest measured raw position of each servo."""

    def __init__(self) -> None:
        self._positions: dict[int, int] = {}
        self._at: dict[int, float] = {}

    @property
    def newest(self) -> dict[int, int]:
        """Newest raw position of each servo, by id."""
        return self._positions

    def take(self, servo: int, raw: int, time: float) -> None:
        """Record a position measured at `time` [s]."""
        self._positions[servo] = raw
        self._at[servo] = time

    def since(self, then: float) -> dict[int, int]:
        """Positions measured at `then` [s] or later, by servo id."""
        return {servo: raw for servo, raw in self._positions.items() if self._at[servo] >= then}

    def silent(self, servos: list[int], then: float) -> list[int]:
        """Servos without a measurement at `then` [s] or later."""
        return [servo for servo in servos if self._at.get(servo, -math.inf) < then]
