"""Tests the WebSocket of a robot's daemon: the examples of RFC 6455, bytes in pieces, and invalid data that
end the connection.
"""

import random

import pytest
from limber.hardware.protocols.reachy_mini.messages import (
    DaemonStatus,
    JointPositions,
    antennas,
    decode,
    head_joints,
)
from limber.hardware.protocols.reachy_mini.websocket import LONGEST_MESSAGE, WebSocket

ACCEPTED = (  # RFC 6455, 1.3: the answer to the key dGhlIHNhbXBsZSBub25jZQ==
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nconnection: Upgrade\r\n"
    b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
)
MASK = bytes((0x37, 0xFA, 0x21, 0x3D))  # RFC 6455, 5.7


def opened() -> WebSocket:
    line = WebSocket("robot.local:8000", "/ws", lambda count: b"the sample nonce" if count == 16 else MASK)
    assert b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" in line.handshake
    assert line.handshake.startswith(b"GET /ws HTTP/1.1\r\nHost: robot.local:8000\r\n")
    assert line.feed(ACCEPTED) == []
    assert line.opened
    return line


def frame(first: int, content: bytes) -> bytes:
    size = len(content)
    return (
        bytes((first,))
        + (bytes((size,)) if size < 126 else bytes((126,)) + size.to_bytes(2, "big"))
        + content
    )


def test_text_is_masked_as_in_the_standards_example():
    assert opened().text("Hello") == bytes((0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58))
    assert opened().text("x" * 300)[:4] == bytes((0x81, 0xFE, 0x01, 0x2C))


@pytest.mark.parametrize("seed", range(5))
def test_messages_come_out_alike_however_their_bytes_are_cut(seed):
    said = (
        frame(0x81, b"Hello")
        + frame(0x89, b"Hello")
        + frame(0x01, b"Hel")
        + frame(0x8A, b"")
        + frame(0x80, b"lo")
        + frame(0x82, b"\xff")
    )
    said += frame(0x81, "é".encode() * 400)
    line, cut = opened(), random.Random(seed)
    found, answers = [], b""
    while said:
        count = cut.choice([1, 2, 7, 100, 900])
        found += line.feed(said[:count])
        answers += line.answers()
        said = said[count:]
    assert found == ["Hello", "Hello", "é" * 400]
    assert answers == bytes(
        (0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58)
    )  # the pong of the standard's example
    assert not line.ended


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (frame(0x88, b"\x03\xf4"), "with code 1012"),
        (frame(0x88, b""), "ended the connection"),
        (frame(0xC1, b"a"), "breaks the protocol"),  # compressed, which was not offered
        (b"\x81\x81\x00\x00\x00\x00a", "breaks the protocol"),  # masked
        (frame(0x80, b"a"), "wrong order"),
        (frame(0x01, b"a") + frame(0x81, b"b"), "wrong order"),
        (frame(0x81, b"\xff"), "text that is none"),
        (frame(0x83, b""), "unknown kind"),
        (frame(0x09, b""), "too long"),  # a ping in fragments
        (b"\x81\x7f" + (LONGEST_MESSAGE + 1).to_bytes(8, "big"), "too long"),
    ],
)
def test_damage_ends_the_connection_with_a_reason(said, words):
    line = opened()
    line.feed(said + frame(0x81, b"too late"))
    assert words in line.ended
    assert line.answers()[0] == 0x88
    assert line.feed(frame(0x81, b"too late")) == []


@pytest.mark.parametrize(
    "said",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        ACCEPTED.replace(b"s3p", b"s3q"),
        ACCEPTED.replace(b"\r\n\r\n", b"\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"),
        b"\r\n\r\n",
        b"a" * 20_000,
    ],
)
def test_another_answer_to_the_handshake_ends_it(said):
    line = WebSocket("robot.local:8000", "/ws", lambda count: b"the sample nonce" if count == 16 else MASK)
    line.feed(said)
    assert line.ended
    assert not line.opened


def test_what_the_daemon_says_is_taken_only_where_it_is_whole():
    whole = (
        '{"type": "joint_positions", "head_joint_positions": [0, 1, 2, 3, 4, 5, 6],'
        ' "antennas_joint_positions": [0.5, -0.5]}'
    )
    assert decode(whole) == JointPositions((0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0), (0.5, -0.5))
    for old, new in (
        ("6]", "6, 7]"),
        ("[0,", "[NaN,"),
        ("[0,", "[true,"),
        ("[0,", '["0",'),
        ("0.5]", "1e999]"),
        ("[0.5, -0.5]", "null"),
    ):
        assert decode(whole.replace(old, new)) is None
    assert decode(
        '{"type": "daemon_status", "state": "running", "backend_status": null, "error": null}'
    ) == DaemonStatus("running", "", "")
    for text in ("", "[]", "3", "{", '{"type": 3}', '{"type": "head_pose"}', "[" * 100_000):
        assert decode(text) is None


@pytest.mark.parametrize("angles", [[float("nan")] * 7, [float("inf")] * 7])
def test_what_is_not_a_number_is_not_written(angles):
    for command in (head_joints, antennas):
        with pytest.raises(ValueError, match="not JSON compliant"):
            command(angles)


def test_a_ping_is_answered_with_its_content():
    line = opened()
    assert line.answered == b""
    sent = line.ping(b"\x00\x07")
    assert (sent[0], sent[1]) == (0x89, 0x82)
    for content in (b"\x00\x06", b"\x00\x07"):
        line.feed(frame(0x8A, content))
    assert line.answered == b"\x00\x07"
