"""Tests the rows of the fault table for which mass matters, with a heavy arm on Feetech servos, in simulated
time.
"""

import pytest

from tests.hardware.faults.playing import check
from tests.hardware.faults.rows import DEVICE, LINE, PORT, STS
from tests.hardware.faults.worlds import BODIES

pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install -r requirements/dev.txt")

KEYS = ("unplugged", "cut_line", "dip", "turns_on", "own_limits", "blocked", "hot_servo")
ROWS = [row for row in LINE + DEVICE + PORT if row.key in KEYS and STS in row.worlds]


@pytest.mark.parametrize("world", BODIES)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.key)
def test_a_robot_with_mass_is_as_safe(row, world):
    check(row, world)
