"""Frames from Blender, played back as even and smooth motion a little later. Knows no Blender.

Blender hands over angles some 24 to 60 times a second, never quite evenly; servos want them evenly and more often. Between frames runs the
spline of `motion.interpolation`, at a pace of its own. Playback keeps just so far behind that the next frame is usually there when it is
needed; where it is not, the newest one is repeated: the robot never goes where Blender has not said.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from ...motion import Kinematic, between

Angles = tuple[float, ...]

FIRST_INTERVAL = 1.0 / 24.0  # [s] between frames, until some have come: the slowest usual rate
LONGEST_INTERVAL = 0.2  # [s] a longer gap is a pause, not a frame rate
DROPPED = 0.75  # intervals that a frame must be late to stand for two: less is unevenness
LEARNED = 16  # intervals from which on the rate is known
PAUSE = 2.5  # usual intervals: what takes longer is a hiccup, and with the same angles over and over a pause
STANDING = 6  # equal frames in a row at which the curve stands still however far behind playback is
REMEMBERED = 64  # intervals that tell the rate: a second at 60 frames a second
CORRECTION = 0.03  # share by which playback may be faster or slower than the frames: to the third power it is within the limiter's headroom
RATE_TIME = 0.5  # [s] over which a change of rate is spread, so that it does not look like a jerk
RESERVE = 0.5  # frames that there should be to spare when the next is at its latest
FORGETTING = 1.0  # [1/s] frames by which one that was late once is forgotten
SETTLE = 2.0  # [s] in which playback gets to its best place: longer than it takes to see where it is
MOST_BEHIND = 6.0  # frames: farther behind, playback jumps and leaves the rest to the limiter


class Playback:
    """Plays back frames of angles (channels,) [rad].

    Args:
        turn: How late a frame may be noticed [s].
    """

    def __init__(self, turn: float) -> None:
        self._turn = turn
        self._frames: deque[Angles] = deque(maxlen=REMEMBERED)
        self._last = -1  # index of the newest frame; the count goes on for ever
        self._position = 0.0  # index, with its fraction, of where playback is
        self._stamp = 0.0
        self._again = False  # whether the newest frame was said again since
        self._intervals: deque[float] = deque(maxlen=REMEMBERED)
        self._interval = FIRST_INTERVAL
        self._asked_at = 0.0
        self._rate = 1.0 / FIRST_INTERVAL  # [1/s]
        self._growth = 0.0  # of the rate, relative [1/s]
        self._correction = 0.0
        self._least_spare = RESERVE

    @property
    def newest(self) -> Angles | None:
        """The newest frame; None before the first."""
        return self._frames[-1] if self._frames else None

    def add(self, stamp: float, angles: Angles) -> None:
        """A frame that Blender handed over at `stamp` [s]. The same angles once more are a sign of life, not of a frame rate."""
        if not self._frames:
            self._append(angles)
            self.skip()
        newest = self._frames[-1]
        if angles == newest:
            self._again = True
            return
        gap, self._stamp = stamp - self._stamp, stamp
        paused, self._again = self._again and gap > PAUSE * self._interval, False
        if 0.0 < gap <= LONGEST_INTERVAL and not paused:
            self._intervals.append(gap)
            self._interval = _usual(self._intervals)
            missing = int(gap / self._interval - DROPPED)  # so that time is told right
            for k in range(1, missing + 1):
                self._append(_between(newest, angles, k / (missing + 1)))
        stands = self._stands()
        self._append(angles)
        if stands:
            self._position = self._last - 2.0 - RESERVE - self._unevenness()  # where it stands, it may begin at the best place

    def skip(self) -> None:
        """Stand at the newest frame at once."""
        if self._frames:
            self._frames.extend([self._frames[-1]] * STANDING)
            self._last += STANDING
            self._position = self._last - 2.0

    def at(self, now: float) -> list[Kinematic] | None:
        """Where and how each channel is to move at now [s]; None before the first frame."""
        if not self._frames:
            return None
        elapsed, self._asked_at = max(now - self._asked_at, 0.0), now
        wanted = (1.0 + self._correction) / self._interval
        self._change_rate(wanted, min(elapsed, LONGEST_INTERVAL))
        self._watch_spare(elapsed)
        if self._last - self._position > MOST_BEHIND:
            self._position = self._last - 2.0
        while self._position >= self._last - 1:
            self._append(self._frames[-1])
        return self._on_curve()

    def _stands(self) -> bool:
        """Whether the curve stands still where playback is."""
        newest = self._frames[-1]
        return all(frame is newest for frame in list(self._frames)[-STANDING:])

    def _unevenness(self) -> float:
        """How much later than usual a frame may be there, in frames."""
        latest = max(self._intervals, default=self._interval) + self._turn
        return min(latest / self._interval - 1.0, 1.0)

    def _append(self, angles: Angles) -> None:
        self._frames.append(angles)
        self._last += 1

    def _change_rate(self, wanted: float, elapsed: float) -> None:
        """Go on for `elapsed` [s], the rate growing toward `wanted` [1/s]."""
        if self._stands() or elapsed == 0.0:
            self._rate, self._growth = wanted, 0.0
            return
        before = self._rate
        spread = RATE_TIME if len(self._intervals) >= LEARNED else elapsed
        self._rate += (wanted - before) * min(elapsed / spread, 1.0)
        self._growth = (self._rate - before) / (elapsed * before)
        self._position += elapsed * 0.5 * (before + self._rate)

    def _watch_spare(self, elapsed: float) -> None:
        """Play faster where frames pile up, slower where they run short."""
        spare = self._last - 1.0 - self._position
        self._least_spare = spare if self._stands() else min(spare, self._least_spare + FORGETTING * elapsed)
        faster = (self._least_spare - RESERVE) * self._interval / SETTLE
        self._correction = 0.0 if self._stands() else min(max(faster, -CORRECTION), CORRECTION)

    def _on_curve(self) -> list[Kinematic]:
        """The motion at the place of playback."""
        index = int(self._position)
        first = len(self._frames) - 1 - (self._last - (index - 1))
        around = [self._frames[first + k] for k in range(4)]
        motion = [between(points, self._position - index, 1.0 / self._rate) for points in zip(*around, strict=True)]
        return [replace(one, acceleration=one.acceleration + self._growth * one.velocity) for one in motion]


def _usual(values: Sequence[float]) -> float:
    """The mean of all but the far longer ones: a hiccup says nothing of the rate, but an uneven rhythm does."""
    longest = PAUSE * sorted(values)[len(values) // 2]
    usual = [value for value in values if value <= longest]
    return sum(usual) / len(usual)


def _between(a: Angles, b: Angles, share: float) -> Angles:
    return tuple(p + share * (q - p) for p, q in zip(a, b, strict=True))
