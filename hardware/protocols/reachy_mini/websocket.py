"""WebSocket client (RFC 6455) without a socket: received bytes in, messages out.

It supports what a robot's daemon needs: text messages, whole or in fragments, pings and the end of the
connection; no extensions. Lengths are bounded, and any damage ends the connection with a reason.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable
from itertools import cycle

MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # constant of the handshake's proof (RFC 6455, 1.3)
LONGEST_HEAD = 16_384  # [bytes] longest answer to the handshake
# [bytes] longest message; the daemon's have up to 2 kB, and the longest is decoded within 2 ms
LONGEST_MESSAGE = 1 << 14
LONGEST_CONTROL = 125  # [bytes] longest content of a control frame (RFC 6455, 5.5)

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
FIN, RESERVED, OPCODE, MASKED = 0x80, 0x70, 0x0F, 0x80


class WebSocket:
    """A client's WebSocket connection, from the handshake on.

    Args:
        host: Host and port for the Host header.
        path: Path of the service.
        random: Returns random bytes: keys and masks.

    Attributes:
        handshake: The bytes to send first.
        opened: Whether the server has accepted.
        answered: Content of the newest ping that the server has answered; empty before the first.
        ended: Why the connection has ended; empty while it is open.
    """

    def __init__(self, host: str, path: str, random: Callable[[int], bytes] = os.urandom) -> None:
        self._random = random
        key = base64.b64encode(random(16)).decode()
        self._accept = base64.b64encode(
            hashlib.sha1((key + MAGIC).encode(), usedforsecurity=False).digest()
        ).decode()
        self.handshake = (
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode()
        self.opened = False
        self.answered = b""
        self.ended = ""
        self._pending = bytearray()
        self._answers = bytearray()
        self._pinged: bytes | None = None  # content of the newest ping without its answer
        self._parts: bytearray | None = None  # content of an incomplete message, received so far
        self._is_text = False

    def text(self, message: str) -> bytes:
        """The frame of a text message."""
        return self._frame(TEXT, message.encode())

    def ping(self, content: bytes) -> bytes:
        """The frame of a ping. The server answers with the same content once it has read all before it."""
        return self._frame(PING, content)

    def close(self) -> bytes:
        """The frame that closes the connection."""
        return self._frame(CLOSE, (1000).to_bytes(2, "big"))

    def answers(self) -> bytes:
        """Answers to send now: to the newest ping, which covers all earlier ones (RFC 6455, 5.5.3), and to
        the end of the connection; empty if none are due.
        """
        pong = b"" if self._pinged is None else self._frame(PONG, self._pinged)
        due, self._answers, self._pinged = pong + bytes(self._answers), bytearray(), None
        return due

    def feed(self, data: bytes) -> list[str]:
        """The text messages that `data` completes, in order. Other frames update `opened`, `answered` and
        `ended`, or await `answers`.
        """
        self._pending += data
        messages: list[str] = []
        if not self.opened and not self.ended:
            self._read_head()
        while self.opened and not self.ended and (frame := self._next_frame()) is not None:
            self._take(*frame, messages)
        return messages

    def _read_head(self) -> None:
        end = self._pending.find(b"\r\n\r\n")
        if end < 0:
            if len(self._pending) > LONGEST_HEAD:
                self.ended = "its answer to the handshake does not end"
            return
        first, *lines = self._pending[:end].decode("latin-1").split("\r\n")
        del self._pending[: end + 4]
        words = first.split(maxsplit=2)
        if len(words) < 2 or not words[0].startswith("HTTP/1.1") or words[1] != "101":
            self.ended = f"it answered '{first[:60]}'"
            return
        fields = {
            name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
        }
        # RFC 6455, 4.1: the accept value proves that a WebSocket server has read this request's key
        if (
            fields.get("upgrade", "").lower() != "websocket"
            or fields.get("sec-websocket-accept") != self._accept
        ):
            self.ended = "its answer to the handshake is no WebSocket's"
        elif "sec-websocket-extensions" in fields or "sec-websocket-protocol" in fields:
            self.ended = "it uses an extension that was not offered"
        else:
            self.opened = True

    def _next_frame(self) -> tuple[bool, int, bytes] | None:
        """Remove the next frame from the pending bytes and return (whether it ends its message, opcode,
        content); None if it is not complete yet, or breaks the protocol, which ends the connection.
        """
        data = self._pending
        if len(data) < 2:
            return None
        first, second = data[0], data[1]
        size, start = second & ~MASKED, 2
        # RFC 6455, 5.2: 126 and 127 announce a length of 2 and 8 bytes
        if size >= 126:
            start = 4 if size == 126 else 10
            if len(data) < start:
                return None
            size = int.from_bytes(data[2:start], "big")
        # RFC 6455, 5.1 and 5.2: a server's frames are not masked, and only extensions use the reserved bits
        if first & RESERVED or second & MASKED:
            self._end("it sent a frame that breaks the protocol")
            return None
        is_control = bool(first & CLOSE)
        # a frame that is too long is refused before its content has arrived, so that the pending bytes are
        # bounded
        if size > (LONGEST_CONTROL if is_control else LONGEST_MESSAGE) or (is_control and not first & FIN):
            self._end("it sent a frame that is too long")
            return None
        if len(data) < start + size:
            return None
        content = bytes(data[start : start + size])
        del data[: start + size]
        return bool(first & FIN), first & OPCODE, content

    def _take(self, is_last: bool, kind: int, content: bytes, messages: list[str]) -> None:
        if kind == PING:
            self._pinged = content
        elif kind == PONG:
            self.answered = content
        elif kind == CLOSE:
            self._answers += self._frame(CLOSE, content[:2])
            code = f" with code {int.from_bytes(content[:2], 'big')}" if len(content) >= 2 else ""
            self.ended = f"it ended the connection{code}"
        elif kind in (TEXT, BINARY, CONTINUATION):
            self._take_data(is_last, kind, content, messages)
        else:
            self._end("it sent a frame of an unknown kind")

    def _take_data(self, is_last: bool, kind: int, content: bytes, messages: list[str]) -> None:
        if (kind == CONTINUATION) is (self._parts is None):
            self._end("it sent fragments in a wrong order")
            return
        if self._parts is None:
            self._parts, self._is_text = bytearray(), kind == TEXT
        self._parts += content
        if len(self._parts) > LONGEST_MESSAGE:
            self._end("it sent a message that is too long")
        elif is_last:
            whole, self._parts = self._parts, None
            try:
                messages += [whole.decode()] if self._is_text else []
            except UnicodeDecodeError:
                self._end("it sent a text that is none")

    def _end(self, why: str) -> None:
        self.ended = why
        self._answers += self._frame(CLOSE, (1002).to_bytes(2, "big"))

    def _frame(self, kind: int, content: bytes) -> bytes:
        size = len(content)
        if size < 126:
            length = bytes((MASKED | size,))
        elif size < 1 << 16:
            length = bytes((MASKED | 126,)) + size.to_bytes(2, "big")
        else:
            length = bytes((MASKED | 127,)) + size.to_bytes(8, "big")
        mask = self._random(4)
        return (
            bytes((FIN | kind,))
            + length
            + mask
            + bytes(byte ^ key for byte, key in zip(content, cycle(mask), strict=False))
        )
