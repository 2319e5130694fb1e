"""Reading of a motion file: its format is found by its suffix and its content."""

from __future__ import annotations

from errno import EFBIG
from pathlib import Path

from ...files.content import LARGE, content
from ...files.presence import is_folder
from ...files.reasons import reason
from .formats import FORMATS, Format, Settings
from .json_files import plain_of
from .lerobot_dataset import INFO
from .recording import LONG, LargeMotionError, MotionFileError, Recording

LARGEST = 100_000_000  # [bytes] largest size of a file that the user has allowed to be large
ALLOW = "Tick Large File to import all of it"
AUTOMATIC = "auto"
DEFAULTS = Settings()


def read(path: Path, form: str = AUTOMATIC, settings: Settings = DEFAULTS) -> Recording:
    """Recording of a motion file.

    Args:
        path: The file; for a LeRobot dataset its folder, or its meta/info.json.
        form: Name of a format in `FORMATS`, which is read as its variant of the file's suffix; the name of a
            variant; or AUTOMATIC.
        settings: Options of single formats.

    Raises:
        LargeMotionError: The file announces over 50 MB in memory, or over an hour of motion, and `settings`
            do not allow it.
        MotionFileError: The file cannot be used; the message names it and says why.
    """
    path = path / INFO if is_folder(path) else path
    try:
        data = content(path, LARGEST if settings.allow_large else LARGE)
        suffix = path.suffix.lower()
        reader = (format_of(path, data) if form == AUTOMATIC else FORMATS[form].for_suffix(suffix)).read
        if reader is None:
            raise MotionFileError(f"format '{form}' is written, not read: choose another one")
        recording = reader(data, path, settings)
    except OSError as error:
        # a file above the limit can be read if the user allows it, unlike one that is missing or locked
        if error.errno == EFBIG:
            raise _too_large(path, reason(error), settings) from error
        raise MotionFileError(f"'{path}' cannot be read ({reason(error)}): choose another file") from error
    except LargeMotionError as error:
        raise _too_large(path, str(error), settings) from error
    except MotionFileError as error:
        raise MotionFileError(f"'{path.name}': {error}") from error
    if recording.seconds > LONG and not settings.allow_large:
        hours, rows = f"{recording.seconds / 3600.0:.1f} hours", len(recording.times)
        raise _too_large(
            path, f"it has {hours} of motion in {rows} rows: are its times in milliseconds?", settings
        )
    return recording


def read_from_zero(path: Path, form: str = AUTOMATIC, settings: Settings = DEFAULTS) -> Recording:
    """As `read`, with the first row at 0 s."""
    return read(path, form, settings).from_zero()


def _too_large(path: Path, what: str, settings: Settings) -> MotionFileError:
    """The error for a file that announces too much: a question, or a refusal if the user was already
    asked.
    """
    if settings.allow_large:
        return MotionFileError(f"'{path.name}': {what}: import it in parts")
    return LargeMotionError(f"'{path.name}': {what}{'' if what.endswith('?') else ':'} {ALLOW}")


def format_of(path: Path, data: bytes) -> Format:
    """A file's format, in the variant for the file.

    Raises:
        MotionFileError: The file has no known format.
    """
    suffix = path.suffix.lower()
    readable = [(form.label, file) for form in FORMATS.values() for file in form.files if file.read]
    candidates = [(label, file) for label, file in readable if suffix in file.suffixes]
    if suffix == ".parquet":
        raise MotionFileError(
            "it is a part of a dataset of LeRobot: choose the dataset's folder, or its file meta/info.json"
        )
    if not candidates:
        known = sorted({suffix for _, file in readable for suffix in file.suffixes})
        raise MotionFileError(f"'{suffix}' is no suffix of a motion file; expected one of {', '.join(known)}")
    if len(candidates) == 1:
        return candidates[0][1]
    # several formats share a suffix such as .csv or .json
    content = _content(suffix, data)
    for _, file in candidates:
        if file.is_like(content):
            return file
    labels = ", ".join(dict.fromkeys(label for label, _ in candidates))
    raise MotionFileError(f"it is none of the known formats ({labels}): choose its format, or another file")


def _content(suffix: str, data: bytes) -> object:
    """Content by which `Format.is_like` recognises formats with the same suffix: the JSON value, else the
    first line.
    """
    if suffix in (".json", ".jsonl"):
        return plain_of(data)
    return data[:2000].partition(b"\n")[0].decode("utf-8-sig", "replace")
