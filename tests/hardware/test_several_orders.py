"""Tests several commands within one cycle of the worker, as from a script: none is lost, and Disarm and Stop
have priority. In simulated time.
"""

import pytest
from limber.hardware.device import VIRTUAL_HOBBY_PORT
from limber.hardware.message_log import LOGGED
from limber.hardware.safety import Command, Fault, State

from tests.hardware.bus_simulation import begin
from tests.hardware.simulation import POSE, make_device, waving

__all__ = ["begin"]

OTHERS = [command for command in Command if command not in (Command.NOTHING, Command.DISARM)]


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("disarms_first", [True, False])
def test_a_disarm_wins_over_what_is_ordered_in_the_same_turn(simulate, other, disarms_first):
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.run(0.5, waving)
    for command in (Command.DISARM, other) if disarms_first else (other, Command.DISARM):
        simulation.command(command, target=1, amount=0.3)
    simulation.run(2.0, waving)
    assert simulation.state is State.DISARMED


@pytest.mark.parametrize("other", [*OTHERS, Command.DISARM])
def test_a_stop_wins_over_what_is_ordered_in_the_same_turn(simulate, other):
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.command(other, target=1, amount=0.3)
    simulation.stop()
    simulation.command(other, target=1, amount=0.3)
    report = simulation.run(1.0, waving)
    assert (report.state, report.fault) == (State.FAULT, Fault.STOPPED)


def test_several_orders_are_all_carried_out_in_their_order(simulate):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT))
    simulation.run(2.0, POSE, until=State.DISARMED)
    simulation.command(Command.ARM)
    simulation.run(0.1, POSE)
    assert simulation.state is State.CONFIRM_POSE
    for joint in range(3):
        simulation.command(Command.CONFIRM_JOINT, target=joint)
    simulation.run(0.1, POSE)
    assert simulation.state in (State.ARMING, State.ARMED)


def test_more_orders_than_are_kept_disarm_the_robot(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    for _ in range(LOGGED + 1):
        simulation.command(Command.ARM)
    simulation.run(1.0, waving)
    assert simulation.state is State.DISARMED


def test_what_was_ordered_before_a_fault_is_not_done_after_it(begin):
    simulation = begin()
    simulation.arm(POSE)
    simulation.cable.unplugged = True
    for command in (Command.PARK, Command.CLEAR_FAULT, Command.ARM):
        simulation.command(command, values=POSE(0.0))
    simulation.run(0.02, POSE)
    simulation.cable.unplugged = False
    simulation.run(1.0, POSE)
    assert simulation.state is State.FAULT


def test_an_arm_while_the_robot_slows_down_to_be_disarmed_does_not_keep_it_armed(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.command(Command.DISARM)
    assert simulation.run(0.3, waving, until=State.BRAKING).state is State.BRAKING
    simulation.command(Command.ARM)
    simulation.run(1.0, waving)
    assert simulation.state is State.DISARMED
