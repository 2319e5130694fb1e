"""What the robot may do, as a state machine without port, thread or clock. Knows no Blender.

`step` is pure: the state before, what the worker sees and how long ago things happened in; the state after out. What goes on the wire
follows from the state alone (see `worker.loop`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

HOLD_AFTER = 0.2  # [s] without angles: a save, a file dialog, a slow redraw. The robot slows down to a hold
DISARM_AFTER = 5.0  # [s] without a sign of life: Blender hangs, or nobody minds the robot
CONFIRM_WITHIN = 1.0  # [s] age of the pose that the user confirms: what Blender shows now, not what it showed before

LEAPT = "the pose in Blender jumped"
"""The detail of a hold, and of the ramp that ends it, that a leap of the pose brought about."""


class State(IntEnum):
    """Where the link stands. Only ARMING, ARMED and HOLDING let the servos be driven."""

    CLOSED = 0
    CONNECTING = 1
    DISARMED = 2
    CONFIRM_POSE = 3
    ARMING = 4
    ARMED = 5
    HOLDING = 6
    FAULT = 7
    WORKER_LOST = 8


DRIVEN = (State.ARMING, State.ARMED, State.HOLDING)


class Fault(IntEnum):
    """Why a fault latched, or the worker was lost."""

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


class Wish(IntEnum):
    """What the user asks for. Stop is not among them: it has a word of its own in the memory map."""

    NOTHING = 0
    ARM = 1
    CONFIRM_POSE = 2
    DISARM = 3
    CLEAR_FAULT = 4
    RECONNECT = 5


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fault with what is known of it, for the sentence."""

    fault: Fault
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Sight:
    """What the worker sees in one turn.

    Attributes:
        stop: Stop was pressed since the last turn.
        wish: The user's new wish.
        trouble: What is wrong with port or device; None: nothing.
        connected: The device has shaken hands and knows its channels.
        tells_pose: The device measures where its servos are.
        unread: Name of a channel whose position the newest report lacks; None: all are known.
        device_armed: The device obeys.
        blender_silence: Time since Blender's last sign of life [s].
        frame_age: Time since the last usable angles [s]; infinite before the first.
        arrived: The ramp has reached the newest angles.
        at_rest: The commanded angles stand still.
        leapt: The newest angles are far from the commanded ones, and no motion of the joints led there.
        remark: What else the user should know: why angles are refused.
    """

    stop: bool = False
    wish: Wish = Wish.NOTHING
    trouble: Trouble | None = None
    connected: bool = False
    tells_pose: bool = True
    unread: str | None = None
    device_armed: bool = False
    blender_silence: float = 0.0
    frame_age: float = 0.0
    arrived: bool = False
    at_rest: bool = True
    leapt: bool = False
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Safety:
    """A state, with the fault that latched."""

    state: State = State.CONNECTING
    fault: Fault = Fault.NONE
    detail: str = ""


def step(before: Safety, sight: Sight) -> Safety:
    """The state after `sight`: first Stop, then trouble, then silence, then wishes, then progress."""
    if sight.stop:
        return Safety(State.FAULT, Fault.STOPPED)
    if sight.wish is Wish.RECONNECT:
        return Safety(State.CONNECTING)
    if before.state is State.FAULT:
        return _latched(before, sight)
    if sight.trouble is not None:
        return Safety(State.FAULT, sight.trouble.fault, sight.trouble.detail)
    if before.state in DRIVEN:
        return _driven(before, sight)
    return _still(before, sight)


def _latched(before: Safety, sight: Sight) -> Safety:
    """A fault stays until the user takes note of it."""
    if sight.wish is not Wish.CLEAR_FAULT:
        return before
    return Safety(State.DISARMED if sight.connected and sight.trouble is None else State.CONNECTING)


def _driven(before: Safety, sight: Sight) -> Safety:
    state, detail = before.state, before.detail if before.detail == LEAPT else ""
    if sight.blender_silence > DISARM_AFTER:
        return Safety(State.FAULT, Fault.BLENDER_SILENT)
    if sight.wish is Wish.DISARM:
        return Safety(State.DISARMED)
    if sight.device_armed:
        silent = sight.frame_age > HOLD_AFTER
        if silent:
            state, detail = State.HOLDING, ""
        elif sight.leapt and state is not State.HOLDING:
            state, detail = State.HOLDING, LEAPT
        elif state is State.HOLDING and sight.at_rest:
            state = State.ARMING  # from a standstill on it is like arming: a ramp
        elif state is State.ARMING and sight.arrived:
            state, detail = State.ARMED, ""
    return Safety(state, detail=sight.remark or detail)


def _still(before: Safety, sight: Sight) -> Safety:
    if not sight.connected:
        return Safety(State.CONNECTING)
    if before.state is State.CONNECTING:
        return Safety(State.DISARMED)
    if before.state is State.CONFIRM_POSE:
        return _confirming(sight)
    if sight.wish is not Wish.ARM:
        return Safety(State.DISARMED)
    if not sight.tells_pose:
        return Safety(State.CONFIRM_POSE)
    if sight.unread is not None:
        return Safety(State.FAULT, Fault.POSE_UNREAD, f"channel '{sight.unread}'")
    return Safety(State.ARMING)


def _confirming(sight: Sight) -> Safety:
    if sight.wish is Wish.DISARM or sight.blender_silence > DISARM_AFTER:
        return Safety(State.DISARMED)
    if sight.frame_age > CONFIRM_WITHIN:
        return Safety(State.CONFIRM_POSE, detail=sight.remark or "Blender shows no pose yet: press Live first")
    if sight.wish is Wish.CONFIRM_POSE:
        return Safety(State.ARMING)
    return Safety(State.CONFIRM_POSE)
