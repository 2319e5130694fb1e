"""Recognises sound files, and finds the one that belongs to another file."""

from collections.abc import Callable, Mapping
from pathlib import Path

from .presence import is_file


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
"""Suffix -> function that tells whether a file's first bytes are those of such a sound; in the order in which
Reachy Mini's `RecordedMoves` look.
"""


def sound_beside(path: Path) -> Path | None:
    """Sound file that belongs to a motion or character file, with the same folder and stem; None if there is
    none.
    """
    # the root of a file system has no name, so that `with_suffix` would fail
    names = (path.with_suffix(suffix) for suffix in SOUNDS) if path.name else ()
    return next((sound for sound in names if is_file(sound)), None)
