"""Atomic writing of exported files and folders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...files import atomic
from ...files.folders import write_folder
from ..errors import ExportError
from .sounds import read_sound


def write(path: Path, data: bytes | Mapping[str, bytes]) -> None:
    """Write a file, or a new folder with files by their paths; if writing is interrupted or fails, an
    existing file is unchanged.

    Raises:
        ExportError: The folder or the file cannot be written, or the folder exists already.
    """
    try:
        if isinstance(data, bytes):
            atomic.write(path, data)
        else:
            write_folder(path, data)
    except FileExistsError as error:
        raise ExportError(
            f"'{path}' is there already, and its files may be of use: choose another name, or delete it"
        ) from error
    except OSError as error:
        raise ExportError(f"'{path}' cannot be written ({error.strerror}): choose another folder") from error


def copy_beside(sound: Path, path: Path) -> Path:
    """Copy a motion's sound to the motion file's folder, with its stem; returns the path of the copy. No
    existing file is replaced, since the user did not choose this path.

    Raises:
        ExportError: The file is no sound or cannot be read, another file is where its copy would be, or the
            copy cannot be written.
    """
    copy = path.with_suffix(sound.suffix.lower())
    data = read_sound(sound)
    try:
        atomic.write_new(copy, data)
    except FileExistsError as error:
        what = f"'{copy}' is there already and is not sound '{sound}', so the motion is written without it"
        raise ExportError(f"{what}: move that file away, or choose another name for the motion") from error
    except OSError as error:
        raise ExportError(
            f"Sound '{sound}' cannot be copied to '{copy}' ({error.strerror}): the motion is written"
            " without it"
        ) from error
    return copy
