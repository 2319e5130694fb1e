"""One period of the worker: read Blender's message, receive, decide, drive, send, report.

It neither sleeps nor reads a clock, so that tests run it in simulated time.
"""

from __future__ import annotations

import secrets
from dataclasses import replace

from ...motion import Kinematic
from ..device import Device
from ..memory import SharedMemory
from ..messages import Request
from ..mixing import Mixing
from ..protocols.interface import ProtocolError
from ..safety import (
    DRIVEN,
    FOLLOWING,
    HELD_UP_AFTER,
    HOLD_AFTER,
    SETTING_UP,
    Command,
    Fault,
    FaultReport,
    Safety,
    SafetyInputs,
    State,
    step,
)
from ..servo_shortfalls import speed_problems
from ..transport import TransportError
from .command_buffer import CommandBuffer
from .connection import Connection, Moves, Raw
from .connection_state import DesiredState
from .connections import Connect, connection_to
from .monitors import HealthMonitor, PoseConfirmation, TrackingErrorMonitor
from .motion_controller import MotionController
from .orders_reader import OrdersReader
from .reporter import Reporter
from .tasks import channels_needed

PERIOD = 0.01  # [s] period of the worker: 100 Hz, twice a hobby servo's own rate
MOTION_COMMANDS = (Command.ARM, Command.ARM_CONFIRMED, Command.PARK, *SETTING_UP)
# command -> states that it leads to
TARGET_STATES = {
    Command.ARM: (State.ARMING, State.HOLDING),
    Command.ARM_CONFIRMED: (State.ARMING, State.HOLDING),
    Command.PARK: (State.PARKING,),
    Command.RELEASE: (State.LIMP,),
    **dict.fromkeys(SETTING_UP, (State.SETUP,)),
}
STOPPED_BY = (Fault.STOPPED, Fault.BLOCKED)  # faults after which a servo must not continue to its last goal


