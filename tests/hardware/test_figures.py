"""Tests guaranteed figures of link and firmware: no frame lost, time from a command to its pulse, positions
read from servos.
"""

import pytest

from tests.hardware.emulator import require_emulator
from tests.hardware.figures import latencies, obeyed_at, stream

require_emulator()

SECONDS = 5.0


@pytest.mark.parametrize("rate", [60, 100, 200])
def test_no_move_is_lost_on_the_way_to_the_firmware_and_back(rate):
    result = stream(rate, SECONDS)
    assert result.lost == 0, result
    assert result.damaged == 0, result
    assert result.sent == rate * SECONDS


def test_the_firmware_reads_three_hundred_moves_a_second():
    sent, read, answered = obeyed_at(300, 3.0)
    assert read == sent
    assert answered >= 0.9 * sent  # the line has no capacity for more answers of twelve channels


def test_a_move_is_on_its_pin_within_26_ms():
    assert max(latencies()) <= 26.0
