"""Detects servos, or a whole line, that do not answer. Independent of ports and clocks."""

from __future__ import annotations

from collections.abc import Sequence

from ...protocols.interface import Identified, Message, Problem, ProblemKind
from ...safety import Fault
from ..connection import GREET_FOR, SILENT_AFTER
from .servo_channels import ServoChannels
from .servo_positions import ServoPositions

# largest number of damaged or foreign messages before any servo has answered; more mean another protocol
NOISY = 3


class ServoSilence:
    """Measures how long the servos of one connection have not answered.

    Args:
        channels: The device's channels.
        positions: Measured positions; None if the servos do not measure.
        time: Current time [s].

    Attributes:
        began: Time [s] from which silence is counted.
        absent: Sentence about the servos that did not answer the last plan that failed; empty if none has
            failed.
        has_answer: Whether any servo, or the controller, has identified itself.
    """

    def __init__(self, channels: ServoChannels, positions: ServoPositions | None, time: float) -> None:
        self.began = time
        self.absent = ""
        self._channels = channels
        self._positions = positions
        self._heard_at = time
        self._noise = 0
        self.has_answer = False

    def restart(self, time: float) -> None:
        """Measure silence from `time` [s] on."""
        self.began = self._heard_at = time

    def take(self, messages: Sequence[Message], time: float) -> None:
        """Record messages that arrived at `time` [s]."""
        if any(not isinstance(message, Problem) for message in messages):
            self._heard_at = time
        self.has_answer = self.has_answer or any(isinstance(message, Identified) for message in messages)
        self._noise += sum(
            isinstance(message, Problem) and message.kind is not ProblemKind.MISSING for message in messages
        )

    def while_connecting(self, time: float) -> tuple[Fault, str] | None:
        """(fault, detail) if servos have not all answered in time; else None."""
        if time - self.began <= GREET_FOR:
            return None
        if self.has_answer:
            return Fault.UNSUITABLE, self.absent
        return Fault.OTHER_PROTOCOL if self._noise > NOISY else Fault.SILENT, ""

    def while_connected(self, time: float, is_armed: bool, answers_checks: bool) -> tuple[Fault, str] | None:
        """(fault, detail) if a servo has been silent for too long; else None.

        Args:
            time: Current time [s].
            is_armed: Whether the silence of a single servo is a fault.
            answers_checks: Whether servos that do not measure answer queries for errors.
        """
        if self._positions is None:
            return (Fault.SILENT, "") if answers_checks and time - self._heard_at > SILENT_AFTER else None
        if time - self.began <= SILENT_AFTER:
            return None
        silent = self._positions.silent(self._channels.servos, time - SILENT_AFTER)
        if len(silent) == len(self._channels.servos):
            return Fault.SILENT, ""
        detail = ", ".join(f"{self._channels.name(servo)} does not answer" for servo in silent)
        return (Fault.DEVICE_REFUSED, detail) if silent and is_armed else None
