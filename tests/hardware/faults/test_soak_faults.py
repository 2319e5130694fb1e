"""Tests half a simulated minute of random faults and a random user: no permanent fault, and only commanded
motion within limits.
"""

import pytest

from tests.hardware.emulator import require_emulator
from tests.hardware.faults.rows import DYNAMIXEL, STS, UNO
from tests.hardware.faults.soak import soak

SECONDS = 30.0


@pytest.mark.soak
@pytest.mark.parametrize(("world", "seed"), [(UNO, 1), (STS, 2), (DYNAMIXEL, 3)])
def test_random_faults_break_no_limit_and_arm_nothing_by_themselves(world, seed):
    if world == UNO:
        require_emulator()
    tally = soak(world, SECONDS, seed)
    assert not tally.broken, tally.text()
    assert tally.armings >= 2
    assert tally.latched
