"""Pace of the frames that Blender sends: when the next one is due, and how unevenly they come."""

from __future__ import annotations

from collections import deque

# [s] interval to expect before enough frames have arrived: that of the lowest usual rate
FIRST_INTERVAL = 1.0 / 24.0
LONGEST_INTERVAL = 0.2  # [s] longest gap that counts for the frame rate; a longer one counts as a pause
REMEMBERED = 64  # number of newest gaps that determine the rate: a second at 60 frames a second
LEARNED = 16  # number of gaps from which the rate is known
# [intervals] gap above which it is an outlier: during motion it counts as a stall, and the mean leaves it out
STALL = 2.5
# [s] longest part of a stall for which faster frames count as catching up; if they are still faster after
# that, it is a new rate
MOST_LOST = 2.0
EARLY = 0.1  # [intervals] earliness above which a frame counts as catching up; less counts as jitter
SAME = 0.01  # relative difference up to which two announced intervals count as equal


class Pace:
    """Pace of frames: the interval until the next one, the longest gap, and whether frames are catching up
    after a stall.

    Frames announce the interval to the next one. Gaps are measured in units of it, so that a change of the
    rate is known before its first gap, and measurements restart. Frames may arrive less often than announced,
    but not more often. Without announcements the interval is only measured. After a stall frames arrive
    faster until they have caught up; these do not change the measured interval.

    Attributes:
        interval: Expected time [s] to the next frame: the mean of the gaps without outliers, since a single
            long gap is not a new rate.
        longest: Longest of the gaps without outliers [s].
        slowest: Longest interval [s] at which the newest frame may have been in time; when the rate changes,
            the longer of both.
    """

    def __init__(self) -> None:
        self.interval = self.longest = self.slowest = FIRST_INTERVAL
        self._before = FIRST_INTERVAL  # [s] interval before the last change of the rate
        self._unit = FIRST_INTERVAL  # [s] announced interval to the next frame
        self._is_announced = False
        self._gaps: deque[float] = deque(maxlen=REMEMBERED)  # newest gaps, in units of `_unit`
        self._stamp: float | None = None  # [s] time stamp of the newest frame
        self._lost = 0.0  # [s] part of the last stall that frames have not made up for yet

    def take(self, stamp: float, was_due: bool, due: float = 0.0) -> float:
        """Record a new frame, and update interval and gaps; returns the gap [s] since the last frame, 0 for
        the first.

        Args:
            stamp: Time at which Blender sent it [s].
            was_due: Whether the frame was expected after the interval: then a long gap is a stall, otherwise
                a pause.
            due: Announced time [s] to the next frame; 0 if not announced.
        """
        gap, self._stamp = 0.0 if self._stamp is None else stamp - self._stamp, stamp
        self._before, self.slowest = self.interval, max(self._before, self.interval, due)
        is_long = gap > STALL * self.slowest
        if is_long:
            self._lost = min(gap, MOST_LOST) if was_due else 0.0
        else:
            early = self.interval - gap
            # an early frame makes up for a part of the stall; a frame in time lets as much of it be forgotten
            # as has passed since the last frame
            self._lost -= early if early > EARLY * self.interval else gap
        if 0.0 < gap <= LONGEST_INTERVAL and (is_long or not self.is_catching_up):
            self._gaps.append(gap / self._unit)
        self._announce(due)
        if self._gaps:
            median = sorted(self._gaps)[len(self._gaps) // 2]
            usual = [each for each in self._gaps if each <= STALL * median]
            mean = sum(usual) / len(usual)
            self.interval, self.longest = (
                self._unit * (max(mean, 1.0) if due else mean),
                self._unit * max(usual),
            )
        return gap

    def _announce(self, due: float) -> None:
        """Restart the measurement when an announced interval begins, changes or ends, `due` [s]; 0: none is
        announced. The rate is then known from the announcement, which counts as `LEARNED` gaps.
        """
        was_announced, self._is_announced = self._is_announced, due > 0.0
        if self._is_announced and not (was_announced and abs(due - self._unit) <= SAME * self._unit):
            self._unit = due
            self._gaps.clear()
            self._gaps.extend([1.0] * LEARNED)
        elif was_announced and not self._is_announced:
            self._gaps.clear()

    @property
    def is_catching_up(self) -> bool:
        """Whether frames still arrive faster than usual after a stall."""
        return self._lost > 0.0

    @property
    def is_known(self) -> bool:
        """Whether enough frames have arrived to know the rate."""
        return len(self._gaps) >= LEARNED
