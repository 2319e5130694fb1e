"""The sound of a character's clip, played by the system's own player beside it."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from ..files.reasons import reason
from ..hardware.motion_files.sounds import sound_beside
from .playhead import Playhead

# Programs that play a file, each with the suffixes that it plays; none: all.
PROGRAMS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("pw-play",), (".wav", ".flac", ".ogg", ".oga", ".mp3")),
    (("paplay",), (".wav", ".flac", ".ogg", ".oga")),
    (("aplay", "-q"), (".wav",)),
    (("afplay",), ()),
    (("ffplay", "-nodisp", "-autoexit", "-loglevel", "quiet"), ()),
    (("mpv", "--no-video", "--really-quiet"), ()),
)
DELAY = 0.1  # [s] by which servos follow what they are sent; the sound begins so much later


class ClipSound:
    """The sound that begins with a clip. A clip that goes on from its middle is silent: the system's players
    begin at a file's begin.

    Args:
        character: Path of the character file; a sound of the same name is beside it.
        delay: Sound Delay [s]: how much later than the clip the sound begins.
        say: Prints a line.
    """

    def __init__(self, character: Path, delay: float, say: Callable[[str], None]) -> None:
        self._delay, self._say = delay, say
        self._sound = sound_beside(character)
        self._command: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._before = -1.0  # [s] where the clip was in the last tick; negative: before its begin
        if self._sound is None:
            return
        suffix = self._sound.suffix.lower()
        programs = [words for words, suffixes in PROGRAMS if not suffixes or suffix in suffixes]
        words = next((words for words in programs if shutil.which(words[0])), None)
        if words is None:
            names = ", ".join(words[0] for words in programs)
            say(f"{self._sound.name} is not heard: this computer has none of {names}")
        else:
            self._command = [*words, str(self._sound)]
            say(f"{self._sound.name} is played by {words[0]}, {delay:g} s after the clip's begin")

    def follow(self, playhead: Playhead) -> None:
        """Begins the sound where the clip passes Sound Delay, and ends it where the clip jumps or is held."""
        if not self._command:
            return
        now, before = playhead.seconds, self._before
        self._before = now
        if now < before or not playhead.plays:
            self._end_if_held(playhead)
            before = -1.0 if now < before else before
        if before < self._delay <= now and playhead.plays:
            self._begin()

    def _end_if_held(self, playhead: Playhead) -> None:
        """Ends the sound, unless the clip has come to its end: a sound may be longer."""
        if playhead.seconds < playhead.length:
            self.close()

    def _begin(self) -> None:
        self.close()
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            self._say(f"{self._command[0]} does not start: {reason(error)}")
            self._command = []

    def close(self) -> None:
        """Ends the sound."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
