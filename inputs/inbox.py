"""Receives OSC messages over UDP in bounded time, without blocking.

Each `look` takes at most `BUDGET` of processor time on the main thread. It first empties the socket, then
parses packets from the newest to the oldest; only the newest value of each key counts. Packets that are not
parsed in time are parsed at the next `look`, after those that are newer.

An inbox with an urgent address has a thread that empties the socket and searches for this address, so that an
urgent message takes effect at once: between two looks, in a flood, and while Blender is busy. On Linux urgent
packets have a socket of their own (`urgent_socket`), which no flood fills. The thread reads the urgent socket
first, so packets that the other socket then still holds may have been sent before the urgent one: they would
take effect too late, and are dropped.
"""

import select
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from math import isfinite, nan
from typing import Any, NamedTuple, TypeVar

from ..files.plain import printable, shown
from . import arrival_times
from .errors import InputError
from .packets import Message, first_number, has_address, messages
from .urgent_socket import urgent_socket

LARGEST = 65507  # [bytes] largest UDP payload
BUDGET = 2e-3  # [s] processor time of a look: an eighth of a frame of a display at 60 Hz
DRAINING = 0.5  # largest share of the budget for emptying the socket; the rest is for parsing
WAITING = 1 << 20  # [bytes] capacity of the queue of packets; beyond it the oldest are dropped
OVERHEAD = 512  # [bytes] size counted for each packet in addition to its content
LONGEST_PROBLEM = 400  # largest number of letters of a sentence on a problem, which panels draw
# number of a string's letters that count for its key, or are shown: the longest name in Blender
NAME = 64
KEPT = 4096  # largest number of keys with packets in the queue; with more, the queue is dropped
# [bytes] requested socket buffer, which stores packets while the computer runs other programs: those of a
# flood for a tenth of a second, and urgent packets if they have no separate socket. Linux grants at most
# net.core.rmem_max; macOS refuses more than about 7 MB.
BUFFER = 1 << 22
PAUSE = 1e-3  # [s] pause of the thread between two passes, so that other threads can run in a flood
# [s] longest time for which the thread empties a socket, and for which a look may have to wait
LONGEST_DRAIN = 5e-3
TOO_MUCH = "More comes than can be read in time: older messages are left out. Let the sender send less often"

Key = tuple[str, ...]
Sender = tuple[Any, ...]  # address of a socket


def processor_time() -> Callable[[], float]:
    """A clock of this thread's processor time [s], which other programs do not affect; a real-time clock
    if that is too coarse (Windows).
    """
    return (
        time.thread_time if time.get_clock_info("thread_time").resolution < BUDGET / 10 else time.perf_counter
    )


class _Packet(NamedTuple):
    """A packet in the queue, or being parsed."""

    number: int  # ascending in the order of arrival
    size: int  # [bytes] length of the packet
    left: Iterator[Message]  # messages of the packet that are not parsed yet
    came: float  # [s] when the system received the packet, as `arrival_times`; NaN: not known
    # [s] time by the sender's clock, as in the sender's last message to the clock's address; None without
    # such a message
    time: float | None
    sender: Sender


