"""OSC messages as they come over UDP. Nothing listens until someone asks for it, and nothing ever waits. Knows no Blender."""

import socket
from collections.abc import Callable
from ipaddress import ip_address
from typing import TypeVar

from ..errors import RigError
from .packets import Message, messages

LARGEST = 65507  # [bytes] of a UDP packet
AT_ONCE = 512  # packets read at a time: a flood does not hold Blender up


class Inbox:
    """A socket on which messages come; subclasses say `take(message)`, what is done with one.

    Raises:
        OSError: the address cannot be listened on.
    """

    def __init__(self, host: str, port: int) -> None:
        self._socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.setblocking(False)
            self._socket.bind((host, port))
        except OSError:
            self._socket.close()
            raise
        self.port = self._socket.getsockname()[1]
        self.problem = ""  # of the last packet that could not be used

    def look(self) -> None:
        """Takes in what has come, without waiting."""
        for _ in range(AT_ONCE):
            try:
                packet = self._socket.recv(LARGEST)
            except OSError:  # nothing more, or the system drops the line: the next look may find more
                return
            for message in messages(packet):
                if message.trouble:
                    of = f"'{message.address}'" if message.address else "A packet"
                    self.problem = f"{of} could not be read: {message.trouble}"
                self.take(message)

    def take(self, message: Message) -> None:
        """Does what a message says; one in trouble has its address at most."""
        raise NotImplementedError

    def close(self) -> None:
        self._socket.close()


Kind = TypeVar("Kind", bound=Inbox)


def opened(kind: Callable[[str, int], Kind], host: str, port: int) -> Kind:
    """An inbox of a kind, listening.

    Raises:
        RigError: the address cannot be had.
    """
    try:
        return kind(host, port)
    except OSError as error:
        raise RigError(f"Port {port} of {host} cannot be listened on ({error.strerror or error}): choose another port") from error


def refuse_others(host: str, may_go_online: bool) -> None:
    """Other computers are heard only where the user lets Blender go online.

    Raises:
        RigError: it is no address, or one that other computers can send to.
    """
    try:
        is_loopback = ip_address(host).is_loopback
    except ValueError as error:
        raise RigError(f"'{host}' is no address to listen on: 127.0.0.1 is this computer's own, 0.0.0.0 all of its networks'") from error
    if not is_loopback and not may_go_online:
        raise RigError(
            f"{host} hears other computers, and Blender may not go online: Preferences > System > Allow Online Access; 127.0.0.1 needs none"
        )
