"""Content of files that a user or another file names: of regular files alone, never more than a file
announces.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

# [bytes] of files that have some thousand, and are read at once: calibrations, characters, descriptions
SMALL = 1_000_000
LARGE = 50_000_000  # [bytes] a larger file is read only where the user says so


def open_regular(path: Path) -> BinaryIO:
    """A file, open for reading; raises OSError for what is no regular file: opening a pipe may wait
    for ever.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        raise OSError(errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL, "it is no file", os.fspath(path))
    return path.open("rb")


def content(path: Path, most: int = LARGE) -> bytes:
    """The bytes of a file, as many as it has when it is opened: pipes, devices and files without end are not
    read.

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
