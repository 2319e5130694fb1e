"""Distributes servos' messages to the objects that need them, and recognises faults. Independent of ports
and clocks.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...protocols.interface import (
    Identified,
    Measured,
    Message,
    OtherSetting,
    Quantity,
    ReportedError,
)
from ...protocols.servo_state import GoalMeaning, LostSetting, StoredSettings
from ...safety import Fault
from .arm_checks import ArmChecks
from .servo_channels import ServoChannels
from .servo_diagnostics import ServoDiagnostics
from .servo_positions import ServoPositions
from .servo_silence import ServoSilence
from .standstill_monitor import StandstillMonitor


class ServoFeedback:
    """Distributes the messages of one connection's servos.

    Args:
        channels: The device's channels.
        positions: Receives measured positions.
        standstill: Receives measured positions too.
        diagnostics: Receives other readings, and servos' models.
        checks: Receives servos' stored settings, and settings that they have lost.
        silence: Receives all messages.
    """

    def __init__(
        self,
        channels: ServoChannels,
        positions: ServoPositions,
        standstill: StandstillMonitor,
        diagnostics: ServoDiagnostics,
        checks: ArmChecks,
        silence: ServoSilence,
    ) -> None:
        self._channels = channels
        self._positions = positions
        self._standstill = standstill
        self._diagnostics = diagnostics
        self._checks = checks
        self._silence = silence

    def take(
        self, messages: Sequence[Message], time: float, is_armed: bool, is_arming: bool
    ) -> list[tuple[Fault, str]]:
        """Record messages; returns the faults that they indicate, as (fault, detail).

        Args:
            messages: Messages that arrived.
            time: Time of their arrival [s].
            is_armed: Whether the servos are armed.
            is_arming: Whether they are armed or being armed.
        """
        self._silence.take(messages, time)
        faults = []
        for message in messages:
            self._record(message, time)
            if fault := self._fault_of(message, is_armed, is_arming):
                faults.append(fault)
        return faults

    def _record(self, message: Message, time: float) -> None:
        match message:
            case Measured(servo, Quantity.POSITION, raw) if servo in self._channels.servos:
                self._positions.take(servo, raw, time)
                self._standstill.take(servo, raw, time)
            case Measured():
                self._diagnostics.take(message)
            case Identified():
                self._diagnostics.identify(message)
            case StoredSettings():
                self._checks.settings[message.servo] = message
            case LostSetting(servo, text):
                self._checks.lost_settings[servo] = text

    def _fault_of(self, message: Message, is_armed: bool, is_arming: bool) -> tuple[Fault, str] | None:
        """(fault, detail) that a message indicates; None if it indicates none. `is_armed`, `is_arming` as for
        `take`.
        """
        match message:
            case OtherSetting(text):
                return Fault.UNSUITABLE, text
            case GoalMeaning() if is_armed:
                return self._checks.changed_meaning(message)
            case LostSetting() if is_armed:
                return Fault.SERVO_FORGOT, self._checks.lost_settings_text
            case ReportedError(servo, text) if is_arming:
                return Fault.DEVICE_REFUSED, f"{self._channels.name(servo)}: {text}"
        return None
