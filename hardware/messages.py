"""What the two processes tell each other through the memory map, as fixed-size bytes. Knows no Blender."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from .safety import Fault, State, Wish

DETAIL_BYTES = 240  # of text about a fault: a path, a number, what the system said


@dataclass(frozen=True, slots=True)
class Orders:
    """From Blender to the worker.

    Attributes:
        beat: Counts Blender's signs of life: every frame and every look at the status.
        frame: Counts frames of angles; 0 before the first.
        stamp: When the newest frame was handed over [s, time.perf_counter].
        wish_number: Counts wishes.
        wish: The newest wish.
        wish_stops: How often Stop had been pressed when it was made: a wish from before a Stop is void.
        angles: The newest frame (channels,) [rad].
    """

    beat: int
    frame: int
    stamp: float
    wish_number: int
    wish: Wish
    wish_stops: int
    angles: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """From the worker to Blender. Counts and times as in `status.Status`; `beat` counts the worker's turns."""

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
    reported: tuple[float, ...] | None


class OrdersCodec:
    """Orders for `channels` channels as bytes and back."""

    def __init__(self, channels: int) -> None:
        self._layout = struct.Struct(f"<QQdIII{channels}d")
        self.size = self._layout.size

    def pack(self, orders: Orders) -> bytes:
        return self._layout.pack(
            orders.beat, orders.frame, orders.stamp, orders.wish_number, orders.wish, orders.wish_stops, *orders.angles
        )

    def unpack(self, message: bytes) -> Orders:
        beat, frame, stamp, number, wish, stops, *angles = self._layout.unpack(message)
        return Orders(beat, frame, stamp, number, Wish(wish), stops, tuple(angles))


class ReportCodec:
    """Reports for `channels` channels as bytes and back."""

    def __init__(self, channels: int) -> None:
        self._channels = channels
        self._layout = struct.Struct(f"<QBB5Qddd??{2 * channels}dH{DETAIL_BYTES}s")
        self._nowhere = (0.0,) * channels
        self.size = self._layout.size

    def pack(self, report: Report) -> bytes:
        detail = report.detail.encode("utf-8")[:DETAIL_BYTES]
        commanded: Sequence[float] = self._nowhere if report.commanded is None else report.commanded
        reported: Sequence[float] = self._nowhere if report.reported is None else report.reported
        return self._layout.pack(
            report.beat,
            report.state,
            report.fault,
            report.sent,
            report.acknowledged,
            report.lost,
            report.refused,
            report.clamped,
            report.late_ms_p50,
            report.late_ms_p99,
            report.ack_ms_p50,
            report.commanded is not None,
            report.reported is not None,
            *commanded,
            *reported,
            len(detail),
            detail,
        )

    def unpack(self, message: bytes) -> Report:
        beat, state, fault, sent, acknowledged, lost, refused, clamped, p50, p99, ack, has_commanded, has_reported, *rest = (
            self._layout.unpack(message)
        )
        n = self._channels
        length, detail = rest[2 * n :]
        return Report(
            beat=beat,
            state=State(state),
            fault=Fault(fault),
            detail=detail[:length].decode("utf-8", "replace"),
            sent=sent,
            acknowledged=acknowledged,
            lost=lost,
            refused=refused,
            clamped=clamped,
            late_ms_p50=p50,
            late_ms_p99=p99,
            ack_ms_p50=ack,
            commanded=tuple(rest[:n]) if has_commanded else None,
            reported=tuple(rest[n : 2 * n]) if has_reported else None,
        )
