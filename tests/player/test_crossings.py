"""A tick of the player leads into the engine and back: the engine calls nothing of the player."""

from dataclasses import replace

from limber.player.playing import play
from limber.player.script import Script

from benchmarks.frame_path.tracing import Tracer
from checkout import ROOT
from tests.character.samples import body, chain, character, mechanism


def test_ticks_of_every_kind_of_mover():
    played = replace(character(chain(), chain("Other")), mechanisms=(mechanism(),), bodies=(body(),))
    tracer = Tracer(ROOT)
    with tracer.on() as calls:
        play(played, Script(seconds=1.0, rate=24.0))
    assert {name for _, name in calls} >= {"ChainModel.tick", "BodyModel.tick", "MechanismModel.tick"}
    assert not tracer.calls_back
    assert tracer.crossings == 1
