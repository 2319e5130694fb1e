"""Ticks of a performance in real time, at a rate that the computer keeps."""

SLOWEST = 5.0  # [ticks/s] below it there is nothing to lower
BUSY = 0.9  # share of the time in ticks above which the rate is lowered
LOWERED = 0.75  # factor of the rate then
WATCHED = 1.0  # [s] over which that share is measured


class Pacing:
    """When the next tick is due.

    Where ticks take longer than they have, the rate is lowered, so that a performance is never behind its
    clock.

    Args:
        rate: Ticks a second.
        now: Time [s] on a clock that never jumps.
    """

    def __init__(self, rate: float, now: float) -> None:
        self.rate = rate
        self.due = now  # [s] of the next tick
        self.tick_seconds = 0.0  # mean time that a tick took, of the last `WATCHED` seconds
        self._began = now
        self._busy, self._ticks = 0.0, 0

    def ticked(self, began: float, now: float) -> bool:
        """Says when a tick began and ended [s]; returns whether the rate was lowered by it."""
        self._busy += now - began
        self._ticks += 1
        self.due = max(self.due + 1.0 / self.rate, now)
        if now - self._began < WATCHED:
            return False
        share, self.tick_seconds = self._busy / (now - self._began), self._busy / self._ticks
        self._began, self._busy, self._ticks = now, 0.0, 0
        if share <= BUSY or self.rate <= SLOWEST:
            return False
        self.rate = max(self.rate * LOWERED, SLOWEST)
        return True
