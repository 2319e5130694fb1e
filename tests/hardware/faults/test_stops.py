"""Tests every way to end motion, with every protocol: the robot is at rest within the time given in the
documents.
"""

import pytest

from tests.hardware.emulator import require_emulator
from tests.hardware.faults.rows import UNO
from tests.hardware.faults.stops import WAYS, played

CASES = [pytest.param(way, robot, id=f"{way.end.__name__}-{robot}") for way in WAYS for robot in way.robots]


@pytest.mark.parametrize(("way", "robot"), CASES)
def test_motion_that_is_ended_ends_in_time_and_as_the_channels_say(way, robot):
    if robot == UNO:
        require_emulator()
    played(way, robot)
