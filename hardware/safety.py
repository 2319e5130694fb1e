"""Safety state machine of the robot link, without port, thread or clock.

`step` is pure: it maps the last state and the inputs of this period to the next state. The data sent depend
on the state alone (see `worker.core`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

# [s] time without joint values (a save, a file dialog, a slow redraw), or age of a move that the device has
# not read, after which the robot slows down to a hold
HOLD_AFTER = 0.2
# [s] time without a heartbeat of the host after which the robot is disarmed, since it is perhaps unattended
DISARM_AFTER = 5.0
# [s] time between two cycles from which the worker counts as held up: the delay at which Blender takes it for
# lost
HELD_UP_AFTER = 1.02
# [s] largest age of the pose that the user confirms: a confirmation of an older one, which is perhaps not the
# one shown now, has no effect
CONFIRM_WITHIN = 1.0

JUMPED = "the pose in Blender jumped"
"""The detail of a hold, and of the slow approach that ends it, after a jump of the pose."""

LATE = "the robot has not read its last moves"
"""The detail of a hold, and of the slow approach that ends it, while the device reads its moves too late."""

NO_POSE = "no new pose was shown for a second"
"""The detail of CONFIRM_POSE while the shown pose is too old to be confirmed."""

NO_RELEASE = "these servos cannot be made limp"
"""The detail of DISARMED after the command to release servos whose torque cannot be switched off."""


class State(IntEnum):
    """State of the robot link. Servos are driven only in the states of DRIVEN."""

    CLOSED = 0
    CONNECTING = 1
    DISARMED = 2
    CONFIRM_POSE = 3
    ARMING = 4
    ARMED = 5
    HOLDING = 6
    FAULT = 7
    WORKER_LOST = 8
    SETUP = 9
    PARKING = 10
    LIMP = 11
    BRAKING = 12


FOLLOWING = (State.ARMING, State.ARMED, State.HOLDING)
"""States of a robot that follows the pose in Blender, or comes to it slowly, or holds."""

DRIVEN = (*FOLLOWING, State.SETUP, State.PARKING, State.BRAKING)


class Fault(IntEnum):
    """Cause of a latched fault, or of the loss of the worker."""

    NONE = 0
    STOPPED = 1
    PORT_MISSING = 2
    PORT_BUSY = 3
    PORT_FORBIDDEN = 4
    PORT_UNUSABLE = 5
    UNPLUGGED = 6
    SILENT = 7
    OTHER_PROTOCOL = 8
    OTHER_VERSION = 9
    UNSUITABLE = 10
    DEVICE_RESET = 11
    DEVICE_WATCHDOG = 12
    DEVICE_REFUSED = 13
    POSE_UNREAD = 14
    BLENDER_SILENT = 15
    WORKER_DIED = 16
    WORKER_HUNG = 17
    NO_PYSERIAL = 18
    BLOCKED = 19
    POSE_UNFIT = 20
    WRONG_MODE = 21
    POSITION_DOUBTFUL = 22
    SERVO_FORGOT = 23
    WENT_ON = 24
    OTHER_CALIBRATION = 25
    HELD_UP = 26
    UNREAD = 27


UNREACHED = frozenset(
    {
        Fault.PORT_MISSING,
        Fault.PORT_BUSY,
        Fault.PORT_FORBIDDEN,
        Fault.PORT_UNUSABLE,
        Fault.UNPLUGGED,
        Fault.SILENT,
        Fault.OTHER_PROTOCOL,
        Fault.OTHER_VERSION,
        Fault.UNSUITABLE,
        Fault.NO_PYSERIAL,
        Fault.UNREAD,
    }
)
"""Faults of the connection: there is none, or it has ended. Their sentences say so."""


class Command(IntEnum):
    """A user's command. The emergency stop is not a command: it has a separate counter in the shared memory.
    ARM_CONFIRMED is ARM with the user's confirmation that a robot without measured positions is in the
    pose that Blender shows.
    """

    NOTHING = 0
    ARM = 1
    CONFIRM_POSE = 2
    DISARM = 3
    CLEAR_FAULT = 4
    RECONNECT = 5
    CONFIRM_JOINT = 6
    JOG = 7
    WIGGLE = 8
    TEST = 9
    PARK = 10
    RELEASE = 11
    ARM_CONFIRMED = 12


SETTING_UP = (Command.JOG, Command.WIGGLE, Command.TEST)
"""Motion of a single joint or servo."""

_BEGINS = {
    Command.ARM: State.ARMING,
    Command.ARM_CONFIRMED: State.ARMING,
    Command.PARK: State.PARKING,
} | dict.fromkeys(SETTING_UP, State.SETUP)


@dataclass(frozen=True, slots=True)
class FaultReport:
    """A fault, with a detail that completes its message."""

    fault: Fault
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SafetyInputs:
    """Inputs of one step of the state machine.

    Attributes:
        stop: Stop was pressed since the last period.
        command: The user's new command.
        fault_report: Fault of the port or the device; None if there is none.
        connected: The device is identified and configured.
        tells_pose: The device measures positions, or all channels that are to move are held by a pulse.
        confirmed: The position of each joint that is to move is known, or the user has confirmed it.
        pose_missing: Name of a channel that is to move and whose position is not known now; None if all are
            known.
        implausible: Why the reported positions are impossible; empty if they are possible.
        releases: The servos' torque can be switched off.
        device_armed: The device is armed and receives goals.
        cycle_gap: Time [s] since the last cycle of the worker, including the computer's sleep.
        blender_silence: Time [s] since Blender's last heartbeat.
        frame_age: Time [s] since the last usable joint values; infinite before the first.
        moves_unread_for: Age [s] of the oldest move that the device has not read; 0 without one.
        arrived: The commanded values have reached those of Blender.
        done: A motion with an end (a test, parking) has ended.
        at_rest: The commanded values are at rest.
        jumped: The newest values are far from the commanded ones, by a motion that joints could not follow.
        remark: Why Blender's joint values are refused; empty if they are not.
    """

    stop: bool = False
    command: Command = Command.NOTHING
    fault_report: FaultReport | None = None
    connected: bool = False
    tells_pose: bool = True
    confirmed: bool = False
    pose_missing: str | None = None
    implausible: str = ""
    releases: bool = True
    device_armed: bool = False
    cycle_gap: float = 0.0
    blender_silence: float = 0.0
    frame_age: float = 0.0
    moves_unread_for: float = 0.0
    arrived: bool = False
    done: bool = False
    at_rest: bool = True
    jumped: bool = False
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Safety:
    """Safety state with the latched fault; in CONFIRM_POSE, `then` is the state that follows after
    confirmation.
    """

    state: State = State.CONNECTING
    fault: Fault = Fault.NONE
    detail: str = ""
    then: State = State.ARMING


def step(before: Safety, inputs: SafetyInputs) -> Safety:
    """The next safety state. Priority: emergency stop, Reconnect, a latched fault, a worker that was held up,
    new faults, the host's silence while the robot is driven, other commands, progress.
    """
    if inputs.stop:
        return Safety(State.FAULT, Fault.STOPPED)
    if inputs.command is Command.RECONNECT:
        return Safety(State.CONNECTING)
    if before.state is State.FAULT:
        return _latched(before, inputs)
    if was_held_up(before, inputs):
        return Safety(State.FAULT, Fault.HELD_UP, f"{inputs.cycle_gap:.0f} s")
    if inputs.fault_report is not None:
        return Safety(State.FAULT, inputs.fault_report.fault, inputs.fault_report.detail)
    if before.state in DRIVEN:
        return _driven(before, inputs)
    return _not_driven(before, inputs)


def was_held_up(before: Safety, inputs: SafetyInputs) -> bool:
    """Whether the worker was held up before this cycle, by the computer's sleep or load, so that it does not
    know what happened meanwhile. False while it connects, since opening the port may take long.
    """
    return inputs.cycle_gap > HELD_UP_AFTER and before.state is not State.CONNECTING


def _latched(before: Safety, inputs: SafetyInputs) -> Safety:
    """Next state while a fault is latched, until the user clears it: DISARMED, or CONNECTING if the
    connection is lost or still has a fault.
    """
    if inputs.command is not Command.CLEAR_FAULT:
        return before
    return Safety(State.DISARMED if inputs.connected and inputs.fault_report is None else State.CONNECTING)


def _driven(before: Safety, inputs: SafetyInputs) -> Safety:
    if inputs.blender_silence > DISARM_AFTER:
        return Safety(State.FAULT, Fault.BLENDER_SILENT)
    if inputs.command is Command.DISARM or before.state is State.BRAKING:
        return Safety(State.DISARMED if inputs.at_rest else State.BRAKING)
    if before.state is State.SETUP:
        return _setting_up(before, inputs)
    if before.state is State.PARKING:
        return _parking(before, inputs)
    if inputs.command is Command.PARK:
        return Safety(State.PARKING)
    return _following(before, inputs)


def _following(before: Safety, inputs: SafetyInputs) -> Safety:
    state, detail = before.state, before.detail if before.detail in (JUMPED, LATE) else ""
    if inputs.device_armed:
        if inputs.frame_age > HOLD_AFTER:
            state, detail = State.HOLDING, ""
        elif inputs.moves_unread_for > HOLD_AFTER:
            state, detail = State.HOLDING, LATE
        elif inputs.jumped and state is not State.HOLDING:
            state, detail = State.HOLDING, JUMPED
        elif state is State.HOLDING and inputs.at_rest:
            state = State.ARMING  # the robot approaches slowly from a standstill, as after arming
        elif state is State.ARMING and inputs.arrived:
            state, detail = State.ARMED, ""
    return Safety(state, detail=inputs.remark or detail)


def _setting_up(before: Safety, inputs: SafetyInputs) -> Safety:
    """Next state while a single joint or servo is moved: disarmed at the end, unless another such command
    follows; limp after Release.
    """
    if inputs.command is Command.RELEASE and inputs.releases:
        return Safety(State.LIMP)
    if inputs.command in SETTING_UP:
        return _begin(State.SETUP, inputs)
    return Safety(State.DISARMED) if inputs.done else before


def _parking(before: Safety, inputs: SafetyInputs) -> Safety:
    """Next state while the robot moves to its park pose: disarmed at the end; arming makes it follow again,
    from a standstill.
    """
    if inputs.command in (Command.ARM, Command.ARM_CONFIRMED) and inputs.device_armed:
        return Safety(State.HOLDING)
    return Safety(State.DISARMED) if inputs.done else before


def _not_driven(before: Safety, inputs: SafetyInputs) -> Safety:
    """Next state while the robot is not driven: connecting, disarmed, without torque, or waiting for a
    confirmation of its pose.
    """
    if not inputs.connected:
        return Safety(State.CONNECTING)
    if before.state is State.CONNECTING:
        return Safety(State.DISARMED)
    if before.state is State.CONFIRM_POSE:
        return _confirming(before, inputs)
    if inputs.command in _BEGINS:
        return _begin(_BEGINS[inputs.command], inputs)
    if inputs.command is Command.RELEASE:
        return Safety(State.LIMP) if inputs.releases else Safety(State.DISARMED, detail=NO_RELEASE)
    if before.state is State.LIMP and inputs.command is not Command.DISARM:
        return before
    return Safety(State.DISARMED, detail=before.detail if inputs.command is Command.NOTHING else "")


def _begin(state: State, inputs: SafetyInputs) -> Safety:
    """`state`, in which driving begins; CONFIRM_POSE if the robot does not tell its pose and that is not
    confirmed, FAULT if a position is missing or the pose implausible.
    """
    if not inputs.tells_pose:
        confirmed = (
            inputs.command is Command.ARM_CONFIRMED
            and inputs.confirmed
            and inputs.frame_age <= CONFIRM_WITHIN
        )
        return Safety(state) if confirmed else Safety(State.CONFIRM_POSE, then=state)
    if inputs.pose_missing is not None:
        return Safety(State.FAULT, Fault.POSE_UNREAD, inputs.pose_missing)
    if inputs.implausible and state is not State.SETUP:  # in SETUP the user corrects one joint at a time
        return Safety(State.FAULT, Fault.POSE_UNFIT, inputs.implausible)
    return Safety(state)


def _confirming(before: Safety, inputs: SafetyInputs) -> Safety:
    waiting = Safety(State.CONFIRM_POSE, then=before.then)
    if inputs.command is Command.DISARM or inputs.blender_silence > DISARM_AFTER:
        return Safety(State.DISARMED)
    if inputs.frame_age > CONFIRM_WITHIN:
        return replace(waiting, detail=inputs.remark or NO_POSE)
    if inputs.command is Command.CONFIRM_POSE or (
        inputs.command is Command.CONFIRM_JOINT and inputs.confirmed
    ):
        return Safety(before.then)
    return waiting
