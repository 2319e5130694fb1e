"""A joint's limits, its state of motion, and the curve between its frames.

The curve keeps the velocity, acceleration and jerk limits that the frames keep. Source: docs/motion.md, "The
limiter, and motion between frames".
"""

from dataclasses import dataclass, replace
from math import isfinite

from .errors import LimitsError, TargetError, TimeStepError

# largest excess over a position limit that counts as a rounding error, as a share of the larger limit in
# magnitude: about forty units in the last place, more than one step's rounding error. Beyond: left as it is
_ROUNDING = 1e-14
FRAMES = 4  # number of control points that determine a point of the curve


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one joint; all but the position limits are the same in both directions.

    Attributes:
        lower, upper: Position limits [rad] ([m] for a prismatic joint), lower <= upper.
        velocity: Velocity limit [rad/s], positive.
        acceleration: Acceleration limit [rad/s2], positive.
        jerk: Jerk limit [rad/s3], positive.

    Raises:
        LimitsError: a field is not a finite number, lower > upper, or a dynamic limit is not positive; the
            message names the field and the remedy.
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
            raise LimitsError(
                f"limit `lower` ({self.lower:g}) is above `upper` ({self.upper:g}): exchange them or move one"
            )
        for field in ("velocity", "acceleration", "jerk"):
            value = getattr(self, field)
            if not (isfinite(value) and value > 0.0):
                raise LimitsError(f"limit `{field}` is {value}: give it a finite number above zero")

    def clamp(self, position: float) -> float:
        """The position nearest to `position` [rad] within the limits."""
        return min(max(position, self.lower), self.upper)

    def absorb(self, position: float) -> float:
        """The position [rad], moved onto a limit if it exceeds that limit only by a rounding error."""
        rounding = _ROUNDING * max(abs(self.lower), abs(self.upper))
        if self.upper < position <= self.upper + rounding:
            return self.upper
        if self.lower - rounding <= position < self.lower:
            return self.lower
        return position

    def widened(self, share: float) -> "Limits":
        """Limits with velocity, acceleration and jerk times 1 + `share`, and the same position limits."""
        return replace(
            self,
            velocity=self.velocity * (1.0 + share),
            acceleration=self.acceleration * (1.0 + share),
            jerk=self.jerk * (1.0 + share),
        )


@dataclass(frozen=True, slots=True)
class Kinematic:
    """State of motion of one joint: position [rad], velocity [rad/s], acceleration [rad/s2] (metres for a
    prismatic joint).

    A filter can return a subclass that stores more, and accepts a plain `Kinematic` as a state without
    history.
    """

    position: float
    velocity: float = 0.0
    acceleration: float = 0.0


def check_step(target: float, dt: float, target_velocity: float | None) -> None:
    """Raises TargetError or TimeStepError on invalid arguments of `Filter.step`."""
    if not isfinite(target):
        raise TargetError(f"target angle is {target}: hold the last good one instead")
    if target_velocity is not None and not isfinite(target_velocity):
        raise TargetError(f"target velocity is {target_velocity}: pass None to have it estimated")
    if not (dt >= 0.0 and isfinite(dt)):
        raise TimeStepError(f"time step is {dt} s: give a finite one of at least 0")


def extrapolated(state: Kinematic, interval: float) -> float:
    """Position [rad] after `interval` at constant acceleration. As the last control point of `between`, in
    place of a frame that is not known yet, it halves the curve's delay.

    `interval` is in the unit of time of the velocity: seconds, or 1 if that is per frame. If the jerk is at
    most j, the error of the position is at most j * interval^3 / 6 (50 pi rad/s3: .11 degrees at 24 frames a
    second).
    """
    return state.position + interval * (state.velocity + 0.5 * interval * state.acceleration)


def between(frames: tuple[float, float, float, float], share: float, interval: float) -> Kinematic:
    """State of motion at `share` (0 to 1) between the second and the third of four successive frames.

    Args:
        frames: Positions [rad], oldest first, at equal intervals. Before the first frame and after the last
            one, repeat it.
        share: 0 at the second frame, 1 at the third.
        interval: Time [s] between frames, above 0.

    Source: the uniform cubic B-spline, e.g. de Boor 1978, "A Practical Guide to Splines".
    """
    a, b, c, d = frames
    left, middle, right = b - a, c - b, d - c
    bend, next_bend = middle - left, right - middle
    third = next_bend - bend
    # the position as an offset from the second frame, so that equal frames return exactly that position
    position = b + share * (0.5 * (left + middle) + share * (0.5 * bend + share * third / 6.0)) + bend / 6.0
    velocity = 0.5 * (left + middle) + share * (bend + 0.5 * share * third)
    return Kinematic(position, velocity / interval, (bend + share * third) / (interval * interval))
