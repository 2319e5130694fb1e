"""Cubic B-spline through control points at uneven times: the curve on which playback moves."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from ...motion import Kinematic

Angles = tuple[float, ...]

REMEMBERED = 64  # number of newest control points that are stored
DEGREE = 3


class Curve:
    """Cubic B-spline (channels,) whose knots are the times of its control points, in seconds of the curve.

    With equal steps it is the curve of `motion.between`, which keeps the limits that its control points keep.
    With unequal steps its velocity and acceleration are continuous too.

    Attributes:
        last: Time of the newest control point [s].
        count: Number of control points so far.
    """

    def __init__(self) -> None:
        self.last = 0.0
        self.count = 0
        self._points: deque[Angles] = deque(maxlen=REMEMBERED)
        self._times: deque[float] = deque(maxlen=REMEMBERED)

    @property
    def newest(self) -> Angles:
        """The newest control point."""
        return self._points[-1]

    @property
    def end(self) -> float:
        """Time up to which the curve is known [s]: it also depends on the control point after that."""
        return self._times[-2] if len(self._times) > 1 else self.last

    def append(self, step: float, point: Angles) -> None:
        """Append a control point `step` [s] after the last one."""
        self.last += step
        self.count += 1
        self._times.append(self.last)
        self._points.append(point)

    def ahead(self, time: float) -> int:
        """Number of control points on which the curve depends from `time` [s] on."""
        unplayed = 0
        for knot in reversed(self._times):
            if knot <= time:
                break
            unplayed += 1
        return min(unplayed + 2, len(self._points))

    def points(self, count: int) -> list[Angles]:
        """The newest `count` control points, newest first."""
        return [self._points[-k] for k in range(1, min(count, len(self._points)) + 1)]

    def at(self, time: float, rate: float, interval: float) -> list[Kinematic]:
        """State of each channel at `time` [s of the curve], played at `rate` [s of the curve per second].

        After the last control point that point is repeated every `interval` [s].
        """
        newest = len(self._points) - 1
        index = (
            newest + int((time - self.last) / interval)
            if time >= self.last
            else newest + 2 - self.ahead(time)
        )
        knots = [self._knot(index + k, interval) for k in range(1 - DEGREE, DEGREE + 1)]
        around = [self._points[min(max(index + k, 0), newest)] for k in range(-1, DEGREE)]
        spline_span = _SplineSpan(knots, time)
        return [spline_span.state(points, rate) for points in zip(*around, strict=True)]

    def _knot(self, index: int, interval: float) -> float:
        """Time of the control point `index`, 0 being the oldest that is stored; those before it and after the
        newest are `interval` [s] apart.
        """
        newest = len(self._times) - 1
        if index > newest:
            return self.last + (index - newest) * interval
        return self._times[index] if index >= 0 else self._times[0] + index * interval


class _SplineSpan:
    """De Boor's interpolation parameters of a cubic B-spline at one time, the same for all channels.

    Args:
        knots: Times (6,) of the span's control points and their neighbours; `time` is between the third and
            the fourth.
        time: Time [s] at which the spline is evaluated.

    Source: de Boor 1978, "A Practical Guide to Splines".
    """

    def __init__(self, knots: Sequence[float], time: float) -> None:
        self._spans = [knots[k + DEGREE] - knots[k] for k in range(DEGREE)]
        self._inner = [knots[k + DEGREE] - knots[k + 1] for k in range(DEGREE - 1)]
        self._shares = [(time - knots[k]) / span for k, span in enumerate(self._spans)]
        self._inner_shares = [(time - knots[k + 1]) / span for k, span in enumerate(self._inner)]
        self._share = (time - knots[2]) / (knots[3] - knots[2])

    def state(self, points: Sequence[float], rate: float) -> Kinematic:
        """State of motion of a channel from its control points (4,), for a playback that advances by `rate`
        seconds of the curve a second.
        """
        a, b, c, d = points
        x, y, z = b - a, c - b, d - c
        share_a, share_b, share_c = self._shares
        span_a, span_b, span_c = self._spans
        first, middle, last = a + share_a * x, b + share_b * y, c + share_c * z
        slope_a, slope_b, slope_c = DEGREE * x / span_a, DEGREE * y / span_b, DEGREE * z / span_c
        (share_left, share_right), (span_left, span_right) = self._inner_shares, self._inner
        left = first + share_left * (middle - first)
        right = middle + share_right * (last - middle)
        bend_left, bend_right = (slope_b - slope_a) / span_left, (slope_c - slope_b) / span_right
        slope_left = slope_a + share_left * span_left * bend_left
        slope_right = slope_b + share_right * span_right * bend_right
        velocity = slope_left + self._share * (slope_right - slope_left)
        acceleration = 2.0 * (bend_left + self._share * (bend_right - bend_left))
        return Kinematic(left + self._share * (right - left), velocity * rate, acceleration * rate * rate)
