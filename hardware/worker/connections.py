"""The table of connections: the class for the devices of each protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..device import Device
from ..protocols.reachy_mini.capabilities import PROTOCOL as REACHY_MINI
from ..protocols.table import OWN, codec_for
from ..transport import Transport
from ..virtual_robot import on_board
from .connection import Connection, Moves
from .limber_connection import LimberConnection
from .reachy_connection import ReachyConnection
from .servos.servo_connection import ServoConnection

Connect = Callable[[Device, float], Transport]
Make = Callable[[Device, Transport, int, float, Moves, float], Connection]

CONNECTIONS: Mapping[str, Make] = MappingProxyType(
    {
        OWN: lambda device, port, session, period, moves, time: LimberConnection(
            on_board(device), port, session, period, moves, time
        ),
        REACHY_MINI: lambda device, port, _session, _period, moves, time: ReachyConnection(
            device, port, moves, time
        ),
    }
)
"""Connections of the protocols whose devices have states of their own; all others talk to servos through a
codec.
"""


def connection_to(
    device: Device, connect: Connect, session: int, period: float, moves: Moves, time: float
) -> Connection:
    """Open a device's port, and make the connection that fits its protocol.

    Args:
        device: The robot's description.
        connect: Opens the device's port at a time [s].
        session: Number of this connection, 1 to 65535, other than that of the connection before.
        period: Time between two steps of the worker [s].
        moves: The statistics of moves and their acknowledgements.
        time: Current time [s].

    Raises:
        TransportError: The port cannot be opened.
        ProtocolError: There is no such protocol, or it cannot be used with the device's settings.
    """
    if device.protocol in CONNECTIONS:
        return CONNECTIONS[device.protocol](device, connect(device, time), session, period, moves, time)
    # the codec is made before the port is opened, so that a wrong protocol touches nothing
    codec = codec_for(device.protocol, device.settings, device.program)
    return ServoConnection(device, connect(device, time), codec, moves, time)
