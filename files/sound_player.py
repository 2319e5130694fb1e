"""Plays a sound file with the operating system's player."""

import shutil
import subprocess
from pathlib import Path

# (command that plays a file, suffixes of the files that it can play); () for all suffixes
PROGRAMS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("pw-play",), (".wav", ".flac", ".ogg", ".oga", ".mp3")),
    (("paplay",), (".wav", ".flac", ".ogg", ".oga")),
    (("aplay", "-q"), (".wav",)),
    (("afplay",), ()),
    (("ffplay", "-nodisp", "-autoexit", "-loglevel", "quiet"), ()),
    (("mpv", "--no-video", "--really-quiet"), ()),
)


class SoundError(Exception):
    """A sound that cannot be played; the message says why."""


class SoundPlayer:
    """The operating system's player of a sound file.

    Args:
        sound: The file.
        name: Its name in messages; "": that of the file.

    Raises:
        SoundError: This computer has no program for it.
    """

    def __init__(self, sound: Path, name: str = "") -> None:
        suffix = sound.suffix.lower()
        programs = [words for words, suffixes in PROGRAMS if not suffixes or suffix in suffixes]
        words = next((words for words in programs if shutil.which(words[0])), None)
        if words is None:
            names = ", ".join(words[0] for words in programs)
            raise SoundError(f"{name or sound.name} is not heard: this computer has none of {names}")
        self.program = words[0]
        self._command = [*words, str(sound)]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def plays(self) -> bool:
        """Whether the sound is playing now."""
        return self._process is not None and self._process.poll() is None

    def begin(self) -> None:
        """Plays the sound from its beginning; raises SoundError if the program does not start."""
        self.close()
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            raise SoundError(f"{self.program} does not start: {error.strerror or error}") from error

    def close(self) -> None:
        """Stops the sound."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
