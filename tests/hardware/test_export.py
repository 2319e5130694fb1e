"""Tests motion for a robot without a computer: refused input, the rows, and atomic writing of files."""

import math
import os
import struct
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.hardware.device import Device, DeviceJoint, ServoChannel, Share, auxiliary
from limber.hardware.motion_files import ExportError, Take, make_motion, write
from limber.hardware.motion_files.motion import sample
from limber.motion import Kinematic, Limits, make_limiter

from tests.hardware.devices import direct, one_to_one
from tests.hardware.exporting import FPS, LIMITS, changed, device, filtered, motion


def still(robot: Device, *values: float, frames: int = 5, first: int = 10) -> Take:
    return Take(robot, first, FPS, (values,) * frames, first + frames - 1)


def steady(found: list[tuple[float, ...]], rate: float, order: int) -> float:
    """The largest difference of that order, per second to the same power."""
    for _ in range(order):
        found = [
            tuple((b - a) * rate for a, b in zip(before, after, strict=True))
            for before, after in pairwise(found)
        ]
    return max(abs(value) for row in found for value in row)


# --- what is refused
@pytest.mark.parametrize("filter_name", ["default", "nutty"])
@pytest.mark.parametrize("fps", [12.0, 23.976, 24.0, 60.0])
def test_what_a_motion_filter_has_led_is_never_refused(filter_name, fps):
    assert motion(fps=fps, filter_name=filter_name).values


def test_frames_of_single_precision_are_as_good():
    """Keyframes of an action have single precision."""
    import struct

    take = filtered(device(), fps=60.0)
    single = tuple(
        tuple(struct.unpack("f", struct.pack("f", value))[0] for value in values) for values in take.frames
    )
    assert make_motion(replace(take, frames=single), 50, "Arm", loops=False).values


def test_a_joint_beyond_its_limit_is_named_with_frame_expected_and_found():
    take = changed(still(device(2), 0.0, 0.0), 12, 1, math.radians(80))
    with pytest.raises(
        ExportError,
        match=r"Joint 'joint 1', frame 12: 80\.0 degrees; expected -68\.8 degrees to 68\.8 degrees",
    ):
        make_motion(take, 50, "Arm", loops=False)


def test_a_leap_is_refused_as_too_fast_at_its_frame():
    take = changed(still(device(2), 0.0, 0.0), 13, 0, 0.5)
    with pytest.raises(
        ExportError,
        match=r"Joint 'joint 0', frame 13: velocity 687\.5 degrees/s; expected at most 180 degrees/s",
    ):
        make_motion(take, 50, "Arm", loops=False)


def test_a_start_too_sudden_is_refused_as_acceleration():
    limits = Limits(-1.2, 1.2, 4.0, 1.0, 1e6)
    robot = one_to_one("virtual", [direct("neck", 0, limits)])
    take = Take(robot, 1, 10.0, tuple((0.02 * k,) for k in range(10)), 10)
    with pytest.raises(
        ExportError,
        match=r"Joint 'neck', frame 2, and in 1 more: acceleration 114\.6 degrees/s2; expected at most 57\.3",
    ):
        make_motion(take, 50, "Arm", loops=False)


@pytest.mark.parametrize("filter_name", ["default", "nutty"])
@pytest.mark.parametrize("fps", [12.0, 24.0, 60.0])
def test_a_motion_that_ends_under_way_is_brought_to_rest_within_the_limits_wherever_it_is_cut(
    filter_name, fps
):
    whole = filtered(device(), filter_name=filter_name, fps=fps, seconds=2.0)
    for length in range(3, len(whole.frames), 3):
        cut = replace(
            whole,
            frames=tuple(tuple(map(single, row)) for row in whole.frames[:length]),
            last=whole.first + length - 1,
        )
        made = make_motion(cut, 50, "Arm", loops=False)  # its check includes rest after the last frame
        own = (length - 1 + 2) / fps  # [s] duration of the frames themselves
        assert len(made.values) / 50 < own + 2.0 * LIMITS.velocity / LIMITS.acceleration + 0.1, (
            "it brakes as hard as it may"
        )
        assert made.values[-1] == pytest.approx(made.values[-2], abs=1e-3)


def test_a_motion_that_loops_returns_from_where_it_has_come_to_rest():
    whole = filtered(device())
    middle = next(
        k for k in range(20, len(whole.frames)) if steady(list(whole.frames[k : k + 2]), FPS, 1) > 2.0
    )
    cut = replace(whole, frames=whole.frames[: middle + 1], last=whole.first + middle)
    made = make_motion(cut, 50, "Arm", loops=True)
    assert made.values[-1] == made.values[0]


