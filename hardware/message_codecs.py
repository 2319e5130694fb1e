"""Encoding of the messages between Blender and the worker, whose length is fixed for a robot."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from itertools import chain
from typing import Any

from ..motion import Kinematic
from .messages import Orders, Report, Request
from .safety import Command, Fault, State
from .status import ChannelStatus

DETAIL_BYTES = 320  # length to which a report's detail is cut: room for a path and the system's message
WARNING_BYTES = 600  # length to which all warnings together are cut: about five sentences

_COUNTS = ("sent", "acknowledged", "lost", "refused", "clamped", "late_ms_p50", "late_ms_p99", "ack_ms_p50")
_ORDERS = struct.Struct("<QQd?dd")  # layout of `Orders` without their motion
_HEAD = struct.Struct("<QBB5Q3d")  # layout of a report's beat, state, fault and `_COUNTS`
_UNKNOWN = math.nan  # number that encodes None


class OrdersCodec:
    """Encodes and decodes `Orders` of a device with `joints` joints; `size`: length of the message
    [bytes].
    """

    def __init__(self, joints: int) -> None:
        self._layout = struct.Struct(f"<{3 * joints}d")
        self.size = _ORDERS.size + self._layout.size
        # the motion that was encoded last, with its bytes: all heartbeats between two frames repeat it
        self._motion: tuple[Kinematic, ...] = ()
        self._encoded = b""

    def pack(self, orders: Orders) -> bytes:
        if orders.motion is not self._motion:
            numbers = (
                number
                for joint in orders.motion
                for number in (joint.position, joint.velocity, joint.acceleration)
            )
            self._motion, self._encoded = orders.motion, self._layout.pack(*numbers)
        return (
            _ORDERS.pack(orders.beat, orders.frame, orders.stamp, orders.plays, orders.step, orders.due)
            + self._encoded
        )

    def unpack(self, message: bytes) -> Orders:
        numbers = iter(self._layout.unpack_from(message, _ORDERS.size))
        motion = tuple(Kinematic(*joint) for joint in zip(numbers, numbers, numbers, strict=True))
        beat, frame, stamp, plays, step, due = _ORDERS.unpack_from(message)
        return Orders(beat, frame, stamp, plays, step, due, motion)


class RequestCodec:
    """Encodes and decodes a `Request` to a device with `joints` joints; `size`: length of the message
    [bytes].
    """

    def __init__(self, joints: int) -> None:
        self._layout = struct.Struct(f"<IIi3d?Q{joints}d")
        self._no_values = (0.0,) * joints
        self.size = self._layout.size

    def pack(self, request: Request) -> bytes:
        return self._layout.pack(
            request.stops,
            request.command,
            request.target,
            request.amount,
            *request.span,
            request.free,
            sum(1 << channel for channel in request.channels),
            *(request.values or self._no_values),
        )

    def unpack(self, message: bytes) -> Request:
        stops, command, target, amount, low, high, free, mask, *values = self._layout.unpack(message)
        channels = frozenset(channel for channel in range(mask.bit_length()) if mask >> channel & 1)
        return Request(Command(command), target, amount, (low, high), free, channels, tuple(values), stops)


class ReportCodec:
    """Encodes and decodes a `Report` of a device with `joints` joints and `channels` channels; `size`: length
    of the message [bytes].

    For a robot at rest only beat and counts change from report to report, so the rest is decoded only if its
    bytes have changed.
    """

    def __init__(self, joints: int, channels: int) -> None:
        self._joints = joints
        self._channels = channels
        numbers = 2 * joints + len(ChannelStatus._fields) * channels
        self._layout = struct.Struct(f"<???{joints}?{numbers}dH{DETAIL_BYTES}sH{WARNING_BYTES}s")
        self._no_values = (0.0,) * joints
        self.size = _HEAD.size + self._layout.size
        self._encoded = b""  # bytes after the head of the report that was decoded last
        self._decoded: dict[str, Any] = {}  # fields decoded from these bytes

    def pack(self, report: Report) -> bytes:
        # a text from a device may have surrogates
        texts = [text.encode("utf-8", "replace") for text in (report.detail, "\n".join(report.warnings))]
        detail, warnings = texts[0][:DETAIL_BYTES], texts[1][:WARNING_BYTES]
        return _HEAD.pack(
            report.beat, report.state, report.fault, *(getattr(report, name) for name in _COUNTS)
        ) + self._layout.pack(
            *(report.commanded is not None, report.is_reached, report.needs_confirmation),
            *report.confirmed,
            *(self._no_values if report.commanded is None else report.commanded),
            *_with_nan(report.positions),
            *_with_nan(chain.from_iterable(report.channels)),
            *(len(detail), detail, len(warnings), warnings),
        )

    def unpack(self, message: bytes) -> Report:
        beat, state, fault, *counts = _HEAD.unpack_from(message)
        encoded = message[_HEAD.size :]
        if encoded != self._encoded:
            self._encoded, self._decoded = encoded, self._decode(encoded)
        return Report(
            beat=beat,
            state=State(state),
            fault=Fault(fault),
            **dict(zip(_COUNTS, counts, strict=True)),
            **self._decoded,
        )

    def _decode(self, encoded: bytes) -> dict[str, Any]:
        """The fields of a report after its head."""
        has_commanded, is_reached, needs_confirmation, *rest = self._layout.unpack(encoded)
        n, width = self._joints, len(ChannelStatus._fields)
        *numbers, length, detail, warning_length, warnings = rest[n:]
        known = [None if math.isnan(number) else number for number in numbers[n:]]
        return {
            "detail": _text(detail, length),
            "commanded": tuple(numbers[:n]) if has_commanded else None,
            "positions": tuple(known[:n]),
            "confirmed": tuple(rest[:n]),
            "is_reached": is_reached,
            "needs_confirmation": needs_confirmation,
            "channels": tuple(
                ChannelStatus(*known[at : at + width]) for at in range(n, n + width * self._channels, width)
            ),
            "warnings": tuple(text for text in _text(warnings, warning_length).split("\n") if text),
        }


def _with_nan(numbers: Iterable[float | None]) -> list[float]:
    """The numbers, with NaN instead of None."""
    return [_UNKNOWN if number is None else number for number in numbers]


def _text(data: bytes, length: int) -> str:
    return data[:length].decode("utf-8", "ignore")  # a truncated text may end within a character
