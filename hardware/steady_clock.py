"""The time of a robot that a process simulates: where the process is held up, so is the robot. Knows no Blender."""

from __future__ import annotations

from collections.abc import Callable

LONGEST = 0.1  # [s] ten turns of the worker, and less than half a device's watchdog


class SteadyClock:
    """A time [s] that goes on by no more than `LONGEST` from one look to the next.

    A computer that stands still for a moment would otherwise find that its simulated robot, which stood still with it, had meanwhile heard
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