def single(value: float) -> float:
    """The value as a keyframe stores it."""
    return struct.unpack("f", struct.pack("f", value))[0]


def test_a_jerk_alone_is_refused():
    rough = replace(LIMITS, jerk=1.0)
    joints = tuple(replace(joint, limits=rough) for joint in device().joints)
    with pytest.raises(
        ExportError,
        match=r"Joint 'joint \d', frame \d+.*: jerk .* degrees/s3; expected at most 57\.3 degrees/s3",
    ):
        make_motion(
            replace(filtered(device()), device=replace(device(), joints=joints)), 50, "Arm", loops=False
        )


def test_a_servo_that_would_have_to_turn_faster_than_it_can_is_named_with_its_frame_and_numbers():
    with pytest.raises(
        ExportError,
        match=(
            r"Channel 'joint \d' \(servo \d\), frame \d+: its servo rotates at -?\d+ degrees/s; expected at"
            r" most 57\."
        ),
    ):
        make_motion(filtered(device(speed=1.0)), 50, "Arm", loops=False)
    make_motion(filtered(device(speed=LIMITS.velocity)), 50, "Arm", loops=False)


def test_a_channel_out_of_its_range_is_named_with_its_number():
    narrow = device(2, lowest=1200.0, highest=1800.0)
    with pytest.raises(
        ExportError, match=r"Channel 'joint 1' \(servo 1\), frame 10: position 2136\.6; expected 1200 to 1800"
    ):
        make_motion(still(narrow, 0.0, 1.0), 50, "Arm", loops=False)


def test_a_mix_out_of_its_range_is_refused_though_each_joint_is_within_its_own():
    joints = (DeviceJoint("nod", LIMITS), DeviceJoint("tilt", LIMITS))
    channels = (
        ServoChannel(0, (Share("nod"), Share("tilt")), lowest=800.0, highest=2200.0),
        ServoChannel(1, (Share("nod"), Share("tilt", -1.0)), lowest=800.0, highest=2200.0),
    )
    robot = Device("virtual", joints, channels)
    assert make_motion(still(robot, 0.8, 0.0), 50, "Neck", loops=False).positions[0] == pytest.approx(
        (1500 + 0.8 * 2000 / math.pi,) * 2
    )
    with pytest.raises(
        ExportError,
        match=r"Channel 'nod \+ tilt' \(servo 0\), frame 10: position 2518\.6; expected 800 to 2200",
    ):
        make_motion(still(robot, 0.8, 0.8), 50, "Neck", loops=False)


def test_what_is_no_number_is_refused():
    with pytest.raises(ExportError, match=r"Joint 'joint 0', frame 11: its value is nan"):
        make_motion(changed(still(device(1), 0.0), 11, 0, math.nan), 50, "Arm", loops=False)


@pytest.mark.parametrize("rate", [0, -5, 256])
def test_a_rate_that_cannot_be_had_is_refused(rate):
    with pytest.raises(ExportError, match=f"A rate of {rate} Hz"):
        make_motion(still(device(1), 0.0), rate, "Arm", loops=False)


def test_metres_and_plain_numbers_are_told_in_their_own_units():
    slide = one_to_one("virtual", [direct("lift", 0, Limits(0.0, 0.1, 0.2, 1.0, 10.0), gear=20.0, unit="m")])
    with pytest.raises(
        ExportError, match=r"Joint 'lift', frame 12: velocity 1200 mm/s; expected at most 200 mm/s"
    ):
        make_motion(changed(still(slide, 0.0), 12, 0, 0.05), 50, "Lift", loops=False)
    jaw = one_to_one("virtual", [auxiliary("jaw", 0, Limits(0.0, 1.0, 4.0, 40.0, 400.0), 1000.0, 2000.0)])
    with pytest.raises(ExportError, match=r"Joint 'jaw', frame 12: velocity 24/s; expected at most 4/s"):
        make_motion(changed(still(jaw, 0.0), 12, 0, 1.0), 50, "Jaw", loops=False)


def test_a_take_without_frames_or_with_missing_values_is_refused():
    with pytest.raises(ExportError, match="no frame"):
        Take(device(2), 1, FPS, (), 1)
    with pytest.raises(ExportError, match="frame 2 has 1 values for 2 joints"):
        Take(device(2), 1, FPS, ((0.0, 0.0), (0.0,)), 2)


