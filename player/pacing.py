"""Ticks of a performance in real time, at a rate that the computer keeps."""

SLOWEST = 5.0  # [ticks/s] lowest rate
FASTEST = 10_000.0  # [ticks/s] highest rate, also of a script: as many as a file may have frames a second
BUSY = 0.9  # share of the time that ticks take; above it the rate is lowered
EASY = 0.6  # share of the time that ticks would take at the next higher rate; below it the rate may rise
LOWERED = 0.75  # factor of the rate when it is lowered; a raise divides by it
WATCHED = 1.0  # [s] duration of one measurement of the share of the time spent in ticks
PATIENCE = 10  # number of successive measurements below `EASY` after which the rate rises by a step
# largest number of measurements before a raise of the rate, which is PATIENCE at first and doubles after each
# raise that did not last
MOST_PATIENCE = 600


class Pacing:
    """Schedule of ticks.

    If ticks take longer than the time between them, the rate is lowered, so that a performance is never
    behind its clock. If the computer has spare time for a while, the rate rises again step by step; after a
    raise that did not last the next raise takes twice as long.

    Args:
        rate: Largest number of ticks per second.
        time: Time [s] of the first tick, on a monotonic clock.
    """

    def __init__(self, rate: float, time: float) -> None:
        self.rate = self._highest = rate
        self.due = time  # [s] time of the next tick
        self.tick_seconds = 0.0  # [s] mean duration of a tick in the last `WATCHED` seconds
        self._began = time
        self._busy, self._ticks = 0.0, 0
        self._easy, self._patience = 0, PATIENCE
        self._held = MOST_PATIENCE  # number of measurements since the last raise

    def ticked(self, began: float, ended: float) -> bool:
        """Records the times [s] at which a tick began and ended; returns whether the rate has changed."""
        self._busy += ended - began
        self._ticks += 1
        self.due = max(self.due + 1.0 / self.rate, ended)
        if ended - self._began < WATCHED:
            return False
        share, self.tick_seconds = self._busy / (ended - self._began), self._busy / self._ticks
        self._began, self._busy, self._ticks = ended, 0.0, 0
        before, self.rate = self.rate, self._next_rate(share)
        return self.rate != before

    def _next_rate(self, share: float) -> float:
        """The rate from now on, by the measured `share` of the time that ticks have taken."""
        self._held += 1
        if share > BUSY and self.rate > SLOWEST:
            has_lasted = self._held > self._patience
            self._patience = PATIENCE if has_lasted else min(2 * self._patience, MOST_PATIENCE)
            self._easy = 0
            return max(self.rate * LOWERED, SLOWEST)
        higher = min(self.rate / LOWERED, self._highest)
        self._easy = self._easy + 1 if share * higher <= EASY * self.rate else 0
        if higher == self.rate or self._easy < self._patience:
            return self.rate
        self._easy = self._held = 0
        return higher
