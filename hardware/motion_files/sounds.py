"""Sounds of motions: which files are sounds, and the one beside a motion file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ...files.content import content
from ...files.presence import is_file
from ..errors import ExportError

LARGEST = 100_000_000  # [bytes] of a sound that is copied: ten minutes of uncompressed stereo


def _is_mpeg(beginning: bytes) -> bool:
    """Whether an MPEG audio frame (also ADTS, which AAC files have) begins, by its 11 bits of
    synchronisation.
    """
    return len(beginning) > 1 and beginning[0] == 0xFF and beginning[1] & 0xE0 == 0xE0


def _is_ogg(beginning: bytes) -> bool:
    return beginning.startswith(b"OggS")


SOUNDS: Mapping[str, Callable[[bytes], bool]] = {
    ".wav": lambda beginning: beginning[:4] in (b"RIFF", b"RF64", b"RIFX") and beginning[8:12] == b"WAVE",
    ".mp3": lambda beginning: beginning.startswith(b"ID3") or _is_mpeg(beginning),
    ".ogg": _is_ogg,
    ".oga": _is_ogg,
    ".opus": _is_ogg,
    ".flac": lambda beginning: beginning.startswith((b"fLaC", b"ID3")),
    ".m4a": lambda beginning: beginning[4:8] == b"ftyp",
    ".aac": lambda beginning: beginning.startswith((b"ADIF", b"ID3")) or _is_mpeg(beginning),
}
"""Whether a file's first bytes are those of a sound, by the file's suffix; in the order in which Reachy
Mini's `RecordedMoves` look.
"""


def sound_beside(path: Path) -> Path | None:
    """Sound file that belongs to a motion file: in the same folder with the same stem; None: there
    is none.
    """
    names = (
        (path.with_suffix(suffix) for suffix in SOUNDS) if path.name else ()
    )  # the root of a disk has no name
    return next((sound for sound in names if is_file(sound)), None)


def read_sound(path: Path) -> bytes:
    """Content of a sound file.

    Raises:
        ExportError: The file is no sound by its suffix or its content, is larger than `LARGEST`, or cannot be
            read.
    """
    is_sound = SOUNDS.get(path.suffix.lower())
    try:
        if path.stat().st_size > LARGEST:
            raise ExportError(
                f"Sound '{path}' is larger than {LARGEST // 1_000_000} MB, so the motion is written without"
                " it: shorten it"
            )
        data = content(path, LARGEST) if is_sound is not None else b""
    except OSError as error:
        raise ExportError(
            f"Sound '{path}' cannot be read ({error.strerror}): the motion is written without it"
        ) from error
    if is_sound is None or not is_sound(data):
        known = ", ".join(suffix[1:].upper() for suffix in SOUNDS)
        raise ExportError(
            f"'{path}' is no sound ({known}), so the motion is written without it: choose another file in the"
            " sound strip"
        )
    return data
