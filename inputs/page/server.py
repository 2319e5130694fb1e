"""Serves the control page, with which a person directs a character in a browser, in a separate thread, so
that no slow or hostile browser can block the host.

Whoever has the token, which is in the printed address, may direct. A page of another site in the same browser
has no token, and sends another `Origin` or `Host`. HTTP requests never give commands: these are messages of a
WebSocket. Numbers and sizes of connections, heads, messages and unsent data are bounded.
"""

import base64
import hashlib
import hmac
import re
import secrets
import select
import socket
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from ...files.content import text
from .visitor import STOP, PageRequest, Response, Visitor

PAGE = Path(__file__).resolve().parent / "page.html"
PORT = 8765  # default port of the page
MOST = 12  # largest number of simultaneous connections; further ones are closed
# [bytes] largest read from a connection at a time: a dozen commands. It holds few of the smallest frames, so
# that floods from all connections delay nobody's stop for long
RECEIVED = 1024
SENT = 16384  # [bytes] largest write to a connection at a time
# [s] time between two heartbeats to a page, which returns the number of the last one with each press
HEARTBEAT = 0.25
FRESH = 4  # largest age, in heartbeats, of a press that is obeyed; an older one was delayed
PAUSE = 1e-3  # [s] pause of the thread between two passes, so that other threads can run in a flood
# commands after which a robot may move, or sink: each must be a new press, with the number of the page's
# newest heartbeat
PRESSES = ("arm", "confirm", "release", "clear")
REFUSED = "That press came late or twice, and was not obeyed: press again"
BLOCKS = re.compile(r"<(style|script)>(.*?)</\1>", re.DOTALL)

Receive = Callable[[dict[str, Any]], None]