class Worker:
    """The work of the worker process, one period at a time.

    Args:
        memory: The memory that it shares with Blender.
        connect: Opens the device's port at a time [s]; raises TransportError.
        time: Current time [s].
    """

    def __init__(self, memory: SharedMemory, connect: Connect, time: float) -> None:
        self._device = memory.device
        self._connect = connect
        self._limited_device = self._device
        self._mixing = Mixing(self._device)
        self._moves = Moves()
        self._safety = Safety()
        self._no_port: FaultReport | None = None
        self._session = secrets.randbelow(0xFFFF) + 1
        self._connection: Connection | None = None
        self._buffer = CommandBuffer(self._device, self._mixing, PERIOD)
        self._pose = PoseConfirmation(self._device, self._mixing)
        self._tracking = TrackingErrorMonitor(self._device)
        self._health = HealthMonitor(self._device)
        self._controller: MotionController | None = None
        self._begun = Request()  # the request that drives the robot, or will when its pose is confirmed
        self._last_step = time
        self._orders = OrdersReader(memory, self._buffer, time)
        self._reporter = Reporter(memory, self._moves, self._buffer, self._pose, self._tracking)
        self._too_fast = speed_problems(self._device)
        self._warnings = self._too_fast

    def step(self, time: float, late: float = 0.0) -> None:
        """Run one period at `time` [s], which is `late` [s] behind schedule."""
        self._reporter.late.add(late)
        stop, request = self._orders.read(time, self._last_step)
        connection = self._connection
        if connection is not None:
            connection.listen(time)
            self._keep_within(connection.limited_device)
            if request.command is Command.CLEAR_FAULT:
                connection.acknowledge_fault(time)
        self._confirm(request)
        before = self._safety
        self._safety = step(before, self._safety_inputs(time, stop, request))
        self._apply_state(before, request)
        goal = self._buffer.goal(time)
        self._update_port(request.command, time)
        self._move(goal, time)
        self._watch(time)
        if self._connection is not None:
            self._connection.speak(time)
        self._last_step = time
        self._report(time)

    @property
    def is_stop_pressed(self) -> bool:
        """Whether Stop was pressed since the last step."""
        return self._orders.is_stop_pressed

    def shut_down(self, time: float) -> bool:
        """One period after Blender has ended: the robot slows down and is disarmed. Returns whether the
        worker may end: the device is disarmed, or its connection is unusable.
        """
        connection = self._connection
        if connection is None or not connection.alive:
            return True
        connection.listen(time)
        if not self._slow_down(connection, time):
            connection.request(DesiredState.DISARMED)
            connection.speak(time)
        self._last_step = time
        return connection.is_disarmed or not connection.alive

    def _slow_down(self, connection: Connection, time: float) -> bool:
        """Send the next goals with which the robot comes to rest within its limits. Returns False, and sends
        nothing, if it is at rest or must not be driven any more.
        """
        controller = self._controller
        if (
            controller is None
            or _is_at_rest(connection, controller)
            or not connection.armed
            or connection.fault_report is not None
        ):
            return False
        if time - self._last_step > HELD_UP_AFTER:
            return False
        self._advance(connection, controller, State.BRAKING, None, time)
        return True

    def close(self, time: float) -> None:
        """Close the connection, if there is one: it may first disarm or stop the device."""
        if self._connection is not None:
            self._connection.close(time)
            self._connection = None

    def _keep_within(self, device: Device) -> None:
        """Bound goals to the channels' ranges of `device` from now on."""
        if device is not self._limited_device:
            self._limited_device, self._mixing = device, Mixing(device)
            self._buffer.keep_within(self._mixing)

    def _confirm(self, request: Request) -> None:
        """Record that joints are at the values of the newest frame, if `request` is the user's confirmation
        of that.
        """
        newest = self._buffer.newest
        if newest is None:
            return
        is_confirming = self._safety.state is State.CONFIRM_POSE
        if request.command is (Command.CONFIRM_POSE if is_confirming else Command.ARM_CONFIRMED):
            self._pose.confirm(range(len(newest)), newest)
        elif is_confirming and request.command is Command.CONFIRM_JOINT:
            self._pose.confirm((request.target,), newest)

    def _safety_inputs(self, time: float, stop: bool, request: Request) -> SafetyInputs:
        connection, controller = self._connection, self._controller
        needed = self._channels_needed(request)
        known: Raw = (None,) * len(self._device.channels) if connection is None else connection.pose(time)
        missing = next((self._device.channels[k].label for k in sorted(needed) if known[k] is None), None)
        measures = connection is not None and connection.measures
        inputs = SafetyInputs(
            stop=stop,
            command=request.command,
            fault_report=self._no_port if connection is None else connection.fault_report,
            connected=connection is not None and connection.connected,
            tells_pose=connection is not None and (measures or missing is None),
            confirmed=not self._pose.lacks(needed, known),
            pose_missing=missing,
            implausible=self._pose.implausible(known) if request.command in MOTION_COMMANDS else "",
            releases=connection is not None and connection.releases,
            cycle_gap=time - self._last_step,
            blender_silence=time - self._orders.blender_seen,
            # a worker that was held up does not know what happened meanwhile, even if new frames wait, so
            # this counts as silence too
            frame_age=time - min(self._buffer.came_at, self._last_step),
            moves_unread_for=0.0 if connection is None else connection.unread_for,
            remark=self._buffer.remark,
        )
        if controller is None:
            return inputs
        commanded = controller.commanded if self._safety.state in FOLLOWING else None
        return replace(
            inputs,
            device_armed=True,
            arrived=controller.arrived,
            done=controller.done,
            at_rest=_is_at_rest(connection, controller),
            jumped=commanded is not None and self._buffer.jumped(commanded),
        )

    def _channels_needed(self, request: Request) -> frozenset[int]:
        """Indices of the channels that `request` drives; if it drives none, those of the command that drives
        the robot, or did last.
        """
        if request.command in MOTION_COMMANDS:
            return channels_needed(self._device, self._mixing, request)
        return (
            channels_needed(self._device, self._mixing, self._begun)
            if self._controller is None
            else self._controller.channels
        )

    def _apply_state(self, before: Safety, request: Request) -> None:
        """Adapt motion and device to the new state and an accepted `request`; a new fault drops the waiting
        commands. `before`: safety state before this period.
        """
        after = self._safety
        begins = _leads_to(request.command, after)
        if begins and before.state is not State.CONFIRM_POSE:
            self._begun = request
        changed = (after.state, after.fault) != (before.state, before.fault)
        if changed and after.state is State.FAULT:
            self._orders.drop_requests()  # commands from before a fault are not executed after it
        if changed:
            self._buffer.begin_anew(
                at_newest=after.state in (State.ARMING, State.HOLDING)
            )  # so that the approach leads to the current pose and not to an earlier one
        if changed or begins:
            self._update_controller(before, request, begins)
            self._request_state(request)

    def _update_controller(self, before: Safety, request: Request, begins: bool) -> None:
        """Pass the new state and command to the motion controller. Drop it for a command that it cannot
        execute (`_move` makes a new one) and, with the confirmed pose, when the robot is no longer driven.
        `before`: safety state before this period; `begins`: whether `request` was accepted.
        """
        after = self._safety
        if after.state not in DRIVEN:
            self._controller = None
            self._tracking.forget()
            self._pose.forget()
        elif before.state in DRIVEN and self._controller is not None:
            if begins and request.command in MOTION_COMMANDS and not self._controller.takes_over(request):
                self._controller = None
            elif after.state is State.ARMING:
                self._controller.begin_approach()

    def _request_state(self, request: Request) -> None:
        after, connection = self._safety, self._connection
        if connection is None:
            return
        if after.state is State.LIMP:
            connection.request(DesiredState.LIMP, request.channels or None)
        elif after.state not in DRIVEN:
            connection.request(DesiredState.STOPPED if after.fault in STOPPED_BY else DesiredState.DISARMED)
        elif self._controller is None:
            connection.request(DesiredState.ARMED, channels_needed(self._device, self._mixing, self._begun))

    def _update_port(self, command: Command, time: float) -> None:
        """Close the port after a lost connection, or at the command to reconnect; open it in the state
        CONNECTING. A failure becomes the fault of the next period.
        """
        broken = (
            self._connection is not None and not self._connection.alive and self._safety.state is State.FAULT
        )
        if broken or command is Command.RECONNECT:
            self.close(
                time
            )  # an open handle would block the port's name for a robot that is plugged in again
        if self._safety.state is not State.CONNECTING or self._connection is not None:
            return
        self._report(time)  # opening may take long, so the state is reported first
        self._no_port = None
        self._session = self._session % 0xFFFF + 1
        try:
            self._connection = connection_to(
                self._device, self._connect, self._session, PERIOD, self._moves, time
            )
        except TransportError as error:
            self._no_port = FaultReport(error.fault, error.detail)
        except ProtocolError as error:
            self._no_port = FaultReport(Fault.UNSUITABLE, str(error))

    def _move(self, goal: list[Kinematic] | None, time: float) -> None:
        """Send the next goals, if the robot may move. The first ones begin at its current pose; the
        connection fails if that is not known.
        """
        connection = self._connection
        if connection is None or self._safety.state not in DRIVEN or not connection.armed:
            return
        if self._controller is None:
            start = self._pose.complete(connection.pose(time))
            if any(
                start[channel] is None for channel in channels_needed(self._device, self._mixing, self._begun)
            ):
                connection.fail(Fault.POSE_UNREAD, "no position came while arming")
                return
            self._controller = MotionController(connection.limited_device, self._mixing, self._begun, start)
            self._tracking.forget()
        self._advance(connection, self._controller, self._safety.state, goal, time)

    def _advance(
        self,
        connection: Connection,
        controller: MotionController,
        state: State,
        goal: list[Kinematic] | None,
        time: float,
    ) -> None:
        """Send the next move. For a device that does not read its moves in time the motion is slower, down to
        a standstill, and goes on from the last move that was sent, so that the robot leaps nowhere. At that
        standstill, and at rest in BRAKING, nothing is sent.
        """
        dt = time - self._last_step
        if connection.speed_scale == 0.0:
            controller.stand()
            return
        if state is State.BRAKING and controller.at_rest:
            controller.rest(dt)  # no move is sent any more, so that the device reads the last ones
            return
        reaches = None if goal is None else self._buffer.reaches()
        connection.move(time, controller.step(state, goal, dt, reaches, connection.speed_scale))

    def _watch(self, time: float) -> None:
        """Collect the warnings for the report; a blocked servo makes the connection fail."""
        connection = self._connection
        if connection is None:
            self._warnings = (*self._too_fast, *self._buffer.limited)
            return
        if self._controller is not None and connection.measures:
            self._tracking.take(time, connection.sent(self._controller.raw), connection.pose(time))
            blocked = self._tracking.blocked(time)
            if blocked is not None:
                connection.fail(Fault.BLOCKED, blocked)
        self._warnings = (
            *self._too_fast,
            *self._buffer.limited,
            *connection.remarks,
            *self._tracking.warnings(time),
            *self._health.warnings(time, connection.readings()),
        )

    def _needs_confirmation(self, time: float) -> bool:
        """Whether the robot is disarmed, and can be armed only after the user has confirmed its pose."""
        connection = self._connection
        waits = self._safety.state is State.DISARMED and connection is not None and not connection.measures
        return waits and connection is not None and None in connection.pose(time)

    def _report(self, time: float) -> None:
        self._reporter.write(
            self._connection,
            self._controller,
            self._safety,
            self._mixing,
            self._needs_confirmation(time),
            self._warnings,
        )


def _is_at_rest(connection: Connection | None, controller: MotionController) -> bool:
    """Whether the robot is at rest: the commanded values are; if the device reads late, for so long that it
    has read and performed the moves before that.
    """
    delay = 0.0 if connection is None or connection.speed_scale == 1.0 else 2.0 * HOLD_AFTER
    return controller.at_rest and controller.rested_for >= delay


def _leads_to(command: Command, after: Safety) -> bool:
    """Whether a command that drives or releases the robot was accepted: the state is its target state, or
    will be once the pose is confirmed.
    """
    return (after.then if after.state is State.CONFIRM_POSE else after.state) in TARGET_STATES.get(
        command, ()
    )
