"""A non-blocking connection to a robot on a network."""

from __future__ import annotations

import socket
import threading

from .address import Address
from .safety import Fault
from .transport import TransportError

CONNECT_TIMEOUT = 4.0  # [s] timeout of connecting, shorter than the worker's timeout for an answer
# [bytes] largest read in a step of the worker: eight times the daemon's data, decoded within 2 ms for any
# content
RECEIVE = 2_048
# largest number of successive full reads (`RECEIVE` bytes each); beyond it the connection fails, since data
# arrive faster than they are read and are 1.3 s late by then
FLOODED_AFTER = 128
# [bytes] largest size of unsent data: half a second of commands; further ones are refused, since they would
# arrive late
MOST_WAITING = 8_192


class NetworkTransport:
    """A TCP connection as a transport. A thread looks up the host and connects; data written before that is
    sent afterwards.

    Args:
        address: Address to connect to.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._socket: socket.socket | None = None
        self._failure: TransportError | None = None
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._waiting = bytearray()
        self._full_reads = 0  # number of successive full reads
        threading.Thread(target=self._connect, daemon=True).start()

    def read(self) -> bytes:
        connected = self._connected_socket()
        if connected is None:
            return b""
        self._send(connected)
        try:
            data = connected.recv(RECEIVE)
        except (BlockingIOError, InterruptedError):
            self._full_reads = 0
            return b""
        except OSError as error:
            raise TransportError(Fault.UNPLUGGED, _reason(error)) from error
        if not data:
            raise TransportError(Fault.UNPLUGGED, "it closed the connection")
        self._full_reads = self._full_reads + 1 if len(data) == RECEIVE else 0
        if self._full_reads > FLOODED_AFTER:
            raise TransportError(Fault.UNPLUGGED, "it sends more than a robot has to say")
        return data

    def write(self, data: bytes) -> bool:
        connected = self._connected_socket()
        if len(self._waiting) + len(data) > MOST_WAITING:
            if connected is not None:
                self._send(connected)
            if len(self._waiting) + len(data) > MOST_WAITING:
                return False
        self._waiting += data
        if connected is not None:
            self._send(connected)
        return True

    def close(self) -> None:
        with self._lock:
            self._closed.set()
            if self._socket is not None:
                self._socket.close()

    def _connected_socket(self) -> socket.socket | None:
        """The connected socket; None while there is no connection yet. Raises TransportError if connecting
        has failed.
        """
        with self._lock:
            if self._failure is not None:
                raise self._failure
            return self._socket

    def _send(self, connected: socket.socket) -> None:
        """Send as many of the pending bytes as the socket accepts."""
        try:
            while self._waiting:
                del self._waiting[: connected.send(self._waiting)]
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            raise TransportError(Fault.UNPLUGGED, _reason(error)) from error

    def _connect(self) -> None:
        connection: socket.socket | None = None
        failure: TransportError | None = None
        try:
            connection = socket.create_connection((self._address.host, self._address.port), CONNECT_TIMEOUT)
            # commands are sent at once instead of being collected
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setblocking(False)
        except (OSError, UnicodeError) as error:  # UnicodeError: an impossible host name
            failure = TransportError(_connect_fault(error), _reason(error))
        with self._lock:
            self._socket, self._failure = (connection, None) if failure is None else (None, failure)
            if self._closed.is_set() and connection is not None:
                connection.close()


def _connect_fault(error: Exception) -> Fault:
    if isinstance(error, socket.gaierror | UnicodeError):
        return Fault.PORT_MISSING
    return Fault.SILENT if isinstance(error, TimeoutError) else Fault.PORT_UNUSABLE


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else "") or str(error) or type(error).__name__
