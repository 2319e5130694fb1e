"""What live motion keeps while Blender runs, of chains as of mechanisms. Nothing of it is saved."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from .clock import Clock
from .playback import Playback


@dataclass
class Runtime:
    """The motion and where it is in each scene."""

    playback: Playback = field(default_factory=Playback)
    moving: set[int] = field(default_factory=set)  # scenes, by session_uid, in which something is not at rest: the clock has work
    clock: Clock = field(default_factory=Clock)
    busy: bool = False  # the module is writing: updates that it causes are its own
    is_rendering: bool = False
    rendering: Playback | None = None

    def note_rest(self, scene, pairs: list[tuple]) -> None:
        """Keeps whether anything of a scene is still on its way."""
        if self.playback.stage.is_at_rest(pairs):
            self.moving.discard(scene.session_uid)
        else:
            self.moving.add(scene.session_uid)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Marks the updates that our own writes cause, so that no handler answers them."""
        before, self.busy = self.busy, True
        try:
            yield
        finally:
            self.busy = before
