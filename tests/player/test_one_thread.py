"""Tests that numpy's linear algebra uses one thread while a character plays without Blender, from the first
tick to the last, and as many as before afterwards.
"""

from pathlib import Path

import pytest
from limber.character.chain import tick as chain_tick
from limber.player.live import LiveOptions, LivePlay
from limber.player.playing import play
from limber.player.script import Script
from threadpoolctl import ThreadpoolController

from tests.character.samples import character

MANY = 3

blas = ThreadpoolController().select(user_api="blas")
pytestmark = pytest.mark.skipif(not blas.lib_controllers, reason="this numpy has a BLAS without threads")


def threads() -> set[int]:
    return {library.get_num_threads() for library in blas.lib_controllers}


@pytest.fixture
def seen(monkeypatch):
    """Numbers of threads at each tick of a chain."""
    counts: list[set[int]] = []
    real = chain_tick.tick
    monkeypatch.setattr(
        chain_tick, "tick", lambda *args, **options: (counts.append(threads()), real(*args, **options))[1]
    )
    with blas.limit(limits=MANY):
        yield counts


def test_a_script_plays_in_one_thread(seen: list[set[int]]):
    play(character(), Script(seconds=0.2, rate=24.0))
    assert len(seen) > 1
    assert all(count == {1} for count in seen)
    assert threads() == {MANY}


def test_a_character_plays_in_real_time_in_one_thread(seen: list[set[int]]):
    options = LiveOptions(rate=24.0, seconds=0.2, without_robot=True)
    LivePlay(character(), Path("Sample.limber"), options, lambda line: None).run()
    assert len(seen) > 1
    assert all(count == {1} for count in seen)
    assert threads() == {MANY}
