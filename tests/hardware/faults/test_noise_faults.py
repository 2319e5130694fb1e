"""Tests the fault table's rows about noise and delays, in simulated time: with the real firmware on an
emulated Uno, and with bus servos.
"""

import pytest

from tests.hardware.faults.playing import cases, check
from tests.hardware.faults.rows import NOISE


@pytest.mark.parametrize(("row", "world"), cases(NOISE))
def test_a_fault_moves_nothing_uncommanded_is_told_and_the_user_is_back_in_two_clicks(row, world):
    check(row, world)
