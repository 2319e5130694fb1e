"""Limber's own protocol: messages, and their encoding as bytes.

docs/protocol.md specifies the bytes, with test vectors, and the rules of a session.
"""

from .messages import (
    MAX_CHANNELS,
    UNITS_PER_US,
    VERSION,
    Arm,
    Configure,
    Disarm,
    Features,
    Frame,
    Hello,
    Kind,
    Message,
    Move,
    OnSilence,
    Poll,
    ProtocolError,
    Reason,
    Report,
    Result,
    State,
    Stop,
    Unreadable,
    Welcome,
    WrongVersion,
)
from .payloads import MAX_PAYLOAD, START, Decoder, crc16, encode, encode_raw, kind_of

BAUDRATE = 115200

__all__ = [
    "BAUDRATE", "MAX_CHANNELS", "MAX_PAYLOAD", "START", "UNITS_PER_US", "VERSION", "Arm", "Configure", "Decoder", "Disarm", "Features",
    "Frame", "Hello", "Kind", "Message", "Move", "OnSilence", "Poll", "ProtocolError", "Reason", "Report", "Result", "State", "Stop",
    "Unreadable", "Welcome", "WrongVersion", "crc16", "encode", "encode_raw", "kind_of",
]  # fmt: skip
