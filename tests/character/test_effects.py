"""Tests effects on top of a posture: several add up, and they move no joint beyond its limits."""

from dataclasses import dataclass
from math import sin

import numpy as np
import pytest
from limber.character.effects import total
from limber.character.life import Life

from tests.character.plain import played
from tests.character.scenes import DT, lamp
from tests.solvers import chains

UP = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Rocking:
    """Effect that swings a joint."""

    amplitude: float  # [rad] amplitude of the swing
    joint: int = 1

    def offsets(self, skeleton, posture, up, seconds):
        asked = posture.copy()
        asked[self.joint] += self.amplitude * sin(seconds)
        return np.array(skeleton.clamp(asked)) - posture


def test_effects_add_up():
    skeleton = chains.lamp()
    posture = np.zeros(len(skeleton))
    life, rocking = Life(0.1, 0.1, 0.0, 3), Rocking(0.2)
    both = total((life, rocking), skeleton, posture, UP, 1.5)
    assert both == pytest.approx(
        total((life,), skeleton, posture, UP, 1.5) + total((rocking,), skeleton, posture, UP, 1.5)
    )
    assert not total((), skeleton, posture, UP, 1.5).any()


def test_two_effects_together_take_no_joint_beyond_its_limits():
    skeleton = chains.lamp()
    near = np.array(skeleton.upper) - 0.1
    both = total((Rocking(3.0), Rocking(3.0)), skeleton, near, UP, 1.5)
    assert (near + both <= np.array(skeleton.upper) + 1e-12).all()
    assert both.max() > 0.09


def test_a_chain_that_rocks_moves_while_its_aim_stays():
    still, rocking = (
        played([lamp(lambda number: (0.4, -0.5, 0.4), effects=effects)], 120, DT)[60:]
        for effects in ((), (Rocking(0.3),))
    )
    moved = np.array([frame["lamp"].desired for frame in rocking]) - np.array(
        [frame["lamp"].desired for frame in still]
    )
    assert np.abs(moved).max() > 0.1
    assert max(frame["lamp"].solution.aim_error for frame in rocking) < 1e-3
