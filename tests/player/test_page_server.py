"""Tests the page's server: permission to direct, that a plain request orders nothing, and that no client can
block it.
"""

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count

import pytest
from limber.inputs.page import server
from limber.inputs.page.server import MOST, RECEIVED, PageServer
from limber.inputs.page.visitor import LONGEST_HEAD, LONGEST_MESSAGE, MOST_FRAMES, Visitor

websockets = pytest.importorskip("websockets", reason="the websockets library is not installed: make setup")
from websockets.exceptions import ConnectionClosed, InvalidStatus  # noqa: E402
from websockets.sync.client import ClientConnection, connect  # noqa: E402

PATIENCE = 30.0  # [s] longest waiting time
TOKEN = "a-token-of-this-test"


class Served:
    """A server, and the messages that it has received."""

    def __init__(self) -> None:
        self.orders: list[dict] = []
        self.stops = 0
        self.server = PageServer("127.0.0.1", 0, self.orders.append, self._stop, TOKEN)
        self.port = self.server.port

    def _stop(self) -> None:
        self.stops += 1

    def request(self, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
        """Status and content of the answer to a plain request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        given = {name.capitalize(): value for name, value in headers.items()}
        connection.request(method, path, headers=given)
        response = connection.getresponse()
        content = response.read().decode()
        connection.close()
        return response.status, content

    def directing(self, token: str = TOKEN, origin: str | None = None, **options: object) -> ClientConnection:
        address = f"ws://127.0.0.1:{self.port}/directing?token={token}"
        return connect(address, origin=origin, compression=None, open_timeout=PATIENCE, **options)


def received(page: ClientConnection) -> str:
    """The next message that is not a heartbeat."""
    give_up = time.monotonic() + PATIENCE
    while (text := page.recv(PATIENCE)).startswith('{"beat"'):
        assert time.monotonic() < give_up
    return text


def next_beat(page: ClientConnection) -> int:
    """Number of the next heartbeat."""
    give_up = time.monotonic() + PATIENCE
    while not (text := page.recv(PATIENCE)).startswith('{"beat"'):
        assert time.monotonic() < give_up
    return json.loads(text)["beat"]


def until(condition: Callable[[], object]) -> None:
    give_up = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.002)


@pytest.fixture
def served() -> Iterator[Served]:
    served = Served()
    yield served
    served.server.close()


def test_the_page_is_at_the_printed_address(served: Served):
    host, _, rest = served.server.address.removeprefix("http://").partition("/")
    assert host == f"127.0.0.1:{served.port}"
    status, content = served.request(f"/{rest}")
    assert status == 200
    assert content.index("STOP") < content.index("<main>"), "Stop comes first"


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=guess", f"/?tokens={TOKEN}"])
def test_without_the_token_there_is_nothing(served: Served, path: str):
    status, content = served.request(path)
    assert status == 403
    assert "token is missing or old" in content


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:{port}"},
        {"host": "127.0.0.1"},
        {"host": ""},
        {"origin": "http://evil.example"},
        {"origin": "https://127.0.0.1:{port}"},
        {"origin": "http://127.0.0.1:{port}.evil.example"},
        {"origin": "null"},
    ],
)
def test_pages_of_others_are_refused(served: Served, headers: dict[str, str]):
    given = {name: value.format(port=served.port) for name, value in headers.items()}
    assert served.request(f"/?token={TOKEN}", **given)[0] == 403
    if "origin" in given:
        with pytest.raises(InvalidStatus, match="403"):
            served.directing(origin=given["origin"])


def test_a_second_host_in_one_request_is_refused(served: Served):
    with socket.create_connection(("127.0.0.1", served.port), PATIENCE) as raw:
        own = f"Host: 127.0.0.1:{served.port}"
        raw.sendall(f"GET /?token={TOKEN} HTTP/1.1\r\n{own}\r\n{own}\r\n\r\n".encode())
        assert b" 200 " not in raw.recv(4096)


@pytest.mark.parametrize("word", ["arm", "stop", "state/Sad", "directing"])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "HEAD", "OPTIONS"])
def test_no_request_orders_anything(served: Served, word: str, method: str):
    assert served.request(f"/{word}?token={TOKEN}&word={word}", method)[0] in (403, 404, 405)
    assert served.orders == []
    assert not served.stops


def test_orders_come_through_and_a_stop_at_once(served: Served):
    with served.directing(origin=f"http://127.0.0.1:{served.port}") as page:
        page.send(json.dumps({"word": "state", "names": "Sad"}))
        page.send(json.dumps({"word": "stop"}))
        until(lambda: served.stops)
        assert served.orders == [{"word": "state", "names": "Sad"}]


@pytest.mark.parametrize("word", ["arm", "release"])
def test_a_press_that_may_move_a_robot_counts_once(served: Served, word: str):
    with served.directing() as page:
        first = next_beat(page)
        for press in (first, first, None, str(first), 0, True, first + 1000):
            page.send(json.dumps({"word": word, "names": "", "press": press}))
        second = next_beat(page)
        for press in (second, second, first):
            page.send(json.dumps({"word": word, "names": "", "press": press}))
        page.send(json.dumps({"word": "stop"}))
        until(lambda: served.stops)
    assert [order["press"] for order in served.orders] == [first, second]


def test_a_press_that_was_held_up_on_its_way_is_none(served: Served):
    with served.directing() as page:
        held_up = next_beat(page) - server.FRESH - 1
        page.send(json.dumps({"word": "arm", "names": "", "press": held_up}))
        page.send(json.dumps({"word": "stop"}))
        until(lambda: served.stops)
    assert served.orders == []


def test_a_press_that_is_not_obeyed_is_answered(served: Served):
    with served.directing() as page:
        page.send(json.dumps({"word": "clear", "names": "", "press": next_beat(page) - server.FRESH - 1}))
        assert json.loads(received(page))["refused"].endswith("press again")


def test_signs_of_life_come_through_while_the_page_changes_all_the_time(served: Served):
    is_over = threading.Event()

    def publish() -> None:
        for number in count():
            served.server.publish(f'"{number}"')
            if is_over.wait(1e-4):
                return

    changes = threading.Thread(target=publish)
    changes.start()
    try:
        with served.directing() as page:
            page.send(json.dumps({"word": "arm", "names": "", "press": next_beat(page)}))
            until(lambda: served.orders)
    finally:
        is_over.set()
        changes.join()


def test_the_page_gets_the_newest_state_first_and_then_each_change(served: Served):
    served.server.publish('"first"')
    with served.directing() as page:
        assert received(page) == '"first"'
        served.server.publish('"first"')
        served.server.publish('"second"')
        assert received(page) == '"second"'
        until(lambda: served.server.is_watched)
    until(lambda: not served.server.is_watched)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[1]",
        "{",
        "[" * 2000,
        '{"word": ',
        '{"word": 1}',
        '"stop"',
        '{"word": {"a": "stop"}}',
        json.dumps({"word": "\ud800"}),
    ],
)
def test_what_is_no_order_does_nothing(served: Served, text: str):
    with served.directing() as page:
        page.send(text)
        page.send(json.dumps({"word": "stop"}))
        until(lambda: served.stops)
        assert served.stops == 1


def test_messages_that_are_too_long_or_no_text_end_the_connection(served: Served):
    for message in ("x" * (LONGEST_MESSAGE + 1), ["x" * LONGEST_MESSAGE, "x" * 100], b"\x00"):
        with served.directing() as page:
            page.send(message)
            with pytest.raises(ConnectionClosed):
                received(page)
    assert served.request(f"/?token={TOKEN}")[0] == 200


def test_a_flood_ends_the_connection_and_a_stop_in_it_counts(served: Served):
    with served.directing() as page:
        with suppress(ConnectionClosed):
            for _ in range(4 * MOST_FRAMES):
                page.send(json.dumps({"word": "stop"}))
        with pytest.raises(ConnectionClosed):
            received(page)
    assert served.stops
    assert len(served.orders) <= MOST_FRAMES


def client_frame(first: int, content: bytes = b"") -> bytes:
    """The frame of a browser, masked with zeros."""
    return bytes((first, 0x80 | len(content))) + bytes(4) + content


UPGRADE = b"".join(
    (
        b"GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    )
)
SMALL = {  # the smallest frames of each kind
    "pings": (b"", client_frame(0x89)),
    "pongs": (b"", client_frame(0x8A)),
    "empty texts": (b"", client_frame(0x81)),
    "empty fragments": (client_frame(0x01), client_frame(0x00)),
}


@pytest.mark.parametrize(("first", "frame"), SMALL.values(), ids=SMALL)
def test_a_flood_of_the_smallest_frames_ends_the_connection_and_a_read_holds_few(first, frame):
    visitor = Visitor(lambda request: None, 0.0)
    visitor.receive(UPGRADE + first, 0.0)
    assert visitor.is_open
    assert RECEIVED // len(frame) < MOST_FRAMES
    for _ in range(MOST_FRAMES - 10):
        assert visitor.receive(frame, 0.5) == []
    assert not visitor.is_leaving
    end = client_frame(0x80) if first else b""  # the fragments' message ends before the next begins
    stop = client_frame(0x81, b'{"word": "stop"}')
    assert visitor.receive(20 * frame + end + stop, 0.5) == [{"word": "stop"}]
    assert visitor.is_leaving


def test_heads_without_end_and_damage_are_cut_off(served: Served):
    for head in (
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * LONGEST_HEAD,
        b"\x16\x03\x01" + bytes(range(256)) * 64,
        b"GET //[ HTTP/1.1\r\nHost: \xff\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n" + b"x" * 65536,
    ):
        with socket.create_connection(("127.0.0.1", served.port), PATIENCE) as raw:
            try:
                raw.sendall(head)
                while raw.recv(4096):
                    pass
            except (ConnectionResetError, BrokenPipeError):
                pass
    assert served.request(f"/?token={TOKEN}")[0] == 200


def test_a_browser_that_does_not_read_holds_nobody_up(served: Served):
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.settimeout(PATIENCE)
        slow.connect(("127.0.0.1", served.port))
        key = (
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
            + "A" * 22
            + "=="
        )
        slow.sendall(
            f"GET /directing?token={TOKEN} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n{key}\r\n\r\n".encode()
        )
        assert b"101" in slow.recv(64)
        with served.directing() as page:
            for number in range(50):
                text = json.dumps([number, "x" * 100_000])
                served.server.publish(text)
                assert json.loads(received(page))[0] == number
            page.send(json.dumps({"word": "stop"}))
            until(lambda: served.stops)


def test_more_connections_than_it_takes_are_closed_and_it_goes_on(served: Served):
    idle = [socket.create_connection(("127.0.0.1", served.port), PATIENCE) for _ in range(MOST)]
    with socket.create_connection(("127.0.0.1", served.port), PATIENCE) as more:
        assert more.recv(1) == b"", "it was closed"
    for each in idle:
        each.close()

    def answers() -> bool:
        try:
            return served.request(f"/?token={TOKEN}")[0] == 200
        except (http.client.HTTPException, ConnectionError):
            return False

    until(answers)
