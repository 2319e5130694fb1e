"""Checks that servos come to rest after their motion was ended. Independent of ports and clocks.

A servo that holds its position overshoots slightly and comes to rest. One that keeps rotating is not in
position mode, or is faulty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

STANDS_FOR = 0.15  # [s] duration without motion after which a servo counts as at rest
# [rad of the servo] largest motion within STANDS_FOR of a servo that counts as at rest: one or two steps, and
# deflection by a load
STANDS = 0.02
SWINGS_FOR = 0.25  # [s] time in which a servo brakes and swings back
WENT_ON = 0.1  # [rad of the servo] 6 degrees of motion after SWINGS_FOR, more than swinging back
WATCHED_FOR = 1.0  # [s] duration of the monitoring


class StandstillMonitor:
    """Checks that servos that should hold their positions come to rest."""

    def __init__(self) -> None:
        self._began = 0.0
        self._per_radian: dict[int, float] = {}  # id of each monitored servo -> its raw units per radian
        # (time [s], raw position) of each measurement, by the monitored servo's id
        self._seen: dict[int, list[tuple[float, int]]] = {}

    def begin(self, time: float, per_radian: Mapping[int, float]) -> None:
        """Monitor servos whose motion was ended at `time` [s]; `per_radian`: their raw units per radian, by
        id.
        """
        self._began = time
        self._per_radian = dict(per_radian)
        self._seen = {servo: [] for servo in per_radian}

    def forget(self, servos: Iterable[int]) -> None:
        """Stop monitoring these servos."""
        for servo in servos:
            self._per_radian.pop(servo, None)
            self._seen.pop(servo, None)

    def take(self, servo: int, raw: int, measured_at: float) -> None:
        """Record a servo's measured position, in its raw unit, and the time of measurement [s]; a servo at
        rest is no longer monitored.
        """
        if servo not in self._per_radian:
            return
        seen = self._seen[servo]
        seen.append((measured_at, raw))
        recent = [position for time, position in seen if time >= measured_at - STANDS_FOR]
        is_measured_long_enough = (
            measured_at - self._began >= STANDS_FOR
            and len(recent) > 1
            and seen[0][0] <= measured_at - STANDS_FOR
        )
        if is_measured_long_enough and max(recent) - min(recent) <= abs(STANDS * self._per_radian[servo]):
            self.forget((servo,))

    def is_watching(self, time: float) -> bool:
        """Whether any servo is still being monitored at `time` [s]."""
        return bool(self._per_radian) and time - self._began <= WATCHED_FOR

    def end_if_over(self, time: float) -> None:
        """Stop monitoring all servos if, at `time` [s], WATCHED_FOR has passed since it began."""
        if time - self._began > WATCHED_FOR:
            self.forget(tuple(self._per_radian))

    def went_on(self) -> list[int]:
        """Ids of monitored servos that have kept rotating; they are no longer monitored."""
        rotating = []
        for servo, seen in self._seen.items():
            late = [position for time, position in seen if time >= self._began + SWINGS_FOR]
            if late and abs(late[-1] - late[0]) > abs(WENT_ON * self._per_radian[servo]):
                rotating.append(servo)
        self.forget(rotating)
        return rotating
