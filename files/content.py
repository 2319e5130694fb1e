"""Reads files that a user or another file names: regular files only, up to the size that they have when
opened.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

# [bytes] limit for small files that are read at once (calibrations, styles, descriptions), which have
# some thousand bytes
SMALL = 1_000_000
LARGE = 50_000_000  # [bytes] largest file, or size in memory, that is read without the user's confirmation


def open_regular(path: Path) -> BinaryIO:
    """Opens a regular file for reading; raises OSError for others, since opening a pipe may block for
    ever.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        raise OSError(errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL, "it is no file", os.fspath(path))
    return path.open("rb")


def content(path: Path, most: int = LARGE) -> bytes:
    """The bytes of a file, up to its size when opened; pipes, devices and endless files are not read.

    Args:
        path: The file.
        most: Largest size [bytes].

    Raises:
        OSError: There is no such file, it cannot be read, or it is larger than `most` (EFBIG).
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise OSError(
                errno.EFBIG, f"it has {size / 1e6:.0f} MB, more than {most / 1e6:g}", os.fspath(path)
            )
        return file.read(size)


def text(path: Path, most: int = LARGE) -> str:
    """The text of a UTF-8 file, without a byte order mark and with plain line ends. Raises as `content`, and
    UnicodeDecodeError.
    """
    return content(path, most).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
