"""The sound of a character's clip, played by the system's own player beside it."""

from collections.abc import Callable
from pathlib import Path

from ..files.sound_player import SoundError, SoundPlayer
from ..files.sounds import sound_beside
from .playhead import Playhead

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
        self._player: SoundPlayer | None = None
        self._before = -1.0  # [s] where the clip was in the last tick; negative: before its begin
        sound = sound_beside(character)
        if sound is None:
            return
        try:
            self._player = SoundPlayer(sound)
            say(f"{sound.name} is played by {self._player.program}, {delay:g} s after the clip's begin")
        except SoundError as error:
            say(str(error))

    def follow(self, playhead: Playhead) -> None:
        """Begins the sound where the clip passes Sound Delay, and ends it where the clip jumps or is held."""
        if self._player is None:
            return
        seconds, before = playhead.seconds, self._before
        self._before = seconds
        if seconds < before or not playhead.plays:
            self._end_if_held(playhead)
            before = -1.0 if seconds < before else before
        if before < self._delay <= seconds and playhead.plays:
            self._begin()

    def _end_if_held(self, playhead: Playhead) -> None:
        """Ends the sound, unless the clip has come to its end: a sound may be longer."""
        if playhead.seconds < playhead.length:
            self.close()

    def _begin(self) -> None:
        try:
            if self._player is not None:
                self._player.begin()
        except SoundError as error:
            self._say(str(error))
            self._player = None

    def close(self) -> None:
        """Ends the sound."""
        if self._player is not None:
            self._player.close()
