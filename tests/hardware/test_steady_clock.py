"""Tests that the time of simulated robots advances with the wall clock, and stops while their process
does.
"""

import pytest
from limber.hardware.virtual_robot import LONGEST, WATCHDOG_MS, SteadyClock


@pytest.fixture
def wall():
    """The wall clock's time [s], in a list that tests change."""
    return [1000.0]


def test_looked_at_often_it_is_the_walls_time(wall):
    clock = SteadyClock(lambda: wall[0])
    for _ in range(500):
        wall[0] += 0.9 * LONGEST
        assert clock() == pytest.approx(wall[0])


def test_a_moment_in_which_nobody_looked_is_too_short_for_a_watchdog_and_time_goes_on_evenly_after_it(wall):
    clock = SteadyClock(lambda: wall[0])
    before = clock()
    wall[0] += 3.0
    after = clock()
    assert 0.0 < after - before < WATCHDOG_MS / 2000
    wall[0] += 0.02
    assert clock() == pytest.approx(after + 0.02)
