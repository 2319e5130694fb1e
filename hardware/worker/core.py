"""One turn of the worker: read Blender's orders, listen, decide, drive, speak, report. Knows no Blender.

It neither sleeps nor reads a clock, so that tests run it in simulated time.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Sequence

from ...motion import Kinematic
from ..device import Device
from ..memory import SharedMemory
from ..messages import Orders, Report, Request
from ..mixing import Mixing, speed_problems
from ..protocols.interface import ProtocolError
from ..protocols.table import codec_for
from ..safety import DRIVEN, FOLLOWING, SETTING_UP, Fault, Safety, Sight, State, Trouble, Wish, step
from ..transport import Transport, TransportError
from .channel_statuses import channel_statuses
from .conversation import Conversation
from .following import Following
from .intake import Intake
from .moves import Moves
from .pilot import Pilot
from .servo_conversation import ServoConversation
from .stance import Stance
from .statistics import Durations
from .strain import Strain
from .talk import Raw, Readings, Talk, Want
from .tasks import channels_needed

OWN_PROTOCOL = "limber"
TURN = 0.01  # [s] 100 Hz: twice a hobby servo's own rate
PERCENTILES_EVERY = 50  # turns

BEGINNINGS = (Wish.ARM, Wish.ARM_CONFIRMED, Wish.PARK, *SETTING_UP)
LEADS_TO = {
    Wish.ARM: (State.ARMING, State.HOLDING),
    Wish.ARM_CONFIRMED: (State.ARMING, State.HOLDING),
    Wish.PARK: (State.PARKING,),
    Wish.RELEASE: (State.LIMP,),
    **dict.fromkeys(SETTING_UP, (State.SETUP,)),
}
STOPPED_BY = (Fault.STOPPED, Fault.BLOCKED)  # faults after which a servo must not go on to its last goal

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
        self._mixing = Mixing(self._device)
        self._moves = Moves()
        self._late = Durations()
        self._percentiles: tuple[float, ...] = (0.0, 0.0, 0.0)
        self._safety = Safety()
        self._no_port: Trouble | None = None
        self._session = secrets.randbelow(0xFFFF) + 1
        self._talk: Talk | None = None
        self._intake = Intake(self._device, self._mixing, TURN)
        self._stance = Stance(self._device, self._mixing)
        self._following = Following(self._device)
        self._strain = Strain(self._device)
        self._pilot: Pilot | None = None
        self._begun = Request()  # what the robot is driven for, or will be once its pose is confirmed
        self._beat = 0
        self._last_turn = now
        self._stops = 0
        self._wishes = 0
        self._blender_beat = 0
        self._blender_seen = now
        self._frame = 0
        self._too_fast = speed_problems(self._device)
        self._warnings = self._too_fast

    def turn(self, now: float, late: float = 0.0) -> None:
        """One turn at `now` [s], which began `late` [s] after its time."""
        self._late.add(late)
        stop, request = self._read_orders(now)
        talk = self._talk
        if talk is not None:
            talk.listen(now)
            if request.wish is Wish.CLEAR_FAULT:
                talk.forget_complaint(now)
        self._confirm(request)
        before = self._safety
        self._safety = step(before, self._look(now, stop, request))
        self._follow_state(before, request)
        goal = self._intake.goal(now)
        self._mind_port(request.wish, now)
        self._move(goal, now)
        self._watch(now)
        if self._talk is not None:
            self._talk.speak(now)
        self._last_turn = now
        self._report(now)

    def leave(self, now: float) -> bool:
        """A turn on the way out, Blender being gone: whether the device is known to be disarmed, or cannot be reached."""
        if self._talk is None or not self._talk.alive:
            return True
        self._talk.want(Want.QUIET)
        self._talk.listen(now)
        self._talk.speak(now)
        return self._talk.quiet or not self._talk.alive

    def close(self, now: float) -> None:
        """Give the port back."""
        if self._talk is not None:
            self._talk.close(now)
            self._talk = None

    def _read_orders(self, now: float) -> tuple[bool, Request]:
        """Whether Stop was pressed, and the new wish; takes note of signs of life and of new values."""
        stops = self._memory.stops
        stop, self._stops = stops != self._stops, stops
        orders = self._memory.read_orders()
        if orders is None:
            return stop, Request()
        if orders.beat != self._blender_beat:
            self._blender_beat, self._blender_seen = orders.beat, now
        if orders.frame != self._frame:
            self._frame = orders.frame
            # Clocks of two processes agree on the usual systems; where they do not, the frame came since the last turn all the same.
            self._intake.take(min(max(orders.stamp, self._last_turn), now), orders.values, now)
        self._intake.advance(now)
        return stop, self._new_request(orders, stops)

    def _new_request(self, orders: Orders, stops: int) -> Request:
        """The new wish, where there is one that counts: one from before a Stop is void, as is one about nothing that there is."""
        if orders.wish_number == self._wishes:
            return Request()
        self._wishes = orders.wish_number
        request = orders.request
        count = len(self._device.channels) if request.wish is Wish.WIGGLE else len(self._device.joints)
        usable = 0 <= request.target < count and all(map(math.isfinite, (request.amount, *request.values)))
        return request if orders.wish_stops == stops and usable else Request()

    def _confirm(self, request: Request) -> None:
        """Take note of joints that the user says are where Blender shows them."""
        newest = self._intake.newest
        if newest is None:
            return
        asked = self._safety.state is State.CONFIRM_POSE
        if request.wish is (Wish.CONFIRM_POSE if asked else Wish.ARM_CONFIRMED):
            self._stance.confirm(range(len(newest)), newest)
        elif asked and request.wish is Wish.CONFIRM_JOINT:
            self._stance.confirm((request.target,), newest)

    def _look(self, now: float, stop: bool, request: Request) -> Sight:
        talk, pilot = self._talk, self._pilot
        subject = request if request.wish in BEGINNINGS else self._begun
        needed = channels_needed(self._device, self._mixing, subject)
        known: Raw = (None,) * len(self._device.channels) if talk is None else talk.pose(now)
        missing = [self._device.channels[channel].label for channel in sorted(needed) if known[channel] is None]
        measures = talk is not None and talk.measures
        commanded = pilot.commanded if pilot is not None and self._safety.state in FOLLOWING else None
        return Sight(
            stop=stop,
            wish=request.wish,
            trouble=self._no_port if talk is None else talk.trouble,
            connected=talk is not None and talk.connected,
            tells_pose=talk is not None and (measures or not missing),
            confirmed=not self._stance.lacks(needed, known),
            unread=missing[0] if missing else None,
            unfit=self._stance.unfit(known) if request.wish in BEGINNINGS else "",
            releases=talk is not None and talk.releases,
            device_armed=pilot is not None,
            blender_silence=now - self._blender_seen,
            # a worker that was held up knows nothing of what went on meanwhile, whatever is new now: that is silence, too
            frame_age=now - min(self._intake.came_at, self._last_turn),
            arrived=pilot is not None and pilot.arrived,
            done=pilot is not None and pilot.done,
            at_rest=pilot is None or pilot.at_rest,
            leapt=commanded is not None and self._intake.leapt(commanded),
            remark=self._intake.remark,
        )

    def _follow_state(self, before: Safety, request: Request) -> None:
        """What the new state means for what is driven, and for the device."""
        after = self._safety
        begins = _leads_to(request.wish, after)
        if begins and before.state is not State.CONFIRM_POSE:
            self._begun = request
        changed = (after.state, after.fault) != (before.state, before.fault)
        if changed:
            self._intake.begin_anew(
                at_newest=after.state in (State.ARMING, State.HOLDING)
            )  # a ramp goes where the pose is, not where it was
        if changed or begins:
            self._mind_pilot(before, request, begins)
            self._tell_device(request)

    def _mind_pilot(self, before: Safety, request: Request, begins: bool) -> None:
        """Keep the pilot while the robot is driven for one thing, and let it know what else."""
        after = self._safety
        if after.state not in DRIVEN:
            self._pilot = None
            self._following.forget()
            self._stance.forget()
        elif before.state in DRIVEN and self._pilot is not None:
            if begins and request.wish in BEGINNINGS and not self._pilot.takes_over(request):
                self._pilot = None
            elif after.state is State.ARMING:
                self._pilot.begin_ramp()

    def _tell_device(self, request: Request) -> None:
        after, talk = self._safety, self._talk
        if talk is None:
            return
        if after.state is State.LIMP:
            talk.want(Want.LIMP, request.channels or None)
        elif after.state not in DRIVEN:
            talk.want(Want.STOPPED if after.fault in STOPPED_BY else Want.QUIET)
        elif self._pilot is None:
            talk.want(Want.ARMED, channels_needed(self._device, self._mixing, self._begun))

    def _mind_port(self, wish: Wish, now: float) -> None:
        """Close a port that is of no more use, and open it where the state asks for it."""
        broken = self._talk is not None and not self._talk.alive and self._safety.state is State.FAULT
        if broken or wish is Wish.RECONNECT:
            self.close(now)  # an open handle would keep the port's name from a robot that is plugged in again
        if self._safety.state is not State.CONNECTING or self._talk is not None:
            return
        self._report(now)  # opening may take its time
        self._no_port = None
        try:
            device = self._device
            codec = None if device.protocol == OWN_PROTOCOL else codec_for(device.protocol, device.settings, device.program)
            transport = self._connect(self._device, now)
        except TransportError as error:
            self._no_port = Trouble(error.fault, error.detail)
            return
        except ProtocolError as error:
            self._no_port = Trouble(Fault.UNSUITABLE, str(error))
            return
        self._session = self._session % 0xFFFF + 1
        if codec is None:
            self._talk = Conversation(self._device, transport, self._session, TURN, self._moves, now)
        else:
            self._talk = ServoConversation(self._device, transport, codec, self._moves, now)

    def _move(self, goal: list[Kinematic] | None, now: float) -> None:
        """Take the robot a turn further, where it may move."""
        talk = self._talk
        if talk is None or self._safety.state not in DRIVEN or not talk.armed:
            return
        if self._pilot is None:
            start = self._stance.complete(talk.pose(now))
            if any(start[channel] is None for channel in channels_needed(self._device, self._mixing, self._begun)):
                talk.fail(Fault.POSE_UNREAD, "no position came while arming")
                return
            self._pilot = Pilot(self._device, self._mixing, self._begun, start)
            self._following.forget()
        talk.move(now, self._pilot.step(self._safety.state, goal, now - self._last_turn))

    def _watch(self, now: float) -> None:
        """Whether the servos follow and are well."""
        talk = self._talk
        if talk is None:
            self._warnings = self._too_fast
            return
        if self._pilot is not None and talk.measures:
            self._following.take(now, self._pilot.raw, talk.pose(now))
            blocked = self._following.blocked(now)
            if blocked is not None:
                talk.fail(Fault.BLOCKED, blocked)
        self._warnings = (*self._too_fast, *talk.remarks, *self._following.warnings(now), *self._strain.warnings(now, talk.readings()))

    def _asks(self, now: float) -> bool:
        """Whether it has to be confirmed where the robot is before it can be armed."""
        talk = self._talk
        waits = self._safety.state is State.DISARMED and talk is not None and not talk.measures
        return waits and talk is not None and None in talk.pose(now)

    def _report(self, now: float) -> None:
        self._beat += 1
        if self._beat % PERCENTILES_EVERY == 1:
            shares = ((self._late, 0.5), (self._late, 0.99), (self._moves.answer_times, 0.5))
            self._percentiles = tuple(1e3 * times.percentile(share) for times, share in shares)
        measured: Raw = (None,) * len(self._device.channels) if self._talk is None or not self._talk.measures else self._talk.measured()
        count = len(self._device.channels)
        commanded: Raw = (None,) * count if self._pilot is None else self._pilot.raw
        readings: Sequence[Readings] = ({},) * count if self._talk is None else self._talk.readings()
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
                refused=self._intake.refused,
                clamped=self._intake.clamped,
                late_ms_p50=late_p50,
                late_ms_p99=late_p99,
                ack_ms_p50=answer_p50,
                commanded=None if self._pilot is None else self._pilot.commanded,
                places=self._mixing.values(measured),
                confirmed=self._stance.confirmed,
                asks=self._asks(now),
                channels=channel_statuses(commanded, measured, self._following.errors, readings),
                warnings=self._warnings,
            )
        )


def _leads_to(wish: Wish, after: Safety) -> bool:
    """Whether a wish was heard: the state is what it asks for, or will be once the pose is confirmed."""
    return (after.then if after.state is State.CONFIRM_POSE else after.state) in LEADS_TO.get(wish, ())
