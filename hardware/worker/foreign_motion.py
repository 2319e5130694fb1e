"""Detects that something else than Limber moves a robot whose controller takes orders from every program. Knows no Blender."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

RECENT = 0.4  # [s] a controller's delay and a motor's lag behind its command
STRAY = 0.087  # [rad] 5 degrees from all that was commanded lately: more than a load bends a motor that holds
OFTEN = 5  # measurements astray in a second: another program's orders alternate with Limber's
WITHIN = 1.0  # [s]
STILL = 0.02  # [rad] 1 degree in `RECENT`: less is noise


class ForeignMotion:
    """Compares motors' measured angles with the commanded ones, by motor."""

    def __init__(self) -> None:
        self._commanded: deque[tuple[float, Mapping[int, float]]] = deque()
        self._measured: deque[tuple[float, Mapping[int, float]]] = deque()
        self._astray: dict[int, deque[float]] = {}

    def forget(self) -> None:
        """Restart: what moves the robot from now on is Limber."""
        self._commanded.clear()
        self._astray.clear()

    def command(self, now: float, angles: Mapping[int, float]) -> None:
        """Record the motors' commands at `now` [s]."""
        self._commanded.append((now, angles))
        while len(self._commanded) > 1 and self._commanded[1][0] < now - RECENT:
            self._commanded.popleft()

    def measure(self, now: float, angles: Mapping[int, float]) -> None:
        """Record where motors are at `now` [s]."""
        self._measured.append((now, angles))
        while self._measured[0][0] < now - RECENT:
            self._measured.popleft()
        for motor in self._commanded[-1][1] if self._commanded else ():
            told = [goals[motor] for _, goals in self._commanded if motor in goals]
            if not min(told) - STRAY <= angles[motor] <= max(told) + STRAY:
                self._astray.setdefault(motor, deque(maxlen=OFTEN)).append(now)

    def strayed(self, now: float) -> tuple[int, ...]:
        """Motors whose angles often deviated from their commands in the last second."""
        return tuple(motor for motor, times in sorted(self._astray.items()) if len(times) == OFTEN and now - times[0] < WITHIN)

    def is_moving(self, now: float) -> bool:
        """Whether any motor has moved lately."""
        recent = [angles for at, angles in self._measured if at >= now - RECENT]
        return any(max(found) - min(found) > STILL for motor in (recent[0] if recent else ()) if (found := [one[motor] for one in recent]))
