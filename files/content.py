"""Content of files that a user or another file names: of regular files alone, never more than a file announces. Knows no Blender."""

import errno
import os
import stat
from pathlib import Path

LARGE = 50_000_000  # [bytes] a larger file is read only where the user says so


def content(path: Path, most: int = LARGE) -> bytes:
    """The bytes of a file, as many as it has when it is opened: pipes, devices and files without end are not read.

    Args:
        path: The file.
        most: Largest size [bytes].

    Raises:
        OSError: There is no such file, it cannot be read, or it is larger than `most` (EFBIG).
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL, "it is no file", os.fspath(path))
    if status.st_size > most:
        raise OSError(errno.EFBIG, f"it has {status.st_size / 1e6:.0f} MB, more than {most / 1e6:g}", os.fspath(path))
    with path.open("rb") as file:
        return file.read(status.st_size)


def text(path: Path, most: int = LARGE) -> str:
    """The text of a UTF-8 file, without a byte order mark and with plain line ends. Raises as `content`, and UnicodeDecodeError."""
    return content(path, most).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
