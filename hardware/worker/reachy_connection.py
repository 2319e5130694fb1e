"""A connection to Reachy Mini's daemon: arming, motor angles 50 times a second, and checks of what the daemon
does not report.

The daemon does not answer commands. Its status shows whether the motors have torque. A ping follows each
move, whose answer shows that the move has arrived: a network, or a daemon that reads slowly, would store
seconds of moves, and a stop would wait behind them. Commands are motor angles, since the daemon's inverse
kinematics silently ignores unreachable poses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ..address import address_of
from ..device import Device
from ..errors import DeviceError
from ..protocols.reachy_mini import messages
from ..protocols.reachy_mini.capabilities import ANTENNAS, HEAD, LIMITS, MOTORS, angle, steps
from ..protocols.reachy_mini.websocket import WebSocket
from ..protocols.servo_state import StoredSettings
from ..safety import Fault
from ..transport import Transport
from .connection import AWAY, GREET_FOR, POSE_FRESH, Connection, Moves, Raw
from .connection_state import SERVO_TRANSITIONS, ConnectionState
from .foreign_motion import ForeignMotion
from .motor_goals import MotorGoals, reachable
from .numbered_moves import NumberedMoves
from .servos.stored_ranges import shortened, within_own_limits

PATH = "/ws/sdk"
# [s] time between commands: the daemon's own period; more frequent ones would only load its Raspberry Pi
MOVE_EVERY = 0.02
# [s] longest time between commands while unread moves slow the motion down. At a standstill no command is
# sent, so the motion since the last command is lost; this limit keeps that motion short
SLOW_MOVE_EVERY = 0.05
# [s] time without positions, or with an unread move, from which the connection is in fault; a wireless
# network sometimes delays both by half a second
SILENT_AFTER = 0.8
EARLY = 1e-3  # [s] largest earliness of a step of the worker
REST_WITHIN = 1.0  # [s] time within which a robot must come to rest to be armed
# [s] longest wait for the answer to the first ping; a daemon that has not answered by then counts as never
# answering
ANSWER_WITHIN = 1.0
ARM_FOR = 3.0  # [s] longest wait for the daemon's confirmation of torque: its status comes once a second
# [rad] 3 degrees; a motor farther beyond its servo's limits jumps noticeably when it gets torque
BEYOND = 0.05
OWN_LIMITS = {motor: StoredSettings(motor, bounds=bounds) for motor, bounds in LIMITS.items()}
NARROWER = (
    "Reachy Mini's servos take less than the ranges here: {joints}. Set the ranges of these joints' servos to"
    " that"
)
HOLD_FOR = 0.3  # [s] time for which a stop is repeated, since the daemon ignores commands while a move ends


class ReachyConnection(Connection):
    """A connection to Reachy Mini's daemon.

    Args:
        device: The robot's description.
        transport: A connection to the daemon, or one that is being made; closed with `close`.
        moves: The statistics of moves: one counts as acknowledged when the daemon has answered the ping
            after it, or, of a daemon that answers no pings, when it has sent positions after it.
        time: Current time [s].
    """

    def __init__(self, device: Device, transport: Transport, moves: Moves, time: float) -> None:
        super().__init__(device, transport, SERVO_TRANSITIONS, moves, time)
        self.state = ConnectionState.DISARMED  # connecting moves nothing, so nothing needs to be sent
        self._line = WebSocket(address_of(device.port).authority, PATH)
        self._has_greeted = self._has_pinged = False
        self._status: messages.DaemonStatus | None = None
        self._measured: dict[int, float] = {}  # angle of each motor by id [rad]
        self._goals = MotorGoals()
        self._plays = False  # whether a move that another program has loaded is playing
        self._foreign = ForeignMotion()
        self._heard_at = self._listened_at = time
        self._sent_at = -math.inf
        self._arming_since: float | None = None
        self._requested_at: float | None = None  # [s] time of the request to enable the motors
        self._hold_until = -math.inf
        self._numbered = NumberedMoves(moves, time)
        self._narrower = ""
        try:
            self.limited_device = within_own_limits(device, OWN_LIMITS, 1.0)
            self._narrower = shortened(device, self.limited_device)
        except DeviceError as error:
            self.fail(Fault.UNSUITABLE, str(error))
        if unknown := [channel for channel in device.channels if channel.servo not in MOTORS]:
            self.fail(
                Fault.UNSUITABLE, f"{unknown[0].label} is none of its motors, {min(MOTORS)} to {max(MOTORS)}"
            )

    @property
    def measures(self) -> bool:
        return True

    def sent(self, raw: Sequence[float | None]) -> Raw:
        pairs = zip(self._device.channels, raw, strict=True)
        return tuple(
            None if goal is None else steps(reachable(channel.servo, angle(goal))) for channel, goal in pairs
        )

    @property
    def _is_set_up(self) -> bool:
        return bool(self._measured) and self._status is not None and self._status.state == messages.RUNNING

    def measured(self) -> Raw:
        angles = (self._measured.get(channel.servo) for channel in self._device.channels)
        return tuple(None if motor_angle is None else steps(motor_angle) for motor_angle in angles)

    def pose(self, time: float) -> Raw:
        return (
            self.measured() if time - self._heard_at <= POSE_FRESH else (None,) * len(self._device.channels)
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        return (*((NARROWER.format(joints=self._narrower),) if self._narrower else ()), *self._motor_remarks)

    @property
    def _motor_remarks(self) -> tuple[str, ...]:
        """Warnings, with remedies, about causes that keep motors from their commanded angles (another
        program, torque that should be off, a servo's limit), and about a daemon that reads late or answers no
        pings.
        """
        if self._plays:
            return (
                (
                    "Reachy Mini plays a move, and its daemon ignores Limber until that ends: wait, or stop"
                    " it where it was started"
                ),
            )
        if not self.armed:
            return (
                *self._torque_remarks,
                *(
                    f"{MOTORS[motor]} of Reachy Mini is {math.degrees(beyond):.0f} degrees beyond its servo's"
                    " limit, where that takes no goals: lift the head by hand before Arm, or it jumps so far"
                    for motor, motor_angle in self._measured.items()
                    if (beyond := abs(motor_angle - reachable(motor, motor_angle))) > BEYOND
                ),
            )
        if self._numbered.is_slow:
            return (
                "Reachy Mini reads what it is sent more than 0.1 s late, so it moves slower, or holds: bring it"
                " nearer to its wireless network, connect it by cable, or end what else uses its network or its"
                " computer",
            )
        strayed = self._foreign.strayed(self._listened_at)
        remarks = []
        if strayed:
            named = ", ".join(MOTORS[motor] for motor in strayed)
            remarks.append(
                f"{named} of Reachy Mini: not where Limber sends it. Another program, or a move that plays,"
                " drives the robot too (while a move plays, the daemon ignores Limber), or something holds"
                " it: end the other program, or take away what holds it"
            )
        if not self._numbered.has_answered:
            remarks.append(
                "Reachy Mini's daemon answers no pings, so Limber cannot know whether it reads what it is sent,"
                " and Stop may come late: restart or update the daemon"
            )
        return tuple(remarks)

    @property
    def is_disarmed(self) -> bool:
        return super().is_disarmed or not self._has_greeted

    @property
    def _torque_remarks(self) -> tuple[str, ...]:
        """A warning if all motors are to be limp while the robot is disarmed, and have torque. The daemon
        reports torque of all motors together, so that of some cannot be known.
        """
        if (
            self.state is ConnectionState.DISARMED
            and set(self._limp) == MOTORS.keys()
            and self._status is not None
            and self._status.motors == messages.ENABLED
        ):
            return (
                "Reachy Mini's motors have torque, although they are set to Go Limp: Release All, or Arm and"
                " Disarm, makes them limp",
            )
        return ()

    def _requested(self, before: ConnectionState) -> None:
        self._requested_at = self._arming_since = None
        self._hold_until = -math.inf

    def listen(self, time: float) -> None:
        data = self._receive()
        if data is None:
            return
        if time - self._listened_at > AWAY:
            # after its own delay the worker cannot know whether the daemon was silent, or read nothing
            self._heard_at = max(self._heard_at, time - AWAY)
        self._listened_at = time
        # the newest of the positions that came since the last cycle
        newest: messages.JointPositions | None = None
        for text in self._line.feed(data):
            match messages.decode(text):
                case messages.JointPositions() as joints:
                    newest = joints
                case messages.DaemonStatus() as status:
                    self._take_status(status)
                case messages.MovePlayed(runs):
                    self._plays = runs
        if newest is not None:
            self._take_positions(newest, time)
        self._numbered.listen(self._line.answered, newest is not None, time)
        if self._line.ended:  # `close` sends the WebSocket's closing frame, after the last commands
            self.fail(Fault.UNPLUGGED if self._line.opened else Fault.OTHER_PROTOCOL, self._line.ended)
        elif answers := self._line.answers():
            self._transmit(answers)
        self._watch_silence(time)

    def move(self, time: float, raw: Sequence[float | None]) -> None:
        every = min(MOVE_EVERY / self.speed_scale, SLOW_MOVE_EVERY)
        if not self.armed or time - self._sent_at < every - EARLY:
            return
        if not all(map(math.isfinite, (goal for goal in raw if goal is not None))):
            self.fail(Fault.UNSUITABLE, "a goal is not a number")
            return
        pairs = zip(self._device.channels, self.sent(raw), strict=True)
        goals = {channel.servo: angle(goal) for channel, goal in pairs if goal is not None}
        self._goals.take(goals)
        self._sent_at = time
        self._say_numbered(time, *self._goals.commands())
        self._foreign.command(time, goals)

    def speak(self, time: float) -> None:
        if not self.alive:
            return
        if not self._has_greeted:
            self._has_greeted = self._transmit(self._line.handshake)
        elif self._line.opened and not self._has_pinged:
            # whether it answers pings is known before the first move
            self._has_pinged = self._transmit(self._line.ping(self._numbered.first_ping))
        elif self.state is ConnectionState.STOPPING:
            self._stop(time)
        elif self.state is ConnectionState.ARMING and self.fault_report is None:
            self._arm(time)
        elif self.state is ConnectionState.RELEASING:
            self._release([self._device.channels[index].servo for index in sorted(self._channels_meant)])
        elif self.state is ConnectionState.DISARMING:
            self._release(self._limp)
        elif (
            self.state is ConnectionState.STOPPED
            and time < self._hold_until
            and time - self._sent_at >= MOVE_EVERY - EARLY
        ):
            self._sent_at = time
            self._say(*self._goals.commands())

    def acknowledge_fault(self, time: float) -> None:
        if self.alive:
            self.fault_report = None
            self._heard_at = time

    def close(self, time: float) -> None:
        self._moves.give_up()
        if self._line.opened:  # a silent or unreadable daemon may still receive commands
            if self.state is ConnectionState.STOPPING:
                self._stop(time)
            elif self.state not in (ConnectionState.DISARMED, ConnectionState.STOPPED):
                self._release(self._limp)
            self._transmit(self._line.answers() if self._line.ended else self._line.close())
        self._transport.close()

    def _take_positions(self, joints: messages.JointPositions, time: float) -> None:
        self._heard_at = time
        self._measured = dict(zip((*HEAD, *ANTENNAS), (*joints.head, *joints.antennas), strict=True))
        self._foreign.measure(time, self._measured)

    def _take_status(self, status: messages.DaemonStatus) -> None:
        was_running = self._status is not None and self._status.state == messages.RUNNING
        self._status = status
        if was_running and status.state != messages.RUNNING:
            self.fail(Fault.DEVICE_REFUSED, status.error or f"its daemon is '{status.state}'")
        elif self.armed and status.motors != messages.ENABLED:
            self.fail(Fault.DEVICE_REFUSED, f"another program has set its motors to '{status.motors}'")

    def _arm(self, time: float) -> None:
        """Arm the robot, one step at each call: send the motors' current positions as goals and switch their
        torque on, then wait until the daemon has read the request, and confirms it. Fails if the robot keeps
        moving or the daemon does not confirm in time; `time`: [s].
        """
        if time - self._heard_at > POSE_FRESH:
            return  # silence is handled by its own monitor
        assert self._status is not None
        if self._requested_at is None:
            if self._arming_since is None:
                self._arming_since = time
            if self._plays or (self._status.motors == messages.ENABLED and self._foreign.is_moving(time)):
                if time - self._arming_since <= REST_WITHIN:
                    return
                self.fail(
                    Fault.DEVICE_REFUSED,
                    "it moves although Limber drives nothing: wait for the end of its move, or end the other"
                    " program",
                )
                return
            self._goals.stay(self._measured)
            self._goals.repeat_antennas()
            commands = (
                messages.no_automatic_body_yaw(),
                *self._goals.commands(),
                messages.motor_mode(messages.ENABLED),
            )
            self._requested_at = time if self._say_numbered(time, *commands) else None
        elif self._status.motors == messages.ENABLED and self._has_read_request(time):
            self._foreign.forget()
            self._confirm()
        elif time - self._requested_at > ARM_FOR:
            reads = "" if self._numbered.has_answered else ", and its daemon answers no pings: restart it"
            self.fail(Fault.DEVICE_REFUSED, f"its motors stay '{self._status.motors}'{reads}")

    def _has_read_request(self, time: float) -> bool:
        """Whether the daemon has read the request to enable the motors. One that has never answered a ping
        counts as having read it after ANSWER_WITHIN; its positions prove nothing, since they come even if it
        reads nothing.
        """
        assert self._requested_at is not None
        if not self._numbered.has_answered:
            return time - self._requested_at > ANSWER_WITHIN
        return not self.unread_for

    def _stop(self, time: float) -> None:
        """End any move, release the motors that go limp, and hold the others at their measured angles (at
        their last goals if no recent angles are known).
        """
        if time - self._heard_at <= POSE_FRESH:
            self._goals.stay(self._measured)
        self._goals.repeat_antennas()
        if self._say_with_release(self._limp, messages.stop_move(), *self._goals.commands()):
            self._sent_at, self._hold_until = time, time + HOLD_FOR
            self._stopped()

    def _release(self, motors: Sequence[int]) -> None:
        if self._say_with_release(motors):
            self._confirm()

    def _say_with_release(self, motors: Sequence[int], *commands: str) -> bool:
        """Send commands and, after them, the release of motors; returns as `_say`."""
        is_sent = self._say(*commands, *self._releasing(motors))
        if is_sent and self._status is not None and set(motors) == MOTORS.keys():
            # the daemon reports this within a second
            self._status = replace(self._status, motors=messages.DISABLED)
        return is_sent

    @property
    def _limp(self) -> list[int]:
        """Motors that lose torque when the robot is disarmed or stopped."""
        return [channel.servo for channel in self._device.channels if channel.on_silence == "detach"]

    def _releasing(self, motors: Sequence[int]) -> tuple[str, ...]:
        if set(motors) == MOTORS.keys():
            return (messages.motor_mode(messages.DISABLED),)
        return (messages.torque_off([MOTORS[motor] for motor in motors]),) if motors else ()

    def _say(self, *commands: str, then: bytes = b"") -> bool:
        """Send commands together, and the frame `then`; returns False if the network did not accept them."""
        is_sent = not commands or self._transmit(b"".join(map(self._line.text, commands)) + then)
        if not is_sent:
            self._goals.repeat_antennas()
        return is_sent

    def _say_numbered(self, time: float, *commands: str) -> bool:
        """Send commands as one move, and the ping whose answer shows that they were read; returns as
        `_say`.
        """
        is_sent = self._say(*commands, then=self._line.ping(self._numbered.next_ping()))
        self._numbered.record(time, is_sent)
        return is_sent

    @property
    def unread_for(self) -> float:
        return self._numbered.unread_for

    @property
    def speed_scale(self) -> float:
        return self._numbered.speed_scale

    def _watch_silence(self, time: float) -> None:
        if self.fault_report is not None:
            return
        if self._is_set_up:
            silence = time - self._heard_at
            if max(self.unread_for, silence) > SILENT_AFTER:
                self._moves.give_up()
                # a daemon that hangs neither reads nor sends: silence is the fault that is reported for it
                self.fail(Fault.SILENT if silence > POSE_FRESH else Fault.UNREAD, "")
        elif time - self._began > GREET_FOR:
            if self._status is not None and self._status.state != messages.RUNNING:
                self.fail(Fault.DEVICE_REFUSED, self._status.error or f"its daemon is '{self._status.state}'")
            else:
                self.fail(Fault.SILENT, "")
