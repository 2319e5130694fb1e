"""The state machine alone: what may follow what."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.hardware.safety import CONFIRM_WITHIN, DISARM_AFTER, DRIVEN, HOLD_AFTER, LEAPT, Fault, Safety, Sight, State, Trouble, Wish, step

WELL = Sight(connected=True, device_armed=True)

sights = st.builds(
    Sight,
    stop=st.booleans(),
    wish=st.sampled_from(Wish),
    trouble=st.sampled_from([None, None, None, Trouble(Fault.UNPLUGGED), Trouble(Fault.DEVICE_RESET, "x")]),
    connected=st.booleans(),
    tells_pose=st.booleans(),
    unread=st.sampled_from([None, "elbow"]),
    device_armed=st.booleans(),
    blender_silence=st.sampled_from([0.0, 0.3, 6.0]),
    frame_age=st.sampled_from([0.0, 0.3, 2.0, float("inf")]),
    arrived=st.booleans(),
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
        assert (state, sight.wish) in ((State.DISARMED, Wish.ARM), (State.CONFIRM_POSE, Wish.CONFIRM_POSE))


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
    assert after.state is State.CONFIRM_POSE
    assert "Live" in after.detail


def test_connecting_ends_disarmed_and_a_lost_session_at_rest_connects_again():
    assert step(Safety(State.CONNECTING), WELL).state is State.DISARMED
    assert step(Safety(State.DISARMED), replace(WELL, connected=False)).state is State.CONNECTING


@pytest.mark.parametrize("state", [State.DISARMED, State.CONFIRM_POSE, State.ARMING, State.ARMED, State.FAULT])
def test_where_nothing_new_is_seen_nothing_changes(state):
    assert step(Safety(state), WELL).state is state
