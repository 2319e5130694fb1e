"""Tests the state machine alone: the permitted transitions."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.hardware.safety import (
    CONFIRM_WITHIN,
    DISARM_AFTER,
    DRIVEN,
    HOLD_AFTER,
    JUMPED,
    NO_POSE,
    NO_RELEASE,
    SETTING_UP,
    Command,
    Fault,
    FaultReport,
    Safety,
    SafetyInputs,
    State,
    step,
)

WELL = SafetyInputs(connected=True, device_armed=True)
MOTION_COMMANDS = (Command.ARM, Command.ARM_CONFIRMED, Command.PARK, *SETTING_UP)

sights = st.builds(
    SafetyInputs,
    stop=st.booleans(),
    command=st.sampled_from(Command),
    fault_report=st.sampled_from(
        [None, None, None, FaultReport(Fault.UNPLUGGED), FaultReport(Fault.DEVICE_RESET, "x")]
    ),
    connected=st.booleans(),
    tells_pose=st.booleans(),
    confirmed=st.booleans(),
    pose_missing=st.sampled_from([None, "elbow"]),
    implausible=st.sampled_from(["", "'elbow' is at 200 degrees"]),
    releases=st.booleans(),
    device_armed=st.booleans(),
    blender_silence=st.sampled_from([0.0, 0.3, 6.0]),
    frame_age=st.sampled_from([0.0, 0.3, 2.0, float("inf")]),
    arrived=st.booleans(),
    done=st.booleans(),
    at_rest=st.booleans(),
    jumped=st.booleans(),
)
states = st.sampled_from([state for state in State if state not in (State.CLOSED, State.WORKER_LOST)])
exhaustive = settings(max_examples=300, derandomize=True)


@exhaustive
@given(states, sights)
def test_stop_is_honoured_in_every_state_whatever_else_is_seen(state, inputs):
    assert step(Safety(state, Fault.SILENT), replace(inputs, stop=True)) == Safety(State.FAULT, Fault.STOPPED)


@exhaustive
@given(states, sights)
def test_only_a_wish_takes_the_robot_from_rest_to_being_driven(state, inputs):
    after = step(Safety(state), inputs)
    if state not in DRIVEN and after.state in DRIVEN:
        assert inputs.connected
        assert not inputs.stop
        assert inputs.fault_report is None
        if state is State.CONFIRM_POSE:
            assert inputs.command is Command.CONFIRM_POSE or (
                inputs.command is Command.CONFIRM_JOINT and inputs.confirmed
            )
        else:
            assert state in (State.DISARMED, State.LIMP)
            assert inputs.command in MOTION_COMMANDS
            if not inputs.tells_pose:
                assert inputs.command is Command.ARM_CONFIRMED
                assert inputs.confirmed
                assert inputs.frame_age <= CONFIRM_WITHIN
            else:
                assert inputs.pose_missing is None


@exhaustive
@given(sights)
def test_nothing_but_a_wish_makes_servos_limp_and_only_those_that_can_be(inputs):
    for state in State:
        if (
            state not in (State.LIMP, State.CLOSED, State.WORKER_LOST)
            and step(Safety(state), inputs).state is State.LIMP
        ):
            assert inputs.command is Command.RELEASE
            assert inputs.releases


@exhaustive
@given(states, sights)
def test_a_robot_that_cannot_stand_as_it_says_is_not_armed_and_not_parked(state, inputs):
    after = step(Safety(state), replace(inputs, implausible="'elbow' is at 200 degrees"))
    if state in (State.DISARMED, State.LIMP):
        assert after.state not in (State.ARMING, State.PARKING)


@pytest.mark.parametrize("command", [Command.ARM, Command.PARK])
def test_a_robot_that_cannot_stand_as_it_says_is_told_with_its_numbers_and_can_be_set_up(command):
    unfit = replace(WELL, command=command, implausible="'elbow' is at 200 degrees")
    assert step(Safety(State.DISARMED), unfit) == Safety(
        State.FAULT, Fault.POSE_UNFIT, "'elbow' is at 200 degrees"
    )
    assert step(Safety(State.DISARMED), replace(unfit, command=Command.JOG)).state is State.SETUP


@pytest.mark.parametrize("command", SETTING_UP)
def test_set_up_begins_at_rest_ends_when_it_is_done_and_never_interrupts_following(command):
    assert step(Safety(State.DISARMED), replace(WELL, command=command)).state is State.SETUP
    assert step(Safety(State.LIMP), replace(WELL, command=command)).state is State.SETUP
    assert step(Safety(State.SETUP), replace(WELL, frame_age=9.0)).state is State.SETUP
    assert step(Safety(State.SETUP), replace(WELL, done=True)).state is State.DISARMED
    for state in (State.ARMING, State.ARMED, State.HOLDING, State.PARKING):
        assert step(Safety(state), replace(WELL, command=command)).state is not State.SETUP


def test_what_is_to_be_set_up_waits_for_the_pose_to_be_confirmed():
    waiting = step(Safety(State.DISARMED), replace(WELL, command=Command.TEST, tells_pose=False))
    assert waiting == Safety(State.CONFIRM_POSE, then=State.SETUP)
    assert step(waiting, WELL) == waiting
    assert step(waiting, replace(WELL, command=Command.CONFIRM_POSE)).state is State.SETUP


def test_joints_are_confirmed_one_by_one_until_the_last():
    waiting = Safety(State.CONFIRM_POSE)
    assert step(waiting, replace(WELL, command=Command.CONFIRM_JOINT, confirmed=False)) == waiting
    assert step(waiting, replace(WELL, command=Command.CONFIRM_JOINT, confirmed=True)).state is State.ARMING


@pytest.mark.parametrize("state", [State.ARMING, State.ARMED, State.HOLDING, State.DISARMED])
def test_parking_ends_disarmed_and_arming_takes_it_back(state):
    parking = step(Safety(state), replace(WELL, command=Command.PARK))
    assert parking.state is State.PARKING
    assert step(parking, replace(WELL, frame_age=9.0)).state is State.PARKING
    assert step(parking, replace(WELL, done=True)).state is State.DISARMED
    assert step(parking, replace(WELL, command=Command.ARM)).state is State.HOLDING


def test_limp_servos_stay_so_until_the_user_ends_it():
    limp = step(Safety(State.DISARMED), replace(WELL, command=Command.RELEASE))
    assert limp.state is State.LIMP
    assert step(limp, replace(WELL, blender_silence=9.0)) == limp
    assert step(limp, replace(WELL, command=Command.DISARM)).state is State.DISARMED


def test_servos_that_cannot_be_made_limp_say_so_until_something_else_is_wished():
    after = step(Safety(State.DISARMED), replace(WELL, command=Command.RELEASE, releases=False))
    assert (after.state, after.detail) == (State.DISARMED, NO_RELEASE)
    assert step(after, WELL) == after
    assert step(after, replace(WELL, command=Command.DISARM)).detail == ""


@exhaustive
@given(sights)
def test_a_fault_stays_until_the_user_takes_note_of_it(inputs):
    before = Safety(State.FAULT, Fault.UNPLUGGED, "gone")
    if not inputs.stop and inputs.command not in (Command.CLEAR_FAULT, Command.RECONNECT):
        assert step(before, inputs) == before


@exhaustive
@given(sights)
def test_taking_note_of_a_fault_never_arms(inputs):
    after = step(Safety(State.FAULT, Fault.STOPPED), replace(inputs, stop=False, command=Command.CLEAR_FAULT))
    assert after.state in (State.DISARMED, State.CONNECTING)


@exhaustive
@given(states, sights)
def test_trouble_ends_every_state_in_a_fault_that_says_why(state, inputs):
    fault_report = FaultReport(Fault.UNPLUGGED, "cable")
    quiet = replace(inputs, stop=False, command=Command.NOTHING, fault_report=fault_report)
    if state is not State.FAULT:
        assert step(Safety(state), quiet) == Safety(State.FAULT, Fault.UNPLUGGED, "cable")


@pytest.mark.parametrize("state", DRIVEN)
def test_disarm_ends_every_driven_state(state):
    assert step(Safety(state), replace(WELL, command=Command.DISARM)).state is State.DISARMED


@pytest.mark.parametrize("state", DRIVEN)
def test_long_silence_from_blender_disarms_with_a_fault(state):
    assert step(Safety(state), replace(WELL, blender_silence=DISARM_AFTER + 0.01)) == Safety(
        State.FAULT, Fault.BLENDER_SILENT
    )


@pytest.mark.parametrize("state", [State.ARMING, State.ARMED])
def test_missing_angles_end_in_a_hold(state):
    assert step(Safety(state), replace(WELL, frame_age=HOLD_AFTER + 0.01)).state is State.HOLDING


def test_a_hold_ends_by_a_ramp_and_only_from_a_standstill():
    holding = Safety(State.HOLDING)
    assert step(holding, replace(WELL, at_rest=False)).state is State.HOLDING
    assert step(holding, replace(WELL, at_rest=True)).state is State.ARMING


@pytest.mark.parametrize("state", [State.ARMING, State.ARMED])
def test_a_leap_of_the_pose_ends_in_a_hold_that_says_so_until_the_ramp_has_arrived(state):
    holding = step(Safety(state), replace(WELL, jumped=True))
    assert holding == Safety(State.HOLDING, detail=JUMPED)
    assert step(holding, replace(WELL, jumped=True, at_rest=False)) == holding
    ramping = step(holding, WELL)
    assert ramping == Safety(State.ARMING, detail=JUMPED)
    assert step(ramping, WELL) == ramping
    assert step(ramping, replace(WELL, arrived=True)) == Safety(State.ARMED)


def test_the_ramp_ends_where_the_pose_is_reached():
    assert step(Safety(State.ARMING), WELL).state is State.ARMING
    assert step(Safety(State.ARMING), replace(WELL, arrived=True)).state is State.ARMED


def test_a_position_that_cannot_be_read_is_a_fault_that_names_the_channel():
    after = step(Safety(State.DISARMED), replace(WELL, command=Command.ARM, pose_missing="elbow"))
    assert after.state is State.FAULT
    assert after.fault is Fault.POSE_UNREAD
    assert "elbow" in after.detail


def test_servos_that_cannot_tell_their_pose_need_it_confirmed():
    assert (
        step(Safety(State.DISARMED), replace(WELL, command=Command.ARM, tells_pose=False)).state
        is State.CONFIRM_POSE
    )


def test_a_pose_that_blender_no_longer_shows_cannot_be_confirmed():
    old = replace(WELL, tells_pose=False, command=Command.CONFIRM_POSE, frame_age=CONFIRM_WITHIN + 0.1)
    after = step(Safety(State.CONFIRM_POSE), old)
    assert after == Safety(State.CONFIRM_POSE, detail=NO_POSE)


def test_arming_with_the_pose_confirmed_asks_all_the_same_where_blender_no_longer_shows_it():
    arming = replace(WELL, command=Command.ARM_CONFIRMED, tells_pose=False, confirmed=True)
    assert step(Safety(State.DISARMED), arming).state is State.ARMING
    assert (
        step(Safety(State.DISARMED), replace(arming, frame_age=CONFIRM_WITHIN + 0.1)).state
        is State.CONFIRM_POSE
    )
    assert step(Safety(State.DISARMED), replace(arming, confirmed=False)).state is State.CONFIRM_POSE


def test_a_robot_that_tells_where_it_is_is_armed_there_whatever_the_user_confirms():
    arming = replace(WELL, command=Command.ARM_CONFIRMED)
    assert step(Safety(State.DISARMED), replace(arming, pose_missing="elbow")).fault is Fault.POSE_UNREAD
    assert (
        step(Safety(State.DISARMED), replace(arming, implausible="'elbow' is at 200 degrees")).fault
        is Fault.POSE_UNFIT
    )


def test_connecting_ends_disarmed_and_a_lost_session_at_rest_connects_again():
    assert step(Safety(State.CONNECTING), WELL).state is State.DISARMED
    assert step(Safety(State.DISARMED), replace(WELL, connected=False)).state is State.CONNECTING


@pytest.mark.parametrize(
    "state", [State.DISARMED, State.CONFIRM_POSE, State.ARMING, State.ARMED, State.FAULT]
)
def test_where_nothing_new_is_seen_nothing_changes(state):
    assert step(Safety(state), WELL).state is state