# --- the rows
@given(
    st.floats(5.0, 120.0),
    st.integers(1, 255),
    st.lists(st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)), min_size=1, max_size=12),
)
def test_rows_begin_in_the_first_frame_end_in_the_last_and_stay_among_the_frames(fps, rate, frames):
    take = Take(device(2), 1, fps, tuple(frames), len(frames))
    rows = sample(take, rate)
    assert rows[0] == [Kinematic(value) for value in take.frames[0]]
    assert [joint.position for joint in rows[-1]] == list(take.frames[-1])
    assert [joint.velocity for joint in rows[-1]] == [0.0, 0.0]
    assert (len(rows) - 1) / rate == pytest.approx((len(frames) + 1) / fps, abs=1.0 / rate + 1e-9)
    for k in range(2):
        values = [values[k] for values in take.frames]
        assert all(min(values) - 1e-12 <= row[k].position <= max(values) + 1e-12 for row in rows)


@pytest.mark.parametrize("rate", [24, 25, 50, 60, 100, 255])
def test_rows_keep_the_limits_that_the_frames_keep(rate):
    rows = [tuple(joint.position for joint in row) for row in sample(filtered(device()), rate)]
    assert steady(rows, rate, 1) <= LIMITS.velocity * (1 + 1e-6)
    assert steady(rows[:-1], rate, 2) <= LIMITS.acceleration * (
        1 + 1e-6
    )  # the last row may come earlier than its time
    assert steady(rows[:-1], rate, 3) <= LIMITS.jerk * (1 + 1e-3)


@pytest.mark.parametrize("rate", [50, 60, 100])
def test_the_robot_link_s_limiter_passes_the_rows_to_the_last_bit(rate):
    take = filtered(device())
    limiter = make_limiter(LIMITS)
    for joint in zip(*sample(take, rate), strict=True):
        state = Kinematic(joint[0].position)
        for wanted in joint[1:-1]:
            state = limiter.step(state, wanted.position, 1.0 / rate, wanted.velocity, wanted.acceleration)
            assert state.position == wanted.position


@pytest.mark.parametrize("filter_name", ["default", "nutty"])
def test_at_the_frames_own_rate_rows_are_the_frames_with_rest_before_and_after(filter_name):
    take = filtered(device(), filter_name=filter_name)
    rows = make_motion(take, round(FPS), "Arm", loops=False).values
    assert rows == (take.frames[0], *take.frames, take.frames[-1])


def test_a_way_back_that_would_take_minutes_is_refused_with_the_remedy():
    slow = replace(LIMITS, velocity=2e-3)  # [rad/s] a slow joint
    take = Take(device(1, slow), 1, 1.0, tuple((1.5e-3 * second,) for second in range(120)), 120)
    with pytest.raises(
        ExportError,
        match=r"The return to .* takes more than 120 s: end the range in the pose in which it begins",
    ):
        make_motion(take, 5, "Arm", loops=True)


def test_a_loop_ends_at_rest_where_it_begins():
    once, loop = motion(), motion(loops=True)
    assert once.values[-1] != once.values[0]
    assert loop.values[-1] == loop.values[0]
    assert loop.values[: len(once.values) - 5] == once.values[: len(once.values) - 5]
    assert steady(list(loop.values), 50, 1) <= LIMITS.velocity * (1 + 1e-6)


def test_a_loop_that_ends_where_it_begins_needs_no_way_back():
    robot = device(1)
    assert set(make_motion(still(robot, 0.3), 50, "Arm", loops=True).values) == {(0.3,)}


def test_positions_are_those_of_the_robot_link():
    from limber.hardware.mixing import Mixing

    found = motion()
    mixing = Mixing(found.device)
    assert [mixing.raw(values) for values in found.values] == list(found.positions)


# --- files
def test_a_file_comes_as_a_whole_and_replaces_the_one_before(tmp_path):
    path = tmp_path / "motion.csv"
    write(path, b"one")
    path.chmod(0o640)
    write(path, b"two")
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["motion.csv"]


def test_where_writing_fails_the_old_file_stays_and_nothing_else_is_left(tmp_path, monkeypatch):
    path = tmp_path / "motion.csv"
    write(path, b"one")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ExportError, match="No space left on device"):
        write(path, b"two")
    assert path.read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["motion.csv"]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(
        ExportError, match=r"nowhere/motion.csv' cannot be written \(No such file or directory\)"
    ):
        write(tmp_path / "nowhere" / "motion.csv", b"")
