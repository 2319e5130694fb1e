"""What the robot may do, as a state machine of pure functions of what happened and when. Knows no Blender, no port and no clock."""

from __future__ import annotations

from enum import IntEnum


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
    TOO_FEW_SERVOS = 10
    DEVICE_RESET = 11
    DEVICE_WATCHDOG = 12
    DEVICE_REFUSED = 13
    POSE_UNREAD = 14
    BLENDER_SILENT = 15
    WORKER_DIED = 16
    WORKER_HUNG = 17
    NO_PYSERIAL = 18
