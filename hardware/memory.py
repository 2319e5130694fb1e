"""Shared memory between Blender and the worker: a temporary file that both processes map. Knows no Blender.

It holds the device's description (written once, before the worker starts), the stop counter, and a mailbox each way. Nothing in it blocks.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import struct
import tempfile
from pathlib import Path
from types import TracebackType

from .device import Device, from_plain, to_plain
from .errors import WorkerError
from .mailbox import Mailbox
from .messages import Orders, OrdersCodec, Report, ReportCodec

_HEADER = struct.Struct("<8sI")  # magic, length of the device's JSON
_MAGIC = b"limber2\n"
_STOP = struct.Struct("<I")
_STOP_OFFSET = 16
_DEVICE_OFFSET = 32


class SharedMemory:
    """The shared memory, from either side: `create` in Blender, `attach` in the worker.

    The stop counter is apart from the mailboxes, so that no problem with joint values can keep a Stop from arriving.
    """

    def __init__(self, path: Path, mapped: mmap.mmap, device: Device, mailboxes: int) -> None:
        self.path = path
        self.device = device
        self._mapped = mapped
        self._memory = memoryview(mapped)
        self._orders_codec, self._report_codec = _codecs(device)
        self._orders = Mailbox(self._memory, mailboxes, self._orders_codec.size)
        self._report = Mailbox(self._memory, mailboxes + Mailbox.length(self._orders_codec.size), self._report_codec.size)

    @classmethod
    def create(cls, device: Device) -> SharedMemory:
        """Shared memory for `device`, in a new temporary file that only this user can read.

        Raises:
            WorkerError: The temporary folder takes no file; names the folder.
        """
        described = json.dumps(to_plain(device)).encode("utf-8")
        mailboxes = _mailboxes_offset(len(described))
        size = mailboxes + sum(Mailbox.length(codec.size) for codec in _codecs(device))
        try:
            path, mapped = _new_file(size)
        except OSError as error:
            raise WorkerError(
                f"No file for the robot's angles can be made in {_temporary_folder()} ({error}): make room there and allow writing to it,"
                " then press Connect again"
            ) from error
        mapped[: _HEADER.size] = _HEADER.pack(_MAGIC, len(described))
        mapped[_DEVICE_OFFSET : _DEVICE_OFFSET + len(described)] = described
        return cls(path, mapped, device, mailboxes)

    @classmethod
    def attach(cls, path: Path) -> SharedMemory:
        """Shared memory that Blender has created.

        Raises:
            WorkerError: The file is no map of this version.
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
        """Number of times that Stop was pressed."""
        return int(_STOP.unpack_from(self._memory, _STOP_OFFSET)[0])

    def press_stop(self, count: int) -> None:
        """Set the stop counter; any change of it is an emergency stop."""
        _STOP.pack_into(self._memory, _STOP_OFFSET, count & 0xFFFFFFFF)

    def write_orders(self, orders: Orders) -> None:
        self._orders.write(self._orders_codec.pack(orders))

    def read_orders(self) -> Orders | None:
        message = self._orders.read()
        return None if message is None else self._orders_codec.unpack(message)

    def write_report(self, report: Report) -> None:
        self._report.write(self._report_codec.pack(report))

    def read_report(self) -> Report | None:
        message = self._report.read()
        return None if message is None else self._report_codec.unpack(message)

    def remove_file(self) -> None:
        """Delete the file while it is mapped, where the system allows that (Windows does not: there `close` deletes it)."""
        with contextlib.suppress(OSError):
            self.path.unlink()

    def close(self) -> None:
        """Unmap the memory and delete the file."""
        self._memory.release()
        self._mapped.close()
        self.remove_file()

    def __enter__(self) -> SharedMemory:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
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
    """Allocate the file's `size` bytes on disk: a full disk is an error here, and not a crash at a later write to the map."""
    with os.fdopen(handle, "wb", closefd=False) as file:
        file.write(bytes(size))


def _temporary_folder() -> str:
    """Name of the folder for temporary files; the environment variables where no folder can be written to."""
    try:
        return tempfile.gettempdir()
    except OSError:
        return "the temporary folder (TMPDIR, TEMP, TMP)"


def _mailboxes_offset(described: int) -> int:
    return (_DEVICE_OFFSET + described + 63) // 64 * 64  # a cache line's bounds
