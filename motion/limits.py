"""Position, velocity, acceleration and jerk limits of a joint. Knows no Blender."""

from dataclasses import dataclass, replace
from math import isfinite

from .errors import LimitsError

_ROUNDING = 1e-14  # relative: some forty units in the last place, more than the rounding of one step, less than a check of limits notices


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one joint; all but the position limits are the same in both directions.

    Attributes:
        lower, upper: Position limits [rad] ([m] for a prismatic joint), lower <= upper.
        velocity: [rad/s], positive.
        acceleration: [rad/s2], positive.
        jerk: [rad/s3], positive.

    Raises:
        LimitsError: a field is no finite number, lower > upper, or a dynamic limit is not positive; names the field and the remedy.
    """

    lower: float
    upper: float
    velocity: float
    acceleration: float
    jerk: float

    def __post_init__(self) -> None:
        for field in ("lower", "upper"):
            if not isfinite(getattr(self, field)):
                raise LimitsError(f"limit `{field}` is {getattr(self, field)}: give it a finite angle")
        if self.lower > self.upper:
            raise LimitsError(f"limit `lower` ({self.lower:g}) is above `upper` ({self.upper:g}): exchange them or move one")
        for field in ("velocity", "acceleration", "jerk"):
            value = getattr(self, field)
            if not (isfinite(value) and value > 0.0):
                raise LimitsError(f"limit `{field}` is {value}: give it a finite number above zero")

    def clamp(self, position: float) -> float:
        """Nearest position [rad] within the limits."""
        return min(max(position, self.lower), self.upper)

    def absorb(self, position: float) -> float:
        """Position [rad], moved onto a limit that only rounding errors exceed."""
        rounding = _ROUNDING * max(abs(self.lower), abs(self.upper))
        if self.upper < position <= self.upper + rounding:
            return self.upper
        if self.lower - rounding <= position < self.lower:
            return self.lower
        return position

    def widened(self, share: float) -> "Limits":
        """Limits with velocity, acceleration and jerk larger by `share`, and the same position limits."""
        return replace(
            self,
            velocity=self.velocity * (1.0 + share),
            acceleration=self.acceleration * (1.0 + share),
            jerk=self.jerk * (1.0 + share),
        )
