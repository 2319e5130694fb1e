"""A connection in Limber's own protocol: handshake, configuration, requests, moves and their answers.

docs/protocol.md defines the bytes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..device import Device
from ..protocols import limber
from ..safety import Fault
from ..transport import Transport
from .configuration import configurations
from .connection import (
    AWAY,
    GREET_FOR,
    LONGEST_MOVE_INTERVAL,
    MOST_WAITING,
    POLL_EVERY,
    POSE_FRESH,
    READ_EVERY,
    SILENT_AFTER,
    TOO_SLOW,
    Connection,
    Moves,
    Raw,
)
from .connection_state import BOARD_TRANSITIONS, ConnectionState, DesiredState

# [s] time between HELLO messages: an Uno resets when its port is opened, and receives nothing for up to two
# seconds
GREET_EVERY = 0.25
# [s] time until an unanswered request is repeated: an answer takes 3 ms, by a slow adapter 20 ms
REPEAT_AFTER = 0.1
LINE_SHARE = 0.8  # largest share of the line's capacity for moves, and for their reports
REPORT_BYTES = 17  # [bytes] upper bound of the frame of a report without its positions
NOISE = 16  # [bytes] largest noise that may come from a board's reset; more count as another protocol


class LimberConnection(Connection):
    """A connection to a board with Limber's firmware.

    Args:
        device: The robot's description.
        transport: An open port; closed with `close`.
        session: Number of this connection, 1 to 65535, other than that of the connection before, so that
            answers to an older connection are recognised.
        period: Time between two steps of the worker [s].
        moves: The statistics of moves and their acknowledgements.
        time: Current time [s].
    """

    def __init__(
        self, device: Device, transport: Transport, session: int, period: float, moves: Moves, time: float
    ) -> None:
        super().__init__(device, transport, BOARD_TRANSITIONS, moves, time)
        self.welcome: limber.Welcome | None = None
        self.report: limber.DeviceReport | None = None
        self._session = session
        self._period = period
        self._decoder = limber.FrameDecoder()
        self._configurations = configurations(device)
        self._reported_at = -math.inf
        self._unanswered_since: float | None = None
        self._listened_at = time
        self._sequence = 0
        self._configured = 0
        self._request: int | None = None  # sequence number of the request that waits for its answer
        self._requested_at = -math.inf
        self._greeted_at = -math.inf
        self._periods_to_move = 0

    @property
    def measures(self) -> bool:
        return self.welcome is not None and limber.Features.FEEDBACK in self.welcome.features

    def measured(self) -> Raw:
        return _by_channel(self._device, () if self.report is None else self.report.measured_us)

    def pose(self, time: float) -> Raw:
        if self.report is None or time - self._reported_at > POSE_FRESH:
            return (None,) * len(self._device.channels)
        return _by_channel(
            self._device, self.report.measured_us if self.measures else self.report.commanded_us
        )

    def _requested(self, before: ConnectionState) -> None:
        if self.state is before and self._desired is DesiredState.ARMED:
            return  # no request is needed: each move has the channels that it drives
        self._request = None
        self._requested_at = -math.inf
        self._periods_to_move = 0

    def listen(self, time: float) -> None:
        data = self._receive()
        if data is None:
            return
        if self._unanswered_since is not None and time - self._listened_at > AWAY:
            # after its own delay the worker cannot know whether the device was silent
            self._unanswered_since = time
        self._listened_at = time
        for frame in self._decoder.feed(data):
            self._unanswered_since = None
            match frame.message:
                case limber.Welcome() as welcome:
                    self._greeted(welcome)
                case limber.WrongVersion() as wrong:
                    self.fail(Fault.OTHER_VERSION, wrong.sentence())
                case limber.DeviceReport() as report:
                    self._take(report, None if report.answers is None else frame.sequence, time)
                case _:
                    pass  # frames of later versions, and echoes of our own, are ignored
        self._watch_silence(time)

    def move(self, time: float, raw: Sequence[float | None]) -> None:
        self._periods_to_move -= 1
        if (
            self._periods_to_move > 0
            or self._moves.waiting >= MOST_WAITING
            or self.welcome is None
            or not self.armed
        ):
            return
        self._periods_to_move = _periods_per_move(self._device, self.welcome, self._period)
        taken = self._send(
            move_to(self._device, self.welcome, raw, self._periods_to_move * self._period), time
        )
        self._moves.send(self._sequence, time, taken)

    def speak(self, time: float) -> None:
        if not self.alive:
            return
        # STOP needs no session, so that it does not wait for the greeting
        if self.state is ConnectionState.STOPPING:
            self._ask(limber.Stop(), time)
        elif self.welcome is None:
            if time - self._greeted_at >= GREET_EVERY:
                self._greeted_at = time
                self._send(limber.Hello(self._session), time)
        elif not self._is_set_up and not (
            self.report and self.report.state is not limber.DeviceState.DISARMED
        ):
            # the device refuses CONFIGURE unless it is disarmed, which it is not after a STOP
            self._ask(self._configurations[self._configured], time)
        elif self.state is ConnectionState.ARMING:
            self._ask(limber.Arm(self._session), time)
        elif self.state in (ConnectionState.DISARMING, ConnectionState.RELEASING):
            self._ask(limber.Disarm(self.state is ConnectionState.RELEASING), time)
        elif not self.armed and time - self._requested_at >= (
            READ_EVERY if self.state is ConnectionState.LIMP else POLL_EVERY
        ):
            self._request = None
            self._ask(limber.Poll(), time)

    def acknowledge_fault(self, time: float) -> None:
        if self.alive:
            self.fault_report = None
            self._began = time
            self._unanswered_since = None

    def close(self, time: float) -> None:
        self._moves.give_up()
        if self.welcome is not None and self.state is ConnectionState.STOPPING:
            self._send(limber.Stop(), time)
        elif self.welcome is not None and self._desired is not DesiredState.STOPPED:
            self._send(limber.Disarm(), time)
        self._transport.close()

    @property
    def _is_set_up(self) -> bool:
        return self.welcome is not None and self._configured == len(self._device.channels)

    def _ask(self, message: limber.Message, time: float) -> None:
        """Send a request, unless one was sent within the last REPEAT_AFTER and still waits for its answer."""
        if self._request is None or time - self._requested_at >= REPEAT_AFTER:
            self._requested_at = time
            self._send(message, time)
            self._request = self._sequence

    def _send(self, message: limber.Message, time: float) -> bool:
        self._sequence = (self._sequence + 1) & 0xFF
        if self._unanswered_since is None:
            self._unanswered_since = time
        return self._transmit(limber.encode(message, self._sequence))

    def _greeted(self, welcome: limber.Welcome) -> None:
        if self.welcome is not None or welcome.session != self._session:
            return  # the message answers a HELLO of another session, or a repeated one of this session
        unsuitable = _why_unsuitable(self._device, welcome, self._period)
        if unsuitable is not None:
            self.fail(Fault.UNSUITABLE, unsuitable)
            return
        self.welcome = welcome
        self._request = None

    def _take(self, report: limber.DeviceReport, answered: int | None, time: float) -> None:
        self.report = report
        self._reported_at = time
        if self.welcome is None:
            return
        if report.session != self._session:
            self._lose_session(time)
            return
        if answered is not None and self._moves.is_waiting(answered):
            self._moves.answer(answered, report.result == limber.DeviceResult.ACCEPTED, time)
        elif answered is not None and answered == self._request:
            self._request = None
            self._answered(report)
        self._check(report)

    def _lose_session(self, time: float) -> None:
        """Handle the loss of the session, because the device restarted or another program connected: open a
        new one and, if the robot should be armed, report a fault. Unanswered moves count as lost.
        """
        if self._desired is DesiredState.ARMED:
            self.fail(Fault.DEVICE_RESET, "")
        self.welcome = None
        self._configured = 0
        self._confirm(False)
        self._greeted_at = -math.inf
        self._began = time
        self._moves.give_up()

    def _answered(self, report: limber.DeviceReport) -> None:
        """Process the answer to the pending request: it may confirm the desired state, count a channel as
        configured, or be a fault.
        """
        accepted = report.result == limber.DeviceResult.ACCEPTED
        match report.answers:
            case limber.MessageKind.CONFIGURE if accepted:
                self._configured += 1
            case limber.MessageKind.CONFIGURE:
                channel = self._device.channels[self._configured].label
                self.fail(
                    Fault.UNSUITABLE, f"it refused the range of {channel}: {_result_name(report.result)}"
                )
            case limber.MessageKind.ARM:
                self._confirm(accepted)
                if not accepted:
                    self.fail(Fault.DEVICE_REFUSED, f"it refused to arm: {_result_name(report.result)}")
            case _:
                at_rest = report.state is limber.DeviceState.DISARMED or (
                    self._desired is DesiredState.STOPPED and report.state is limber.DeviceState.FAULT
                )
                self._confirm(at_rest and self._desired is not DesiredState.ARMED)

    def _check(self, report: limber.DeviceReport) -> None:
        """Fail if the device reports a hardware error or, while it should be armed, another state."""
        if limber.Reason.HARDWARE in report.reasons:
            self.fail(Fault.DEVICE_REFUSED, "its supply or a servo is unwell")
        elif not self.armed or report.state is limber.DeviceState.ARMED:
            return
        elif report.state is limber.DeviceState.HOLDING:
            self.fail(Fault.DEVICE_WATCHDOG, "")
        elif report.state is limber.DeviceState.FAULT:
            self.fail(Fault.DEVICE_REFUSED, "it was stopped at the device")
        else:
            self.fail(Fault.DEVICE_REFUSED, "it disarmed itself")

    def _watch_silence(self, time: float) -> None:
        if self.welcome is None:
            if time - self._began > GREET_FOR and self._unanswered_since is not None:
                noisy = self._decoder.noise > NOISE
                self.fail(Fault.OTHER_PROTOCOL if noisy else Fault.SILENT, "")
        elif self._unanswered_since is not None and time - self._unanswered_since > SILENT_AFTER:
            self._moves.give_up()
            self.fail(Fault.SILENT, "")


def _why_unsuitable(device: Device, welcome: limber.Welcome, period: float) -> str | None:
    """Why the device that sent `welcome` cannot drive the channels of `device`; None if it can."""
    highest = max(device.channels, key=lambda channel: channel.servo)
    if highest.servo >= welcome.channels:
        return f"it has {welcome.channels} servos, counted from 0, and {highest.label} is beyond"
    for channel in device.channels:
        if channel.lowest < welcome.lowest_us or channel.highest > welcome.highest_us:
            return (
                f"its pulses go from {welcome.lowest_us:g} to {welcome.highest_us:g} us,"
                f" those of {channel.label} from {channel.lowest:g} to {channel.highest:g}"
            )
    if _periods_per_move(device, welcome, period) * period > LONGEST_MOVE_INTERVAL:
        return TOO_SLOW.format(device.baudrate, welcome.channels)
    return None


def _periods_per_move(device: Device, welcome: limber.Welcome, period: float) -> int:
    """Number of the worker's periods between two moves, so that moves and reports do not exceed the line's
    capacity.
    """
    numbers = 2 if limber.Features.FEEDBACK in welcome.features else 1
    bits = 10 * (REPORT_BYTES + 2 * numbers * welcome.channels)
    return math.ceil(bits / device.baudrate / LINE_SHARE / period)


def move_to(
    device: Device, welcome: limber.Welcome, raw: Sequence[float | None], interval: float
) -> limber.Move:
    """The message that commands the pulses `raw` (channels,) [us], to be reached in `interval` [s] if the
    device interpolates, else at once; None for a channel without a goal.
    """
    positions: list[float | None] = [None] * (max(channel.servo for channel in device.channels) + 1)
    for channel, position in zip(device.channels, raw, strict=True):
        positions[channel.servo] = position
    interpolates = limber.Features.INTERPOLATION in welcome.features
    return limber.Move(tuple(positions), round(1000 * interval) if interpolates else 0)


def _by_channel(device: Device, pulses: Sequence[float | None]) -> tuple[float | None, ...]:
    """Pulse of each channel (channels,) [us] from a report's pulses by servo; None for a servo without a
    pulse.
    """
    known = dict(enumerate(pulses))
    return tuple(known.get(channel.servo) for channel in device.channels)


def _result_name(result: int) -> str:
    """Name of a result code, as text."""
    return (
        limber.DeviceResult(result).name.lower().replace("_", " ")
        if result in list(limber.DeviceResult)
        else f"result {result}"
    )
