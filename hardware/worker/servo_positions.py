"""Where servos said that they are, and when. Knows no Blender, no port and no clock."""

from __future__ import annotations

import math


class ServoPositions:
    """Newest measured raw positions by servo."""

    def __init__(self) -> None:
        self._positions: dict[int, int] = {}
        self._at: dict[int, float] = {}

    @property
    def newest(self) -> dict[int, int]:
        """All that were ever said, the newest of each servo."""
        return self._positions

    def take(self, servo: int, raw: int, now: float) -> None:
        """A servo said where it is, at `now` [s]."""
        self._positions[servo] = raw
        self._at[servo] = now

    def since(self, then: float) -> dict[int, int]:
        """Where servos are, as far as they said so since `then` [s]."""
        return {servo: raw for servo, raw in self._positions.items() if self._at[servo] >= then}

    def silent(self, servos: list[int], then: float) -> list[int]:
        """Those that have said nothing since `then` [s]."""
        return [servo for servo in servos if self._at.get(servo, -math.inf) < then]
