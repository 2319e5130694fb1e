"""Non-blocking serial port, with errors as faults of the robot link."""

from __future__ import annotations

import errno
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol

from .errors import HardwareError
from .safety import Fault

# [bytes] largest read in a step of the worker: a line of 1 Mbaud delivers no more, and the worst case is
# decoded within 3 ms
RECEIVE = 1_024
TRY_EVERY = 0.05  # [s] time between two attempts to open a busy port
# [s] time without an accepted byte after which a frame is dropped, since the next one is newer
WRITE_TIMEOUT = 0.05

try:
    import termios

    # pyserial passes on termios.error, which is no OSError
    PORT_ERRORS: tuple[type[Exception], ...] = (OSError, termios.error)
except ImportError:  # Windows
    PORT_ERRORS = (OSError,)

_MISSING = (errno.ENOENT, errno.ENXIO, errno.ENODEV)
_BUSY = (errno.EBUSY, errno.EAGAIN)
_FORBIDDEN = (errno.EACCES, errno.EPERM)


# ValueError: the port does not support the baud rate
_OPEN_ERRORS: tuple[type[Exception], ...] = (*PORT_ERRORS, ValueError)


class TransportError(HardwareError):
    """The port failed; `fault` is the cause, `detail` the system's message."""

    def __init__(self, fault: Fault, detail: str) -> None:
        super().__init__(f"{fault.name}: {detail}")
        self.fault = fault
        self.detail = detail


class Transport(Protocol):
    """A byte stream to a device and back."""

    def read(self) -> bytes:
        """Bytes that have arrived, perhaps none; never blocks. Raises TransportError.

        At most as many as can be decoded in a step of the worker; the rest waits, so that no peer can delay
        a step.
        """

    def write(self, data: bytes) -> bool:
        """Send `data`; returns False if the port did not accept it in time. Raises TransportError."""

    def close(self) -> None:
        """Close the port; never raises."""


class SerialTransport:
    """A serial port opened with pyserial, exclusively for this process.

    Args:
        serial: The pyserial module.
        port: Name or path.
        baudrate: Baud rate [bit/s].

    Raises:
        TransportError: The port is missing, busy, forbidden or no serial port.
    """

    def __init__(self, serial: ModuleType, port: str, baudrate: int) -> None:
        self._timed_out: type[Exception] = serial.SerialTimeoutException
        try:
            self._port: Any = serial.Serial(
                port, baudrate, timeout=0, write_timeout=WRITE_TIMEOUT, exclusive=True
            )
        except _OPEN_ERRORS as error:
            raise TransportError(why_not_open(error, sys.platform), str(error)) from error

    def read(self) -> bytes:
        try:
            return bytes(self._port.read(RECEIVE))
        except PORT_ERRORS as error:
            raise TransportError(Fault.UNPLUGGED, str(error)) from error

    def write(self, data: bytes) -> bool:
        try:
            self._port.write(data)
        except self._timed_out:
            return False
        except PORT_ERRORS as error:
            raise TransportError(Fault.UNPLUGGED, str(error)) from error
        return True

    def close(self) -> None:
        try:
            self._port.close()
        except PORT_ERRORS:  # the device was unplugged, so there is nothing to restore
            return


def open_serial(
    serial: ModuleType,
    port: str,
    baudrate: int,
    patience: float,
    pause: Callable[[float], object] = time.sleep,
) -> SerialTransport:
    """An opened port; a busy one is retried for `patience` [s], or until `pause`, which waits between
    attempts, returns True.

    Raises:
        TransportError: As `SerialTransport`.
    """
    until = time.perf_counter() + patience
    while True:
        try:
            return SerialTransport(serial, port, baudrate)
        except TransportError as error:
            if error.fault is not Fault.PORT_BUSY or time.perf_counter() > until or pause(TRY_EVERY):
                raise


def why_not_open(error: Exception, platform: str) -> Fault:
    """Cause of a failure to open a port on `platform` (sys.platform). On Windows pyserial gives no errno,
    only text.
    """
    code, text = getattr(error, "errno", None), str(error)
    if code in _MISSING or "FileNotFoundError" in text:
        return Fault.PORT_MISSING
    if code in _BUSY:
        return Fault.PORT_BUSY
    if code in _FORBIDDEN or "PermissionError" in text:
        # Windows denies access to a port in use
        return Fault.PORT_BUSY if platform == "win32" else Fault.PORT_FORBIDDEN
    return Fault.PORT_UNUSABLE