class Inbox:
    """A socket that receives messages. Subclasses implement `take(message)`, and may set an urgent address.

    Raises:
        OSError: the address cannot be bound, e.g. because another program uses the port.
    """

    # address for which `alarm` is called before any packet is parsed, at any position in a packet
    urgent = b""
    clock_address = b""  # address by which a sender gives the time of the values before or after it
    timed_root = ""  # beginning of the addresses whose values have the time of `clock_address`
    numbered_roots: tuple[str, ...] = ()  # beginnings of addresses whose first number selects the subject
    question = ""  # address of a question: that of each sender is stored, since each is answered

    def __init__(self, host: str, port: int, clock: Callable[[], float] | None = None) -> None:
        """Opens a socket on a host and port, and starts the thread of an urgent address. `clock` [s] measures
        the budget of a look.
        """
        self._socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.setblocking(False)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
            self._socket.bind((host, port))
        except OSError:
            self._socket.close()
            raise
        self.port = self._socket.getsockname()[1]
        self._urgent_socket = urgent_socket(self._socket, self.urgent) if self.urgent else None
        arrival_times.request(self._socket)
        self._sockets = [self._socket] if self._urgent_socket is None else [self._urgent_socket, self._socket]
        self.is_read = True  # whether nothing is left to read, in the socket and the queue
        # whether the urgent address was received in the last look, or between the last two looks
        self.is_alarmed = False
        self.problem = ""
        self.now: Callable[[], float] = time.monotonic  # [s] the clock of arrivals
        self._arrivals_known_until = self.now()  # [s] time of the last look
        self.clock = clock or processor_time()
        self._buffer = memoryview(bytearray(LARGEST))
        self._lock = threading.Lock()  # protects all attributes below, which the thread changes too
        self._waiting: deque[_Packet] = deque()  # packets in the queue, the newest last
        self.received = 0  # number of the newest packet
        self._size = 0  # [bytes] size of the packets in the queue
        # whether packets were dropped, and the urgent address was received, since the last look
        self._has_dropped = self._is_alarmed = False
        # [bytes] still to be dropped from the ordinary socket, since they may have arrived before an urgent
        # packet: at most a full buffer
        self._outdated = 0
        self._sender_time: float | None = None
        # number of the newest packet of each key, while older ones are in the queue
        self._known: dict[Key, int] = {}
        self._thread: threading.Thread | None = None
        if self.urgent:
            # the thread waits for these and for the receiving sockets
            self._closing, closed = socket.socketpair()
            self._thread = threading.Thread(target=self._listen, args=(closed,), daemon=True)
            self._thread.start()

    @property
    def problem(self) -> str:
        """Why the last packets could not be read, or their commands not executed, as a sentence of printable
        letters; "" if all could.
        """
        return self._problem

    @problem.setter
    def problem(self, sentence: str) -> None:
        self._problem = printable(sentence[:LONGEST_PROBLEM])

    def look(self, budget: float = BUDGET) -> None:
        """Receives messages without blocking, in about `budget` [s], passes the newest of each key to `take`,
        and updates `problem`.
        """
        begun = self.clock()
        before, self.problem = self.problem, ""
        with self._lock:
            newest = self._read(begun, budget)
        for message in newest:
            if message.trouble:
                of = shown(message.address) if message.address else "A packet"
                self.problem = f"{of} could not be read: {message.trouble}"
            self.take(message)
        if not newest and not self.problem:
            self.problem = before

    def take(self, message: Message) -> None:
        """Handles a received message; one that could not be parsed has at most an address. Subclasses
        implement it.
        """
        raise NotImplementedError

    def alarm(self) -> None:
        """Called when the urgent address is received, in any thread. Earlier messages that the next look does
        not process are dropped.
        """

    def key(self, message: Message) -> Key:
        """Key of a message: of messages with the same key only the newest is used. It has the address, the
        strings among the arguments and, for numbered addresses, the first number.
        """
        if message.trouble:
            return message.address, "", "trouble"
        is_numbered = message.address.startswith(self.numbered_roots)
        number = [repr(number) for number in message.numbers[:is_numbered]]
        return (message.address, *(string[:NAME] for string in message.strings), *number)

    def _key(self, message: Message, packet: _Packet) -> Key:
        """Key of a message in a packet: that of `key`; for a question its sender, whatever its arguments, so
        that each sender gets one answer.
        """
        is_question = message.address == self.question
        return (message.address, repr(packet.sender)) if is_question else self.key(message)

    def close(self) -> None:
        """Closes the sockets, and ends the thread."""
        if self._thread is not None:
            self._closing.close()
            self._thread.join()  # the thread ends at once; only then is the port free
        for each in self._sockets:
            each.close()

    def _read(self, begun: float, budget: float) -> list[Message]:
        """The newest message of each key, in the order of arrival; takes at most `budget` [s] of processor
        time from `begun` on.
        """
        has_more = self._empty_all(begun + DRAINING * budget)
        newest: dict[Key, tuple[_Packet, Message]] = {}
        older: Counter[Key] = Counter()  # messages that are replaced by a newer one
        while self._waiting:
            packet = self._waiting[-1]
            message = next(packet.left, None)
            if message is None:
                self._size -= self._waiting.pop().size
            elif self._known.get(key := self._key(message, packet), 0) <= packet.number:
                self._known[key] = packet.number
                older[key] += key in newest
                if packet.time is not None and message.address.startswith(self.timed_root):
                    message = message._replace(time=packet.time)
                newest[key] = packet, message
            else:
                older[key] += key in newest
            if self.clock() - begun >= budget:
                break
        if self._is_alarmed or len(self._known) > KEPT:
            self._forget()
        elif not self._waiting:
            self._known.clear()  # no older packet is left
        if self._has_dropped:
            self.problem = TOO_MUCH
        self.is_alarmed = self._is_alarmed
        self._has_dropped = self._is_alarmed = False
        self.is_read = not (has_more or self._waiting)
        before, self._arrivals_known_until = self._arrivals_known_until, self.now()
        return [
            message._replace(
                repeats=1 + older[key],
                age=arrival_times.share(packet.came, before, self._arrivals_known_until),
                sender=packet.sender,
            )
            for key, (packet, message) in sorted(newest.items(), key=lambda item: item[1][0].number)
        ]

    def _listen(self, closed: socket.socket) -> None:
        """Work of the thread: empties the sockets, until `close`."""
        with closed:
            while closed not in select.select([*self._sockets, closed], [], [])[0]:
                with self._lock:
                    for each in self._sockets:
                        self._empty(each, time.perf_counter, time.perf_counter() + LONGEST_DRAIN)
                time.sleep(PAUSE)

    def _empty_all(self, until: float) -> bool:
        """Receives packets from all sockets until the time `until`; returns whether there may be more. The
        urgent socket is read last, so that a stop sent before a packet is noticed before that packet is
        executed.
        """
        has_more = False
        for each in reversed(self._sockets):
            has_more |= self._empty(each, self.clock, until)
        return (self._outdated > 0 and self._empty(self._socket, self.clock, until)) or has_more

    def _empty(self, source: socket.socket, clock: Callable[[], float], until: float) -> bool:
        """Receives packets from a socket, at least one, until the time `until`; returns whether there may be
        more.
        """
        while (has_more := self._receive(source)) and clock() < until:
            pass
        return has_more

    def _receive(self, source: socket.socket) -> bool:
        """Receives a packet into the queue, or drops one that a stop has outdated; calls `alarm` for a packet
        with the urgent address. Returns whether there was a packet.
        """
        try:
            size, came, sender = arrival_times.receive(source, self._buffer)
        except BlockingIOError:  # no packet waits
            if source is self._socket:
                self._outdated = 0
            return False
        except OSError:  # a network error; there may be more packets later
            return False
        packet = bytes(self._buffer[:size])
        self.received += 1
        if self.urgent and has_address(packet, self.urgent):
            self._is_alarmed = True
            if source is self._urgent_socket:
                self._outdated = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
            self.alarm()
        if self._outdated > 0 and source is self._socket:
            # the system counts at least this much of the buffer's size for a packet
            self._outdated -= len(packet) + OVERHEAD
            return True
        self._put(packet, came, sender)
        return True

    def _put(self, packet: bytes, came: float, sender: Sender) -> None:
        """Puts a packet that arrived at the time `came` [s] into the queue, which drops its oldest packets if
        it is full.
        """
        size = len(packet) + OVERHEAD
        self._size += size
        if self.clock_address and (clock_time := first_number(packet, self.clock_address)) is not None:
            self._sender_time = clock_time if isfinite(clock_time) else nan
        self._waiting.append(_Packet(self.received, size, messages(packet), came, self._sender_time, sender))
        while self._size > WAITING:
            self._size -= self._waiting.popleft().size
            self._has_dropped = True

    def _forget(self) -> None:
        """Drops the packets in the queue."""
        self._has_dropped |= bool(self._waiting)
        self._waiting.clear()
        self._known.clear()
        self._size = 0


Kind = TypeVar("Kind", bound=Inbox)


def opened(kind: Callable[[str, int], Kind], host: str, port: int) -> Kind:
    """A newly opened, listening inbox of class `kind`.

    Raises:
        InputError: the address cannot be bound.
    """
    try:
        return kind(host, port)
    except OSError as error:
        raise InputError(
            f"Port {port} of {host} cannot be listened on ({error.strerror or error}): choose another port"
        ) from error


def refuse_others(host: str, may_go_online: bool) -> None:
    """Raises InputError if an address is invalid, or if other computers can send to it while Blender is not
    allowed to go online.
    """
    try:
        is_loopback = ip_address(host).is_loopback
    except ValueError as error:
        raise InputError(
            f"'{host}' is no address to listen on: 127.0.0.1 is this computer's own, 0.0.0.0 all of its"
            " networks'"
        ) from error
    if not is_loopback and not may_go_online:
        raise InputError(
            f"{host} hears other computers, and Blender may not go online: Preferences > System > Allow"
            " Online Access; 127.0.0.1 needs none"
        )
