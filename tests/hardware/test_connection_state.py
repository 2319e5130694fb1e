"""Tests the states of a connection to a robot: the tables alone, and the states through which a connection
passes.
"""

from itertools import product

import pytest
from limber.hardware.safety import Command, State
from limber.hardware.worker.connection_state import (
    AT_REST,
    BOARD_TRANSITIONS,
    CONFIRMED,
    PENDING,
    SERVO_TRANSITIONS,
    ConnectionState,
    DesiredState,
)

from tests.hardware.bus_simulation import POSE, begin, simulation

__all__ = ["begin", "simulation"]

TABLES = pytest.mark.parametrize("table", [BOARD_TRANSITIONS, SERVO_TRANSITIONS], ids=["board", "servos"])


@TABLES
def test_every_request_in_every_state_leads_to_a_state(table):
    assert set(table) == set(product(ConnectionState, DesiredState))


@TABLES
def test_whatever_a_connection_does_a_request_to_stop_is_sent(table):
    assert {table[state, DesiredState.STOPPED] for state in ConnectionState} == {ConnectionState.STOPPING}


@TABLES
def test_no_request_arms_a_robot_that_has_not_confirmed_it(table):
    armed_by = [
        (state, desired) for (state, desired), after in table.items() if after is ConnectionState.ARMED
    ]
    assert all(state is ConnectionState.ARMED for state, _ in armed_by)


@TABLES
def test_a_robot_that_may_be_armed_is_never_taken_for_disarmed_without_its_answer(table):
    for state in (ConnectionState.ARMING, ConnectionState.ARMED):
        assert table[state, DesiredState.DISARMED] is ConnectionState.DISARMING


@TABLES
def test_a_robot_of_which_some_servos_were_released_is_disarmed_too(table):
    for state in (ConnectionState.RELEASING, ConnectionState.LIMP):
        assert table[state, DesiredState.DISARMED] is ConnectionState.DISARMING


@TABLES
def test_no_request_takes_back_what_is_to_be_sent_to_end_motion(table):
    for state in (ConnectionState.STOPPING, ConnectionState.STOPPED, ConnectionState.DISARMING):
        assert table[state, DesiredState.DISARMED] in (ConnectionState.STOPPING, ConnectionState.DISARMING)


def test_a_stop_of_servos_is_sent_before_anything_else():
    assert {SERVO_TRANSITIONS[ConnectionState.STOPPING, desired] for desired in DesiredState} == {
        ConnectionState.STOPPING
    }


@TABLES
def test_what_was_requested_is_what_is_confirmed(table):
    for (state, desired), after in table.items():
        is_stop_to_send = after is state is ConnectionState.STOPPING
        assert after in (PENDING[desired], CONFIRMED[desired]) or is_stop_to_send, f"{desired} in {state}"


def test_pending_and_confirmed_states_are_all_states_and_only_armed_ones_are_not_at_rest():
    assert {*PENDING.values(), *CONFIRMED.values()} == set(ConnectionState)
    assert set(AT_REST) == set(CONFIRMED.values()) - {ConnectionState.ARMED}


def states_of(simulation, seconds: float) -> list[ConnectionState]:
    """The states of the connection after each of the worker's cycles, without repetitions."""
    states = []
    for _ in range(round(seconds / 0.01)):
        simulation.run(0.01, POSE)
        state = simulation.worker._connection.state
        if not states or states[-1] is not state:
            states.append(state)
    return states


def test_arming_disarming_and_stopping_go_through_their_pending_states(simulation):
    simulation.run(2.0, POSE, until=State.DISARMED)
    assert states_of(simulation, 0.1) == [ConnectionState.DISARMED]
    simulation.command(Command.ARM)
    assert states_of(simulation, 1.0) == [ConnectionState.ARMING, ConnectionState.ARMED]
    simulation.command(Command.DISARM)
    assert states_of(simulation, 0.5)[-1] is ConnectionState.DISARMED
    simulation.command(Command.RELEASE)
    assert states_of(simulation, 0.5) == [ConnectionState.RELEASING, ConnectionState.LIMP]
    simulation.stop()
    assert states_of(simulation, 0.5) == [ConnectionState.STOPPED]
