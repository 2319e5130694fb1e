"""OSC messages as they come over UDP, in bounded time. Nothing listens until someone asks for it, and nothing ever waits. Knows no Blender.

Each look takes at most `BUDGET` of the main thread, whatever comes: first all that waits in the socket is taken out, and an urgent address
is looked for in it; then packets are read from the newest to the oldest, and of each thing that is told the newest counts. What there was
no time to read waits for the next look behind all that is newer.
"""

import socket
import time
from collections import deque
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from typing import NamedTuple, TypeVar

from ...blender.errors import RigError
from .packets import Message, has_address, messages

LARGEST = 65507  # [bytes] of a UDP packet
BUDGET = 2e-3  # [s] of processor time that a look takes: an eighth of a display's frame
DRAINING = 0.5  # of it, at most, for taking packets out of the socket: the rest is for reading them
WAITING = 1 << 20  # [bytes] of packets that wait to be read: older ones are left out
OVERHEAD = 512  # [bytes] that each of them takes beside its own
NAME = 64  # letters of a string by which things are told apart: Blender's names have no more
KEPT = 4096  # things whose newest value is remembered while older packets wait
BUFFER = 1 << 20  # [bytes] asked of the system for what comes between two looks; it may give less
TOO_MUCH = "More comes than can be read in time: older messages are left out. Let the sender send less often"

Key = tuple[str, ...]


def processor_time() -> Callable[[], float]:
    """A clock [s] of this thread's processor time, which other programs do not speed up; where that is coarse (Windows), of real time."""
    return time.thread_time if time.get_clock_info("thread_time").resolution < BUDGET / 10 else time.perf_counter


class _Packet(NamedTuple):
    """A packet that waits, or is being read."""

    number: int  # newer ones have higher numbers
    size: int  # [bytes]
    left: Iterator[Message]


class Inbox:
    """A socket on which messages come; subclasses say `take(message)`, what is done with one, and may name an urgent address.

    Raises:
        OSError: the address cannot be listened on.
    """

    urgent = b""  # an address that `alarm` is called for before anything is read, wherever it stands in what has come

    def __init__(self, host: str, port: int, clock: Callable[[], float] | None = None) -> None:
        """`clock` [s] measures the budget."""
        self._socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.setblocking(False)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
            self._socket.bind((host, port))
        except OSError:
            self._socket.close()
            raise
        self.port = self._socket.getsockname()[1]
        self.problem = ""  # what could not be used when something came last
        self.clock = clock or processor_time()
        self._buffer = memoryview(bytearray(LARGEST))
        self._waiting: deque[_Packet] = deque()  # the newest last
        self._number = 0  # of the newest packet
        self._size = 0  # [bytes] of those that wait
        self._known: dict[Key, int] = {}  # number of the packet that told each thing last, while older ones wait

    def look(self, budget: float = BUDGET) -> None:
        """Takes in what has come, without waiting, in at most so much time [s]."""
        begun = self.clock()
        before, self.problem = self.problem, ""
        alarmed = self._drain(begun + DRAINING * budget)
        if alarmed:
            self.alarm()
        found: dict[Key, tuple[int, Message]] = {}
        while self._waiting:
            packet = self._waiting[-1]
            message = next(packet.left, None)
            if message is None:
                self._size -= self._waiting.pop().size
            elif self._known.get(key := _key(message), 0) <= packet.number:
                self._known[key] = packet.number
                found[key] = packet.number, message
            if self.clock() - begun >= budget:
                break
        if alarmed or len(self._known) > KEPT:
            self._forget()
        elif not self._waiting:
            self._known.clear()  # nothing older can come
        for _, message in sorted(found.values(), key=lambda told: told[0]):
            if message.trouble:
                of = f"'{message.address}'" if message.address else "A packet"
                self.problem = f"{of} could not be read: {message.trouble}"
            self.take(message)
        if not found and not self.problem:
            self.problem = before

    def take(self, message: Message) -> None:
        """Does what a message says; one in trouble has its address at most."""
        raise NotImplementedError

    def alarm(self) -> None:
        """The urgent address has come. What there is no time to read of what came before it is left out."""

    def close(self) -> None:
        self._socket.close()

    def _drain(self, until: float) -> bool:
        """Takes packets out of the socket until there is none, or so long; returns whether the urgent address is in one."""
        alarmed = False
        while True:
            try:
                size = self._socket.recv_into(self._buffer)
            except OSError:  # nothing more, or the system drops the line: the next look may find more
                return alarmed
            packet = bytes(self._buffer[:size])
            size += OVERHEAD
            alarmed = alarmed or (bool(self.urgent) and has_address(packet, self.urgent))
            self._number += 1
            self._size += size
            self._waiting.append(_Packet(self._number, size, messages(packet)))
            while self._size > WAITING:
                self._size -= self._waiting.popleft().size
                self.problem = TOO_MUCH
            if self.clock() >= until:
                return alarmed

    def _forget(self) -> None:
        """Leaves out the packets that wait."""
        if self._waiting:
            self.problem = TOO_MUCH
        self._waiting.clear()
        self._known.clear()
        self._size = 0


def _key(message: Message) -> Key:
    """What a message tells: its address, and the names among its arguments."""
    return (message.address, *(string[:NAME] for string in message.strings)) if not message.trouble else (message.address, "", "trouble")


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
