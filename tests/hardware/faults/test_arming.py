"""Tests the robots of the fault table without a fault: they are armed while Blender shows a motion."""

import pytest

from tests.hardware.emulator import require_emulator
from tests.hardware.faults.observing import HEADROOM, beyond_ranges, fastest, uncommanded
from tests.hardware.faults.rows import UNO
from tests.hardware.faults.worlds import BOARDS, WORLDS
from tests.hardware.simulation import LIMITS, waving


@pytest.mark.parametrize("name", [*WORLDS, *BOARDS])
def test_a_robot_that_is_armed_beside_a_motion_moves_as_commanded_and_follows_it(name):
    if name == UNO:
        require_emulator()
    world = (WORLDS | BOARDS)[name]()
    try:
        world.arm_in_motion(waving)
        world.run(0.3, waving)
        assert not beyond_ranges(world)
        assert not uncommanded(world, 0.15)
        assert fastest(world, world.seen) <= HEADROOM * LIMITS.velocity
        assert world.told[-1][1] == pytest.approx(waving(world.now), abs=0.12)
    finally:
        world.close()
