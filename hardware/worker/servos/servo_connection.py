"""A connection to servos, or to a controller of servos, in any protocol: queries, arming, goals, feedback.

The states are in `connection_state`, the sequences of commands in `servo_plans`, and the checks before arming
in `arm_checks`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ...device import Device
from ...errors import HardwareError
from ...protocols.dialogue import PATIENT, Dialogue
from ...protocols.interface import Codec, Exchange, Measured, Message, ProtocolError
from ...safety import Fault
from ...transport import Transport
from ..connection import AWAY, POLL_EVERY, POSE_FRESH, READ_EVERY, Connection, Moves, Raw, Readings
from ..connection_state import PENDING, SERVO_TRANSITIONS, ConnectionState, DesiredState
from .arm_checks import ArmChecks, PlanFailed
from .plan_execution import PlanExecution, PlanOutcome
from .servo_channels import ServoChannels
from .servo_diagnostics import ServoDiagnostics
from .servo_feedback import ServoFeedback
from .servo_goals import ServoGoals
from .servo_plans import WATCHDOG, Plan, ServoPlans
from .servo_positions import ServoPositions
from .servo_silence import ServoSilence
from .standstill_monitor import StandstillMonitor

EARLY = 1e-3  # [s] time by which a step of the worker may be early, or a time be rounded
# [s] longest wait for an answer while servos follow goals: a lost answer does not delay goals for longer
HURRIED = 0.05
AGAIN = 0.3  # [s] time after a plan that failed until it is repeated, in which positions are read
ARMING_STATES = (ConnectionState.ARMING, ConnectionState.ARMED)


class ServoConnection(Connection):
    """A connection to servos of one protocol.

    Args:
        device: The robot's description.
        transport: An open port; closed with `close`.
        codec: Codec of the device's protocol.
        moves: The statistics of moves and their acknowledgements.
        time: Current time [s].
    """

    def __init__(self, device: Device, transport: Transport, codec: Codec, moves: Moves, time: float) -> None:
        super().__init__(device, transport, SERVO_TRANSITIONS, moves, time)
        self.state = ConnectionState.DISARMED  # connecting moves nothing, so nothing needs to be sent
        self._codec = codec
        self._can = codec.capabilities
        self._channels = ServoChannels(device, codec)
        self._servos = self._channels.servos
        self._diagnostics = ServoDiagnostics(device, codec)
        self._dialogue = Dialogue(codec.decoder(), device.baudrate)
        self._dialogue.patience = PATIENT
        self._positions = ServoPositions()
        self._checks = ArmChecks(self._channels, self._positions)
        self._goals = ServoGoals(self._channels, self._can.releases)
        self._plans = ServoPlans(codec, self._channels, self._checks, self._goals)
        self._standstill = StandstillMonitor()
        self._calibration_remarks: tuple[str, ...] = ()
        self._is_release_due = False  # whether servos that lose their torque have not answered their release
        self._failed_at: float | None = None  # [s] time at which a plan failed; None since one succeeded
        self._kept_turning: list[int] = []  # servos that did not come to rest after their motion was ended
        self._silence = ServoSilence(self._channels, self._positions if self._can.measures else None, time)
        self._feedback = ServoFeedback(
            self._channels, self._positions, self._standstill, self._diagnostics, self._checks, self._silence
        )
        self._identified = False
        self._execution: PlanExecution | None = None
        self._on_done: Callable[[float], None] = self._connected
        self._polled_at = -math.inf
        self._sent_at = self._listened_at = time
        self._move = 0
        unsuitable = self._channels.why_unsuitable()
        if unsuitable is not None:
            self.fail(Fault.UNSUITABLE, unsuitable)

    @property
    def measures(self) -> bool:
        return self._can.measures

    @property
    def releases(self) -> bool:
        return self._can.releases

    @property
    def _is_set_up(self) -> bool:
        return self._identified

    def measured(self) -> Raw:
        return self._channels.raw(self._positions.newest)

    def pose(self, time: float) -> Raw:
        return self._channels.raw(
            self._positions.since(time - POSE_FRESH) if self._can.measures else self._goals.held
        )

    @property
    def is_disarmed(self) -> bool:
        is_at_work = self._execution is not None or self._standstill.is_watching(self._listened_at)
        return super().is_disarmed and not self._is_release_due and not is_at_work

    @property
    def remarks(self) -> tuple[str, ...]:
        went_on = "went on turning after Stop and was made limp: check its operating mode"
        names = map(self._channels.name, self._kept_turning)
        absent = f"{self._silence.absent} and may have torque: check cable and power"
        unreleased = (absent,) if self._failed_at is not None and self._is_pending else ()
        return (*unreleased, *(f"{name} {went_on}" for name in names), *self._calibration_remarks)

    @property
    def homing_offsets(self) -> tuple[int | None, ...]:
        stored_settings = (self._checks.settings.get(servo) for servo in self._servos)
        return tuple(None if settings is None else settings.homing_offset for settings in stored_settings)

    def readings(self) -> Sequence[Readings]:
        return self._diagnostics.readings

    @property
    def _is_known(self) -> bool:
        """Whether the device has answered, or has no query to answer. Until then queries are not interrupted,
        and no commands are sent, which it might not understand.
        """
        return self._identified or self._silence.has_answer

    def _requested(self, before: ConnectionState) -> None:
        if not self._is_known:
            return
        self._execution, self._failed_at = None, None
        is_due = self._is_release_due or before is ConnectionState.DISARMING
        self._is_release_due = is_due and self.state is ConnectionState.RELEASING
        if self.state in (ConnectionState.ARMING, ConnectionState.RELEASING):
            self._standstill.forget(self._channels.servos_of(self._channels_meant))
        self._dialogue.patience = PATIENT
        self._dialogue.interrupt(())

    def listen(self, time: float) -> None:
        data = self._receive()
        if data is None:
            return
        if self._identified and time - self._listened_at > AWAY:
            # after its own delay the worker cannot know whether the servos were silent
            self._silence.began = time
        self._listened_at = time
        self._exchange_bytes(data, time)
        self._watch_silence(time)

    def move(self, time: float, raw: Sequence[float | None]) -> None:
        """Send goal positions (channels,) to armed servos; None for no goal. Nothing is sent while an answer
        is missing or the line still transmits earlier bytes, since newer goals will follow. If the servos'
        watchdog must have timed out since the last goals, the connection fails.
        """
        if not self.armed or self._dialogue.busy or time < self._dialogue.line_free_at - EARLY:
            return
        if self._can.watchdog is not None and time - self._sent_at > WATCHDOG:
            self.fail(Fault.DEVICE_WATCHDOG, "")
            return
        goals = self._channels.goals(raw)
        # a servo's first goal arms it
        encode = self._codec.write if self._goals.sent.keys() >= goals.keys() else self._codec.arm
        if not self._ask(lambda: encode(goals)):
            return
        self._goals.sent.update(goals)
        self._sent_at = time
        self._dialogue.patience = HURRIED
        self._move = (self._move + 1) & 0xFFFF
        reads = self._can.measures and self._ask(self._plans.watch)
        self._check(time)
        self._moves.send(self._move, time, self._exchange_bytes(b"", time))
        if not reads:
            self._moves.answer(self._move, True, time)  # no answer will come

    def speak(self, time: float) -> None:
        if not self.alive:
            return
        if self.state is ConnectionState.STOPPING and self._is_known:
            self._stop(time)
        elif self.fault_report is not None and (self.state in ARMING_STATES or not self._identified):
            self._execution = None  # a fault ends the plan
        elif self._execution is not None:
            self._execute(time)
        elif not self._identified:
            self._begin(self._plans.connecting(), self._connected, time)
        elif self._is_pending and self._may_begin(time):
            self._start_plan(time)
        else:
            self._watch_standstill(time)
            if not self.armed:
                self._poll(time)
        self._exchange_bytes(b"", time)

    def acknowledge_fault(self, time: float) -> None:
        if self.alive:
            self.fault_report = None
            self._silence.restart(time)
            self._sent_at = time

    def close(self, time: float) -> None:
        self._moves.give_up()
        if self._identified and (self.state is ConnectionState.LIMP or not self.is_disarmed):
            self._dialogue.interrupt(())
            self._ask(lambda: self._codec.stop({}, self._to_release))
            self._exchange_bytes(b"", time)
        if completion := self._dialogue.completion(time):
            self._transmit(completion)
        self._transport.close()

    @property
    def _is_pending(self) -> bool:
        """Whether servos have not answered what was requested, or their release after a stop."""
        return self.state in PENDING.values() or self._is_release_due

    def _may_begin(self, time: float) -> bool:
        """Whether a plan may begin: a failed one only after positions were read, and held servos watched."""
        failed = self._failed_at
        return failed is None or (time - failed > AGAIN and not self._standstill.is_watching(time))

    def _start_plan(self, time: float) -> None:
        """Start the plan that leads from the pending state to the desired one, or a release after a stop."""
        requested_servos = self._channels.servos_of(self._channels_meant)
        match self.state:
            case ConnectionState.ARMING:
                self._begin(self._plans.arming(requested_servos, time), self._armed, time)
            case ConnectionState.RELEASING:
                self._goals.release(requested_servos)  # at once: they are to be limp even if the plan fails
                self._begin(self._plans.ending(requested_servos), lambda time: self._confirm(), time)
            case ConnectionState.DISARMING:
                if self._failed_at is None:
                    self._begin_standstill_watch(time)
                self._begin(self._plans.ending(self._to_release), lambda time: self._confirm(), time)
            case _:
                self._release_all(time)

    def _connected(self, time: float) -> None:
        self._identified = True
        self._silence.restart(time)
        self.limited_device, self._calibration_remarks = self._checks.compare_calibration()

    def _armed(self, time: float) -> None:
        if not self._can.measures:
            self._goals.forget(self._goals.sent.keys() - self._goals.held.keys())
        self._confirm()
        self._sent_at = time
        self._goals.armed(self._channels.servos_of(self._channels_meant))
        self._kept_turning = []
        self.limited_device, self._calibration_remarks = self._checks.compare_calibration()

    def _stop(self, time: float) -> None:
        """Stop at once, even during an open query: servos with a goal hold their current position if it is
        known, or else that goal; servos to be released lose their torque. They do not answer the frames of a
        stop, which may be damaged, and so are released again by a plan that waits for their answers.
        """
        goals = {**self._goals.sent, **self._channels.near_goals(self._positions.since(time - POSE_FRESH))}
        release = self._to_release
        held = self._goals.sent.keys() - set(release)
        hold = {servo: raw for servo, raw in goals.items() if servo in held}
        self._execution = None
        self._dialogue.interrupt(())
        self._ask(lambda: self._codec.stop(hold, release))
        self._stopped()
        self._begin_standstill_watch(time)
        self._release_all(time)

    def _release_all(self, time: float) -> None:
        """Begin to release the servos that are to have no torque, which is due until they answer."""
        self._is_release_due = True
        self._begin(self._plans.ending(self._to_release), self._all_released, time)

    def _all_released(self, time: float) -> None:
        self._is_release_due = False

    def _begin(self, plan: Plan, on_done: Callable[[float], None], time: float) -> None:
        """Begin a plan instead of the last one; `on_done` is called with the time [s] of its end."""
        self._execution, self._on_done = PlanExecution(plan), on_done
        self._execute(time)

    def _execute(self, time: float) -> None:
        """Continue the plan until it waits for an answer; at its end call `_on_done` or report a fault."""
        execution, self._execution = self._execution, None
        assert execution is not None
        try:
            outcome = execution.advance(self._dialogue)
        except PlanFailed as failed:
            # servos are released at once, and again when the robot is disarmed
            if release := failed.release:
                self._goals.release(release)
                self._ask(lambda: self._codec.stop({}, release))
            self.fail(failed.fault, failed.detail)
            return
        except HardwareError as error:
            self.fail(Fault.UNSUITABLE, str(error))
            return
        match outcome:
            case PlanOutcome.GOING:
                self._execution = execution
            case PlanOutcome.DONE:
                self._failed_at = None
                self._on_done(time)
            case PlanOutcome.FAILED:
                since = self._failed_at if self._can.measures else None
                silent = [] if since is None else self._positions.silent(self._servos, since)
                # a plan ends at the first servo that does not answer
                missing = [*execution.missing, *(servo for servo in silent if servo not in execution.missing)]
                self._silence.absent = f"{self._channels.names(missing)} did not answer"
                is_first, self._failed_at = self._failed_at is None, time
                if self._identified and is_first:
                    is_arming = self._desired is DesiredState.ARMED
                    fault = Fault.POSE_UNREAD if is_arming else Fault.DEVICE_REFUSED
                    self.fail(fault, self._silence.absent)

    @property
    def _to_release(self) -> list[int]:
        return self._goals.to_release(self._checks.unsuitable)

    def _ask(self, encode: Callable[[], tuple[Exchange, ...]]) -> bool:
        """Queue the exchanges returned by `encode`; returns whether there are any. If `encode` raises, the
        connection fails.
        """
        try:
            exchanges = encode()
        except HardwareError as error:
            self.fail(Fault.UNSUITABLE, str(error))
            return False
        self._dialogue.ask(exchanges)
        return bool(exchanges)

    def _exchange_bytes(self, data: bytes, time: float) -> bool:
        """Process received bytes and send what is due; False if the port did not accept all."""
        try:
            sent, messages = self._dialogue.update(data, time)
        except ProtocolError as error:
            self.fail(Fault.UNSUITABLE, str(error))
            return False
        self._hear(messages, time)
        return not sent or self._transmit(sent)

    def _hear(self, messages: Sequence[Message], time: float) -> None:
        if self._execution is not None:
            self._execution.hear(messages)
        is_to_be_armed = self._desired is DesiredState.ARMED
        for fault, detail in self._feedback.take(messages, time, self.armed, is_to_be_armed):
            self.fail(fault, detail)
        if any(isinstance(message, Measured) for message in messages) and self._moves.is_waiting(self._move):
            self._moves.answer(self._move, True, time)

    def _begin_standstill_watch(self, time: float) -> None:
        if self._can.measures:
            release = self._to_release
            watched = [servo for servo in self._goals.sent if servo not in release]
            self._standstill.begin(
                time, {servo: self._channels.raw_rotation(servo, 1.0) for servo in watched}
            )

    def _watch_standstill(self, time: float) -> None:
        """Switch off the torque of servos that keep rotating after their motion was ended, even if they are
        set to hold; the connection then fails (WENT_ON).
        """
        rotating = self._standstill.went_on()
        self._standstill.end_if_over(time)  # only then, since a plan may outlast the monitoring
        if rotating:
            self._kept_turning = sorted({*self._kept_turning, *rotating})
            self._goals.release(rotating)
            self._release_all(time)
            self.fail(Fault.WENT_ON, self._channels.names(rotating))

    def _poll(self, time: float) -> None:
        is_often = self.state is ConnectionState.LIMP or self._standstill.is_watching(time)
        every = READ_EVERY if is_often else POLL_EVERY
        if time - self._polled_at < every - EARLY or self._dialogue.busy:
            return
        self._polled_at = time
        if self._can.measures:
            self._ask(self._plans.read_positions)
            self._ask(lambda: self._diagnostics.ask(time))
        else:
            self._check(time)

    def _check(self, time: float) -> None:
        """Query servos' errors and, while armed, their volatile settings, since goals are not answered."""
        servos = self._channels.servos_of(self._channels_meant)
        settings = self._plans.volatile_settings(servos) if self.armed else {}
        self._ask(lambda: self._diagnostics.check(time, settings))

    def _watch_silence(self, time: float) -> None:
        if not self._identified:
            fault = self._silence.while_connecting(time)
        elif self._execution is not None or self._is_pending:
            self._silence.began = time  # a plan detects missing answers itself; a release is repeated
            return
        else:
            is_armed = self._desired is DesiredState.ARMED
            fault = self._silence.while_connected(time, is_armed, self._diagnostics.is_answered)
        if fault is not None:
            if fault[0] is Fault.SILENT:
                self._moves.give_up()
            self.fail(*fault)
