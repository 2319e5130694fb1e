"""Questions over an open port, one after the other, for a process that may wait for the answers. Knows no Blender."""

from __future__ import annotations

import time
from collections.abc import Iterable
from types import ModuleType

from .errors import HardwareError
from .protocols.dialogue import Dialogue
from .protocols.interface import Codec, Exchange, Message
from .safety import Fault
from .transport import SerialTransport, Transport, TransportError

LOOK = 0.0005  # [s] between two looks at the port
BUSY_FOR = 2.0  # [s] that a worker which was disconnected just now may take to give its port back
AGAIN = 0.1  # [s] between two tries to open a busy port

_WHY = {
    Fault.PORT_MISSING: "does not exist: plug the device in, or choose another port",
    Fault.PORT_BUSY: "is busy: disconnect the robot that uses it, or close the other program",
    Fault.PORT_FORBIDDEN: "may not be opened by this user: on Linux add yourself to the group 'dialout', log out and in",
    Fault.UNPLUGGED: "was unplugged",
}


class PortError(HardwareError):
    """A port cannot be opened or failed; the message names it and the remedy."""

    def __init__(self, port: str, error: TransportError) -> None:
        super().__init__(f"Port {port} {_WHY.get(error.fault, f'cannot be used ({error.detail})')}")


class Line:
    """An open port and a codec. Use it in `with`.

    Args:
        serial: The pyserial module; None where it is missing.
        port: Name or path.
        baudrate: [bit/s].
        codec: The protocol's.

    Raises:
        HardwareError: The port cannot be opened.
    """

    def __init__(self, serial: ModuleType | None, port: str, baudrate: int, codec: Codec) -> None:
        if serial is None:
            raise HardwareError("Serial ports need pyserial, which is not installed: install Limber from its zip")
        self.codec = codec
        self._port = port
        self._baudrate = baudrate
        self._transport = _opened(serial, port, baudrate)
        self.speak(codec)

    def speak(self, codec: Codec) -> None:
        """Go on in another protocol."""
        self.codec = codec
        self._dialogue = Dialogue(codec.decoder(), self._baudrate)

    def ask(self, exchanges: Iterable[Exchange], patience: float | None = None) -> list[Message]:
        """What is answered; answers that do not come are problems among them.

        Args:
            exchanges: To ask, in order.
            patience: Time that adapter and device may take over an answer [s]; None: the usual one.

        Raises:
            HardwareError: The port failed, or the codec.
        """
        usual = self._dialogue.patience
        self._dialogue.patience = usual if patience is None else patience
        self._dialogue.ask(exchanges)
        messages: list[Message] = []
        try:
            while self._dialogue.busy:
                sent, heard = self._dialogue.turn(self._transport.read(), time.perf_counter())
                messages += heard
                if sent:
                    self._transport.write(sent)
                time.sleep(LOOK)
        except TransportError as error:
            raise PortError(self._port, error) from error
        self._dialogue.patience = usual
        return messages

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        self._transport.close()


def _opened(serial: ModuleType, port: str, baudrate: int) -> Transport:
    """The port; a busy one is tried again for a while."""
    until = time.perf_counter() + BUSY_FOR
    while True:
        try:
            return SerialTransport(serial, port, baudrate)
        except TransportError as error:
            if error.fault is not Fault.PORT_BUSY or time.perf_counter() > until:
                raise PortError(port, error) from error
        time.sleep(AGAIN)


def of_servo(messages: Iterable[Message], servo: int) -> list[Message]:
    """Those that concern a servo."""
    return [message for message in messages if getattr(message, "servo", None) == servo]
