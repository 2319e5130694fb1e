"""The state machine alone: what may follow what."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.hardware.safety import (
    CONFIRM_WITHIN,
    DISARM_AFTER,
    DRIVEN,
    HOLD_AFTER,
    LEAPT,
    NO_POSE,
    NO_RELEASE,
    SETTING_UP,
    Fault,
    Safety,
    Sight,
    State,
    Trouble,
    Wish,
    step,
)

WELL = Sight(connected=True, device_armed=True)
BEGINNINGS = (Wish.ARM, Wish.ARM_CONFIRMED, Wish.PARK, *SETTING_UP)

sights = st.builds(
    Sight,
    stop=st.booleans(),
    wish=st.sampled_from(Wish),
    trouble=st.sampled_from([None, None, None, Trouble(Fault.UNPLUGGED), Trouble(Fault.DEVICE_RESET, "x")]),
    connected=st.booleans(),
    tells_pose=st.booleans(),
    confirmed=st.booleans(),
    unread=st.sampled_from([None, "elbow"]),
    unfit=st.sampled_from(["", "'elbow' is at 200 degrees"]),
    releases=st.booleans(),
    device_armed=st.booleans(),
    blender_silence=st.sampled_from([0.0, 0.3, 6.0]),
    frame_age=st.sampled_from([0.0, 0.3, 2.0, float("inf")]),
    arrived=st.booleans(),
    done=st.booleans(),
    at_rest=st.booleans(),
    leapt=st.booleans(),
)
states = st.sampled_from([state for state in State if state not in (State.CLOSED, State.WORKER_LOST)])
exhaustive = settings(max_examples=300, derandomize=True)


@exhaustive
@given(states, sights)
def test_stop_is_honoured_in_every_state_whatever_else_is_seen(state, sight):
    assert step(Safety(state, Fault.SILENT), replace(sight, stop=True)) == Safety(State.FAULT, Fault.STOPPED)


@exhaustive
@given(states, sights)
def test_only_a_wish_takes_the_robot_from_rest_to_being_driven(state, sight):
    after = step(Safety(state), sight)
    if state not in DRIVEN and after.state in DRIVEN:
        assert sight.connected
        assert not sight.stop
        assert sight.trouble is None
        if state is State.CONFIRM_POSE:
            assert sight.wish is Wish.CONFIRM_POSE or (sight.wish is Wish.CONFIRM_JOINT and sight.confirmed)
        else:
            assert state in (State.DISARMED, State.LIMP)
            assert sight.wish in BEGINNINGS
            if not sight.tells_pose:
                assert sight.wish is Wish.ARM_CONFIRMED
                assert sight.confirmed
                assert sight.frame_age <= CONFIRM_WITHIN
            else:
                assert sight.unread is None


@exhaustive
@given(sights)
def test_nothing_but_a_wish_makes_servos_limp_and_only_those_that_can_be(sight):
    for state in State:
        if state not in (State.LIMP, State.CLOSED, State.WORKER_LOST) and step(Safety(state), sight).state is State.LIMP:
            assert sight.wish is Wish.RELEASE
            assert sight.releases


@exhaustive
@given(states, sights)
def test_a_robot_that_cannot_stand_as_it_says_is_not_armed_and_not_parked(state, sight):
    after = step(Safety(state), replace(sight, unfit="'elbow' is at 200 degrees"))
    if state in (State.DISARMED, State.LIMP):
        assert after.state not in (State.ARMING, State.PARKING)


@pytest.mark.parametrize("wish", [Wish.ARM, Wish.PARK])
def test_a_robot_that_cannot_stand_as_it_says_is_told_with_its_numbers_and_can_be_set_up(wish):
    unfit = replace(WELL, wish=wish, unfit="'elbow' is at 200 degrees")
    assert step(Safety(State.DISARMED), unfit) == Safety(State.FAULT, Fault.POSE_UNFIT, "'elbow' is at 200 degrees")
    assert step(Safety(State.DISARMED), replace(unfit, wish=Wish.JOG)).state is State.SETUP


@pytest.mark.parametrize("wish", SETTING_UP)
def test_set_up_begins_at_rest_ends_when_it_is_done_and_never_interrupts_following(wish):
    assert step(Safety(State.DISARMED), replace(WELL, wish=wish)).state is State.SETUP
    assert step(Safety(State.LIMP), replace(WELL, wish=wish)).state is State.SETUP
    assert step(Safety(State.SETUP), replace(WELL, frame_age=9.0)).state is State.SETUP
    assert step(Safety(State.SETUP), replace(WELL, done=True)).state is State.DISARMED
    for state in (State.ARMING, State.ARMED, State.HOLDING, State.PARKING):
        assert step(Safety(state), replace(WELL, wish=wish)).state is not State.SETUP


def test_what_is_to_be_set_up_waits_for_the_pose_to_be_confirmed():
    waiting = step(Safety(State.DISARMED), replace(WELL, wish=Wish.TEST, tells_pose=False))
    assert waiting == Safety(State.CONFIRM_POSE, then=State.SETUP)
    assert step(waiting, WELL) == waiting
    assert step(waiting, replace(WELL, wish=Wish.CONFIRM_POSE)).state is State.SETUP


def test_joints_are_confirmed_one_by_one_until_the_last():
    waiting = Safety(State.CONFIRM_POSE)
    assert step(waiting, replace(WELL, wish=Wish.CONFIRM_JOINT, confirmed=False)) == waiting
    assert step(waiting, replace(WELL, wish=Wish.CONFIRM_JOINT, confirmed=True)).state is State.ARMING


@pytest.mark.parametrize("state", [State.ARMING, State.ARMED, State.HOLDING, State.DISARMED])
def test_parking_ends_disarmed_and_arming_takes_it_back(state):
    parking = step(Safety(state), replace(WELL, wish=Wish.PARK))
    assert parking.state is State.PARKING
    assert step(parking, replace(WELL, frame_age=9.0)).state is State.PARKING
    assert step(parking, replace(WELL, done=True)).state is State.DISARMED
    assert step(parking, replace(WELL, wish=Wish.ARM)).state is State.HOLDING


def test_limp_servos_stay_so_until_the_user_ends_it():
    limp = step(Safety(State.DISARMED), replace(WELL, wish=Wish.RELEASE))
    assert limp.state is State.LIMP
    assert step(limp, replace(WELL, blender_silence=9.0)) == limp
    assert step(limp, replace(WELL, wish=Wish.DISARM)).state is State.DISARMED


def test_servos_that_cannot_be_made_limp_say_so_until_something_else_is_wished():
    after = step(Safety(State.DISARMED), replace(WELL, wish=Wish.RELEASE, releases=False))
    assert (after.state, after.detail) == (State.DISARMED, NO_RELEASE)
    assert step(after, WELL) == after
    assert step(after, replace(WELL, wish=Wish.DISARM)).detail == ""


@exhaustive
@given(sights)
def test_a_fault_stays_until_the_user_takes_note_of_it(sight):
    before = Safety(State.FAULT, Fault.UNPLUGGED, "gone")
    if not sight.stop and sight.wish not in (Wish.CLEAR_FAULT, Wish.RECONNECT):
        assert step(before, sight) == before


@exhaustive
@given(sights)
def test_taking_note_of_a_fault_never_arms(sight):
    after = step(Safety(State.FAULT, Fault.STOPPED), replace(sight, stop=False, wish=Wish.CLEAR_FAULT))
    assert after.state in (State.DISARMED, State.CONNECTING)


@exhaustive
@given(states, sights)
def test_trouble_ends_every_state_in_a_fault_that_says_why(state, sight):
    trouble = Trouble(Fault.UNPLUGGED, "cable")
    quiet = replace(sight, stop=False, wish=Wish.NOTHING, trouble=trouble)
    if state is not State.FAULT:
        assert step(Safety(state), quiet) == Safety(State.FAULT, Fault.UNPLUGGED, "cable")


@pytest.mark.parametrize("state", DRIVEN)
def test_disarm_ends_every_driven_state(state):
    assert step(Safety(state), replace(WELL, wish=Wish.DISARM)).state is State.DISARMED


@pytest.mark.parametrize("state", DRIVEN)
def test_long_silence_from_blender_disarms_with_a_fault(state):
    assert step(Safety(state), replace(WELL, blender_silence=DISARM_AFTER + 0.01)) == Safety(State.FAULT, Fault.BLENDER_SILENT)


@pytest.mark.parametrize("state", [State.ARMING, State.ARMED])
def test_missing_angles_end_in_a_hold(state):
    assert step(Safety(state), replace(WELL, frame_age=HOLD_AFTER + 0.01)).state is State.HOLDING


def test_a_hold_ends_by_a_ramp_and_only_from_a_standstill():
    holding = Safety(State.HOLDING)
    assert step(holding, replace(WELL, at_rest=False)).state is State.HOLDING
    assert step(holding, replace(WELL, at_rest=True)).state is State.ARMING


@pytest.mark.parametrize("state", [State.ARMING, State.ARMED])
def test_a_leap_of_the_pose_ends_in_a_hold_that_says_so_until_the_ramp_has_arrived(state):
    holding = step(Safety(state), replace(WELL, leapt=True))
    assert holding == Safety(State.HOLDING, detail=LEAPT)
    assert step(holding, replace(WELL, leapt=True, at_rest=False)) == holding
    ramping = step(holding, WELL)
    assert ramping == Safety(State.ARMING, detail=LEAPT)
    assert step(ramping, WELL) == ramping
    assert step(ramping, replace(WELL, arrived=True)) == Safety(State.ARMED)


def test_the_ramp_ends_where_the_pose_is_reached():
    assert step(Safety(State.ARMING), WELL).state is State.ARMING
    assert step(Safety(State.ARMING), replace(WELL, arrived=True)).state is State.ARMED


def test_a_position_that_cannot_be_read_is_a_fault_that_names_the_channel():
    after = step(Safety(State.DISARMED), replace(WELL, wish=Wish.ARM, unread="elbow"))
    assert after.state is State.FAULT
    assert after.fault is Fault.POSE_UNREAD
    assert "elbow" in after.detail


def test_servos_that_cannot_tell_their_pose_need_it_confirmed():
    assert step(Safety(State.DISARMED), replace(WELL, wish=Wish.ARM, tells_pose=False)).state is State.CONFIRM_POSE


def test_a_pose_that_blender_no_longer_shows_cannot_be_confirmed():
    old = replace(WELL, tells_pose=False, wish=Wish.CONFIRM_POSE, frame_age=CONFIRM_WITHIN + 0.1)
    after = step(Safety(State.CONFIRM_POSE), old)
    assert after == Safety(State.CONFIRM_POSE, detail=NO_POSE)


def test_arming_with_the_pose_confirmed_asks_all_the_same_where_blender_no_longer_shows_it():
    arming = replace(WELL, wish=Wish.ARM_CONFIRMED, tells_pose=False, confirmed=True)
    assert step(Safety(State.DISARMED), arming).state is State.ARMING
    assert step(Safety(State.DISARMED), replace(arming, frame_age=CONFIRM_WITHIN + 0.1)).state is State.CONFIRM_POSE
    assert step(Safety(State.DISARMED), replace(arming, confirmed=False)).state is State.CONFIRM_POSE


def test_a_robot_that_tells_where_it_is_is_armed_there_whatever_the_user_confirms():
    arming = replace(WELL, wish=Wish.ARM_CONFIRMED)
    assert step(Safety(State.DISARMED), replace(arming, unread="elbow")).fault is Fault.POSE_UNREAD
    assert step(Safety(State.DISARMED), replace(arming, unfit="'elbow' is at 200 degrees")).fault is Fault.POSE_UNFIT


def test_connecting_ends_disarmed_and_a_lost_session_at_rest_connects_again():
    assert step(Safety(State.CONNECTING), WELL).state is State.DISARMED
    assert step(Safety(State.DISARMED), replace(WELL, connected=False)).state is State.CONNECTING


@pytest.mark.parametrize("state", [State.DISARMED, State.CONFIRM_POSE, State.ARMING, State.ARMED, State.FAULT])
def test_where_nothing_new_is_seen_nothing_changes(state):
    assert step(Safety(state), WELL).state is state
