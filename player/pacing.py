"""Ticks of a performance in real time, at a rate that the computer keeps."""

SLOWEST = 5.0  # [ticks/s] below it there is nothing to lower
BUSY = 0.9  # share of the time in ticks above which the rate is lowered
EASY = 0.6  # share that ticks would take at the next higher rate, up to which the computer has time for that
LOWERED = 0.75  # factor of the rate when it is lowered
WATCHED = 1.0  # [s] over which that share is measured
PATIENCE = 10  # measurements in a row that were easy, after which the rate is raised by a step
MOST_PATIENCE = 600  # ... at most: each raise that lasts for less than the patience doubles it


class Pacing:
    """When the next tick is due.

    Where ticks take longer than they have, the rate is lowered, so that a performance is never behind its
    clock. Where the computer has had time for more for a while, it is raised again, step by step; after a
    raise that did not last the next one waits twice as long.

    Args:
        rate: Ticks a second, at most.
        time: Time [s] on a clock that never jumps.
    """

    def __init__(self, rate: float, time: float) -> None:
        self.rate = self._highest = rate
        self.due = time  # [s] of the next tick
        self.tick_seconds = 0.0  # mean time that a tick took, of the last `WATCHED` seconds
        self._began = time
        self._busy, self._ticks = 0.0, 0
        self._easy, self._patience = 0, PATIENCE
        self._held = MOST_PATIENCE  # measurements since the last raise

    def ticked(self, began: float, ended: float) -> bool:
        """Says when a tick began and ended [s]; returns whether it changed the rate."""
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
        """The rate from now on, after a measured share of the time in ticks."""
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
