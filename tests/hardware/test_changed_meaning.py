"""Tests a servo whose stored settings another program changes while it is armed, so that goals have another
meaning. In simulated time.
"""

import pytest
from limber.hardware.protocols.interface import AnswerKind, Quantity
from limber.hardware.protocols.table import codec_for
from limber.hardware.safety import Command, Fault, State
from limber.hardware.worker.core import PERIOD

from tests.hardware.bus_simulation import STEPS_PER_RAD, begin
from tests.hardware.simulation import POSE, waving

__all__ = ["begin"]

MODES = {"feetech_sts": (33, 0), "dynamixel": (11, 3)}
CHANGES = [
    ("feetech_sts", 33, 1, "wheel"),
    ("feetech_sts", 33, 3, "step"),
    ("dynamixel", 11, 1, "velocity"),
    ("dynamixel", 10, 4, "drive"),
]
# [s] time until the detection: with each position, or in the round of checks
FOUND_WITHIN = {"feetech_sts": 0.05, "dynamixel": 0.45}


@pytest.mark.parametrize(("protocol", "address", "number", "word"), CHANGES)
def test_an_armed_servo_in_another_mode_is_named_and_made_limp(begin, protocol, address, number, word):
    simulation = begin(protocol)
    simulation.arm(waving)
    simulation.run(0.5, waving)
    before = simulation.angles()[1]
    simulation.bus.servos[2].table[address] = number
    report = simulation.run(FOUND_WITHIN[protocol], waving, until=State.FAULT)
    assert (report.state, report.fault) == (State.FAULT, Fault.WRONG_MODE)
    assert report.is_reached, "its connection works"
    assert "joint 2" in report.detail
    assert word in report.detail
    simulation.run(0.1, waving)
    assert simulation.limp() == [False, True, False]
    assert protocol != "feetech_sts" or abs(simulation.angles()[1] - before) < 0.6, "34 degrees"
    simulation.command(Command.CLEAR_FAULT)
    simulation.run(0.3, waving)
    simulation.command(Command.ARM)
    assert simulation.run(1.0, waving).fault is Fault.WRONG_MODE, "it is not armed in that mode"


@pytest.mark.parametrize(("protocol", "address"), [("feetech_sts", 31), ("dynamixel", 20)])
def test_an_armed_servo_with_another_homing_offset_is_named(begin, protocol, address):
    simulation = begin(protocol)
    simulation.arm(POSE)
    simulation.bus.servos[3].table[address] = 100
    report = simulation.run(FOUND_WITHIN[protocol], POSE, until=State.FAULT)
    assert (report.state, report.fault) == (State.FAULT, Fault.OTHER_CALIBRATION)
    assert "'joint 3' (servo 3): its homing offset is 100, and was 0" in report.detail


@pytest.mark.parametrize("protocol", ["feetech_sts", "feetech_scs"])
def test_mode_and_position_of_feetech_servos_come_in_the_same_answer(protocol):
    codec = codec_for(protocol)
    for exchange in codec.watch([1, 2]):
        for answer in exchange.answers:
            assert answer.kind is AnswerKind.MEANING
            assert answer.quantities == (Quantity.POSITION,)
    assert codec.meaning([1, 2]) == ()


def test_nothing_is_found_where_nothing_changes(begin):
    for protocol in MODES:
        simulation = begin(protocol)
        simulation.arm(waving)
        report = simulation.run(3.0, waving)
        assert report.state is State.ARMED
        assert report.lost == 0
        assert (
            max(abs(a - b) for a, b in zip(simulation.angles(), report.commanded, strict=True))
            < 20 * PERIOD * 1.0 + 2 / STEPS_PER_RAD
        )
