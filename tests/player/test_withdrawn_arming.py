"""Tests that an arming which waits for the robot is withdrawn by any other word of a person."""

from types import SimpleNamespace

import pytest
from limber.hardware.safety import Fault, State
from limber.player.errors import PlayerError
from limber.player.live_robots import INSTALLER, LiveRobot


@pytest.mark.parametrize(("word", "left"), [("release", ""), ("connect", ""), ("arm", INSTALLER)])
def test_a_refused_word_withdraws_an_arming_that_waits_unless_it_is_arm(word: str, left: str):
    connecting = SimpleNamespace(state=State.CONNECTING, fault=Fault.NONE, sentence="wait")
    session = SimpleNamespace(link=SimpleNamespace(read_status=lambda: connecting))
    robot = LiveRobot("Arm", session, values=None, ordered_by=INSTALLER)
    with pytest.raises(PlayerError):
        robot.order(word)
    assert robot.ordered_by == left
