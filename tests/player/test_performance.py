"""Tests a character's movers on their stage, without a clock."""

from dataclasses import replace

import numpy as np
import pytest
from limber.character.chain.settings import RIG
from limber.character.file.tracks import track
from limber.motion import Kinematic
from limber.player.performance import Performance

from tests.character.samples import body, chain, character, mechanism


def motion(name: str) -> dict[str, Kinematic]:
    """Motion in the sixth frame: a chain with this name plays its clip beside a mechanism and a body."""
    played = replace(chain(name, base=RIG), settings={"influence": track(np.zeros(1))})
    sample = replace(character(played), mechanisms=(mechanism(),), bodies=(body(),))
    performance = Performance(sample)
    for frame in range(6):
        performance.advance(float(frame), min(frame, 1) / 24.0, {})
    return performance.motion()


@pytest.mark.parametrize("name", ["mechanism Lever", "body Walker", "Lever", "Walker"])
def test_a_chain_moves_alike_whatever_its_name(name: str):
    usual = motion("Arm")
    assert any(joint.velocity for label, joint in usual.items() if label.startswith("Rig/"))
    assert motion(name) == usual
