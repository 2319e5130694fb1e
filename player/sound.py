"""The sound of a character's clip, played by the operating system's player."""

from collections.abc import Callable
from pathlib import Path

from ..files.sound_player import SoundError, SoundPlayer
from ..files.sounds import sound_beside
from .playhead import Playhead

DELAY = 0.1  # [s] delay of servos after their commands, by which the sound is delayed too


class ClipSound:
    """The sound that begins with a clip. A clip that continues from its middle is silent, since the system's
    players start at the beginning of a file.

    Args:
        character: Path of the character file; a sound of the same name is beside it.
        delay: Sound Delay [s]: how much later than the clip the sound begins.
        say: Prints a line.
    """

    def __init__(self, character: Path, delay: float, say: Callable[[str], None]) -> None:
        self._delay, self._say = delay, say
        self._player: SoundPlayer | None = None
        self._before = -1.0  # [s] position in the clip at the last tick; negative before the first
        sound = sound_beside(character)
        if sound is None:
            return
        try:
            self._player = SoundPlayer(sound)
            say(f"{sound.name} is played by {self._player.program}, {delay:g} s after the clip's begin")
        except SoundError as error:
            say(str(error))

    def follow(self, playhead: Playhead) -> None:
        """Starts the sound when the clip passes Sound Delay, and stops it when the clip jumps or is
        paused.
        """
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
        """Stops the sound if the clip is paused, but not at the clip's end, since a sound may be longer."""
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
        """Stops the sound."""
        if self._player is not None:
            self._player.close()
