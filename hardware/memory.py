"""Shared memory between Blender and the worker: a temporary file that both processes map.

It holds the device's description (written once, before the worker starts), the stop counter, a mailbox in
each direction for messages of fixed length of which the newest counts, and a log of commands, each of which
counts. Nothing in it blocks.
"""

from __future__ import annotations

import contextlib
import json
import math
import mmap
import os
import struct
import tempfile
import zlib
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from types import TracebackType
from typing import Any

from ..motion import Kinematic
from .device import Device, from_plain, to_plain
from .errors import WorkerError
from .message_log import MessageLog
from .messages import Orders, Report, Request
from .safety import Command, Fault, State
from .status import ChannelStatus

_COUNTER = struct.Struct("<Q")
_CHECK = struct.Struct("<I")
_READS = (
    4  # times a reader tries: a writer that overtakes it once takes some 10 us, at most 200 times a second
)


class Mailbox:
    """One direction of the shared memory: a single-message mailbox.

    One process writes, another reads; neither ever waits. Two slots alternate, so the newest message stays
    readable while the next is written. A slot carries its sequence number and a checksum over everything: a
    torn read is noticed whatever the machine's memory order, and read again.

    Args:
        memory: The whole shared memory, writable.
        offset: Start of the mailbox in the memory [bytes].
        size: Length of every message [bytes].
    """

    def __init__(self, memory: memoryview, offset: int, size: int) -> None:
        slot = _COUNTER.size + size + _CHECK.size
        self._memory = memory
        self._counter = offset
        self._slots = (offset + _COUNTER.size, offset + _COUNTER.size + slot)
        self._body = _COUNTER.size + size
        self._slot = slot
        self._size = size
        self._written = 0
        self._seen = 0
        self._newest: bytes | None = None

    @staticmethod
    def length(size: int) -> int:
        """Size in memory of a mailbox for messages of `size` bytes [bytes]."""
        return _COUNTER.size + 2 * (_COUNTER.size + size + _CHECK.size)

    @property
    def count(self) -> int:
        """Number of messages that were written."""
        return int(_COUNTER.unpack_from(self._memory, self._counter)[0])

    def write(self, message: bytes) -> None:
        """Replace the message by `message` (size,)."""
        if len(message) != self._size:
            raise ValueError(f"a message of {len(message)} bytes in a mailbox for {self._size}")
        self._written += 1
        body = _COUNTER.pack(self._written) + message
        start = self._slots[self._written & 1]
        self._memory[start : start + self._slot] = body + _CHECK.pack(zlib.crc32(body))
        self._memory[self._counter : self._counter + _COUNTER.size] = body[: _COUNTER.size]

    def read(self) -> bytes | None:
        """The newest complete message; None before the first. If the writer was faster in every attempt, the
        last message read.
        """
        for _ in range(_READS):
            counter = bytes(self._memory[self._counter : self._counter + _COUNTER.size])
            number = _COUNTER.unpack(counter)[0]
            if number == self._seen:
                return self._newest
            start = self._slots[number & 1]
            slot = bytes(self._memory[start : start + self._slot])
            body = slot[: self._body]
            if slot[: _COUNTER.size] == counter and slot[self._body :] == _CHECK.pack(zlib.crc32(body)):
                self._seen = number
                self._newest = body[_COUNTER.size :]
                return self._newest
        return self._newest


DETAIL_BYTES = 320  # longest detail of a fault: a path, a number, the system's message
WARNING_BYTES = 600  # longest warning: some five sentences

_CHANNEL_FIELDS = tuple(field.name for field in fields(ChannelStatus))
_COUNTS = ("sent", "acknowledged", "lost", "refused", "clamped", "late_ms_p50", "late_ms_p99", "ack_ms_p50")
_ORDERS = struct.Struct("<QQd?dd")  # `Orders` but for their motion
_HEAD = struct.Struct("<QBB5Q3d")  # beat, state and fault of a report, and `_COUNTS`
_UNKNOWN = math.nan  # stands for None


