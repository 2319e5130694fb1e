"""Tests the fault table's rows that need a real worker process, a real port or a real Blender; the firmware
runs on an emulated Uno.
"""

import pytest

from tests.hardware.emulator import require_emulator
from tests.hardware.faults.system import SYSTEM

require_emulator()


@pytest.mark.parametrize("row", SYSTEM, ids=lambda row: row.key)
def test_a_fault_of_the_system_moves_nothing_and_the_user_is_back_in_two_clicks(row):
    row.skip_where_it_cannot_be()
    outcome = row.play()
    assert len(outcome.back) <= 2
