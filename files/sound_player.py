"""Plays a sound file with the operating system's player."""

import shutil
import subprocess
import time
from pathlib import Path

from .reasons import ending

# (command that plays a file, suffixes of the files that it can play); () for all suffixes
PROGRAMS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("pw-play",), (".wav", ".flac", ".ogg", ".oga", ".mp3")),
    (("paplay",), (".wav", ".flac", ".ogg", ".oga")),
    (("aplay", "-q"), (".wav",)),
    (("afplay",), ()),
    (("ffplay", "-nodisp", "-autoexit", "-loglevel", "quiet"), ()),
    (("mpv", "--no-video", "--really-quiet"), ()),
)
# programs to install where none plays a sound: they play all files, on every system
TO_INSTALL = ("ffplay", "mpv")
# [s] a program that fails within this time after its start counts as one that has not begun to sound, as
# without a sound server or a sound card; the next program is tried then
FAILS_WITHIN = 1.0

Command = tuple[str, ...]


class SoundError(Exception):
    """A sound that cannot be played; the message says why."""


class SoundPrograms:
    """The programs that play sounds here, in the order in which they are tried: those that have failed come
    last.
    """

    def __init__(self) -> None:
        self._programs = list(PROGRAMS)

    def commands(self, suffix: str) -> list[Command]:
        """Commands of the installed programs that can play files with a suffix, in lower case."""
        fitting = (command for command, suffixes in self._programs if not suffixes or suffix in suffixes)
        return [command for command in fitting if shutil.which(command[0])]

    def put_last(self, failed: Command) -> None:
        """Makes a program that has failed the last one to be tried from now on."""
        self._programs.sort(key=lambda program: program[0] == failed)


class SoundPlayer:
    """The operating system's player of a sound file: the first program that can play it here.

    Args:
        sound: The file.
        name: Its name in messages; "": that of the file.
        programs: The programs; None: those of a new `SoundPrograms`.

    Raises:
        SoundError: This computer has no program for it.
    """

    def __init__(self, sound: Path, name: str = "", programs: SoundPrograms | None = None) -> None:
        self._sound, self._name = sound, name or sound.name
        self._programs = programs if programs is not None else SoundPrograms()
        self._untried = self._commands()  # commands that have not been tried since the sound began
        self._command = self._untried[0]  # the last command, or the first one to be tried
        self._started_at = 0.0  # [s] time at which the last program was started
        self._process: subprocess.Popen[bytes] | None = None

    def _commands(self) -> list[Command]:
        suffix = self._sound.suffix.lower()
        commands = self._programs.commands(suffix)
        if not commands:
            names = [words[0] for words, suffixes in PROGRAMS if not suffixes or suffix in suffixes]
            raise SoundError(f"{self._name} is not heard: this computer has none of {', '.join(names)}")
        return commands

    @property
    def program(self) -> str:
        """Name of the program that plays the sound, or that `begin` tries first."""
        return self._command[0]

    @property
    def plays(self) -> bool:
        """Whether the sound was playing at the last call of `begin` or `check`."""
        return self._process is not None

    def begin(self) -> None:
        """Plays the sound from its beginning; raises SoundError if no program starts."""
        self.close()
        self._untried = self._commands()
        self._start()

    def _start(self) -> None:
        """Starts the next program that has not been tried, or one after it if that does not start. Raises
        SoundError if none of them starts.
        """
        self._command = self._untried.pop(0)
        self._started_at = time.monotonic()
        try:
            self._process = subprocess.Popen(
                [*self._command, str(self._sound)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            self._programs.put_last(self._command)
            if not self._untried:
                raise SoundError(f"{self.program} does not start: {error.strerror or error}") from error
            self._start()

    def check(self) -> str:
        """Notices the end of the program. If it has failed before it began to sound, the next program plays
        the sound from its beginning; the result is a sentence on that, "" if nothing failed.

        Raises:
            SoundError: No program could play it, or one has failed while it played.
        """
        if self._process is None or (code := self._process.poll()) is None:
            return ""
        self._process = None
        if code == 0:
            return ""
        failed, lasted = self.program, time.monotonic() - self._started_at
        self._programs.put_last(self._command)
        if lasted > FAILS_WITHIN:
            # another program would play the sound from its beginning: heard twice, and too late for the
            # motion
            raise SoundError(
                f"{self._name} is no longer heard: {failed} has failed ({ending(code)}); {self._next_time()}"
            )
        if not self._untried:
            raise SoundError(f"{self._name} is not heard: {failed} cannot play it here; {_remedy()}")
        self._start()
        return f"{failed} cannot play {self._name} here: {self.program} plays it"

    def _next_time(self) -> str:
        """What helps after the last program has failed."""
        command = self._commands()[0]
        return f"{command[0]} plays it next time" if command != self._command else _remedy()

    def close(self) -> None:
        """Stops the sound."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _remedy() -> str:
    """What to do where no program plays a sound."""
    missing = [name for name in TO_INSTALL if not shutil.which(name)]
    return f"check this computer's sound output{', or install ' if missing else ''}{' or '.join(missing)}"
