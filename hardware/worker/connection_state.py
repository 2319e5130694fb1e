"""The states of a connection to a robot, and its transitions as tables. Independent of ports and clocks.

A request for a desired state leads to a pending state (ARMING, ...). When the device has confirmed it, the
connection is in the state that was requested (ARMED, ...).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class DesiredState(Enum):
    """State that the worker requests of the device."""

    DISARMED = "disarmed"
    ARMED = "armed"
    STOPPED = "stopped"
    LIMP = "limp"


class ConnectionState(Enum):
    """Confirmed or requested state of the device, as the connection knows it."""

    DISARMING = "disarming"
    DISARMED = "disarmed"
    ARMING = "arming"
    ARMED = "armed"
    STOPPING = "stopping"
    STOPPED = "stopped"
    RELEASING = "releasing"
    LIMP = "limp"


PENDING: Mapping[DesiredState, ConnectionState] = {
    DesiredState.DISARMED: ConnectionState.DISARMING,
    DesiredState.ARMED: ConnectionState.ARMING,
    DesiredState.STOPPED: ConnectionState.STOPPING,
    DesiredState.LIMP: ConnectionState.RELEASING,
}
"""The state of a connection whose device has not confirmed the desired state yet."""

CONFIRMED: Mapping[DesiredState, ConnectionState] = {
    DesiredState.DISARMED: ConnectionState.DISARMED,
    DesiredState.ARMED: ConnectionState.ARMED,
    DesiredState.STOPPED: ConnectionState.STOPPED,
    DesiredState.LIMP: ConnectionState.LIMP,
}
"""The state of a connection whose device has confirmed the desired state."""

AT_REST = (ConnectionState.DISARMED, ConnectionState.STOPPED, ConnectionState.LIMP)
"""States in which the device is known to follow no goals. In LIMP, servos that were not released may still
hold a position.
"""

Transitions = Mapping[tuple[ConnectionState, DesiredState], ConnectionState]

_ALWAYS_PENDING = {
    (state, desired): PENDING[desired] for state in ConnectionState for desired in DesiredState
}

BOARD_TRANSITIONS: Transitions = _ALWAYS_PENDING | {
    (state, DesiredState.ARMED): state for state in (ConnectionState.ARMING, ConnectionState.ARMED)
}
"""Requests to a board with Limber's firmware. A request to arm other channels leaves an armed board as it is,
since each move names the channels that it drives.
"""

SERVO_TRANSITIONS: Transitions = (
    _ALWAYS_PENDING
    | {(ConnectionState.STOPPING, desired): ConnectionState.STOPPING for desired in DesiredState}
    | {(ConnectionState.DISARMED, DesiredState.DISARMED): ConnectionState.DISARMED}
)
"""Requests to servos. A stop that is not sent yet is sent before anything else. Nothing is sent to disarm
servos that are disarmed; after a stop or a release it is, since some may still have torque: servos do not
answer a stop, and not all may have been released.
"""
