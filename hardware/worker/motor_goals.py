"""Goals of Reachy Mini's motors, and the commands that send them."""

from __future__ import annotations

from collections.abc import Mapping

from ..protocols.reachy_mini import messages
from ..protocols.reachy_mini.capabilities import ANTENNAS, HEAD, LIMITS, angle


class MotorGoals:
    """Last goal of each motor."""

    def __init__(self) -> None:
        self._goals: dict[int, float] = {}
        self._antennas_sent: tuple[float, ...] = ()

    def take(self, goals: Mapping[int, float]) -> None:
        """Replace the goals [rad] of motors, given by id; each must be within its servo's limits."""
        self._goals.update(goals)

    def stay(self, angles: Mapping[int, float]) -> None:
        """Replace all goals by the motors' current `angles` [rad], clamped to their servos' limits."""
        self._goals = {motor: reachable(motor, motor_angle) for motor, motor_angle in angles.items()}

    def repeat_antennas(self) -> None:
        """Send the antennas' goals with the next commands, even if they are the same."""
        self._antennas_sent = ()

    def commands(self) -> tuple[str, ...]:
        """Commands for the goals: the head's always, the antennas' only if they have changed; empty before
        there are goals.
        """
        if not self._goals:
            return ()
        commands = (messages.head_joints([self._goals[motor] for motor in HEAD]),)
        antennas = tuple(self._goals[motor] for motor in ANTENNAS)
        if antennas == self._antennas_sent:
            return commands
        self._antennas_sent = antennas
        return (*commands, messages.antennas(antennas))


def reachable(motor: int, goal: float) -> float:
    """Angle [rad] nearest to `goal` [rad] that the motor's servo accepts."""
    lowest, highest = LIMITS[motor]
    return min(max(goal, angle(lowest)), angle(highest))
