"""What live motion keeps while Blender runs, for all that moves. Nothing of it is saved; loading a file begins anew."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ...character.playback import Playback
from .clock import Clock
from .mechanism_registry import MechanismRegistry
from .mover import Mover
from .movers import ChainMover
from .registry import Registry
from .stage import Stage


@dataclass
class Runtime:
    """The motion, what shows it, and where it is in each scene."""

    registry: Registry = field(default_factory=Registry)
    mechanisms: MechanismRegistry = field(default_factory=MechanismRegistry)
    playback: Playback = field(default_factory=lambda: Playback(Stage()))
    shown: Stage | None = None  # whose poses the proxies show since the last frame change; None: the playback's
    moving: set[int] = field(default_factory=set)  # scenes, by session_uid, in which something is not at rest: the clock has work
    clock: Clock = field(default_factory=Clock)
    suspended: bool = False  # a bake has the scene
    busy: bool = False  # the module is writing: updates that it causes are its own
    is_rendering: bool = False
    rendering: Playback | None = None

    @property
    def is_any(self) -> bool:
        """Whether anything is live."""
        return bool(self.registry.members or self.mechanisms.owners)

    def note_rest(self, scene, movers: list[Mover]) -> None:
        """Keeps whether anything of a scene is still on its way."""
        if self.playback.stage.is_at_rest(movers):
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


_now = Runtime()


def current() -> Runtime:
    """The runtime state."""
    return _now


def forget() -> None:
    """Drop all of it: the data it speaks of is gone."""
    global _now
    _now = Runtime()


def live_movers(scene=None) -> list[Mover]:
    """All that is live, of one scene where it is given: of each armature its body and its chains; then mechanisms."""
    found = [mover for member in _now.registry if scene is None or scene.session_uid in member.scenes for mover in member.movers]
    return found + _now.mechanisms.movers(scene)


def live_chains(scene=None) -> list[Mover]:
    """The chains among them."""
    return [mover for mover in live_movers(scene) if isinstance(mover, ChainMover)]


def session(owner, settings):
    """What live knows of a mover, by its owner object and its settings: for panels, the robot and tests."""
    return _now.playback.stage.session(owner, settings)
