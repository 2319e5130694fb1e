"""One turn of the worker: read Blender's orders, listen, decide, drive, speak, report. Knows no Blender.

It neither sleeps nor reads a clock, so that tests run it in simulated time.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Sequence

from ...motion import Kinematic
from ..calibration import angle_range
from ..device import Device
from ..memory import SharedMemory
from ..messages import Orders, Report
from ..protocols.interface import ProtocolError
from ..protocols.table import codec_for
from ..safety import DRIVEN, Fault, Safety, Sight, State, Trouble, Wish, step
from ..transport import Transport, TransportError
from .conversation import Conversation, Want
from .drive import Drive
from .leaps import Leaps
from .moves import Moves
from .playback import Playback
from .servo_conversation import ServoConversation
from .statistics import Durations

OWN_PROTOCOL = "limber"
TURN = 0.01  # [s] 100 Hz: twice a hobby servo's own rate
PERCENTILES_EVERY = 50  # turns

Connect = Callable[[Device, float], Transport]


class Worker:
    """What the worker process does, a turn at a time.

    Args:
        memory: The map that it shares with Blender.
        connect: Opens the device's port at a time [s]; raises TransportError.
        now: [s].
    """

    def __init__(self, memory: SharedMemory, connect: Connect, now: float) -> None:
        self._memory = memory
        self._device = memory.device
        self._connect = connect
        self._moves = Moves()
        self._late = Durations()
        self._percentiles: tuple[float, ...] = (0.0, 0.0, 0.0)
        self._safety = Safety()
        self._no_port: Trouble | None = None
        self._session = secrets.randbelow(0xFFFF) + 1
        self._conversation: Conversation | ServoConversation | None = None
        self._drive: Drive | None = None
        self._ranges = [angle_range(channel) for channel in self._device.channels]
        self._playback = Playback(TURN)
        self._leaps = Leaps([channel.limits for channel in self._device.channels])
        self._goal: list[Kinematic] | None = None  # the motion wanted now
        self._arrived = False
        self._confirmed: tuple[float, ...] | None = None
        self._beat = 0
        self._last_turn = now
        self._stops = 0
        self._wishes = 0
        self._blender_beat = 0
        self._blender_seen = now
        self._frame = 0
        self._frame_seen = -math.inf
        self._refused = 0
        self._clamped = 0
        self._remark = ""
        self._commanded: tuple[float, ...] | None = None

    def turn(self, now: float, late: float = 0.0) -> None:
        """One turn at `now` [s], which began `late` [s] after its time."""
        self._late.add(late)
        stop, wish = self._read_orders(now)
        conversation = self._conversation
        if conversation is not None:
            conversation.listen(now)
            if wish is Wish.CLEAR_FAULT:
                conversation.forget_complaint(now)
        before = self._safety
        self._safety = step(before, self._look(now, stop, wish))
        if (self._safety.state, self._safety.fault) != (before.state, before.fault):
            self._enter(before.state)
        self._goal = self._playback.at(now)
        self._mind_port(wish, now)
        self._move(now)
        if self._conversation is not None:
            self._conversation.speak(now)
        self._last_turn = now
        self._report()

    def leave(self, now: float) -> bool:
        """A turn on the way out, Blender being gone: whether the device is known to be disarmed, or cannot be reached."""
        if self._conversation is None or not self._conversation.alive:
            return True
        self._conversation.want(Want.QUIET)
        self._conversation.listen(now)
        self._conversation.speak(now)
        return self._conversation.quiet or not self._conversation.alive

    def close(self, now: float) -> None:
        """Give the port back."""
        if self._conversation is not None:
            self._conversation.close(now)
            self._conversation = None

    def _read_orders(self, now: float) -> tuple[bool, Wish]:
        """Whether Stop was pressed, and the new wish; takes note of signs of life and of new angles."""
        stops = self._memory.stops
        stop, self._stops = stops != self._stops, stops
        orders = self._memory.read_orders()
        if orders is None:
            return stop, Wish.NOTHING
        if orders.beat != self._blender_beat:
            self._blender_beat, self._blender_seen = orders.beat, now
        if orders.frame != self._frame:
            self._frame = orders.frame
            self._take_frame(orders, now)
        wish = Wish.NOTHING
        if orders.wish_number != self._wishes:
            self._wishes = orders.wish_number
            wish = orders.wish if orders.wish_stops == stops else Wish.NOTHING  # a wish from before a Stop is void
        return stop, wish

    def _take_frame(self, orders: Orders, now: float) -> None:
        for channel, angle in zip(self._device.channels, orders.angles, strict=True):
            if not math.isfinite(angle):
                self._refused += 1
                self._remark = f"the angle of '{channel.name}' is not a number"
                return
        self._remark = ""
        angles = tuple(min(max(angle, low), high) for angle, (low, high) in zip(orders.angles, self._ranges, strict=True))
        self._clamped += angles != orders.angles
        # Clocks of two processes agree on the usual systems; where they do not, the frame came since the last turn all the same.
        stamp = min(max(orders.stamp, self._last_turn), now)
        self._playback.add(stamp, angles)
        self._leaps.take(stamp, angles)
        self._frame_seen = now

    def _look(self, now: float, stop: bool, wish: Wish) -> Sight:
        conversation, drive = self._conversation, self._drive
        pose = () if conversation is None else conversation.pose(now)
        return Sight(
            stop=stop,
            wish=wish,
            trouble=self._no_port if conversation is None else conversation.trouble,
            connected=conversation is not None and conversation.connected,
            tells_pose=conversation is not None and (conversation.measures or None not in pose),
            unread=next((channel.name for channel, angle in zip(self._device.channels, pose, strict=False) if angle is None), None),
            device_armed=drive is not None,
            blender_silence=now - self._blender_seen,
            frame_age=now - self._frame_seen,
            arrived=self._arrived,
            at_rest=drive is None or drive.at_rest,
            leapt=drive is not None and self._leaps.leapt(drive.commanded),
            remark=self._remark,
        )

    def _enter(self, left: State) -> None:
        """What a change of state means for the device."""
        state = self._safety.state
        self._leaps.forget()
        if state in (State.ARMING, State.HOLDING):
            self._playback.skip()  # a ramp goes where the pose is, not where it was
        if self._conversation is None:
            return
        if state not in DRIVEN:
            self._drive = None
            self._arrived = False
            self._commanded = None
            self._conversation.want(Want.STOPPED if self._safety.fault is Fault.STOPPED else Want.QUIET)
        elif left not in DRIVEN:
            self._confirmed = self._playback.newest if left is State.CONFIRM_POSE else None
            self._conversation.want(Want.ARMED)
        elif state is State.ARMING and self._drive is not None:
            self._drive.begin_ramp()

    def _mind_port(self, wish: Wish, now: float) -> None:
        """Close a port that is of no more use, and open it where the state asks for it."""
        conversation = self._conversation
        broken = conversation is not None and not conversation.alive and self._safety.state is State.FAULT
        if broken or wish is Wish.RECONNECT:
            self.close(now)  # an open handle would keep the port's name from a robot that is plugged in again
        if self._safety.state is not State.CONNECTING or self._conversation is not None:
            return
        self._report()  # opening may take its time
        self._no_port = None
        try:
            codec = None if self._device.protocol == OWN_PROTOCOL else codec_for(self._device.protocol)
            transport = self._connect(self._device, now)
        except TransportError as error:
            self._no_port = Trouble(error.fault, error.detail)
            return
        except ProtocolError as error:
            self._no_port = Trouble(Fault.UNSUITABLE, str(error))
            return
        self._session = self._session % 0xFFFF + 1
        if codec is None:
            self._conversation = Conversation(self._device, transport, self._session, TURN, self._moves, now)
        else:
            self._conversation = ServoConversation(self._device, transport, codec, self._moves, now)

    def _move(self, now: float) -> None:
        """Take the robot a turn further, where it may move."""
        conversation = self._conversation
        if conversation is None or self._safety.state not in DRIVEN or not conversation.armed:
            return
        if self._drive is None:
            pose = self._starting_pose(conversation.pose(now), conversation.measures)
            if pose is None:
                conversation.fail(Fault.POSE_UNREAD, "no position came while arming")
                return
            self._drive = Drive(self._device.channels, pose)
        drive, dt = self._drive, now - self._last_turn
        if self._safety.state is State.HOLDING or self._goal is None:
            drive.brake(dt)
        elif self._safety.state is State.ARMING:
            drive.ramp(self._goal, dt)
        else:
            drive.follow(self._goal, dt)
        self._arrived = self._goal is not None and drive.has_arrived(self._goal)
        self._commanded = drive.commanded
        conversation.move(now, self._commanded)

    def _starting_pose(self, known: Sequence[float | None], measured: bool) -> list[float] | None:
        """Where the robot starts (channels,) [rad]: where it is known to be, or else where the user confirmed that it is."""
        confirmed = known if measured or self._confirmed is None else self._confirmed
        pose = [there if angle is None else angle for angle, there in zip(known, confirmed, strict=True)]
        complete = [angle for angle in pose if angle is not None]
        return complete if len(complete) == len(pose) else None

    def _report(self) -> None:
        self._beat += 1
        if self._beat % PERCENTILES_EVERY == 1:
            shares = ((self._late, 0.5), (self._late, 0.99), (self._moves.answer_times, 0.5))
            self._percentiles = tuple(1e3 * times.percentile(share) for times, share in shares)
        measured: Sequence[float | None] = () if self._conversation is None else self._conversation.measured()
        reported = tuple(angle for angle in measured if angle is not None)
        late_p50, late_p99, answer_p50 = self._percentiles
        self._memory.write_report(
            Report(
                beat=self._beat,
                state=self._safety.state,
                fault=self._safety.fault,
                detail=self._safety.detail,
                sent=self._moves.sent,
                acknowledged=self._moves.acknowledged,
                lost=self._moves.lost,
                refused=self._refused,
                clamped=self._clamped,
                late_ms_p50=late_p50,
                late_ms_p99=late_p99,
                ack_ms_p50=answer_p50,
                commanded=self._commanded,
                reported=reported if len(reported) == len(self._device.channels) else None,
            )
        )
