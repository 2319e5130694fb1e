"""Whole steps of time for a motion that a clock advances."""

STEP = 1 / 60  # [s] duration of a step: a frame of most displays
# largest number of steps caught up after a delay; more are dropped, so that a stall does not prolong itself
MOST_STEPS = 6


class FixedSteps:
    """Divides the time that passes for a motion into steps of `STEP`."""

    def __init__(self) -> None:
        self._until: float | None = None  # [s] time up to which the motion has advanced

    def due(self, time: float) -> float:
        """Time [s] by which to advance the motion now: the whole steps that have passed since the last call,
        at most `MOST_STEPS`. They count as done, and so do those that are dropped. The first call returns one
        step.

        Args:
            time: Current time [s], by a clock that never goes back.
        """
        begun = self._until if self._until is not None else time - STEP
        steps = int((time - begun) / STEP + 1e-6)  # 1e-6: a timer can fire slightly early
        if steps <= 0:
            return 0.0
        self._until = time if steps > MOST_STEPS else begun + steps * STEP
        return min(steps, MOST_STEPS) * STEP
