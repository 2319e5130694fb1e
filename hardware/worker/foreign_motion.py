"""Detects motion of a robot that Limber did not command, since its controller accepts commands from every
program.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

RECENT = 0.4  # [s] age of commands that a motor may still follow: the controller's delay and the motor's lag
# [rad] 5 degrees: distance from the range of recent commands above which a measurement is stray; a load
# deflects a holding motor by less
STRAY = 0.087
OFTEN = 5  # number of stray measurements within WITHIN that show another program's commands
WITHIN = 1.0  # [s] time in which stray measurements are counted
STILL = 0.02  # [rad] 1 degree: motion within RECENT up to which a motor counts as still


class ForeignMotion:
    """Detects motion that another program commands: compares each motor's measured angles with those that
    Limber has commanded within RECENT.
    """

    def __init__(self) -> None:
        self._commanded: deque[tuple[float, Mapping[int, float]]] = deque()
        self._measured: deque[tuple[float, Mapping[int, float]]] = deque()
        self._astray: dict[int, deque[float]] = {}

    def forget(self) -> None:
        """Forget commands and stray measurements, since from now on all motion should follow Limber's
        commands. Measured angles are kept for `is_moving`.
        """
        self._commanded.clear()
        self._astray.clear()

    def command(self, time: float, angles: Mapping[int, float]) -> None:
        """Record the commanded angles [rad] at `time` [s], by the motors' ids."""
        self._commanded.append((time, angles))
        while len(self._commanded) > 1 and self._commanded[1][0] < time - RECENT:
            self._commanded.popleft()

    def measure(self, time: float, angles: Mapping[int, float]) -> None:
        """Record the measured angles [rad] at `time` [s], by the motors' ids, and which of them are stray."""
        self._measured.append((time, angles))
        while self._measured[0][0] < time - RECENT:
            self._measured.popleft()
        for motor in self._commanded[-1][1] if self._commanded else ():
            commanded = [goals[motor] for _, goals in self._commanded if motor in goals]
            if not min(commanded) - STRAY <= angles[motor] <= max(commanded) + STRAY:
                self._astray.setdefault(motor, deque(maxlen=OFTEN)).append(time)

    def strayed(self, time: float) -> tuple[int, ...]:
        """Motors with OFTEN measurements farther than STRAY from the range of recently commanded angles, all
        within WITHIN before `time` [s].
        """
        return tuple(
            motor
            for motor, times in sorted(self._astray.items())
            if len(times) == OFTEN and time - times[0] < WITHIN
        )

    def is_moving(self, time: float) -> bool:
        """Whether any motor has moved by more than STILL in the time RECENT before `time` [s]."""
        recent = [angles for at, angles in self._measured if at >= time - RECENT]
        return any(
            max(motor_angles) - min(motor_angles) > STILL
            for motor in (recent[0] if recent else ())
            if (motor_angles := [sample[motor] for sample in recent])
        )
