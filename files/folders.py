"""Folders written atomically: readers find the complete old folder or the complete new one.

The new content goes to a hidden folder beside, which then replaces the old one. A process that is
killed in between, or that cannot delete the old one, leaves a hidden folder. The next writer of the same
folder deletes it, or renames the old one back if the folder itself is missing.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import zlib
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path

from . import atomic

NEW, OLD = ".part", ".old"  # ends of the names of the hidden folders
# largest number of characters of the folder's name in its hidden folders' names, which have at most 255 bytes
LONGEST_NAME = 40

_numbers = count(1)  # numbers for the names of this process's hidden folders
_in_use: set[str] = set()  # names of hidden folders that are still being written


class FolderWriter:
    """Writes a folder file by file under a hidden name; `commit` renames it.

    Args:
        path: Path of the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))
        self._new, self._old = (_beside(self.path, end) for end in (NEW, OLD))
        _in_use.update((self._new.name, self._old.name))

    def write(self, name: str, data: bytes) -> None:
        """Write one file, given by its path in the folder. Raises OSError."""
        file = self._new / name
        if not self._new.exists():
            _clean_up(self.path)
        file.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(file, data)

    def commit(self) -> None:
        """Rename the folder to its final name; an existing folder is replaced and deleted.

        Raises:
            OSError: The folder cannot be moved there; the old folder stays in place.
        """
        self._new.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            os.rename(self.path, self._old)
        try:
            os.rename(self._new, self.path)
        except OSError:
            with suppress(OSError):
                os.rename(self._old, self.path)
            raise
        shutil.rmtree(self._old, ignore_errors=True)
        atomic.flush_folder(self.path.parent)

    def discard(self) -> None:
        """Remove the hidden folder, unless it was committed. The writer cannot be used afterwards."""
        shutil.rmtree(self._new, ignore_errors=True)
        _in_use.difference_update((self._new.name, self._old.name))


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a new folder with files: it is there with all of them, or not at all.

    Args:
        path: Path of the new folder.
        files: Content of each file, by its path in the folder.

    Raises:
        FileExistsError: There is something at `path`.
        OSError: The folder cannot be written.
    """
    if path.exists():
        raise FileExistsError(errno.EEXIST, "it is there already", str(path))
    writer = FolderWriter(path)
    try:
        for name, data in files.items():
            writer.write(name, data)
        writer.commit()
    finally:
        writer.discard()


def _beside(path: Path, end: str) -> Path:
    """Path of a new hidden folder beside a folder."""
    return path.with_name(f"{_beginning(path)}{os.getpid()}-{next(_numbers)}{end}")


def _beginning(path: Path) -> str:
    """Prefix of the names of a folder's hidden folders, with a hash, so that long names with the same
    beginning differ.
    """
    return f".{path.name[:LONGEST_NAME]}.{zlib.crc32(os.fsencode(path.name)):08x}."


def _clean_up(path: Path) -> None:
    """Delete hidden folders that killed processes left beside a folder; if the folder itself is missing, an
    old one is renamed back.
    """
    left = re.compile(re.escape(_beginning(path)) + rf"(\d+)-\d+({re.escape(NEW)}|{re.escape(OLD)})")
    with suppress(OSError):
        for name in sorted(os.listdir(path.parent)):
            match, hidden = left.fullmatch(name), path.with_name(name)
            if not match or not hidden.is_dir() or name in _in_use:
                continue
            if int(match[1]) != os.getpid() and not atomic.is_abandoned(hidden, int(match[1])):
                continue
            if match[2] == OLD and not path.exists():
                os.rename(hidden, path)
            else:
                shutil.rmtree(hidden, ignore_errors=True)
