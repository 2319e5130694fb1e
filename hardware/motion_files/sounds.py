"""The sound that is exported with a motion."""

from __future__ import annotations

from pathlib import Path

from ...files.content import content
from ...files.sounds import SOUNDS
from ..errors import ExportError

# [bytes] largest sound that is copied: nine minutes of uncompressed 16-bit stereo at 44.1 kHz
LARGEST = 100_000_000


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