class OrdersCodec:
    """Encodes and decodes `Orders` of a device with `joints` joints."""

    def __init__(self, joints: int) -> None:
        self._layout = struct.Struct(f"<{3 * joints}d")
        self.size = _ORDERS.size + self._layout.size
        self._motion: tuple[
            Kinematic, ...
        ] = ()  # encoded last: it is the same in all signs of life between two frames
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
    """Encodes and decodes `Request`s to a device with `joints` joints."""

    def __init__(self, joints: int) -> None:
        self._layout = struct.Struct(f"<IIi3d?Q{joints}d")
        self._nowhere = (0.0,) * joints
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
            *(request.values or self._nowhere),
        )

    def unpack(self, message: bytes) -> Request:
        stops, command, target, amount, low, high, free, mask, *values = self._layout.unpack(message)
        channels = frozenset(channel for channel in range(mask.bit_length()) if mask >> channel & 1)
        return Request(Command(command), target, amount, (low, high), free, channels, tuple(values), stops)


class ReportCodec:
    """Encodes and decodes `Report`s of a device with `joints` joints and `channels` channels.

    Of a robot that stands still only beat and counts change from report to report, so the rest is decoded
    where its bytes differ from those of the report before.
    """

    def __init__(self, joints: int, channels: int) -> None:
        self._joints = joints
        self._channels = channels
        numbers = 2 * joints + len(_CHANNEL_FIELDS) * channels
        self._layout = struct.Struct(f"<??{joints}?{numbers}dH{DETAIL_BYTES}sH{WARNING_BYTES}s")
        self._nowhere = (0.0,) * joints
        self.size = _HEAD.size + self._layout.size
        self._encoded = b""  # what follows the head in the report that was decoded last
        self._decoded: dict[str, Any] = {}  # its fields

    def pack(self, report: Report) -> bytes:
        texts = [
            text.encode("utf-8", "replace") for text in (report.detail, "\n".join(report.warnings))
        ]  # a device may send surrogates
        detail, warnings = texts[0][:DETAIL_BYTES], texts[1][:WARNING_BYTES]
        return _HEAD.pack(
            report.beat, report.state, report.fault, *(getattr(report, name) for name in _COUNTS)
        ) + self._layout.pack(
            *(report.commanded is not None, report.needs_confirmation),
            *report.confirmed,
            *(self._nowhere if report.commanded is None else report.commanded),
            *_filled(report.positions),
            *_filled(getattr(channel, name) for channel in report.channels for name in _CHANNEL_FIELDS),
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
        """The fields of a report that follow its head."""
        has_commanded, needs_confirmation, *rest = self._layout.unpack(encoded)
        n, width = self._joints, len(_CHANNEL_FIELDS)
        *numbers, length, detail, warning_length, warnings = rest[n:]
        known = [None if math.isnan(number) else number for number in numbers[n:]]
        return {
            "detail": _text(detail, length),
            "commanded": tuple(numbers[:n]) if has_commanded else None,
            "positions": tuple(known[:n]),
            "confirmed": tuple(rest[:n]),
            "needs_confirmation": needs_confirmation,
            "channels": tuple(
                ChannelStatus(*known[at : at + width]) for at in range(n, n + width * self._channels, width)
            ),
            "warnings": tuple(text for text in _text(warnings, warning_length).split("\n") if text),
        }


def _filled(numbers: Iterable[float | None]) -> tuple[float, ...]:
    return tuple(_UNKNOWN if number is None else number for number in numbers)


def _text(data: bytes, length: int) -> str:
    return data[:length].decode("utf-8", "ignore")  # a text that was cut may end within a letter


_HEADER = struct.Struct("<8sI")  # magic, length of the device's JSON
_MAGIC = b"limber2\n"
_STOP = struct.Struct("<I")
_STOP_OFFSET = 16
_DEVICE_OFFSET = 32


class SharedMemory:
    """The shared memory, from either side: `create` in Blender, `attach` in the worker.

    The stop counter is apart from the mailboxes, so that no problem with joint values can keep a Stop from
    arriving.
    """

    def __init__(self, path: Path, mapped: mmap.mmap, device: Device, mailboxes: int) -> None:
        self.path = path
        self.device = device
        self._mapped = mapped
        self._memory = memoryview(mapped)
        self._orders_codec, self._report_codec = _codecs(device)
        self._request_codec = RequestCodec(len(device.joints))
        self._orders = Mailbox(self._memory, mailboxes, self._orders_codec.size)
        self._report = Mailbox(
            self._memory, mailboxes + Mailbox.length(self._orders_codec.size), self._report_codec.size
        )
        self._requests = MessageLog(
            self._memory,
            mapped.size() - MessageLog.length(self._request_codec.size),
            self._request_codec.size,
        )

    @classmethod
    def create(cls, device: Device) -> SharedMemory:
        """Shared memory for `device`, in a new temporary file that only this user can read.

        Raises:
            WorkerError: The temporary folder takes no file; names the folder.
        """
        described = json.dumps(to_plain(device)).encode("utf-8")
        mailboxes = _mailboxes_offset(len(described))
        size = mailboxes + sum(Mailbox.length(codec.size) for codec in _codecs(device))
        size += MessageLog.length(RequestCodec(len(device.joints)).size)
        try:
            path, mapped = _new_file(size)
        except OSError as error:
            raise WorkerError(
                f"No file for the robot's angles can be made in {_temporary_folder()} ({error}): make room"
                " there and allow writing to it, then press Connect again"
            ) from error
        mapped[: _HEADER.size] = _HEADER.pack(_MAGIC, len(described))
        mapped[_DEVICE_OFFSET : _DEVICE_OFFSET + len(described)] = described
        return cls(path, mapped, device, mailboxes)

    @classmethod
    def attach(cls, path: Path) -> SharedMemory:
        """Shared memory that Blender has created.

        Raises:
            WorkerError: The file is no shared memory of this version of Limber.
        """
        with path.open("r+b") as file:
            mapped = mmap.mmap(file.fileno(), 0)
        magic, length = _HEADER.unpack(mapped[: _HEADER.size])
        if magic != _MAGIC:
            raise WorkerError(f"{path} is not a memory map of this version of Limber; restart Blender")
        device = from_plain(json.loads(mapped[_DEVICE_OFFSET : _DEVICE_OFFSET + length]))
        return cls(path, mapped, device, _mailboxes_offset(length))

    @property
    def stops(self) -> int:
        """Value of the stop counter: number of times that Stop was pressed."""
        return int(_STOP.unpack_from(self._memory, _STOP_OFFSET)[0])

    def press_stop(self, count: int) -> None:
        """Set the stop counter to `count`; any change of the counter is an emergency stop."""
        _STOP.pack_into(self._memory, _STOP_OFFSET, count & 0xFFFFFFFF)

    @property
    def reports(self) -> int:
        """Number of reports that the worker has written."""
        return self._report.count

    def write_orders(self, orders: Orders) -> None:
        self._orders.write(self._orders_codec.pack(orders))

    def read_orders(self) -> Orders | None:
        message = self._orders.read()
        return None if message is None else self._orders_codec.unpack(message)

    def write_request(self, request: Request) -> None:
        self._requests.write(self._request_codec.pack(request))

    def read_requests(self) -> list[Request] | None:
        """Requests since the last call, in order; None: there were too many to be kept."""
        messages = self._requests.read()
        return None if messages is None else [self._request_codec.unpack(message) for message in messages]

    def write_report(self, report: Report) -> None:
        self._report.write(self._report_codec.pack(report))

    def read_report(self) -> Report | None:
        message = self._report.read()
        return None if message is None else self._report_codec.unpack(message)

    def remove_file(self) -> None:
        """Delete the file while it is mapped, if the system allows that (on Windows `close` deletes it
        instead).
        """
        with contextlib.suppress(OSError):
            self.path.unlink()

    def close(self) -> None:
        """Unmap the memory and delete the file."""
        self._memory.release()
        self._mapped.close()
        self.remove_file()

    def __enter__(self) -> SharedMemory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _codecs(device: Device) -> tuple[OrdersCodec, ReportCodec]:
    return OrdersCodec(len(device.joints)), ReportCodec(len(device.joints), len(device.channels))


def _new_file(size: int) -> tuple[Path, mmap.mmap]:
    """A new mapped temporary file of `size` bytes; deleted again on failure."""
    handle, name = tempfile.mkstemp(prefix="limber-", suffix=".map")
    path = Path(name)
    try:
        _reserve(handle, size)
        return path, mmap.mmap(handle, size)
    except OSError:
        path.unlink()
        raise
    finally:
        os.close(handle)


def _reserve(handle: int, size: int) -> None:
    """Allocate the file's `size` bytes on disk: a full disk is an error here, and not a crash at a later
    write to the map.
    """
    with os.fdopen(handle, "wb", closefd=False) as file:
        file.write(bytes(size))


def _temporary_folder() -> str:
    """Path of the folder for temporary files, for messages; if none can be written to, the environment
    variables that set it.
    """
    try:
        return tempfile.gettempdir()
    except OSError:
        return "the temporary folder (TMPDIR, TEMP, TMP)"


def _mailboxes_offset(described: int) -> int:
    return (_DEVICE_OFFSET + described + 63) // 64 * 64  # a cache line's bounds
