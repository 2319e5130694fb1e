"""Tests that no flood of packets displaces a stop if the kernel keeps stops in a separate socket, and that
earlier orders do not survive a stop although it is read first.
"""

import socket
import sys
from collections.abc import Callable, Iterator

import pytest
from limber.inputs import urgent_socket
from limber.inputs.errors import InputError
from limber.inputs.inbox import Inbox, opened
from limber.inputs.packets import Message, has_address

from tests.blender.osc_sender import bundle, packet, padded, words
from tests.hardware.patience import wait_until

on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux keeps urgent packets in a socket of their own"
)
STOP = packet("/limber/stop", 1.0)
OTHER = packet("/limber/influence/head", 1.0)
FLOOD = 2000  # number of packets, more than the smallest buffer holds
URGENT = [
    STOP,
    packet("/limber/stop"),
    padded("/limber/stop"),
    padded("/limber/stop") + b"damaged",
    bundle(STOP),
    bundle(STOP, packet("/limber/arm", 1.0)),
    bundle(STOP)[:16] + b"\xff\xff\xff\xff" + STOP,
]
NOT_URGENT = [
    b"",
    b"/",
    b"/limber/stop",
    b"#bundle\x00",
    b"#bundle\x00" + bytes(12),
    OTHER,
    packet("/limber/stops"),
    packet("/limber/stop/now"),
    packet("/other/limber/stop"),
    words("/limber/say", "/limber/stop"),
    words("/limber/look", "/limber/stop"),
    bundle(OTHER, packet("/limber/arm", 1.0)),
    bundle(words("/limber/say", "/limber/stop")),
]


class Noting(Inbox):
    """Inbox that records its messages in order; without a thread it is only read by `look`."""

    urgent = b"/limber/stop"

    def __init__(self, host: str, port: int) -> None:
        self.noted: list[str] = []
        super().__init__(host, port)

    def take(self, message: Message) -> None:
        self.noted.append(message.address)

    def alarm(self) -> None:
        self.noted.append("alarm")

    def end_thread(self) -> None:
        self._closing.close()
        self._thread.join()


@pytest.fixture
def inbox() -> Iterator[Noting]:
    """An inbox that the test reads itself."""
    inbox = opened(Noting, "127.0.0.1", 0)
    inbox.end_thread()
    inbox.clock = lambda: 0.0  # so that each reading reads all packets
    yield inbox
    inbox.close()


@pytest.fixture
def put(inbox: Noting) -> Iterator[Callable[[bytes], object]]:
    """Function that sends a packet to the inbox. On return the packet is in its socket's buffer, or was
    dropped because the buffer was full.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        yield lambda data: sender.sendto(data, ("127.0.0.1", inbox.port))


def contents(source: socket.socket) -> list[bytes]:
    """Packets in a socket's buffer."""
    packets = []
    source.setblocking(False)
    while True:
        try:
            packets.append(source.recv(65507))
        except BlockingIOError:
            return packets


@pytest.fixture
def pair(request) -> Iterator[tuple[socket.socket, socket.socket, Callable[[bytes], object]]]:
    """The ordinary socket of an address, the urgent one, and a function that sends a packet to a host
    there.
    """
    host, to = request.param
    ordinary, sender = (
        socket.socket(socket.AF_INET6 if ":" in each else socket.AF_INET, socket.SOCK_DGRAM)
        for each in (host, to)
    )
    with ordinary, sender:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        ordinary.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)  # the system's smallest size
        ordinary.bind((host, 0))
        urgent = urgent_socket.urgent_socket(ordinary, b"/limber/stop")
        assert urgent is not None
        with urgent:
            yield ordinary, urgent, lambda data: sender.sendto(data, (to, ordinary.getsockname()[1]))


