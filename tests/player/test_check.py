"""Tests the self-test of a character: it passes on computers whose numpy rounds differently, and names frame
and joint of a differing motion.
"""

from dataclasses import replace

import numpy as np
from limber.character.chain.settings import RIG
from limber.character.file.contents import CharacterFile, SelfTest
from limber.player import check as self_test
from limber.player.check import SAME, check
from limber.player.playing import play
from limber.player.script import Script

from tests.character.samples import FRAMES, chain
from tests.character.samples import character as sample


def character() -> CharacterFile:
    """A character whose joints move."""
    return sample(chain(base=RIG))


def recorded() -> dict[str, np.ndarray]:
    rate = character().rate.seconds_a_frame
    return play(character(), Script((FRAMES - 1) * rate, 1.0 / rate))


def test_what_was_recorded_here_is_the_same_here():
    motion = recorded()
    result = check(replace(character(), self_test=SelfTest(motion["commanded"], motion["desired"])))
    assert (result.frame, result.largest) == (None, 0.0)


def test_a_filter_that_makes_more_of_rounding_is_no_difference():
    motion = recorded()
    elsewhere = motion["desired"] + 0.9 * SAME * np.resize([1.0, -1.0], FRAMES)[:, None]
    filtered = self_test._filtered(character(), elsewhere)
    assert np.abs(filtered - motion["commanded"]).max() > SAME
    assert check(replace(character(), self_test=SelfTest(filtered, elsewhere))).frame is None


def test_another_filter_and_another_solution_are_named():
    motion = recorded()
    for name in ("commanded", "desired"):
        rows = {each: motion[each].copy() for each in SelfTest._fields}
        rows[name][7:, 1] += 3.0 * SAME
        result = check(replace(character(), self_test=SelfTest(**rows)))
        first = character().first_frame + 7
        assert (result.frame, result.joint) == (first, "Rig/Link1 X"), name
