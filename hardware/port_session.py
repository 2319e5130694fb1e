"""An open serial port with blocking queries, for background jobs."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from types import ModuleType

from .errors import HardwareError
from .protocols.dialogue import PATIENCE, Dialogue
from .protocols.interface import Codec, Exchange, Message
from .safety import Fault
from .transport import TransportError, open_serial

READ_EVERY = 0.0005  # [s] time between two reads of the port
# [s] time for which a busy port is retried, since a worker that was just disconnected may still use it
BUSY_FOR = 2.5

_WHY = {
    Fault.PORT_MISSING: "does not exist: plug the device in, or choose another port",
    Fault.PORT_BUSY: "is busy: disconnect the robot that uses it, or close the other program",
    Fault.PORT_FORBIDDEN: (
        "may not be opened by this user: on Linux add yourself to the group 'dialout', log out and in"
    ),
    Fault.UNPLUGGED: "was unplugged",
}


class PortError(HardwareError):
    """A port cannot be opened or failed; the message names it and the remedy."""

    def __init__(self, port: str, error: TransportError) -> None:
        unusable = f"cannot be used ({error.detail}): plug the device in again, or choose another port"
        super().__init__(f"Port {port} {_WHY.get(error.fault, unusable)}")


class PortSession:
    """An open serial port, used with one protocol at a time; a context manager.

    Args:
        serial: The pyserial module; None if it is missing.
        port: Name or path.
        baudrate: Baud rate [bit/s].
        codec: Codec of the protocol; None if `use` sets it before the first query.

    Raises:
        HardwareError: The port cannot be opened, or pyserial is missing.
    """

    def __init__(
        self, serial: ModuleType | None, port: str, baudrate: int, codec: Codec | None = None
    ) -> None:
        if serial is None:
            raise HardwareError(
                "Serial ports need pyserial, which is not installed: install Limber from its zip"
            )
        self._port = port
        self._baudrate = baudrate
        try:
            self._transport = open_serial(serial, port, baudrate, BUSY_FOR)
        except TransportError as error:
            raise PortError(port, error) from error
        if codec is not None:
            self.use(codec)

    def use(self, codec: Codec) -> None:
        """Set the codec for the next queries."""
        self._dialogue = Dialogue(codec.decoder(), self._baudrate)

    def query(self, exchanges: Iterable[Exchange], patience: float = PATIENCE) -> list[Message]:
        """Send exchanges in order and return all messages that arrive; a missing or damaged answer is a
        `Problem` among them.

        Args:
            exchanges: Exchanges to send.
            patience: Wait [s] for an answer, beyond its transmission time, after which it counts as missing.

        Raises:
            HardwareError: The port failed, or the codec cannot encode an exchange.
        """
        self._dialogue.patience = patience
        self._dialogue.ask(exchanges)
        messages: list[Message] = []
        try:
            while self._dialogue.busy:
                sent, heard = self._dialogue.update(self._transport.read(), time.perf_counter())
                messages += heard
                if sent:
                    self._transport.write(sent)
                time.sleep(READ_EVERY)
        except TransportError as error:
            raise PortError(self._port, error) from error
        return messages

    def stream(self, data: bytes, seconds: float) -> Iterator[bytes]:
        """Send `data`, and yield the bytes that arrive within `seconds`, in pieces that may be empty.

        Raises:
            HardwareError: The port failed.
        """
        until = time.perf_counter() + seconds
        try:
            self._transport.write(data)
            while time.perf_counter() < until:
                yield self._transport.read()
                time.sleep(READ_EVERY)
        except TransportError as error:
            raise PortError(self._port, error) from error

    def __enter__(self) -> PortSession:
        return self

    def __exit__(self, *_: object) -> None:
        self._transport.close()
