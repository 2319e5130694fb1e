"""The demo lamp in the player: how its ticks cross between the player and the engine."""

from pathlib import Path
from tempfile import TemporaryDirectory

import bpy
from limber.character.file import reading
from limber.player import playing
from limber.player.script import Script

from .tracing import Tracer
from .worker import ROOT

SECONDS, RATE = 1.0, 24.0  # length of the play [s], and its ticks per second


def trace() -> Tracer:
    """The tracer after the player has played the scene's character, with a behaviour, for `SECONDS`."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "lamp.limber"
        bpy.ops.limber.export_character(filepath=str(path), behaviour="ATTENTIVE")
        character = reading.read(path)
    tracer = Tracer(ROOT)
    with tracer.on():
        playing.play(character, Script(SECONDS, RATE, 0, (), ()))
    return tracer
