"""Reading of a motion file: its format is found by its suffix and its content. Knows no Blender."""

from __future__ import annotations

import threading
from pathlib import Path

from ...files.presence import is_folder
from .formats import FORMATS, Settings
from .json_files import plain_of
from .lerobot_dataset import INFO
from .recording import MotionFileError, Recording

LARGEST = 100_000_000  # [bytes] of a file
AUTOMATIC = "auto"
DEFAULTS = Settings()


def read(path: Path, form: str = AUTOMATIC, settings: Settings = DEFAULTS) -> Recording:
    """Recording of a motion file.

    Args:
        path: The file; of a LeRobot dataset its folder, or its meta/info.json.
        form: A format's name in `FORMATS`, or AUTOMATIC.
        settings: Options of single formats.

    Raises:
        MotionFileError: The file cannot be used; the message names the file, the place in it and the remedy.
    """
    path = path / INFO if is_folder(path) else path
    try:
        if path.stat().st_size > LARGEST:
            raise MotionFileError(f"it has {path.stat().st_size / 1e6:.0f} MB, more than {LARGEST / 1e6:.0f}: import it in parts")
        data = path.read_bytes()
        name = form if form != AUTOMATIC else format_of(path, data)
        reader = FORMATS[name].read
        if reader is None:
            raise MotionFileError(f"{FORMATS[name].label} is written, not read: choose another format")
        return reader(data, path, settings)
    except OSError as error:
        raise MotionFileError(f"'{path}' cannot be read ({error.strerror}): choose another file") from error
    except MotionFileError as error:
        raise MotionFileError(f"'{path.name}': {error}") from error


class Reading:
    """Reads a motion file in a thread of its own, so that a large file blocks nothing. Arguments as for `read`."""

    def __init__(self, path: Path, form: str = AUTOMATIC, settings: Settings = DEFAULTS) -> None:
        self._found: Recording | MotionFileError | None = None
        self._thread = threading.Thread(target=self._read, args=(path, form, settings), daemon=True)
        self._thread.start()

    def _read(self, path: Path, form: str, settings: Settings) -> None:
        try:
            self._found = read(path, form, settings)
        except MotionFileError as error:
            self._found = error

    def result(self, wait: float) -> Recording | None:
        """The recording; None if it is not complete after `wait` [s].

        Raises:
            MotionFileError: As `read`.
        """
        self._thread.join(wait)
        if self._thread.is_alive():
            return None
        if isinstance(self._found, Recording):
            return self._found
        raise self._found or MotionFileError("it could not be read: please report this, with the file")


def format_of(path: Path, data: bytes) -> str:
    """Name of a file's format.

    Raises:
        MotionFileError: The file has no known format.
    """
    suffix = path.suffix.lower()
    candidates = {name: form for name, form in FORMATS.items() if form.read is not None and suffix in (form.suffix, *form.more_suffixes)}
    if suffix == ".parquet":
        raise MotionFileError("it is a part of a dataset of LeRobot: choose the dataset's folder, or its file meta/info.json")
    if not candidates:
        known = sorted({suffix for form in FORMATS.values() if form.read for suffix in (form.suffix, *form.more_suffixes) if suffix})
        raise MotionFileError(f"'{suffix}' is no suffix of a motion file; expected one of {', '.join(known)}")
    content = _content(suffix, data)
    for name, form in candidates.items():
        if form.is_like(content):
            return name
    labels = ", ".join(dict.fromkeys(form.label for form in candidates.values()))
    raise MotionFileError(f"it is none of the known formats ({labels}): choose its format, or another file")


def _content(suffix: str, data: bytes) -> object:
    """Content by which `Format.is_like` recognises formats with the same suffix: the JSON value, else the first line."""
    if suffix == ".json":
        return plain_of(data)
    return data[:2000].partition(b"\n")[0].decode("utf-8-sig", "replace")
