"""Checks of servos before and while they get torque. Independent of ports and clocks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ...device import Device
from ...errors import DeviceError
from ...protocols.servo_state import GoalMeaning, StoredSettings
from ...safety import Fault
from .servo_channels import ServoChannels
from .servo_positions import ServoPositions
from .stored_ranges import other_offsets, shortened

# [rad of the servo] largest difference between readings without and with torque, 10 degrees. Beyond it, the
# servo has reset its count of revolutions, or was moved
JUMPED = 0.17
NARROWER = (
    "Limits stored in the servos are narrower than the ranges here and stay: {joints}."
    " Import the robot's calibration, or widen the limits with its maker's tool"
)


class PlanFailed(Exception):  # noqa: N818  # not an error of the program, but of a servo
    """A check of servos failed, and with it the sequence of commands (plan) that it belongs to.

    Attributes:
        fault: The fault to report.
        detail: Text that completes the fault's sentence.
        release: Ids of servos whose torque must be switched off.
    """

    def __init__(self, fault: Fault, detail: str, release: Collection[int] = ()) -> None:
        super().__init__(detail)
        self.fault = fault
        self.detail = detail
        self.release = frozenset(release)


class ArmChecks:
    """The checks of one connection.

    The methods that begin with `check`, and `goals_at_present_position`, raise PlanFailed.

    Args:
        channels: The device's channels.
        positions: Measured positions.

    Attributes:
        settings: Stored settings that servos reported, by id.
        lost_settings: Volatile settings that servos have lost, as text by id.
    """

    def __init__(self, channels: ServoChannels, positions: ServoPositions) -> None:
        self._channels = channels
        self._positions = positions
        self.settings: dict[int, StoredSettings] = {}
        self.lost_settings: dict[int, str] = {}

    @property
    def lost_settings_text(self) -> str:
        """`lost_settings` as text for a sentence; empty if no setting is lost."""
        return "; ".join(
            f"{self._channels.name(servo)}: {text}" for servo, text in self.lost_settings.items()
        )

    @property
    def unsuitable(self) -> set[int]:
        """Servos that must not be driven because of their stored settings."""
        return {servo for servo, settings in self.settings.items() if settings.refusal}

    def check_settings(self, servos: Sequence[int]) -> None:
        """Check that every servo has reported its settings, and that it can be driven to positions with
        them.
        """
        if missing := [servo for servo in servos if servo not in self.settings]:
            raise PlanFailed(
                Fault.POSE_UNREAD, f"{self._channels.names(missing)} did not report its settings"
            )
        self.check_modes(servos)

    def check_modes(self, servos: Sequence[int]) -> None:
        """Check that no servo has reported settings with which it must not be driven."""
        if wrong := [
            f"{self._channels.name(servo)}: {self.settings[servo].refusal}"
            for servo in servos
            if servo in self.unsuitable
        ]:
            raise PlanFailed(Fault.WRONG_MODE, "; ".join(wrong))

    def changed_meaning(self, meaning: GoalMeaning) -> tuple[Fault, str] | None:
        """(fault, detail) if the meaning of goals for an armed servo has changed since it was armed, or it
        refuses goals, which `settings` then records; else None, also for a servo without known settings.
        """
        known = self.settings.get(meaning.servo)
        if known is None:
            return None
        name = self._channels.name(meaning.servo)
        if meaning.refusal:
            self.settings[meaning.servo] = replace(known, refusal=meaning.refusal)
            return Fault.WRONG_MODE, f"{name}: {meaning.refusal}"
        if meaning.homing_offset != known.homing_offset:
            return (
                Fault.OTHER_CALIBRATION,
                f"{name}: its homing offset is {meaning.homing_offset}, and was {known.homing_offset}",
            )
        return None

    def check_calibration(self) -> None:
        """Check that servos store the homing offsets of their calibration, and limits within which their
        joints can move.
        """
        if other := other_offsets(self._channels.device, self.settings):
            raise PlanFailed(Fault.OTHER_CALIBRATION, other)
        try:
            self._channels.within_own_limits(self.settings)
        except DeviceError as error:
            raise PlanFailed(Fault.OTHER_CALIBRATION, str(error)) from error

    def compare_calibration(self) -> tuple[Device, tuple[str, ...]]:
        """The device within the limits that servos store, and warnings about limits and homing offsets that
        differ from it. `check_calibration` decides whether the robot may be armed.
        """
        device = limited = self._channels.device
        try:
            limited = self._channels.within_own_limits(self.settings)
            shorter = shortened(device, limited)
            narrower = NARROWER.format(joints=shorter) if shorter else ""
        except DeviceError as error:
            narrower = str(error)
        return limited, tuple(text for text in (narrower, other_offsets(device, self.settings)) if text)

    def goals_at_present_position(self, servos: Sequence[int], since: float) -> dict[int, int]:
        """Raw position of each servo, measured since `since` [s], after checking that the servo accepts it as
        a goal without moving.
        """
        measured = self._positions.since(since)
        if unread := [servo for servo in servos if servo not in measured]:
            raise PlanFailed(Fault.POSE_UNREAD, f"{self._channels.names(unread)} did not report its position")
        bounds = {servo: settings.bounds for servo, settings in self.settings.items()}
        if beyond := [
            text
            for servo in servos
            if (text := self._channels.why_no_goal(servo, measured[servo], bounds.get(servo)))
        ]:
            raise PlanFailed(Fault.POSITION_DOUBTFUL, "; ".join(beyond))
        return {servo: measured[servo] for servo in servos}

    def check_limits_kept(self) -> None:
        """Check that no servo has reported the loss of a volatile setting."""
        if self.lost_settings:
            raise PlanFailed(Fault.SERVO_FORGOT, self.lost_settings_text)

    def check_unmoved(self, before: Mapping[int, int]) -> None:
        """Check that no servo's raw position with torque differs by more than JUMPED from that without
        torque; `before`: the latter, by id.
        """
        after = self._positions.newest
        jumped = [
            servo
            for servo, raw in before.items()
            if abs(after[servo] - raw) > abs(self._channels.raw_rotation(servo, JUMPED))
        ]
        if jumped:
            texts = (
                f"{self._channels.name(servo)} read {before[servo]} without torque and {after[servo]} with it"
                for servo in jumped
            )
            raise PlanFailed(Fault.POSITION_DOUBTFUL, "; ".join(texts), jumped)
