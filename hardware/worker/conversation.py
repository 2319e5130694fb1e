"""One connection's talk with a device in Limber's own protocol: handshake, set-up, requests, moves and their answers. Knows no Blender.

It reads no clock: every call is told the time [s], so that tests run it in simulated time. The bytes are docs/protocol.md's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum

from ..device import Device
from ..protocols.limber import (
    Arm,
    Decoder,
    Disarm,
    Features,
    Hello,
    Kind,
    Message,
    Poll,
    Reason,
    Report,
    Result,
    State,
    Stop,
    Welcome,
    WrongVersion,
    encode,
)
from ..safety import Fault, Trouble
from ..transport import Transport, TransportError
from . import translation
from .moves import Moves

Angles = tuple[float | None, ...]

GREET_EVERY = 0.25  # [s] an Uno restarts when its port is opened and is deaf for up to two seconds
GREET_FOR = 5.0  # [s] until a port counts as silent
REPEAT_AFTER = 0.1  # [s] an answer takes 3 ms, through a lazy USB adapter 20 ms
POLL_EVERY = 0.05  # [s] while nothing moves: fresh positions, and a pulled cable is noticed
SILENT_AFTER = 0.5  # [s] without an answer: by then the device's own watchdog has ended the motion
POSE_FRESH = 0.25  # [s] positions older than this are not where the robot is
MOST_WAITING = 12  # moves without an answer: more must not queue up, or the robot would go on moving after a stop
COMPLAINTS = (Fault.DEVICE_RESET, Fault.DEVICE_WATCHDOG, Fault.DEVICE_REFUSED, Fault.POSE_UNREAD)  # the connection itself still works
NOISE = 16  # bytes that are no frame: fewer may be a restart's glitches, more are another protocol


class Want(Enum):
    """What the device is to do."""

    QUIET = "disarmed"
    ARMED = "armed"
    STOPPED = "stopped"


class Conversation:
    """A connection from its first greeting to its end.

    Args:
        device: The robot's description.
        transport: An open connection; closed with `close`.
        session: 1 to 65535, other than the last connection's: a device that still obeys an older one is found out.
        turn: Time between two turns [s].
        moves: Where they are counted.
        now: [s].
    """

    def __init__(self, device: Device, transport: Transport, session: int, turn: float, moves: Moves, now: float) -> None:
        self.trouble: Trouble | None = None
        self.welcome: Welcome | None = None
        self.report: Report | None = None
        self._device = device
        self._transport = transport
        self._session = session
        self._turn = turn
        self._moves = moves
        self._decoder = Decoder()
        self._began = now
        self._reported_at = -math.inf
        self._unanswered_since: float | None = None
        self._sequence = 0
        self._configured = 0
        self._want = Want.QUIET
        self._settled = False
        self._request: int | None = None  # sequence number of the request that waits for its answer
        self._requested_at = -math.inf
        self._greeted_at = -math.inf
        self._turns_to_move = 0

    @property
    def connected(self) -> bool:
        """Whether the device has shaken hands, knows its channels and is well."""
        return self._is_set_up and self.trouble is None

    @property
    def alive(self) -> bool:
        """Whether the connection can still be used."""
        return self.trouble is None or self.trouble.fault in COMPLAINTS

    @property
    def armed(self) -> bool:
        """Whether the device is wanted armed and says so."""
        return self._want is Want.ARMED and self._settled

    @property
    def quiet(self) -> bool:
        """Whether the device has confirmed that it is disarmed, or stopped, as wanted."""
        return self._want is not Want.ARMED and self._settled

    @property
    def measures(self) -> bool:
        """Whether the device measures where its servos are."""
        return self.welcome is not None and Features.FEEDBACK in self.welcome.features

    def measured(self) -> Angles:
        """Where the newest report says that the joints are (channels,) [rad]; None where it does not."""
        return translation.angles(self._device, () if self.report is None else self.report.measured_us)

    def pose(self, now: float) -> Angles:
        """Where the joints are (channels,) [rad], as far as that is known now: measured, or else where a pulse holds them."""
        if self.report is None or now - self._reported_at > POSE_FRESH:
            return (None,) * len(self._device.channels)
        return translation.angles(self._device, self.report.measured_us if self.measures else self.report.commanded_us)

    def want(self, want: Want) -> None:
        """Change what the device is to do; the next `speak` says so without waiting for an older answer."""
        if want is not self._want:
            self._want = want
            self._settled = False
            self._request = None
            self._requested_at = -math.inf
            self._turns_to_move = 0

    def listen(self, now: float) -> None:
        """Take in what the device has said."""
        try:
            data = self._transport.read()
        except TransportError as error:
            self.fail(error.fault, error.detail)
            return
        for frame in self._decoder.feed(data):
            self._unanswered_since = None
            match frame.message:
                case Welcome() as welcome:
                    self._greeted(welcome)
                case WrongVersion() as wrong:
                    self.fail(Fault.OTHER_VERSION, wrong.sentence())
                case Report() as report:
                    self._take(report, None if report.answers is None else frame.sequence, now)
                case _:
                    pass  # kinds of later versions, and echoes of our own frames
        self._watch_silence(now)

    def move(self, now: float, angles: Sequence[float]) -> None:
        """Send the angles (channels,) [rad] to an armed device, unless the line or the device is behind."""
        self._turns_to_move -= 1
        if self._turns_to_move > 0 or self._moves.waiting >= MOST_WAITING or self.welcome is None or not self.armed:
            return
        self._turns_to_move = translation.turns_per_move(self._device, self.welcome, self._turn)
        taken = self._send(translation.move(self._device, self.welcome, angles, self._turns_to_move * self._turn), now)
        self._moves.send(self._sequence, now, taken)

    def speak(self, now: float) -> None:
        """Say what is due besides moves."""
        if not self.alive:
            return
        if self._want is Want.STOPPED and not self._settled:
            self._ask(Stop(), now)
        elif self.welcome is None:
            if now - self._greeted_at >= GREET_EVERY:
                self._greeted_at = now
                self._send(Hello(self._session), now)
        elif not self._is_set_up and not (self.report and self.report.state is not State.DISARMED):
            self._ask(translation.configuration(self._device.channels[self._configured]), now)
        elif not self._settled:
            self._ask(Arm(self._session) if self._want is Want.ARMED else Disarm(), now)
        elif self._want is not Want.ARMED and now - self._requested_at >= POLL_EVERY:
            self._request = None
            self._ask(Poll(), now)

    def fail(self, fault: Fault, detail: str) -> None:
        """The connection is of no more use; the first reason stays."""
        if self.trouble is None:
            self.trouble = Trouble(fault, detail)

    def forget_complaint(self, now: float) -> None:
        """The user took note of what the device did; a lost connection stays lost."""
        if self.alive:
            self.trouble = None
            self._began = now
            self._unanswered_since = None

    def close(self, now: float) -> None:
        """Give the port back, after a last word to a device that may still hear."""
        self._moves.give_up()
        if self.welcome is not None and self._want is not Want.STOPPED:
            self._send(Disarm(), now)
        self._transport.close()

    @property
    def _is_set_up(self) -> bool:
        return self.welcome is not None and self._configured == len(self._device.channels)

    def _ask(self, message: Message, now: float) -> None:
        """Send a request, again where its answer is overdue."""
        if self._request is None or now - self._requested_at >= REPEAT_AFTER:
            self._requested_at = now
            self._send(message, now)
            self._request = self._sequence

    def _send(self, message: Message, now: float) -> bool:
        self._sequence = (self._sequence + 1) & 0xFF
        if self._unanswered_since is None:
            self._unanswered_since = now
        try:
            return self._transport.write(encode(message, self._sequence))
        except TransportError as error:
            self.fail(error.fault, error.detail)
            return False

    def _greeted(self, welcome: Welcome) -> None:
        if self.welcome is not None or welcome.session != self._session:
            return  # an answer to an older greeting
        unsuitable = translation.why_unsuitable(self._device, welcome, self._turn)
        if unsuitable is not None:
            self.fail(Fault.UNSUITABLE, unsuitable)
            return
        self.welcome = welcome
        self._request = None

    def _take(self, report: Report, answered: int | None, now: float) -> None:
        self.report = report
        self._reported_at = now
        if self.welcome is None:
            return
        if report.session != self._session:
            self._lose_session(now)
            return
        if answered is not None and self._moves.is_waiting(answered):
            self._moves.answer(answered, report.result == Result.ACCEPTED, now)
        elif answered is not None and answered == self._request:
            self._request = None
            self._answered(report)
        self._check(report)

    def _lose_session(self, now: float) -> None:
        """The device restarted, or another program greeted it. At rest it is greeted again; in motion the user must know."""
        if self._want is Want.ARMED:
            self.fail(Fault.DEVICE_RESET, "")
        self.welcome = None
        self._configured = 0
        self._settled = False
        self._greeted_at = -math.inf
        self._began = now
        self._moves.give_up()

    def _answered(self, report: Report) -> None:
        """The answer to the request that waited."""
        accepted = report.result == Result.ACCEPTED
        match report.answers:
            case Kind.CONFIGURE if accepted:
                self._configured += 1
            case Kind.CONFIGURE:
                channel = self._device.channels[self._configured].name
                self.fail(Fault.UNSUITABLE, f"it refused the range of '{channel}': {translation.name(report.result)}")
            case Kind.ARM:
                self._settled = accepted
                if not accepted:
                    self.fail(Fault.DEVICE_REFUSED, f"it refused to arm: {translation.name(report.result)}")
            case _:
                stands = report.state is State.DISARMED or (self._want is Want.STOPPED and report.state is State.FAULT)
                self._settled = stands and self._want is not Want.ARMED

    def _check(self, report: Report) -> None:
        """Whether the device does what it was told."""
        if Reason.HARDWARE in report.reasons:
            self.fail(Fault.DEVICE_REFUSED, "its supply or a servo is unwell")
        elif not self.armed or report.state is State.ARMED:
            return
        elif report.state is State.HOLDING:
            self.fail(Fault.DEVICE_WATCHDOG, "")
        elif report.state is State.FAULT:
            self.fail(Fault.DEVICE_REFUSED, "it was stopped at the device")
        else:
            self.fail(Fault.DEVICE_REFUSED, "it disarmed itself")

    def _watch_silence(self, now: float) -> None:
        if self.welcome is None:
            if now - self._began > GREET_FOR and self._unanswered_since is not None:
                noisy = self._decoder.noise > NOISE
                self.fail(Fault.OTHER_PROTOCOL if noisy else Fault.SILENT, "")
        elif self._unanswered_since is not None and now - self._unanswered_since > SILENT_AFTER:
            self._moves.give_up()
            self.fail(Fault.SILENT, "")
