"""Messages between Blender and the worker as fixed-size bytes in shared memory. Knows no Blender."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass, fields

from ..motion import Kinematic
from .safety import Command, Fault, State
from .status import ChannelStatus

DETAIL_BYTES = 320  # of text about a fault: a path, a number, what the system said
WARNING_BYTES = 600  # some five sentences

_CHANNEL_FIELDS = tuple(field.name for field in fields(ChannelStatus))
_COUNTS = ("sent", "acknowledged", "lost", "refused", "clamped", "late_ms_p50", "late_ms_p99", "ack_ms_p50")
_UNKNOWN = math.nan  # for None


@dataclass(frozen=True, slots=True)
class Request:
    """A command with its arguments.

    Attributes:
        command: Command that the user requests.
        target: Index of the joint; for WIGGLE of the channel.
        amount: Distance of a JOG, in the joint's unit.
        span: Lowest and highest value of a TEST; NaN: the joint's own.
        free: Whether a JOG is limited by the servo's range alone, not by the joint's.
        channels: Channels to RELEASE.
        values: Park pose for PARK (joints,).
    """

    command: Command = Command.NOTHING
    target: int = 0
    amount: float = 0.0
    span: tuple[float, float] = (_UNKNOWN, _UNKNOWN)
    free: bool = False
    channels: frozenset[int] = frozenset()
    values: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Orders:
    """Message from Blender to the worker: newest command and newest joint values.

    Attributes:
        beat: Counts Blender's signs of life: every frame and every query of the status.
        frame: Counts frames of values; 0 before the first.
        stamp: Time of the newest frame [s, time.perf_counter].
        command_number: Counts commands.
        request: The newest command.
        command_stops: Number of Stops when the command was given; a command that is older than the last Stop is ignored.
        motion: The newest frame (joints,), each in its joint's unit; with its velocity and acceleration per frame where known, else 0.
    """

    beat: int
    frame: int
    stamp: float
    command_number: int
    request: Request
    command_stops: int
    motion: tuple[Kinematic, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Message from the worker to Blender; fields as in `status.Status`."""

    beat: int
    state: State
    fault: Fault
    detail: str
    sent: int
    acknowledged: int
    lost: int
    refused: int
    clamped: int
    late_ms_p50: float
    late_ms_p99: float
    ack_ms_p50: float
    commanded: tuple[float, ...] | None
    positions: tuple[float | None, ...]
    confirmed: tuple[bool, ...]
    needs_confirmation: bool
    channels: tuple[ChannelStatus, ...]
    warnings: tuple[str, ...]

    @property
    def measured(self) -> tuple[float, ...] | None:
        """Measured values of all joints (joints,); None if one of them is unknown."""
        known = tuple(position for position in self.positions if position is not None)
        return known if len(known) == len(self.positions) else None


class OrdersCodec:
    """Encodes and decodes `Orders` of a device with `joints` joints."""

    def __init__(self, joints: int) -> None:
        self._joints = joints
        self._layout = struct.Struct(f"<QQdIIIi3d?Q{4 * joints}d")
        self._nowhere = (0.0,) * joints
        self.size = self._layout.size

    def pack(self, orders: Orders) -> bytes:
        request = orders.request
        return self._layout.pack(
            orders.beat,
            orders.frame,
            orders.stamp,
            orders.command_number,
            orders.command_stops,
            request.command,
            request.target,
            request.amount,
            *request.span,
            request.free,
            sum(1 << channel for channel in request.channels),
            *(request.values or self._nowhere),
            *(number for joint in orders.motion for number in (joint.position, joint.velocity, joint.acceleration)),
        )

    def unpack(self, message: bytes) -> Orders:
        beat, frame, stamp, number, stops, command, target, amount, low, high, free, mask, *values = self._layout.unpack(message)
        channels = frozenset(channel for channel in range(mask.bit_length()) if mask >> channel & 1)
        request = Request(Command(command), target, amount, (low, high), free, channels, tuple(values[: self._joints]))
        numbers = iter(values[self._joints :])
        motion = tuple(Kinematic(*joint) for joint in zip(numbers, numbers, numbers, strict=True))
        return Orders(beat, frame, stamp, number, request, stops, motion)


class ReportCodec:
    """Encodes and decodes `Report`s of a device with `joints` joints and `channels` channels."""

    def __init__(self, joints: int, channels: int) -> None:
        self._joints = joints
        self._channels = channels
        numbers = 2 * joints + len(_CHANNEL_FIELDS) * channels
        self._layout = struct.Struct(f"<QBB5Qddd??{joints}?{numbers}dH{DETAIL_BYTES}sH{WARNING_BYTES}s")
        self._nowhere = (0.0,) * joints
        self.size = self._layout.size

    def pack(self, report: Report) -> bytes:
        texts = [text.encode("utf-8") for text in (report.detail, "\n".join(report.warnings))]
        detail, warnings = texts[0][:DETAIL_BYTES], texts[1][:WARNING_BYTES]
        return self._layout.pack(
            *(report.beat, report.state, report.fault),
            *(getattr(report, name) for name in _COUNTS),
            *(report.commanded is not None, report.needs_confirmation),
            *report.confirmed,
            *(self._nowhere if report.commanded is None else report.commanded),
            *_filled(report.positions),
            *_filled(getattr(channel, name) for channel in report.channels for name in _CHANNEL_FIELDS),
            *(len(detail), detail, len(warnings), warnings),
        )

    def unpack(self, message: bytes) -> Report:
        beat, state, fault, *rest = self._layout.unpack(message)
        counts, (has_commanded, needs_confirmation, *rest) = rest[: len(_COUNTS)], rest[len(_COUNTS) :]
        n, width = self._joints, len(_CHANNEL_FIELDS)
        *numbers, length, detail, warning_length, warnings = rest[n:]
        known = [None if math.isnan(number) else number for number in numbers[n:]]
        return Report(
            beat=beat,
            state=State(state),
            fault=Fault(fault),
            detail=_text(detail, length),
            **dict(zip(_COUNTS, counts, strict=True)),
            commanded=tuple(numbers[:n]) if has_commanded else None,
            positions=tuple(known[:n]),
            confirmed=tuple(rest[:n]),
            needs_confirmation=needs_confirmation,
            channels=tuple(ChannelStatus(*known[at : at + width]) for at in range(n, n + width * self._channels, width)),
            warnings=tuple(text for text in _text(warnings, warning_length).split("\n") if text),
        )


def _filled(numbers: Iterable[float | None]) -> tuple[float, ...]:
    return tuple(_UNKNOWN if number is None else number for number in numbers)


def _text(data: bytes, length: int) -> str:
    return data[:length].decode("utf-8", "ignore")  # what was cut may end within a letter
