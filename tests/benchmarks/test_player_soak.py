"""Tests the long play in simulated time: it passes, and detects violated conditions."""

from dataclasses import replace
from pathlib import Path

import pytest
from limber.character.behaviour.ready import READY

from benchmarks.player.soak import Soak
from tests.character.samples import character


@pytest.fixture
def soak(tmp_path: Path) -> Soak:
    played = replace(character(), behaviour=READY["ATTENTIVE"](()))
    return Soak(played, tmp_path / "sample.limber", 1, 20.0)


def test_a_character_that_is_directed_at_random_holds(soak: Soak):
    tally = soak.run(60.0)
    assert tally.broken == []
    assert tally.orders.total() > 15
    assert tally.faults
    assert len(tally.states) > 1


def test_a_joint_that_is_too_fast_is_noticed(soak: Soak):
    soak._velocity = 0.01 * soak._velocity
    assert "of its largest velocity" in soak.run(32.0).broken[0]
