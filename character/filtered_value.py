"""Motion filters of values other than joints', such as a light's brightness, before they are sent to a
robot.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

from ..motion import Filter, Kinematic, Limits, MotionStyle, make_filter

# share of a value's range, and of that range per second, below which the remaining distance and speed count
# as 0
AT_REST = 1e-4
LONGEST_STEP = 0.1  # [s] longest step; after a longer pause a value continues from where it stopped


class ValueFilter(NamedTuple):
    """Motion filter of a value: its name, limits and style."""

    name: str
    limits: Limits
    style: MotionStyle


@dataclass
class FilteredValue:
    """A filtered value with its motion [1, 1/s, 1/s2]."""

    filter: Filter
    motion: Kinematic

    @classmethod
    def at(cls, settings: ValueFilter, number: float) -> Self:
        """A value at rest at a number, clamped to its limits."""
        motion_filter = make_filter(*settings)
        return cls(motion_filter, motion_filter.rest(settings.limits.clamp(number)))

    def step(self, number: float, dt: float) -> None:
        """Advances by `dt` [s], at most `LONGEST_STEP`, toward a number, within its limits."""
        self.motion = self.filter.step(self.motion, self.filter.limits.clamp(number), min(dt, LONGEST_STEP))

    def is_at(self, number: float) -> bool:
        """Whether the value is at rest at a number, clamped to its limits."""
        limits = self.filter.limits
        near = AT_REST * (limits.upper - limits.lower)
        apart = abs(self.motion.position - limits.clamp(number))
        return apart <= near and abs(self.motion.velocity) <= near
