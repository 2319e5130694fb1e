"""Built-in virtual robot: answers in Limber's protocol, and moves like hobby servos.

`VirtualRobot` maps received bytes to sent bytes at given times; `VirtualTransport` makes it a port. On a
serial port it is the same robot (see tests/hardware). docs/protocol.md specifies its answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .device import VIRTUAL_HOBBY_PORT, Device
from .mixing import Mixing
from .protocols import limber

LAG = 0.04  # [s] time constant with which a servo approaches its pulse
TOP_SPEED = 4500.0  # [us/s] speed of a common servo: 60 degrees in 0.15 s at 637 us/rad
FIRMWARE = (1, 0)  # (major, minor) version that the virtual device reports
WATCHDOG_MS = 250  # [ms] time without a move after which the virtual device holds
PERIOD_US = 20000  # [us] period of the servos' pulses
LOWEST_US, HIGHEST_US = 400.0, 2600.0  # [us] range of pulses that the virtual device accepts
STEP = 0.005  # [s] step of the simulation: a quarter of a pulse period
# [s] longest time that is simulated in one call: an unattended robot is at rest by then, after the watchdog's
# timeout and a full swing of a servo
SETTLED = 2.0


@dataclass(slots=True)
class VirtualServo:
    """State of one channel: its pulse, and the position of its horn as the equivalent pulse [us]."""

    position: float
    pulse: float | None = None
    ended: tuple[float, float] | None = None  # (last pulse [us] before the signal ended, time of its end [s])
    start: float | None = None  # pulse [us] when the newest move arrived
    goal: float | None = None
    settings: limber.Configure | None = None

    def end_pulse(self, time: float) -> None:
        """End the pulse at `time` [s]."""
        if self.pulse is not None:
            self.ended = self.pulse, time
        self.pulse = None

    def begin_pulse(self, time: float) -> None:
        """Start the pulse at the goal, or at the last pulse if that ended less than a pulse period ago."""
        recent = self.ended is not None and time - self.ended[1] < PERIOD_US / 1e6
        self.pulse = self.ended[0] if self.ended is not None and recent else self.goal

    def advance(self, dt: float) -> None:
        """Move the horn for `dt` [s] toward the current pulse; without a pulse it stays, as a geared servo
        does.
        """
        if self.pulse is None:
            return
        closer = (self.pulse - self.position) * (1.0 - math.exp(-dt / LAG))
        self.position += min(max(closer, -TOP_SPEED * dt), TOP_SPEED * dt)


def on_board(device: Device) -> Device:
    """A virtual device on a board with one channel for each servo, so that servo ids become channel numbers
    from 0 on; another device is unchanged.
    """
    if not device.is_virtual:
        return device
    return replace(
        device,
        channels=tuple(replace(channel, servo=number) for number, channel in enumerate(device.channels)),
    )


class VirtualRobot:
    """A simulated robot with hobby servos, which measure their positions if `feedback` is True.

    Args:
        positions: Position of each channel's servo at the start, as the equivalent pulse [us].
        feedback: Whether the servos measure their positions.
        time: Current time [s].

    Attributes:
        servos: State of each channel's servo.
        unread: Indices of the channels whose sensors do not answer.
    """

    def __init__(self, positions: Sequence[float], feedback: bool, time: float) -> None:
        self.servos = [VirtualServo(position) for position in positions]
        self._feedback = feedback
        self.unread: set[int] = set()
        self._now = time
        self._decoder = limber.FrameDecoder()
        self._answers: list[bytes] = []
        self.reset()

    @classmethod
    def for_device(cls, device: Device, time: float) -> VirtualRobot:
        """The virtual robot for a device: all joints at zero, or as near to it as their limits allow."""
        positions = [1500.0] * (max(channel.servo for channel in device.channels) + 1)
        mixing = Mixing(device)
        middle = mixing.raw(mixing.clamp([0.0] * len(device.joints)))
        for channel, position in zip(device.channels, middle, strict=True):
            positions[channel.servo] = position
        return cls(positions, device.port != VIRTUAL_HOBBY_PORT, time)

    def reset(self) -> None:
        """Power cycle: no session, no pulses; the horns stay where they are."""
        self._session = 0
        self._state = limber.DeviceState.DISARMED
        self._reasons = limber.Reason.NO_SESSION
        self._moved_at = self._now
        self._span = (self._now, self._now)  # [s] start and end time of the newest move
        for servo in self.servos:
            servo.pulse = servo.ended = servo.start = servo.goal = servo.settings = None
        self._say(self._report(None, limber.DeviceResult.ACCEPTED), 0)

    @property
    def positions(self) -> tuple[float, ...]:
        """Positions of the horns, as equivalent pulses [us]."""
        return tuple(servo.position for servo in self.servos)

    @property
    def pulses(self) -> tuple[float | None, ...]:
        """The pulse that each channel currently sends [us]; None for no pulse."""
        return tuple(servo.pulse for servo in self.servos)

    @property
    def state(self) -> limber.DeviceState:
        return self._state

    def hear(self, data: bytes, time: float) -> bytes:
        """Process received bytes `data` at `time` [s]; returns the bytes that the robot has sent since the
        last call.
        """
        self._advance(time)
        for frame in self._decoder.feed(data):
            self._obey(frame.message, frame.sequence)
        answer = b"".join(self._answers)
        self._answers.clear()
        return answer

    def _advance(self, time: float) -> None:
        """Simulate up to `time` [s], in steps of STEP; of a longer time only the first SETTLED."""
        settled_at = self._now + SETTLED
        while (dt := min(min(time, settled_at) - self._now, STEP)) > 0.0:
            self._now += dt
            if self._state is limber.DeviceState.ARMED and self._now - self._moved_at > WATCHDOG_MS / 1000:
                self._rest(limber.DeviceState.HOLDING, limber.Reason.SILENCE)
                self._say(self._report(None, limber.DeviceResult.ACCEPTED), 0)
            for servo in self.servos:
                if self._state is limber.DeviceState.ARMED and servo.goal is not None:
                    self._shift_pulse(servo, dt)
                servo.advance(dt)
        self._now = max(time, self._now)

    def _shift_pulse(self, servo: VirtualServo, dt: float) -> None:
        """Move a servo's pulse linearly toward its goal, within the channel's speed limit."""
        assert servo.goal is not None
        begin, end = self._span
        if servo.pulse is None or servo.start is None or servo.settings is None:
            servo.pulse = servo.start = servo.goal
            return
        share = 1.0 if self._now >= end else (self._now - begin) / (end - begin)
        reach = servo.settings.speed_us_per_s * dt
        desired = servo.start + share * (servo.goal - servo.start)
        servo.pulse += min(max(desired - servo.pulse, -reach), reach)

    def _obey(self, message: limber.Message | limber.Unreadable, sequence: int) -> None:
        match message:
            case limber.Hello(version=version) if version != limber.VERSION:
                self._say(limber.WrongVersion(limber.VERSION, FIRMWARE), sequence)
            case limber.Hello(session=session) if session != 0:
                self._greet(session, sequence)
            case limber.Unreadable(kind=number, result=result):
                self._say(self._report(number, result), sequence)
            case (
                limber.Hello()
                | limber.Configure()
                | limber.Arm()
                | limber.Move()
                | limber.Disarm()
                | limber.Stop()
                | limber.Poll()
            ):
                self._say(self._report(limber.kind_of(message), self._execute(message)), sequence)

    def _greet(self, session: int, sequence: int) -> None:
        self._session = session
        self._rest(limber.DeviceState.DISARMED, limber.Reason(0))
        for servo in self.servos:
            servo.settings = None
        features = limber.Features.INTERPOLATION | (
            limber.Features.FEEDBACK if self._feedback else limber.Features(0)
        )
        count = len(self.servos)
        self._say(
            limber.Welcome(
                session,
                FIRMWARE,
                count,
                features,
                LOWEST_US,
                HIGHEST_US,
                PERIOD_US,
                WATCHDOG_MS,
                "Virtual robot",
            ),
            sequence,
        )

    def _execute(self, message: limber.Message | limber.Unreadable) -> limber.DeviceResult:
        """Execute a message; returns the result to report."""
        match message:
            case limber.Configure():
                return self._configure(message)
            case limber.Arm(session=session):
                return self._arm(session)
            case limber.Move():
                return self._move(message)
            case limber.Disarm(release=release):
                self._rest(limber.DeviceState.DISARMED, self._reasons & limber.Reason.NO_SESSION, release)
            case limber.Stop():
                self._rest(
                    limber.DeviceState.FAULT,
                    (self._reasons & limber.Reason.NO_SESSION) | limber.Reason.STOPPED,
                )
            case limber.Hello():
                return limber.DeviceResult.OUT_OF_RANGE  # the session number 0 is not allowed
        return limber.DeviceResult.ACCEPTED

    def _configure(self, settings: limber.Configure) -> limber.DeviceResult:
        if self._session == 0:
            return limber.DeviceResult.NO_SESSION
        if self._state is not limber.DeviceState.DISARMED:
            return limber.DeviceResult.NOT_DISARMED
        if settings.channel >= len(self.servos):
            return limber.DeviceResult.NO_SUCH_CHANNEL
        if (
            not LOWEST_US <= settings.lower_us <= settings.upper_us <= HIGHEST_US
            or settings.speed_us_per_s == 0
        ):
            return limber.DeviceResult.OUT_OF_RANGE
        self.servos[settings.channel].settings = settings
        return limber.DeviceResult.ACCEPTED

    def _arm(self, session: int) -> limber.DeviceResult:
        if self._session == 0:
            return limber.DeviceResult.NO_SESSION
        if session != self._session:
            return limber.DeviceResult.WRONG_SESSION
        if self._state is limber.DeviceState.FAULT:
            return limber.DeviceResult.FAULT_LATCHED
        if all(servo.settings is None for servo in self.servos):
            return limber.DeviceResult.NOT_CONFIGURED
        if self._state is not limber.DeviceState.ARMED:
            for servo in self.servos:
                servo.goal = None
        self._state = limber.DeviceState.ARMED
        self._reasons = limber.Reason(0)
        self._moved_at = self._now
        return limber.DeviceResult.ACCEPTED

    def _move(self, move: limber.Move) -> limber.DeviceResult:
        if self._session == 0:
            return limber.DeviceResult.NO_SESSION
        if self._state is not limber.DeviceState.ARMED:
            return limber.DeviceResult.NOT_ARMED
        if len(move.positions_us) > len(self.servos):
            return limber.DeviceResult.NO_SUCH_CHANNEL
        commands = [
            (servo, position)
            for servo, position in zip(self.servos, move.positions_us, strict=False)
            if position is not None
        ]
        # as in the firmware, all positions are checked before any is executed
        if any(servo.settings is None for servo, _ in commands):
            return limber.DeviceResult.NOT_CONFIGURED
        if any(not LOWEST_US <= position <= HIGHEST_US for _, position in commands):
            return limber.DeviceResult.OUT_OF_RANGE
        self._reasons = limber.Reason(0)
        self._moved_at = self._now
        self._span = (self._now, self._now + move.interval_ms / 1000)
        for servo, position in commands:
            assert servo.settings is not None
            servo.goal = min(max(position, servo.settings.lower_us), servo.settings.upper_us)
            if servo.pulse is None:
                servo.begin_pulse(self._now)
            servo.start = servo.pulse
            if servo.goal != position:
                self._reasons |= limber.Reason.CLAMPED
        return limber.DeviceResult.ACCEPTED

    def _rest(self, state: limber.DeviceState, reasons: limber.Reason, release: bool = False) -> None:
        """End motion: each channel holds its last pulse or ends it, as configured; with `release` all end it.
        The device is then in `state`, for `reasons`.
        """
        self._state = state
        self._reasons = reasons
        for servo in self.servos:
            servo.goal = None
            if release or (
                servo.settings is not None and servo.settings.on_silence is limber.OnSilence.DETACH
            ):
                servo.end_pulse(self._now)

    def _report(self, answers: int | None, result: limber.DeviceResult) -> limber.DeviceReport:
        positions = (
            None if index in self.unread else position for index, position in enumerate(self.positions)
        )
        measured = tuple(positions) if self._feedback else ()
        bad_frames = self._decoder.bad_frames & 0xFFFF
        return limber.DeviceReport(
            answers, result, self._state, self._reasons, self._session, bad_frames, self.pulses, measured
        )

    def _say(self, message: limber.Message, sequence: int) -> None:
        self._answers.append(limber.encode(message, sequence))


class VirtualTransport:
    """A transport to a virtual robot in this process.

    Args:
        robot: The virtual robot; it keeps running when a connection ends.
        clock: Returns the time [s].
    """

    def __init__(self, robot: VirtualRobot, clock: Callable[[], float]) -> None:
        self._robot = robot
        self._clock = clock
        self._unread_answer = robot.hear(b"", clock())

    def read(self) -> bytes:
        answer, self._unread_answer = self._unread_answer + self._robot.hear(b"", self._clock()), b""
        return answer

    def write(self, data: bytes) -> bool:
        self._unread_answer += self._robot.hear(data, self._clock())
        return True

    def close(self) -> None:
        """Disconnect. The robot keeps running, and notices the silence."""


LONGEST = 0.1  # [s] largest advance of a `SteadyClock`: ten periods of the worker, less than half of a device's watchdog time


class SteadyClock:
    """A clock [s] that advances by at most `LONGEST` from one call to the next, so that pauses of the
    computer are left out.

    During a pause of the computer the simulated robot is paused too; with real time it would then report that
    commands were missing for too long.

    Args:
        clock: The clock that it follows; returns the time [s].
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._looked_at = self._now = clock()

    def __call__(self) -> float:
        before, self._looked_at = self._looked_at, self._clock()
        self._now += min(self._looked_at - before, LONGEST)
        return self._now
