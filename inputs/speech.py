"""Speech of a character: sound files in its folder, and speech that another program plays."""

from pathlib import Path

from ..files.presence import is_file
from ..files.sound_player import SoundError, SoundPlayer, SoundPrograms
from ..files.sounds import SOUNDS

BEGINS, ENDS = "speak", "spoken"  # names of events
MOST_NAMED = 10  # largest number of sounds that a message lists


class Speech:
    """Speech as events of a behaviour: `BEGINS` when it begins, `ENDS` when it ends.

    Attributes:
        problem: What went wrong with the last sound: why it was not heard, or not to its end, or which
            program plays it instead of another; "" if nothing.
    """

    def __init__(self) -> None:
        self.problem = ""
        self._programs = SoundPrograms()
        self._sound: SoundPlayer | None = None
        self._next: SoundPlayer | None = None  # the sound to be played next
        self._remark = ""  # which program plays the sound, if another has failed before it
        self._events: list[str] = []

    def note(self, is_spoken: bool) -> None:
        """Records that speech which another program plays has begun, or ended."""
        self._events.append(BEGINS if is_spoken else ENDS)

    def say(self, folder: Path, name: str) -> None:
        """Plays a sound file in a folder, by its name with or without suffix, from the next call of `events`
        on, instead of a sound that is playing.

        Raises:
            SoundError: The folder cannot be read, there is no sound of this name, or this computer has no
                program to play it.
        """
        self._next = SoundPlayer(sound_called(folder, name), programs=self._programs)

    def events(self) -> list[str]:
        """Events since the last call. Ends a sound that is over or replaced, and begins the one of `say`;
        sets `problem` if a sound fails.
        """
        if self._sound is not None and (self._next is not None or not self._continues(self._sound)):
            self.close()
            self._events.append(ENDS)
        events, self._events = self._events, []
        sound, self._next = self._next, None
        if sound is not None:
            try:
                sound.begin()
            except SoundError as error:
                self.problem = str(error)
                return events
            self._sound, self._remark = sound, ""
            events.append(BEGINS)
        return events

    def _continues(self, sound: SoundPlayer) -> bool:
        """Whether a sound goes on, if necessary by another program; records what went wrong with it."""
        try:
            if remark := sound.check():
                self.problem = self._remark = remark
        except SoundError as error:
            self.problem = str(error)
            return False
        if not sound.plays:
            self.problem = self._remark
        return sound.plays

    def close(self) -> None:
        """Stops the sound, without an event."""
        if self._sound is not None:
            self._sound.close()
            self._sound = None


def sound_called(folder: Path, name: str) -> Path:
    """The sound file in a folder (and none outside of it) with this name, with or without its suffix and with
    underscores for spaces or not. Raises SoundError if there is none, or the folder cannot be read.
    """
    try:
        sounds = [
            path for path in sorted(folder.iterdir()) if path.suffix.lower() in SOUNDS and is_file(path)
        ]
    except OSError as error:
        raise SoundError(f"'{folder}' cannot be read: {error.strerror or error}") from error
    for path in sounds:
        if name in (path.name, path.stem, path.name.replace(" ", "_"), path.stem.replace(" ", "_")):
            return path
    known = ", ".join(f"'{path.name}'" for path in sounds[:MOST_NAMED]) or "none"
    raise SoundError(f"there is no sound '{name}' in '{folder}': there is {known}")
