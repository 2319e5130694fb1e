"""Frames from Blender, played back as smooth motion a little later. Knows no Blender.

Blender hands over angles some 24 to 60 times a second, but never quite evenly; servos want them evenly and more often. A frame is put on an
evened-out time line, and the motion between frames is a cubic (Hermite) curve. Playback runs just far enough behind that the next frame is
usually there. It never goes where Blender has not said: where frames are late it waits on the newest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

FIRST_INTERVAL = 1.0 / 24.0  # [s] between frames, until some have come: the slowest usual rate
LONGEST_INTERVAL = 0.2  # [s] a longer gap is a pause, not a frame rate
EVENING = 0.15  # share of a frame's unevenness that moves it on the time line; 0 would never follow, 1 not even out
RATE_LEARNING = 0.02  # share of it that changes the rate
SLEW = 0.05  # [s/s] how fast the delay may change: half of the limiter's headroom, so that catching up does not look like a fault
REMEMBERED = 32  # intervals whose longest sets the delay: half a second at 60 frames a second


@dataclass(frozen=True, slots=True)
class _Knot:
    time: float
    angles: tuple[float, ...]
    velocity: tuple[float, ...]


class Playback:
    """Plays back frames of angles (channels,) [rad].

    Args:
        velocity_limits: (channels,) [rad/s]: a frame farther from the last one than this allows is a jump, not a speed.
        turn: How late a frame may be noticed [s].
    """

    def __init__(self, velocity_limits: Sequence[float], turn: float) -> None:
        self._velocity_limits = tuple(velocity_limits)
        self._turn = turn
        self._knots: deque[_Knot] = deque(maxlen=REMEMBERED)
        self._intervals: deque[float] = deque(maxlen=REMEMBERED)
        self._interval = FIRST_INTERVAL
        self._stamp = 0.0
        self._delay = FIRST_INTERVAL + turn
        self._asked_at: float | None = None

    @property
    def newest(self) -> tuple[float, ...] | None:
        """The newest frame; None before the first."""
        return self._knots[-1].angles if self._knots else None

    def add(self, stamp: float, angles: tuple[float, ...]) -> None:
        """A frame that Blender handed over at `stamp` [s]."""
        if self._knots and not 0.0 < stamp - self._stamp <= LONGEST_INTERVAL:
            self._knots.clear()
        if self._knots:
            self._intervals.append(stamp - self._stamp)
            due = self._knots[-1].time + self._interval
            late = stamp - due
            self._interval = max(self._interval + RATE_LEARNING * late, self._turn / 10.0)
            time = stamp if late > self._interval else due + EVENING * max(late, -self._interval)
        else:
            time = stamp
        self._stamp = stamp
        self._knots.append(_Knot(time, angles, self._velocity_at(time, angles)))

    def at(self, now: float) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
        """Angles [rad] and velocities [rad/s] (channels,) to be at now [s]; None before the first frame."""
        if not self._knots:
            return None
        wanted = max(self._intervals, default=FIRST_INTERVAL) + self._turn
        step = SLEW * (now - self._asked_at) if self._asked_at is not None else 0.0
        self._asked_at = now
        self._delay += min(max(wanted - self._delay, -step), step)
        return self._on_curve(now - self._delay)

    def _velocity_at(self, time: float, angles: tuple[float, ...]) -> tuple[float, ...]:
        """The slope [rad/s] at the newest of three frames of the parabola through them."""
        still = (0.0,) * len(angles)
        if not self._knots or time <= self._knots[-1].time:
            return still
        last = self._knots[-1]
        span = time - last.time
        velocity = [(a - b) / span for a, b in zip(angles, last.angles, strict=True)]
        if len(self._knots) > 1:
            before = self._knots[-2]
            earlier = last.time - before.time
            velocity = [
                slope + (slope - (b - c) / earlier) * span / (span + earlier)
                for slope, b, c in zip(velocity, last.angles, before.angles, strict=True)
            ]
        return tuple(min(max(v, -limit), limit) for v, limit in zip(velocity, self._velocity_limits, strict=True))

    def _on_curve(self, time: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
        after = self._knots[-1]
        still = (0.0,) * len(after.angles)
        if time >= after.time:
            return after.angles, still
        for before in reversed(self._knots):
            if before.time <= time:
                return _hermite(before, after, time)
            after = before
        return after.angles, still


def _hermite(before: _Knot, after: _Knot, time: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The cubic between two knots and its slope."""
    span = after.time - before.time
    if span <= 0.0:
        return after.angles, after.velocity
    s = (time - before.time) / span
    angles, velocity = [], []
    for p, q, v, w in zip(before.angles, after.angles, before.velocity, after.velocity, strict=True):
        rise, v, w = q - p, v * span, w * span
        square, cubic = 3.0 * rise - 2.0 * v - w, v + w - 2.0 * rise
        angles.append(p + s * (v + s * (square + s * cubic)))
        velocity.append((v + s * (2.0 * square + 3.0 * s * cubic)) / span)
    return tuple(angles), tuple(velocity)
