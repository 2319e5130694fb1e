"""A browser's connection to the page, without a socket: bytes in, bytes out, in bounded size.

A request is read by h11, and a WebSocket by wsproto: the two libraries that parse, without I/O of their own.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import h11
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, BytesMessage, CloseConnection, Ping, TextMessage
from wsproto.utilities import ProtocolError

STOP = "stop"  # command that is executed even if the data that came with it close the connection
LONGEST_HEAD = 8192  # [bytes] longest head of a request; browsers send one or two thousand
LONGEST_MESSAGE = 4096  # [letters] longest command: two names and a few numbers
# [bytes] unsent data for a browser that does not read, beyond which the connection is closed
MOST_UNSENT = 1 << 18
# largest number of frames per second, pings and parts of messages included, beyond which the connection is
# closed: a gamepad and a dragged slider send 30 messages each
MOST_FRAMES = 300
HANDSHAKE = 5.0  # [s] time within which a request must be complete, and an answer taken
SILENCE = 15.0  # [s] silence after which a browser is pinged; it has the same time to answer
TOO_BIG, POLICY = 1009, 1008  # reasons for closing a WebSocket (RFC 6455, 7.4.1)


class Response(NamedTuple):
    """The answer to a plain request: status, type of the content, content, and more headers."""

    status: int
    kind: str
    content: bytes
    headers: tuple[tuple[str, str], ...] = ()


class PageRequest(NamedTuple):
    """A request as a browser sent it: the first header of each name, by its name in lower case. `is_single`:
    whether no header in `SINGLE` occurs twice.
    """

    method: str
    target: str
    headers: dict[str, str]
    is_single: bool

    @property
    def is_upgrade(self) -> bool:
        """Whether it asks for a WebSocket."""
        return self.headers.get("upgrade", "").casefold() == "websocket"


# function from a request to its answer; None: the connection becomes a WebSocket
Answer = Callable[[PageRequest], Response | None]
SINGLE = ("host", "origin", "upgrade")  # headers that may occur only once


class Visitor:
    """State of one connection.

    Args:
        answer: Answers its request; None lets it become a WebSocket.
        time: Time [s] on a monotonic clock.

    Attributes:
        unsent: Bytes that wait to be sent.
        is_open: Whether it is a WebSocket.
        is_leaving: Whether it is to be closed once all is sent.
        began, heard_at: Times [s] at which it began, and last sent something.
        presses: For each command after which a robot may move or sink, number of the heartbeat with which it
            was last pressed.
    """

    def __init__(self, answer: Answer, time: float) -> None:
        self.unsent = bytearray()
        self.is_open = self.is_leaving = False
        self.heard_at = self.began = time
        self.presses: dict[str, int] = {}
        self._last_heartbeat = 0  # number of the last heartbeat sent to the browser
        self._pinged_at = time  # [s] time of the last ping
        # [s] start of the second in which frames are counted; number of frames in it
        self._second, self._count = time, 0
        self._answer = answer
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=LONGEST_HEAD)
        self._socket: WSConnection | None = None
        self._text = ""  # fragments so far of an incomplete message
        self._shown = ""  # the last state sent

    def receive(self, data: bytes, time: float) -> list[dict[str, Any]]:
        """Processes received bytes; returns the messages that they complete, as JSON objects. After too many
        frames, which end the connection, only stops are among them; after a protocol error, which ends it
        too, there are none.
        """
        if self.is_leaving:
            return []
        self.heard_at = time
        if time - self._second >= 1.0:
            self._second, self._count = time, 0
        try:
            if self._socket is None:
                data = self._read_request(data)
            messages = self._read_messages(data) if data else []
        except (h11.ProtocolError, ProtocolError, UnicodeError):
            self.is_leaving = True
            return []
        if self._count > MOST_FRAMES:
            self.leave(POLICY)
            return [message for message in messages if message.get("word") == STOP]
        return messages

    def show(self, state: str, heartbeat: int) -> None:
        """Queues the number `heartbeat` of the newest heartbeat, and the page's state as JSON, each if it is
        new. Nothing is queued while earlier data is unsent, so that a slow browser gets fewer of them.
        """
        if self._socket is None or self.is_leaving or self.unsent:
            return
        if heartbeat != self._last_heartbeat:
            self._last_heartbeat = heartbeat
            self.tell({"beat": heartbeat})
        if state and state != self._shown:
            self._shown = state
            self.unsent += self._socket.send(TextMessage(data=state))

    def tell(self, message: dict[str, Any]) -> None:
        """Queues a message for an open WebSocket, unless too much data is unsent."""
        if self._socket is not None and not self.is_leaving and len(self.unsent) < MOST_UNSENT:
            self.unsent += self._socket.send(TextMessage(data=json.dumps(message)))

    def is_done(self, time: float) -> bool:
        """Whether the connection is to be closed; a silent one is pinged."""
        if self.is_leaving:
            return not self.unsent or time - self.heard_at > HANDSHAKE
        if self._socket is None:
            return time - self.began > HANDSHAKE
        if time - max(self.heard_at, self._pinged_at) > SILENCE and not self.unsent:
            self._pinged_at = time
            self.unsent += self._socket.send(Ping())
        return time - self.heard_at > 2.0 * SILENCE

    def leave(self, code: int) -> None:
        """Closes the connection with a WebSocket status code, which is sent to the browser."""
        if self._socket is not None and not self.is_leaving:
            self.unsent += self._socket.send(CloseConnection(code=code))
        self.is_leaving = True

    def _read_request(self, data: bytes) -> bytes:
        """Reads a request and queues its answer; returns the bytes after a request that became a WebSocket,
        else b"".
        """
        self._http.receive_data(data)
        event = self._http.next_event()
        if not isinstance(event, h11.Request):
            self.is_leaving = event is not h11.NEED_DATA
            return b""
        names = [name.decode("ascii") for name, _ in event.headers]
        headers = {name.decode("ascii"): value.decode("latin-1") for name, value in reversed(event.headers)}
        target = event.target.decode("ascii", "replace")
        is_single = all(names.count(name) <= 1 for name in SINGLE)
        response = self._answer(PageRequest(event.method.decode("ascii"), target, headers, is_single))
        if response is not None:
            self._respond(response)
            return b""
        self._socket = WSConnection(ConnectionType.SERVER)
        self._socket.initiate_upgrade_connection(list(event.headers), target)
        self.unsent += self._socket.send(AcceptConnection())
        self.is_open = True
        return self._http.trailing_data[0]

    def _respond(self, response: Response) -> None:
        headers = [
            ("Content-Type", response.kind),
            ("Content-Length", str(len(response.content))),
            ("Connection", "close"),
            *response.headers,
        ]
        for event in (
            h11.Response(status_code=response.status, headers=headers),
            h11.Data(data=response.content),
            h11.EndOfMessage(),
        ):
            self.unsent += self._http.send(event) or b""
        self.is_leaving = True

    def _read_messages(self, data: bytes) -> list[dict[str, Any]]:
        if self._socket is None:
            return []
        messages: list[dict[str, Any]] = []
        self._socket.receive_data(data)
        for event in self._socket.events():
            self._count += 1
            match event:
                case TextMessage():
                    self._text += event.data
                    if len(self._text) > LONGEST_MESSAGE:
                        self.leave(TOO_BIG)
                        break
                    if event.message_finished:
                        messages += _object(self._text)
                        self._text = ""
                case BytesMessage():
                    self.leave(POLICY)
                    break
                case Ping():
                    self.unsent += self._socket.send(event.response())
                case CloseConnection():
                    self.unsent += self._socket.send(event.response())
                    self.is_leaving = True
                    break
            # a browser that sends pings and reads no answers would let them pile up
            if len(self.unsent) > MOST_UNSENT:
                self.unsent.clear()
                self.is_leaving = True
                break
        return messages


def _object(text: str) -> list[dict[str, Any]]:
    """The JSON object in a text, as a list; empty if the text is something else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return [value] if isinstance(value, dict) else []
