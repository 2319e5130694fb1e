"""Between angles and the raw positions of a protocol. Knows no Blender."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .interface import ProtocolError


@dataclass(frozen=True, slots=True)
class Scale:
    """How a servo's raw positions follow from its joint's angle.

    Attributes:
        zero: Raw position at angle 0.
        per_rad: Raw units in a radian; negative where a larger angle is a smaller raw position.
        lowest: Lowest raw position that the servo may get.
        highest: Highest.

    Raises:
        ProtocolError: No servo can have these values.
    """

    zero: float
    per_rad: float
    lowest: int
    highest: int

    def __post_init__(self) -> None:
        if not (math.isfinite(self.zero) and math.isfinite(self.per_rad) and self.per_rad):
            raise ProtocolError(f"A scale of {self.per_rad:g} units per radian from {self.zero:g}; both must be numbers, the first not 0")
        if not self.lowest < self.highest:
            raise ProtocolError(f"A range from {self.lowest} to {self.highest}; the lowest must be below the highest")

    def raw(self, angle: float) -> int:
        """The raw position nearest to `angle` [rad] within the range.

        Raises:
            ProtocolError: `angle` is not a finite number.
        """
        if not math.isfinite(angle):
            raise ProtocolError(f"An angle is {angle}; give a finite number of radians")
        return round(min(max(self.zero + self.per_rad * angle, self.lowest), self.highest))

    def angle(self, raw: float) -> float:
        """The angle [rad] at a raw position."""
        return (raw - self.zero) / self.per_rad

    def speed(self, velocity: float) -> float:
        """Raw units per second for `velocity` [rad/s]; an acceleration likewise [units/s2] for [rad/s2]."""
        return abs(self.per_rad * velocity)


def scale_over(lowest: int, highest: int, turn: float, direction: int = 1, zero: float | None = None) -> Scale:
    """The scale of a servo that turns by `turn` [rad] from raw position `lowest` to `highest`; angle 0 is the middle, or at `zero`."""
    if direction not in (1, -1):
        raise ProtocolError(f"A direction of {direction}; give +1, or -1 to reverse the servo")
    if not (math.isfinite(turn) and turn > 0):
        raise ProtocolError(f"A servo that turns by {turn} rad over its range; give a positive angle")
    return Scale((lowest + highest) / 2 if zero is None else zero, direction * (highest - lowest) / turn, lowest, highest)
