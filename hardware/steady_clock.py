"""Clock of a simulated robot, which pauses while its process is suspended. Knows no Blender."""

from __future__ import annotations

from collections.abc import Callable

LONGEST = 0.1  # [s] ten periods of the worker, and less than half a device's watchdog


class SteadyClock:
    """A clock [s] that advances by at most `LONGEST` from one call to the next.

    Without that a simulated robot would find, after a pause of the computer in which it was paused itself, that it had received
    nothing for too long.

    Args:
        clock: What it follows [s].
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._looked_at = self._now = clock()

    def __call__(self) -> float:
        before, self._looked_at = self._looked_at, self._clock()
        self._now += min(self._looked_at - before, LONGEST)
        return self._now
