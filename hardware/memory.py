"""Shared memory between Blender and the worker: a temporary file that both processes map.

It contains the device's description (written once, before the worker starts); the stop counter; a mailbox in
each direction (`Orders` to the worker, `Report` from it), which keeps only the newest message; and a log of
commands (`Request`), each of which is read once and in order, unless the log overflows. Neither side ever
waits for the other.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import struct
import tempfile
import zlib
from pathlib import Path
from types import TracebackType

from .device import Device, from_plain, to_plain
from .errors import WorkerError
from .message_codecs import OrdersCodec, ReportCodec, RequestCodec
from .message_log import MessageLog
from .messages import Orders, Report, Request

_HEADER = struct.Struct("<8sI")  # layout of the memory's first bytes: magic, length of the device's JSON
_MAGIC = b"limber2\n"
_STOP = struct.Struct("<I")
_STOP_OFFSET = 16  # [bytes] start of the stop counter in the memory
_DEVICE_OFFSET = 32  # [bytes] start of the device's JSON in the memory

_COUNTER = struct.Struct("<Q")
_CHECK = struct.Struct("<I")
# number of attempts to read: a message is written within about 10 us, so that hardly two attempts in
# succession are disturbed
_READS = 4


class Mailbox:
    """A mailbox that holds one message.

    One process writes, another reads; neither ever waits. Two slots alternate, so that the newest message
    stays readable while the next is written. A slot has its message's number and a checksum over both: a read
    during a write is detected, in whatever order the machine writes memory, and repeated.

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
        """Number of messages written so far."""
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


class SharedMemory:
    """The shared memory, from either side: `create` in Blender, `attach` in the worker.

    The stop counter is separate from the mailboxes, so that no problem with joint values can block a Stop.

    Args:
        path: The temporary file.
        mapped: The mapped file.
        device: The robot that the file describes.
        mailboxes: Start of the mailboxes in the memory [bytes].
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
            WorkerError: No file can be made in the temporary folder; the message names the folder.
        """
        encoded_device = json.dumps(to_plain(device)).encode("utf-8")
        mailboxes = _mailboxes_offset(len(encoded_device))
        size = mailboxes + sum(Mailbox.length(codec.size) for codec in _codecs(device))
        size += MessageLog.length(RequestCodec(len(device.joints)).size)
        try:
            path, mapped = _new_file(size)
        except OSError as error:
            raise WorkerError(
                f"No file for the robot's angles can be made in {_temporary_folder()} ({error}): make room"
                " there and allow writing to it, then connect again"
            ) from error
        mapped[: _HEADER.size] = _HEADER.pack(_MAGIC, len(encoded_device))
        mapped[_DEVICE_OFFSET : _DEVICE_OFFSET + len(encoded_device)] = encoded_device
        return cls(path, mapped, device, mailboxes)

    @classmethod
    def attach(cls, path: Path) -> SharedMemory:
        """Shared memory that the host has created.

        Raises:
            WorkerError: The file is no shared memory of this version of Limber.
            OSError: The file cannot be opened or mapped.
        """
        with path.open("r+b") as file:
            mapped = mmap.mmap(file.fileno(), 0)
        magic, length = _HEADER.unpack(mapped[: _HEADER.size])
        if magic != _MAGIC:
            raise WorkerError(
                f"{path} is not a memory map of this version of Limber; close Limber and start it again"
            )
        device = from_plain(json.loads(mapped[_DEVICE_OFFSET : _DEVICE_OFFSET + length]))
        return cls(path, mapped, device, _mailboxes_offset(length))

    @property
    def stops(self) -> int:
        """Value of the stop counter: number of Stops so far."""
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
        """Requests since the last call, in order; None if there were too many to be stored."""
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
    """Allocate the file's `size` bytes on disk, so that a full disk is an error here and not a crash at a
    later write to the map.
    """
    with os.fdopen(handle, "wb", closefd=False) as file:
        file.write(bytes(size))


def _temporary_folder() -> str:
    """Path of the folder for temporary files, for messages; if none is writable, the environment variables
    that set it.
    """
    try:
        return tempfile.gettempdir()
    except OSError:
        return "the temporary folder (TMPDIR, TEMP, TMP)"


def _mailboxes_offset(device_size: int) -> int:
    """Start of the mailboxes [bytes], after a device's JSON of this size [bytes]; aligned to a cache line."""
    return (_DEVICE_OFFSET + device_size + 63) // 64 * 64
