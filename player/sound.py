"""The sounds of a character's clip, played by the operating system's player."""

import math
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..character.file.media import PackedSound
from ..files.reasons import reason
from ..files.sound_player import SoundError, SoundPlayer, SoundPrograms
from ..files.sounds import sound_beside
from .playhead import Playhead

DELAY = 0.1  # [s] default delay of sounds: about that of servos after their commands


class _ClipSound(NamedTuple):
    """A sound of the clip, and the position [s] in the clip at which the sound begins."""

    player: SoundPlayer
    due: float


class ClipSoundPlayer:
    """The sounds of a clip. A sound is silent if the clip continues in the middle of it, since the system's
    players play a file from its beginning.

    Args:
        character: Path of the character file; without packed sounds a sound of the same name that is beside
            it begins with the clip.
        packed: Sounds of the file; they are written to a temporary folder.
        delay: Time [s] by which the sounds begin later than the clip has them.
        say: Prints a line.
    """

    def __init__(
        self, character: Path, packed: Sequence[PackedSound], delay: float, say: Callable[[str], None]
    ) -> None:
        self._delay, self._say = delay, say
        self._programs = SoundPrograms()
        self._sounds: list[_ClipSound] = []
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._before = -math.inf  # [s] position in the clip up to which sounds have begun
        self._jumps = 0  # number of the clip's jumps at the last tick
        if packed:
            self._unpack(packed)
        elif (beside := sound_beside(character)) is not None:
            self._add(beside, beside.name, 0.0)

    def _unpack(self, packed: Sequence[PackedSound]) -> None:
        """Writes the sounds of the file to a temporary folder, and adds them to those that play; reports it
        if they cannot be written.
        """
        try:
            self._folder = tempfile.TemporaryDirectory(prefix="limber-")
            for number, sound in enumerate(packed):
                path = Path(self._folder.name) / f"{number}{sound.suffix}"
                path.write_bytes(sound.data)
                self._add(path, sound.name, sound.begin)
        except OSError as error:
            self._say(f"The character's sounds are not heard: {reason(error)}")

    def _add(self, path: Path, name: str, begin: float) -> None:
        try:
            player = SoundPlayer(path, name, self._programs)
        except SoundError as error:
            self._say(str(error))
            return
        self._sounds.append(_ClipSound(player, begin + self._delay))
        self._say(f"{name} is played by {player.program}, {begin + self._delay:g} s after the clip's begin")

    def follow(self, playhead: Playhead) -> None:
        """Starts the sounds that the clip reaches, and stops all when it jumps or is paused. Says which
        programs could not play a sound.
        """
        for sound in self._sounds:
            self._report_problem(sound.player)
        before, seconds = self._before, playhead.seconds
        if playhead.jumps != self._jumps:
            self._silence()
            self._jumps = playhead.jumps
            before = math.nextafter(playhead.jumped_to, -math.inf)
        if not playhead.plays and seconds < playhead.length:  # at the end of the clip, longer sounds continue
            self._silence()
            self._before = before
            return
        for sound in self._sounds:
            if before < sound.due <= seconds:
                self._begin(sound)
        self._before = seconds

    def _begin(self, sound: _ClipSound) -> None:
        try:
            sound.player.begin()
        except SoundError as error:
            self._say(str(error))
            self._sounds = [other for other in self._sounds if other is not sound]

    def _report_problem(self, player: SoundPlayer) -> None:
        try:
            remark = player.check()
        except SoundError as error:
            remark = str(error)
        if remark:
            self._say(remark)

    def _silence(self) -> None:
        for sound in self._sounds:
            sound.player.close()

    def close(self) -> None:
        """Stops the sounds, and deletes what was written."""
        self._silence()
        if self._folder is not None:
            with suppress(OSError):
                self._folder.cleanup()