HOSTS = [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1")]
if socket.has_ipv6:
    HOSTS += [("::1", "::1"), ("::", "::1")]


@on_linux
@pytest.mark.parametrize("pair", HOSTS, indirect=True, ids=lambda hosts: hosts[0])
def test_no_flood_pushes_an_urgent_packet_out(pair):
    ordinary, urgent, put = pair
    for _ in range(FLOOD):
        put(OTHER)
    for data in URGENT:
        put(data)
    assert contents(urgent) == URGENT
    assert set(contents(ordinary)) == {OTHER}


@on_linux
@pytest.mark.parametrize("pair", HOSTS[:1], indirect=True)
@pytest.mark.parametrize("data", NOT_URGENT)
def test_what_begins_with_no_urgent_address_comes_to_the_ordinary_socket(pair, data: bytes):
    ordinary, urgent, put = pair
    put(data)
    assert contents(ordinary) == [data]
    assert contents(urgent) == []


def test_every_packet_that_the_kernel_takes_for_urgent_is_urgent():
    assert all(has_address(data, Noting.urgent) for data in URGENT)


@on_linux
@pytest.mark.parametrize("pair", [("0.0.0.0", "127.255.255.255")], indirect=True)
def test_a_broadcast_order_comes_once_and_fills_no_urgent_socket(pair):
    ordinary, urgent, put = pair
    for data in (OTHER, STOP):
        put(data)
    assert contents(ordinary) == [OTHER, STOP]
    assert contents(urgent) == [STOP]


@on_linux
def test_a_stop_behind_a_flood_that_nobody_reads_is_heard(inbox, put):
    room = inbox._socket.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
    for _ in range(room // len(OTHER)):
        put(OTHER)
    put(STOP)
    inbox.look()
    assert inbox.noted.count("alarm") == 1


@on_linux
def test_what_was_sent_before_a_stop_and_is_read_after_it_is_void(inbox, put):
    put(packet("/limber/arm", 1.0))
    put(STOP)
    inbox._receive(inbox._urgent_socket)  # as the thread does
    inbox.look()
    put(packet("/limber/weight", 1.0))
    inbox.look()
    assert inbox.noted == ["alarm", "/limber/stop", "/limber/weight"]


@on_linux
def test_a_stop_among_what_is_void_is_heard(inbox, put):
    put(bundle(OTHER, STOP))
    put(STOP)
    inbox._receive(inbox._urgent_socket)
    inbox.look()
    assert inbox.noted.count("alarm") == 2


def test_a_stop_that_was_sent_before_an_order_is_heard_before_it(inbox, put):
    put(STOP)
    put(packet("/limber/arm", 1.0))
    inbox.look()
    assert inbox.noted[0] == "alarm"


def test_a_stop_that_comes_during_a_look_is_heard_before_an_order_that_was_sent_after_it(inbox, put):
    # packets that arrive when the clock is read: the first time, and after a packet
    coming = [[], [STOP, packet("/limber/arm", 1.0)]]

    def clock() -> float:
        for data in coming.pop(0) if coming else []:
            put(data)
        return 0.0

    inbox.clock = clock
    put(OTHER)
    inbox.look()
    assert inbox.noted[0] == "alarm"
    assert inbox.is_alarmed


@on_linux
def test_after_a_look_that_heard_a_stop_orders_count_again(inbox, put):
    put(STOP)
    inbox.look()
    put(packet("/limber/weight", 1.0))
    inbox.look()
    assert inbox.noted[-1] == "/limber/weight"
    assert not inbox.is_alarmed


def test_the_thread_hears_urgent_packets_of_both_sockets():
    heard = opened(Noting, "127.0.0.1", 0)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for data in (STOP, bundle(OTHER, STOP)):
            before = heard.noted.count("alarm")
            sender.sendto(data, ("127.0.0.1", heard.port))
            wait_until(lambda before=before: heard.noted.count("alarm") > before)
    heard.close()


@pytest.mark.parametrize("options", [(), (socket.SO_REUSEADDR,)], ids=["plain", "reuse"])
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_port_has_one_inbox_and_no_other_program(inbox, host: str, options: tuple[int, ...]):
    with pytest.raises(InputError, match=rf"Port {inbox.port} of {host} cannot be listened on"):
        opened(Noting, host, inbox.port)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        for option in options:
            other.setsockopt(socket.SOL_SOCKET, option, 1)
        with pytest.raises(OSError, match="in use"):
            other.bind((host, inbox.port))


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [(sys, "platform", "elsewhere"), (urgent_socket, "ATTACH_REUSEPORT_CBPF", 1 << 20)],
    ids=["another system", "an old kernel"],
)
def test_where_the_system_cannot_keep_them_apart_one_socket_gets_all(monkeypatch, module, name: str, value):
    monkeypatch.setattr(module, name, value)
    heard = opened(Noting, "127.0.0.1", 0)
    monkeypatch.undo()
    heard.end_thread()
    assert heard._sockets == [heard._socket]
    assert not heard._socket.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT), "nobody shares its port"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for data in (OTHER, STOP, packet("/limber/weight", 1.0)):
            sender.sendto(data, ("127.0.0.1", heard.port))
    heard.clock = lambda: 0.0
    heard.look()
    heard.close()
    assert heard.noted == ["alarm", "/limber/influence/head", "/limber/stop", "/limber/weight"]


@on_linux
def test_a_flood_that_never_ends_voids_no_more_than_what_can_have_waited(inbox: Noting, put):
    put(OTHER)
    put(STOP)
    inbox._receive(inbox._urgent_socket)
    room = inbox._socket.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
    for _ in range(room // 512):
        put(OTHER)
        inbox._receive(inbox._socket)
    put(packet("/limber/weight", 1.0))
    inbox.look()
    assert "/limber/weight" in inbox.noted
