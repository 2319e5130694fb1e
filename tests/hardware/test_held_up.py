"""Tests a worker that was suspended for over a second, as during the computer's sleep: the robot is in a
fault until a person presses a button, and then moves slowly.
"""

import math

import pytest
from limber.hardware.safety import DRIVEN, Command, Fault, State

from tests.hardware.bus_simulation import STEPS_PER_RAD, begin
from tests.hardware.simulation import POSE, make_device, still

__all__ = ["begin"]

HOUR = 3600.0


def swinging(time: float) -> tuple[float, ...]:
    return 0.9 * math.sin(2.0 * time), 0.0, 0.0


@pytest.mark.parametrize("asleep", [1.1, 3.0, HOUR])
@pytest.mark.parametrize("protocol", ["feetech_sts", "dynamixel"])
def test_servos_stay_where_they_are_after_the_computers_sleep_until_a_person_arms_them(
    begin, protocol, asleep
):
    simulation = begin(protocol)
    simulation.arm(swinging)
    simulation.run(1.0, swinging)
    simulation.sleep(asleep)
    before = simulation.robot.positions
    report = simulation.run(2.0, swinging)
    assert (report.state, report.fault) == (State.FAULT, Fault.HELD_UP)
    moved = [abs(a - b) / STEPS_PER_RAD for a, b in zip(simulation.robot.positions, before, strict=True)]
    assert max(moved) < 0.01
    simulation.command(Command.CLEAR_FAULT)
    assert simulation.run(2.0, swinging, until=State.DISARMED).state is State.DISARMED
    simulation.arm(swinging)


@pytest.mark.parametrize(
    "state", [State.ARMING, State.HOLDING, State.SETUP, State.PARKING, State.LIMP, State.DISARMED]
)
def test_the_fault_is_the_same_in_every_state_but_connecting(simulate, state):
    simulation = simulate(make_device())
    simulation.run(2.0, POSE, until=State.DISARMED)
    match state:
        case State.ARMING | State.HOLDING:
            simulation.command(Command.ARM_CONFIRMED)
            simulation.run(0.3, POSE, until=State.ARMING)
            simulation.run(1.0 if state is State.HOLDING else 0.0)
        case State.SETUP:
            simulation.command(Command.JOG, target=0, amount=0.5)
        case State.PARKING:
            simulation.command(Command.PARK, values=(0.5, 0.5, 0.5))
        case State.LIMP:
            simulation.command(Command.RELEASE)
    assert (
        simulation.run(0.3, None if state is State.HOLDING else still(1.0, 1.0, 1.0), until=state).state
        is state
    )
    simulation.sleep(5.0)
    report = simulation.run(0.5, POSE)
    assert (report.state, report.fault, report.detail) == (State.FAULT, Fault.HELD_UP, "5 s")


def test_what_was_ordered_meanwhile_is_not_done_afterwards(begin):
    simulation = begin()
    simulation.run(2.0, POSE, until=State.DISARMED)
    simulation.command(Command.ARM)
    simulation.sleep(HOUR)
    simulation.run(1.0, POSE)
    assert simulation.state is State.FAULT
    simulation.command(Command.CLEAR_FAULT)
    simulation.run(1.0, POSE)
    assert simulation.state is State.DISARMED


def test_of_several_orders_that_came_meanwhile_in_a_fault_none_is_done_afterwards(begin):
    simulation = begin()
    simulation.arm(POSE)
    simulation.sleep(HOUR)
    assert simulation.run(1.0, POSE).fault is Fault.HELD_UP
    for command in (Command.ARM, Command.CLEAR_FAULT, Command.ARM):
        simulation.command(command)
    simulation.sleep(HOUR)
    report = simulation.run(3.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.HELD_UP)


def test_a_worker_that_ends_after_it_was_held_up_moves_nothing_first(begin):
    simulation = begin("feetech_sts", "detach")
    simulation.arm(swinging)
    simulation.run(0.5, swinging)
    simulation.sleep(HOUR)
    before = simulation.robot.positions
    simulation.worker.shut_down(simulation.now)
    assert simulation.limp() == [True] * 3
    assert simulation.robot.positions == before


def test_a_port_that_opens_slowly_is_no_fault(simulate):
    simulation = simulate(make_device())
    opening = simulation.worker._connect

    def slow(device, now):
        simulation.sleep(3.0)
        return opening(device, now)

    simulation.worker._connect = slow
    simulation.run(0.1, POSE)
    assert simulation.run(2.0, POSE, until=State.DISARMED).state is State.DISARMED


def test_a_worker_that_is_late_by_less_goes_on_by_itself_and_slowly(begin):
    simulation = begin()
    simulation.arm(swinging)
    simulation.sleep(0.9)
    states = {simulation.run(0.01, swinging).state for _ in range(1200)}
    assert not states - set(DRIVEN)
    assert {State.HOLDING, State.ARMING, State.ARMED} <= states
