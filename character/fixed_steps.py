"""Whole steps of time for motions that a clock advances."""

from collections.abc import Hashable

STEP = 1 / 60  # [s] duration of a frame of most displays
# largest number of steps caught up after a delay; more are dropped, so that a stall does not prolong itself
MOST_STEPS = 6


class FixedSteps:
    """Divides the time that passes for several motions, each identified by a key, into steps of `STEP`."""

    def __init__(self) -> None:
        self._until: dict[Hashable, float] = {}  # [s] time up to which each motion has advanced

    def due(self, key: Hashable, time: float) -> float:
        """Time [s] by which to advance a motion now, a whole number of steps, which are then recorded as
        done. The first call for a motion returns one step.

        Args:
            key: Key of the motion.
            time: Current time [s], by a clock that never goes back.
        """
        begun = self._until.setdefault(key, time - STEP)
        steps = int((time - begun) / STEP + 1e-6)  # the tolerance is for a timer that fires slightly early
        if steps <= 0:
            return 0.0
        self._until[key] = time if steps > MOST_STEPS else begun + steps * STEP
        return min(steps, MOST_STEPS) * STEP

    def stop(self, key: Hashable) -> None:
        """Forgets a motion that is at rest, or that another clock advances; its time begins anew at the next
        call of `due`.
        """
        self._until.pop(key, None)
