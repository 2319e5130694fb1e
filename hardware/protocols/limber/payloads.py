"""Encoding of the messages of Limber's own protocol, and of the frames around them.

All numbers are unsigned, high byte first; a pulse width is in eighths of a microsecond, 0 for none.
"""

import struct
from binascii import crc_hqx
from collections.abc import Callable, Sequence
from typing import Any

from ..interface import Problem, ProblemKind
from ..stream import Broken, Skip, Stream, Wait, Whole
from .messages import (
    MAX_CHANNELS,
    MAX_US,
    NAME_BYTES,
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

_HELLO = struct.Struct(">BH")
_CONFIGURE = struct.Struct(">BHHHB")
_SESSION = struct.Struct(">H")
_WELCOME = struct.Struct(">BBBBBHHHHH")
_REPORT = struct.Struct(">BBBBHHB")


def encode_payload(message: Message) -> tuple[MessageKind, bytes]:
    """Kind and payload of a message's frame.

    Raises:
        ProtocolError: a field does not fit its size on the wire.
    """
    kind, pack = _ENCODERS[type(message)]
    return kind, pack(message)


def kind_of(message: Message) -> MessageKind:
    """The byte that identifies a message's type in its frame."""
    return _ENCODERS[type(message)][0]


def decode_payload(kind: int, payload: bytes) -> Message | Unreadable:
    """The message in the payload of a frame with a valid CRC; `Unreadable` if it is no message of this
    protocol version.
    """
    if kind not in _DECODERS:
        return Unreadable(kind, payload, DeviceResult.UNKNOWN_KIND)
    try:
        return _DECODERS[MessageKind(kind)](payload)
    except (struct.error, IndexError):
        return Unreadable(kind, payload, DeviceResult.WRONG_LENGTH)
    except ValueError:  # an enum without that value, a name that is not ASCII
        return Unreadable(kind, payload, DeviceResult.OUT_OF_RANGE)


def whole(field: str, value: int, highest: int) -> int:
    """The whole number `value`; raises ProtocolError, which names the field, if it is not 0 to `highest`."""
    if not 0 <= value <= highest:
        raise ProtocolError(f"{field} is {value}; the wire carries 0 to {highest}")
    return value


def _units(field: str, microseconds: float | None) -> int:
    """A pulse width in the unit of the wire, 0 for None. Raises ProtocolError, which names the field."""
    if microseconds is None:
        return 0
    if not 1 / UNITS_PER_US <= microseconds <= MAX_US:  # also false for a NaN
        raise ProtocolError(f"{field} is {microseconds} us; the wire carries {1 / UNITS_PER_US} to {MAX_US}")
    return round(microseconds * UNITS_PER_US)


def _microseconds(units: int) -> float | None:
    return units / UNITS_PER_US if units else None


def _pack_positions(field: str, positions: Sequence[float | None]) -> bytes:
    if len(positions) > MAX_CHANNELS:
        raise ProtocolError(f"{field} has {len(positions)} channels; the wire carries at most {MAX_CHANNELS}")
    return struct.pack(f">{len(positions)}H", *(_units(field, position) for position in positions))


def _unpack_positions(count: int, payload: bytes) -> tuple[float | None, ...]:
    return tuple(_microseconds(units) for units in struct.unpack(f">{count}H", payload))


def _decode_hello(payload: bytes) -> Message:
    if payload[0] != VERSION:
        return Hello(session=0, version=payload[0])  # another version's layout is unknown
    version, session = _HELLO.unpack(payload)
    return Hello(session, version)


def _decode_configure(payload: bytes) -> Message:
    channel, lower, upper, speed, on_silence = _CONFIGURE.unpack(payload)
    return Configure(channel, lower / UNITS_PER_US, upper / UNITS_PER_US, speed, OnSilence(on_silence))


def _encode_configure(message: Configure) -> bytes:
    return _CONFIGURE.pack(
        whole("channel", message.channel, MAX_CHANNELS - 1),
        _units("lower_us", message.lower_us),
        _units("upper_us", message.upper_us),
        whole("speed_us_per_s", message.speed_us_per_s, 0xFFFF),
        message.on_silence,
    )


def _decode_move(payload: bytes) -> Message:
    return Move(_unpack_positions(payload[1], payload[2:]), interval_ms=payload[0])


def _encode_move(message: Move) -> bytes:
    head = bytes((whole("interval_ms", message.interval_ms, 0xFF), len(message.positions_us)))
    return head + _pack_positions("positions_us", message.positions_us)


def _decode_disarm(payload: bytes) -> Message:
    (release,) = payload
    return Disarm(bool(release))


def _empty(make: Callable[[], Message]) -> Callable[[bytes], Message]:
    def decode(payload: bytes) -> Message:
        if payload:
            raise struct.error("this message has no payload")
        return make()

    return decode


def _decode_welcome(payload: bytes) -> Message:
    version, major, minor, channels, features, lowest, highest, period, watchdog, session = (
        _WELCOME.unpack_from(payload)
    )
    name = payload[_WELCOME.size :].decode("ascii")
    return Welcome(
        session=session,
        firmware=(major, minor),
        channels=channels,
        features=Features(features),
        lowest_us=lowest / UNITS_PER_US,
        highest_us=highest / UNITS_PER_US,
        period_us=period,
        watchdog_ms=watchdog,
        name=name,
        version=version,
    )


def _encode_welcome(message: Welcome) -> bytes:
    if not message.name.isascii() or len(message.name) > NAME_BYTES:
        raise ProtocolError(
            f"name is {message.name!r}; the wire carries at most {NAME_BYTES} ASCII characters"
        )
    return _WELCOME.pack(
        message.version,
        whole("firmware", message.firmware[0], 0xFF),
        whole("firmware", message.firmware[1], 0xFF),
        whole("channels", message.channels, MAX_CHANNELS),
        message.features,
        _units("lowest_us", message.lowest_us),
        _units("highest_us", message.highest_us),
        whole("period_us", message.period_us, 0xFFFF),
        whole("watchdog_ms", message.watchdog_ms, 0xFFFF),
        whole("session", message.session, 0xFFFF),
    ) + message.name.encode("ascii")


def _decode_report(payload: bytes) -> Message:
    answers, result, state, reasons, session, bad_frames, count = _REPORT.unpack_from(payload)
    lists = payload[_REPORT.size :]
    commanded, measured = lists[: 2 * count], lists[2 * count :]
    return DeviceReport(
        answers=answers or None,
        result=result,
        state=DeviceState(state),
        reasons=Reason(reasons),
        session=session,
        bad_frames=bad_frames,
        commanded_us=_unpack_positions(count, commanded),
        measured_us=_unpack_positions(count, measured) if measured else (),
    )


def _encode_report(message: DeviceReport) -> bytes:
    if message.measured_us and len(message.measured_us) != len(message.commanded_us):
        raise ProtocolError(
            f"measured_us has {len(message.measured_us)} channels and commanded_us"
            f" {len(message.commanded_us)}; give as many or none"
        )
    return (
        _REPORT.pack(
            whole("answers", message.answers or 0, 0xFF),
            whole("result", message.result, 0xFF),
            message.state,
            message.reasons,
            whole("session", message.session, 0xFFFF),
            whole("bad_frames", message.bad_frames, 0xFFFF),
            len(message.commanded_us),
        )
        + _pack_positions("commanded_us", message.commanded_us)
        + _pack_positions("measured_us", message.measured_us)
    )


_ENCODERS: dict[type, tuple[MessageKind, Callable[[Any], bytes]]] = {
    Hello: (
        MessageKind.HELLO,
        lambda m: _HELLO.pack(whole("version", m.version, 0xFF), whole("session", m.session, 0xFFFF)),
    ),
    Configure: (MessageKind.CONFIGURE, _encode_configure),
    Arm: (MessageKind.ARM, lambda m: _SESSION.pack(whole("session", m.session, 0xFFFF))),
    Move: (MessageKind.MOVE, _encode_move),
    Disarm: (MessageKind.DISARM, lambda m: bytes((m.release,))),
    Stop: (MessageKind.STOP, lambda m: b""),
    Poll: (MessageKind.POLL, lambda m: b""),
    Welcome: (MessageKind.WELCOME, _encode_welcome),
    WrongVersion: (MessageKind.WRONG_VERSION, lambda m: bytes((m.version, *m.firmware))),
    DeviceReport: (MessageKind.REPORT, _encode_report),
}
_DECODERS: dict[MessageKind, Callable[[bytes], Message]] = {
    MessageKind.HELLO: _decode_hello,
    MessageKind.CONFIGURE: _decode_configure,
    MessageKind.ARM: lambda payload: Arm(*_SESSION.unpack(payload)),
    MessageKind.MOVE: _decode_move,
    MessageKind.DISARM: _decode_disarm,
    MessageKind.STOP: _empty(Stop),
    MessageKind.POLL: _empty(Poll),
    MessageKind.WELCOME: _decode_welcome,
    MessageKind.WRONG_VERSION: lambda payload: WrongVersion(payload[0], (payload[1], payload[2])),
    MessageKind.REPORT: _decode_report,
}


START = 0xA5  # first byte of every frame
KIND_AT, SEQUENCE_AT = 3, 4  # offsets [bytes] of kind and sequence number in a frame
HEADER = 5  # [bytes] part of a frame before the payload: start, length, its complement, kind, sequence
TRAILER = 2  # [bytes] part of a frame after the payload: the CRC
MAX_PAYLOAD = 112  # [bytes] longest payload; a report with both lists for 24 channels has 105


def crc16(data: bytes) -> int:
    """CRC-16/IBM-3740 (polynomial 0x1021, initial 0xFFFF, not reflected): 0x29B1 for b"123456789"."""
    return crc_hqx(data, 0xFFFF)


def encode(message: Message, sequence: int = 0) -> bytes:
    """The frame of a message.

    Raises:
        ProtocolError: a field does not fit its size on the wire.
    """
    return encode_raw(*encode_payload(message), sequence)


def encode_raw(kind: int, payload: bytes, sequence: int = 0) -> bytes:
    """A frame around any payload, for tests and later versions.

    Raises:
        ProtocolError: `kind` or `sequence` is no byte, or `payload` is longer than MAX_PAYLOAD.
    """
    if len(payload) > MAX_PAYLOAD:
        raise ProtocolError(f"a payload of {len(payload)} bytes; at most {MAX_PAYLOAD} fit a frame")
    body = (
        bytes(
            (len(payload), len(payload) ^ 0xFF, whole("kind", kind, 0xFF), whole("sequence", sequence, 0xFF))
        )
        + payload
    )
    return bytes((START,)) + body + crc16(body).to_bytes(TRAILER, "big")


def look(pending: bytearray) -> Wait | Skip | Whole | Broken:
    """Classification of the first bytes received: part of a frame, a frame, a damaged frame, or none."""
    start = pending.find(START)
    if start:
        return Skip(len(pending) if start < 0 else start)
    if len(pending) < 3:
        return Wait()
    payload = pending[1]
    if payload > MAX_PAYLOAD or pending[2] != payload ^ 0xFF:
        return Skip(1)
    length = HEADER + payload + TRAILER
    if len(pending) < length:
        return Wait()
    if crc16(bytes(pending[1:length])):  # the CRC over a body and its own CRC is 0
        return Broken(length, ProblemKind.DAMAGED, f"A message of {length} bytes whose CRC is wrong")
    return Whole(length)


class FrameDecoder:
    """Decodes frames from a stream of bytes, in either direction; never raises and never keeps more than one
    frame's length. A frame whose content is no message has an `Unreadable`.

    After noise or a damaged frame it searches for a frame from the next byte on, so that a good frame after a
    bad one is not lost.
    """

    def __init__(self) -> None:
        self._stream = Stream(look)
        self.bad_frames = 0  # frames with a good header and a bad CRC

    @property
    def noise(self) -> int:
        """Number of received bytes that belonged to no valid frame."""
        return self._stream.dropped

    def feed(self, data: bytes) -> list[MessageFrame]:
        """The frames that `data` completes, in order."""
        return self._frames(self._stream.feed(data))

    def give_up(self) -> list[MessageFrame]:
        """Handle a timeout: returns frames found in the pending bytes, and drops the rest."""
        return self._frames(self._stream.give_up())

    def _frames(self, frames: list[bytes | Problem]) -> list[MessageFrame]:
        self.bad_frames += sum(
            isinstance(item, Problem) and item.kind is ProblemKind.DAMAGED for item in frames
        )
        valid_frames = (item for item in frames if isinstance(item, bytes))
        return [
            MessageFrame(frame[SEQUENCE_AT], decode_payload(frame[KIND_AT], frame[HEADER:-TRAILER]))
            for frame in valid_frames
        ]
