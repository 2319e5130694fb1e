"""Limber's own protocol: messages, and their encoding as bytes.

docs/protocol.md specifies the bytes, with test vectors, and the rules of a session.
"""

from .messages import (
    MAX_CHANNELS,
    UNITS_PER_US,
    VERSION,
    Arm,
    Configure,
    DeviceReport,
    DeviceResult,
    DeviceState,
    Disarm,
    Features,
    Hello,
    Message,
    MessageFrame,
    MessageKind,
    Move,
    OnSilence,
    Poll,
    ProtocolError,
    Reason,
    Stop,
    Unreadable,
    Welcome,
    WrongVersion,
)
from .payloads import MAX_PAYLOAD, START, FrameDecoder, crc16, encode, encode_raw, kind_of

BAUDRATE = 115200

__all__ = [
    "BAUDRATE",
    "MAX_CHANNELS",
    "MAX_PAYLOAD",
    "START",
    "UNITS_PER_US",
    "VERSION",
    "Arm",
    "Configure",
    "DeviceReport",
    "DeviceResult",
    "DeviceState",
    "Disarm",
    "Features",
    "FrameDecoder",
    "Hello",
    "Message",
    "MessageFrame",
    "MessageKind",
    "Move",
    "OnSilence",
    "Poll",
    "ProtocolError",
    "Reason",
    "Stop",
    "Unreadable",
    "Welcome",
    "WrongVersion",
    "crc16",
    "encode",
    "encode_raw",
    "kind_of",
]  # fmt: skip
