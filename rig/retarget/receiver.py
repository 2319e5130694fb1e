"""Orientations of links from outside, over UDP. Nothing listens until someone asks for it, and nothing ever waits. Knows no Blender.

    /limber/link/NAME  w x y z   how a link is turned in the world, as a quaternion
    /limber/place/NAME x y z     where it is in the world [m]; needed of the base alone

The world is right-handed, its Z up. What comes twice counts as it came last; other addresses are ignored.
"""

import socket
from collections.abc import Sequence
from ipaddress import ip_address
from math import isfinite

import numpy as np

from ...solvers import rotations
from ...solvers.whole_body.so3 import Array
from ..errors import RigError
from .osc import MalformedPacketError, Message, messages

LINK, PLACE = "/limber/link/", "/limber/place/"
LARGEST = 65507  # [bytes] of a UDP packet
AT_ONCE = 512  # packets read at a time: a flood does not hold Blender up
MOST = 1024  # links: no body has more, and a sender of ever new names does not fill the memory
UNIT = 0.1  # a quaternion whose length differs from 1 by more is none

_open: dict[tuple[str, int], "Receiver"] = {}


class Receiver:
    """A socket, and the newest of what came in.

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
        self.turns: dict[str, Array] = {}  # (3, 3)
        self.places: dict[str, Array] = {}  # (3,)
        self.problem = ""  # of the last packet that could not be used

    def look(self) -> None:
        """Takes in what has come, without waiting."""
        for _ in range(AT_ONCE):
            try:
                packet = self._socket.recv(LARGEST)
            except OSError:  # nothing more, or the system drops the line: the next look may find more
                return
            try:
                for message in messages(packet):
                    self._take(message)
            except MalformedPacketError as error:
                self.problem = f"A packet could not be read: {error}"

    def _take(self, message: Message) -> None:
        address, numbers = message
        for prefix, count, known in ((LINK, 4, self.turns), (PLACE, 3, self.places)):
            if not address.startswith(prefix):
                continue
            name = address.removeprefix(prefix)
            if len(numbers) != count:
                self.problem = f"'{address}' has {len(numbers)} numbers, and {count} were expected"
            elif name in known or len(known) < MOST:
                known[name] = _turn(numbers) if count == 4 else np.array(numbers)

    def posed(self, names: Sequence[str]) -> tuple[Array, Array]:
        """Rotations (k, 3, 3) and places (k, 3) [m] of links in the world; NaN where nothing has come."""
        turns = np.array([self.turns.get(name, np.full((3, 3), np.nan)) for name in names]).reshape(-1, 3, 3)
        return turns, np.array([self.places.get(name, np.full(3, np.nan)) for name in names]).reshape(-1, 3)

    def close(self) -> None:
        self._socket.close()


def _turn(quaternion: tuple[float, ...]) -> Array:
    w, x, y, z = quaternion
    length = float(np.linalg.norm(quaternion)) if isfinite(sum(quaternion)) else 0.0
    if abs(length - 1.0) > UNIT:
        return np.full((3, 3), np.nan)  # a tracker that has lost its link sends zeros: it is lost here too
    return np.array(rotations.to_matrix(rotations.normalized((w, x, y, z))))


def is_loopback(host: str) -> bool:
    """Whether only this computer can send there.

    Raises:
        RigError: it is no address.
    """
    try:
        return ip_address(host).is_loopback
    except ValueError as error:
        raise RigError(f"'{host}' is no address to listen on: 127.0.0.1 is this computer's own, 0.0.0.0 all of its networks'") from error


def listen(host: str, port: int) -> Receiver:
    """Begins to listen, where it is not yet.

    Raises:
        RigError: the address cannot be had.
    """
    if (host, port) not in _open:
        try:
            _open[host, port] = Receiver(host, port)
        except OSError as error:
            raise RigError(f"Port {port} of {host} cannot be listened on ({error.strerror or error}): choose another port") from error
    return _open[host, port]


def find(host: str, port: int) -> Receiver | None:
    """Who listens there; None: nobody does."""
    return _open.get((host, port))


def end(host: str, port: int) -> None:
    """Listens there no more."""
    receiver = _open.pop((host, port), None)
    if receiver is not None:
        receiver.close()


def end_all() -> None:
    for host, port in list(_open):
        end(host, port)
