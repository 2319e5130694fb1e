"""Atomic writing: after a crash the file is either the complete old one or the complete new one.

The new content goes to a temporary file in the same folder, which is flushed to disk and then renamed. A
process that is killed in between leaves its temporary file; the next one that writes the same file deletes
it.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO

# largest numbers of characters of the file's stem and suffix in the temporary file's name, since a name has
# at most 255 bytes
LONGEST_STEM, LONGEST_SUFFIX = (40, 16)
PART = ".part"  # mark of a temporary file's name, before its suffix
# [s] age at which a temporary file counts as abandoned if its writer's process cannot be checked
ABANDONED_AFTER = 3600.0

_numbers = count(1)  # numbers for the names of this process's temporary files


def write(path: Path, data: bytes) -> None:
    """Write a file atomically. Anything but a regular file (a pipe, `/dev/stdout`) is written to directly.

    Raises:
        OSError: The file cannot be written. An existing file is unchanged.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    with replacing(path) as temporary, temporary.open("xb") as file:
        file.write(data)


def write_new(path: Path, data: bytes) -> None:
    """Write a file that the user did not choose, such as one beside the chosen one: it replaces nothing. If
    it is there already with the same content, it stays as it is.

    Raises:
        FileExistsError: Something else is at `path`.
        OSError: The file cannot be written.
    """
    if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
        return
    if os.path.lexists(path):  # lexists, so that a dangling link counts too
        raise FileExistsError(errno.EEXIST, "it is there already", str(path))
    write(path, data)


def write_text(path: Path, text: str) -> None:
    """Write a text atomically as UTF-8, without converting line ends. Raises OSError as `write`."""
    write(path, text.encode("utf-8"))


def write_private(path: Path, text: str) -> None:
    """Write a text atomically as UTF-8 to a file that this user alone may read. Raises OSError as `write`."""
    with (
        replacing(path, 0o600) as temporary,
        open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file,
    ):
        file.write(text.encode("utf-8"))


def claim(path: Path) -> bool:
    """Make an empty file that survives a power failure; returns whether this call made it: of several
    processes that claim one path, only one succeeds. Raises OSError if it cannot be made.
    """
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return False
    os.fsync(descriptor)
    os.close(descriptor)
    flush_folder(path.parent)
    return True


@contextmanager
def replacing(path: Path, rights: int | None = None) -> Iterator[Path]:
    """Context manager: yields a temporary path to write to, and renames that file to `path` at the end; on an
    exception it is deleted.

    A symbolic link stays, and the file that it points to is replaced. The file keeps its access rights, or
    gets `rights`.

    Raises:
        OSError: The file cannot be replaced: its folder is missing or write-protected, the disk is full, or
            the file is write-protected.
    """
    path = Path(os.path.realpath(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is write-protected", str(path))
    _sweep(path)
    temporary = path.with_name(f"{_beginning(path)}{os.getpid()}-{next(_numbers)}{_end(path)}")
    try:
        yield temporary
        os.chmod(temporary, _access_rights(path) if rights is None else rights)
        with temporary.open("rb+") as file:
            # a crash of the whole computer must not leave the new name with no content
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        if error.filename == str(temporary):
            error.filename = str(path)  # users know this path, and not the temporary one
        raise
    finally:
        with suppress(OSError):  # the file is gone if it was renamed
            temporary.unlink(missing_ok=True)
    flush_folder(path.parent)


def append_lines(path: Path, lines: Sequence[str], flush_to_disk: bool = True) -> None:
    """Append complete lines to a file. A last line that a killed process left incomplete is terminated first.

    Args:
        path: Path of the file, which is created if missing.
        lines: The lines, without line ends.
        flush_to_disk: Make the lines survive a crash of the whole computer too, which may take some
            milliseconds.

    Raises:
        OSError: The lines cannot be written.
    """
    if not lines:
        return
    with path.open("ab+") as file:
        if file.seek(0, os.SEEK_END) and _last_byte(file) != b"\n":
            file.write(b"\n")
        file.write("".join(f"{line}\n" for line in lines).encode("utf-8"))
        file.flush()
        if flush_to_disk:
            os.fsync(file.fileno())


def _last_byte(file: BinaryIO) -> bytes:
    file.seek(-1, os.SEEK_END)
    return file.read(1)


def _beginning(path: Path) -> str:
    """Prefix of the temporary file's name: hidden, and specific to the file."""
    return f".{path.stem[:LONGEST_STEM]}."


def _end(path: Path) -> str:
    """Suffix of the temporary file's name: the file's own, since writers choose the format by it."""
    return f"{PART}{path.suffix[:LONGEST_SUFFIX]}"


def _sweep(path: Path) -> None:
    """Delete temporary files that killed processes left beside a file."""
    # Blender appends @ to the name of a file while it writes the file
    left = re.compile(re.escape(_beginning(path)) + r"(\d+)-\d+" + re.escape(_end(path)) + "@?")
    with suppress(OSError):
        for name in os.listdir(path.parent):
            match = left.fullmatch(name)
            if match and is_abandoned(path.with_name(name), int(match[1])):
                with suppress(OSError):
                    path.with_name(name).unlink()


def is_abandoned(temporary: Path, process: int) -> bool:
    """Whether a temporary file is abandoned: the process with the id `process`, which wrote it, has ended
    (not checked on Windows), or the file is older than ABANDONED_AFTER. A file of this process is not
    abandoned.
    """
    if process == os.getpid():
        return False
    if os.name != "nt":  # on Windows, os.kill would end the process
        try:
            os.kill(process, 0)
        except (ProcessLookupError, OverflowError):
            return True
        except OSError:
            pass
    try:
        return time.time() - temporary.stat().st_mtime > ABANDONED_AFTER
    except OSError:
        return False


def _access_rights(path: Path) -> int:
    """Access rights of the file, or those that a new file would get."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def flush_folder(folder: Path) -> None:
    """Flush a folder to disk after a rename in it, on systems that support this."""
    if os.name == "nt":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
