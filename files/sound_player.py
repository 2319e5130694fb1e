"""Plays a sound file with the operating system's player."""

import shutil
import subprocess
import time
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
# [s] a program that fails within this time after its start has played nothing, as without a desktop's sound
# server or without a sound card
FAILS_WITHIN = 1.0


class SoundError(Exception):
    """A sound that cannot be played; the message says why."""


class SoundPlayer:
    """The operating system's player of a sound file: the first program that can play it here.

    Args:
        sound: The file.
        name: Its name in messages; "": that of the file.

    Raises:
        SoundError: This computer has no program for it.
    """

    def __init__(self, sound: Path, name: str = "") -> None:
        self._name = name or sound.name
        suffix = sound.suffix.lower()
        programs = [words for words, suffixes in PROGRAMS if not suffixes or suffix in suffixes]
        self._commands = [[*words, str(sound)] for words in programs if shutil.which(words[0])]
        if not self._commands:
            names = ", ".join(words[0] for words in programs)
            raise SoundError(f"{self._name} is not heard: this computer has none of {names}")
        self._untried = 0  # number of programs that have not been started since the sound began
        self._started_at = 0.0  # [s] time at which the last program was started
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def program(self) -> str:
        """Name of the program that plays it."""
        return self._commands[0][0]

    @property
    def plays(self) -> bool:
        """Whether the sound is playing now."""
        return self._process is not None and self._process.poll() is None

    def begin(self) -> None:
        """Plays the sound from its beginning; raises SoundError if the program does not start."""
        self.close()
        self._untried = len(self._commands)
        self._start()

    def _start(self) -> None:
        self._untried -= 1
        self._started_at = time.monotonic()
        try:
            self._process = subprocess.Popen(
                self._commands[0],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            raise SoundError(f"{self.program} does not start: {error.strerror or error}") from error

    def check(self) -> str:
        """Begins the sound with the next program if the present one could not play it; returns a sentence on
        that, "" if nothing failed.

        Raises:
            SoundError: No program could play it.
        """
        if self._process is None or not self._process.poll():
            return ""
        self._process = None
        if time.monotonic() - self._started_at > FAILS_WITHIN:
            return ""
        failed = self.program
        self._commands.append(self._commands.pop(0))
        if not self._untried:
            raise SoundError(f"{self._name} is not heard: {failed} cannot play it here")
        self._start()
        return f"{failed} cannot play {self._name} here: {self.program} plays it"

    def close(self) -> None:
        """Stops the sound."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