class PageServer:
    """The page of one character.

    Args:
        host, port: Address to listen on; port 0: any free port.
        receive: Called with a command, in the server's thread.
        stop: Stops all robots at once, from any thread.
        token: Token that an address must have; "": a new one is made.

    Raises:
        OSError: The address cannot be used.
        ValueError: `host` is no IP address.
    """

    def __init__(
        self, host: str, port: int, receive: Receive, stop: Callable[[], object], token: str = ""
    ) -> None:
        self._host, self._receive, self._stop = host, receive, stop
        self._token = token or secrets.token_urlsafe(16)
        self._page = text(PAGE)
        self._visitors: dict[socket.socket, Visitor] = {}
        self._state = ""  # the newest state, as JSON
        self.is_watched = False  # whether a browser shows the page
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        ip_address(host)  # a name raises ValueError
        self._listener = socket.create_server((host, port), family=family, backlog=MOST)
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        self._wake, self._woken = socket.socketpair()
        self._wake.setblocking(False)
        self._is_closing = False
        self._thread = threading.Thread(target=self._serve, name="Limber's page", daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Address to open in a browser."""
        host = ip_address(self._host)
        host_name = socket.gethostname()
        # phones find this name without a name server
        local = host_name if "." in host_name else f"{host_name}.local"
        name = local if host.is_unspecified else f"[{host}]" if host.version == 6 else f"{host}"
        return f"http://{name}:{self.port}/?token={self._token}"

    def publish(self, state: str) -> None:
        """Sets the page's state, as JSON, which is sent to all browsers."""
        self._state = state
        self._wake_thread()

    def close(self) -> None:
        """Closes all connections, and ends the thread."""
        self._is_closing = True
        self._wake_thread()
        self._thread.join()
        for each in (self._listener, self._wake, self._woken, *self._visitors):
            each.close()

    def _wake_thread(self) -> None:
        try:
            self._wake.send(b".")
        except BlockingIOError:  # the thread has been woken already
            return

    def _serve(self) -> None:
        """Work of the thread, until `close`."""
        while not self._is_closing:
            writing = [each for each, visitor in self._visitors.items() if visitor.unsent]
            reading = [self._listener, self._woken, *self._visitors]
            readable, writable, _ = select.select(reading, writing, [], HEARTBEAT)
            if self._woken in readable:
                self._woken.recv(4096)
            if self._listener in readable:
                self._accept()
            time_now = time.monotonic()
            for each in readable:
                if each in self._visitors:
                    self._read(each, self._visitors[each], time_now)
            self._send_states()
            for each in writable:
                self._send(each)
            self._close_done(time_now)
            time.sleep(PAUSE)

    def _accept(self) -> None:
        """Accepts a new connection, or closes it if there are MOST already."""
        try:
            connection, _ = self._listener.accept()
        except OSError:  # the browser has disconnected already
            return
        if len(self._visitors) >= MOST:
            connection.close()
            return
        try:
            connection.setblocking(False)
            address = connection.getsockname()[0]
        except OSError:
            connection.close()
            return
        self._visitors[connection] = Visitor(lambda request: self._answer(request, address), time.monotonic())

    def _read(self, connection: socket.socket, visitor: Visitor, time: float) -> None:
        try:
            data = connection.recv(RECEIVED)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._visitors.pop(connection)
            connection.close()
            return
        for message in visitor.receive(data, time):
            self._take(visitor, message)

    def _take(self, visitor: Visitor, message: dict[str, Any]) -> None:
        """Executes a message: passes it to `receive`, or calls `stop`. A press of one of `PRESSES` is
        accepted once, while its heartbeat is new; else the page is told that it was refused.
        """
        word, press = message.get("word"), message.get("press")
        if word == STOP:
            self._stop()
            return
        if word in PRESSES:
            last = visitor.presses.get(word, 0)
            if not isinstance(press, int) or press <= last or not 0 <= _heartbeat_number() - press <= FRESH:
                visitor.tell({"refused": REFUSED})
                return
            visitor.presses[word] = press
        self._receive(message)

    def _send_states(self) -> None:
        """Queues the newest state and the number of the newest heartbeat for all open pages without unsent
        data, and updates `is_watched`.
        """
        state, heartbeat = self._state, _heartbeat_number()
        for visitor in self._visitors.values():
            visitor.show(state, heartbeat)
        self.is_watched = any(visitor.is_open for visitor in self._visitors.values())

    def _send(self, connection: socket.socket) -> None:
        visitor = self._visitors.get(connection)
        if visitor is None:
            return
        try:
            count = connection.send(visitor.unsent[:SENT])
        except BlockingIOError:
            return
        except OSError:
            self._visitors.pop(connection)
            connection.close()
            return
        del visitor.unsent[:count]

    def _close_done(self, time: float) -> None:
        """Closes connections that have ended, or been silent for too long, at `time` [s]."""
        for connection, visitor in list(self._visitors.items()):
            if visitor.is_done(time):
                self._visitors.pop(connection)
                connection.close()

    def _answer(self, request: PageRequest, server_address: str) -> Response | None:
        """The answer to a request that arrived at `server_address`: the page, or why it is refused; None if
        the request becomes a WebSocket.
        """
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if not request.is_single or host.casefold() not in self._names(server_address):
            return _refused(f"This page is at {self.address.partition('?')[0]}, by no other name")
        if origin is not None and origin.casefold() != f"http://{host.casefold()}":
            return _refused("Another page asks for this one, and is refused")
        if request.method != "GET":
            return _refused("The page is read, and nothing else", HTTPStatus.METHOD_NOT_ALLOWED)
        path, _, query = request.target.partition("?")
        token = parse_qs(query).get("token", [""])[0]
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            return _refused("Open the whole address that Limber has printed: its token is missing or old")
        if path == "/directing" and request.is_upgrade:
            return None
        if path != "/":
            return _refused("There is one page here, at /", HTTPStatus.NOT_FOUND)
        return Response(200, "text/html; charset=utf-8", self._page.encode(), _policy(self._page, host))

    def _names(self, server_address: str) -> set[str]:
        """Host names with port that a browser may use for this computer; foreign names that resolve to it are
        refused.
        """
        address = ip_address(server_address.partition("%")[0])
        names = [f"[{address}]" if address.version == 6 else f"{address}"]
        if address.is_loopback:
            names.append("localhost")
        if not ip_address(self._host).is_loopback:
            name = socket.gethostname().casefold()
            names += [name, f"{name}.local"]
        return {f"{name}:{self.port}" for name in names}


def _heartbeat_number() -> int:
    """Number of heartbeats due until now, on a monotonic clock."""
    return int(time.monotonic() / HEARTBEAT)


def _refused(sentence: str, status: HTTPStatus = HTTPStatus.FORBIDDEN) -> Response:
    """The answer to a request that is refused, with the reason."""
    return Response(status, "text/plain; charset=utf-8", f"{sentence}\n".encode(), _COMMON_HEADERS)


_COMMON_HEADERS = (
    ("Cache-Control", "no-store"),
    ("Referrer-Policy", "no-referrer"),  # the address has the token
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
)


def _policy(page: str, host: str) -> tuple[tuple[str, str], ...]:
    """The common headers, and one that lets a browser run only the page's own content."""
    sources: dict[str, list[str]] = {"style": [], "script": []}
    for kind, content in BLOCKS.findall(page):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        sources[kind].append(f"'sha256-{digest}'")
    policy = (
        f"default-src 'none'; script-src {' '.join(sources['script'])}; style-src {' '.join(sources['style'])};"
        f" connect-src 'self' ws://{host}; img-src data:; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    )
    return (*_COMMON_HEADERS, ("Content-Security-Policy", policy))
