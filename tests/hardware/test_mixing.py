"""Tests the conversion between joints and channels: gears, mirrored servos, differentials, and the combined
effect of limits and ranges.
"""

import math
import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from limber.hardware.device import Device, DeviceJoint, ServoChannel, Share
from limber.hardware.errors import AnglesError, DeviceError
from limber.hardware.mixing import Mixing
from limber.hardware.servo_shortfalls import short_joints, speed_problems
from limber.motion import Limits

from tests.hardware.devices import direct, one_to_one
from tests.hardware.simulation import LIMITS

gears = st.floats(0.25, 4.0) | st.floats(-4.0, -0.25)
channels = st.builds(
    ServoChannel,
    servo=st.integers(0, 20),
    shares=st.builds(lambda gear: (Share("elbow", gear),), gears),
    direction=st.sampled_from([1, -1]),
    zero=st.floats(1400.0, 1600.0),
    per_radian=st.floats(300.0, 900.0),
)


def one(channel: ServoChannel) -> Device:
    return Device("virtual", (DeviceJoint("elbow", LIMITS),), (channel,))


def differential(limits: Limits = LIMITS, **settings) -> Device:
    """A neck: both servos in the same direction for pan, in opposite directions for tilt."""
    joints = DeviceJoint("pan", limits), DeviceJoint("tilt", limits)
    shares = (Share("pan"), Share("tilt")), (Share("pan"), Share("tilt", -1.0))
    return Device(
        "virtual", joints, tuple(ServoChannel(k, share, **settings) for k, share in enumerate(shares))
    )


def mirrored(zeros=(1500.0, 1500.0)) -> Device:
    """Two servos facing each other on one axis."""
    pair = tuple(
        ServoChannel(k, (Share("elbow"),), direction=1 - 2 * k, zero=zero) for k, zero in enumerate(zeros)
    )
    return Device("virtual", (DeviceJoint("elbow", LIMITS),), pair)


@settings(derandomize=True)
@given(channels, st.floats(0.0, 1.0))
def test_a_value_within_the_range_becomes_a_raw_position_and_back(channel, share):
    mixing = Mixing(one(channel))
    ((lower, upper),) = mixing.ranges
    angle = lower + share * (upper - lower)
    raw = mixing.raw((angle,))
    assert channel.lowest - 1e-6 <= raw[0] <= channel.highest + 1e-6
    assert mixing.values(raw) == pytest.approx((angle,), abs=1e-9)


@settings(derandomize=True)
@given(channels, st.floats(-1e6, 1e6))
def test_no_value_makes_a_raw_position_beyond_the_servos_range(channel, angle):
    assert channel.lowest <= Mixing(one(channel)).raw((angle,))[0] <= channel.highest


def test_the_direction_mirrors_the_raw_position():
    there, back = Mixing(mirrored()).raw((0.5,))
    assert there - 1500.0 == pytest.approx(1500.0 - back)


@pytest.mark.parametrize("angle", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_no_number_has_no_raw_position(angle):
    with pytest.raises(AnglesError, match="'elbow'"):
        Mixing(one(ServoChannel(0, (Share("elbow"),)))).raw((angle,))


def test_the_wrong_number_of_values_is_an_error():
    with pytest.raises(AnglesError, match="3 values for 2 joints"):
        Mixing(differential()).raw((0.0, 0.0, 0.0))


@settings(derandomize=True)
@given(st.lists(st.tuples(gears, gears), min_size=2, max_size=2), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_a_mix_is_undone_exactly_from_what_is_measured(rows, pan, tilt):
    (a, b), (c, d) = rows
    assume(abs(a * d - b * c) > 0.1)
    shares = ((Share("pan", a), Share("tilt", b)), (Share("pan", c), Share("tilt", d)))
    joints = DeviceJoint("pan", LIMITS), DeviceJoint("tilt", LIMITS)
    mixing = Mixing(
        Device("virtual", joints, tuple(ServoChannel(k, share) for k, share in enumerate(shares)))
    )
    assert mixing.values(mixing.unbounded((pan, tilt))) == pytest.approx((pan, tilt), abs=1e-9)


def test_two_servos_on_one_axis_are_read_as_their_mean():
    mixing = Mixing(mirrored(zeros=(1500.0, 1400.0)))
    first, second = mixing.raw((0.3,))
    per_radian = 2000.0 / math.pi
    assert mixing.values((first + 0.02 * per_radian, second)) == pytest.approx((0.31,))
    channel, expected, found = mixing.disagreement((first + 0.2 * per_radian, second))
    assert abs(found - expected) == pytest.approx(0.1)
    assert channel in (0, 1)


def test_a_joint_is_unknown_where_one_of_its_servos_is():
    device = differential()
    extra = direct("jaw", 5, LIMITS)
    device = Device("virtual", (*device.joints, extra[0]), (*device.channels, extra[1]))
    pan, tilt, jaw = Mixing(device).values((1500.0, None, 1500.0))
    assert (pan, tilt) == (None, None)
    assert jaw == pytest.approx(0.0)


def test_a_mix_that_cannot_be_undone_names_its_channels():
    joints = DeviceJoint("pan", LIMITS), DeviceJoint("tilt", LIMITS)
    same = tuple(ServoChannel(k, (Share("pan", 2.0), Share("tilt", 1.0))) for k in (4, 7))
    with pytest.raises(DeviceError, match=r"servo 4.*servo 7.*do not tell their 2 joints apart"):
        Mixing(Device("virtual", joints, same))
    with pytest.raises(DeviceError, match=r"servo 4.*do not tell their 2 joints apart"):
        Mixing(Device("virtual", joints, same[:1]))


def test_limits_and_ranges_count_together():
    narrow = one(ServoChannel(0, (Share("elbow", 2.0),), lowest=1300.0, highest=2500.0))
    ((lower, upper),) = Mixing(narrow).ranges
    assert lower == pytest.approx(-200.0 / (2000.0 / math.pi) / 2.0)
    assert upper == pytest.approx(math.pi / 4)  # the servo's 90 degrees with a ratio of two to one


def test_a_mix_goes_no_farther_than_either_servo_can():
    mixing = Mixing(
        differential(
            Limits(-1.5, 1.5, 1.0, 1.0, 1.0),
            lowest=1500.0 - 2000.0 / math.pi,
            highest=1500.0 + 2000.0 / math.pi,
        )
    )
    assert mixing.ranges == (pytest.approx((-1.0, 1.0)), pytest.approx((-1.0, 1.0)))
    assert mixing.clamp((0.4, -0.5)) == (0.4, -0.5)
    assert mixing.clamp((1.0, 1.0)) == pytest.approx((0.5, 0.5))


@settings(derandomize=True, max_examples=300)
@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.floats(1300.0, 1700.0))
def test_what_is_clamped_is_within_all_limits_and_ranges_and_stays_if_it_was(pan, tilt, zero):
    device = differential(lowest=1000.0, highest=2100.0, zero=zero)
    mixing = Mixing(device)
    clamped = mixing.clamp((pan, tilt))
    for value, joint in zip(clamped, device.joints, strict=True):
        assert joint.limits.lower - 1e-9 <= value <= joint.limits.upper + 1e-9
    for raw, channel in zip(mixing.unbounded(clamped), device.channels, strict=True):
        assert channel.lowest - 1e-5 <= raw <= channel.highest + 1e-5
    assert mixing.clamp(clamped) == pytest.approx(clamped, abs=1e-6)


def test_ranges_of_random_mixes_contain_all_that_is_allowed():
    chance = random.Random(1)
    for _ in range(30):
        count = chance.choice((2, 3))
        joints = tuple(
            DeviceJoint(f"j{k}", Limits(-chance.random(), chance.random(), 1.0, 1.0, 1.0))
            for k in range(count)
        )
        rows = [
            tuple(Share(joint.name, chance.uniform(0.3, 2.0) * chance.choice((1, -1))) for joint in joints)
            for _ in range(count)
        ]
        mixing = Mixing(
            Device(
                "virtual",
                joints,
                tuple(ServoChannel(k, row, lowest=1000.0, highest=1900.0) for k, row in enumerate(rows)),
            )
        )
        for _ in range(200):
            values = tuple(chance.uniform(joint.limits.lower, joint.limits.upper) for joint in joints)
            if mixing.raw(values) == mixing.unbounded(values):
                assert mixing.clamp(values) == values
                assert all(
                    low <= value <= high for value, (low, high) in zip(values, mixing.ranges, strict=True)
                )


def test_joints_too_fast_for_their_servo_are_told_with_numbers():
    device = differential(Limits(-1.0, 1.0, 2.0, 10.0, 100.0), speed=3.0)
    assert len(speed_problems(device)) == 2
    assert "229 degrees a second and can do 172" in speed_problems(device)[0]
    assert speed_problems(differential(Limits(-1.0, 1.0, 1.0, 10.0, 100.0), speed=3.0)) == ()


def test_joints_that_may_go_farther_than_their_servos_are_told():
    device = one_to_one(
        "virtual", [direct("elbow", 0, Limits(-2.0, 1.0, 1.0, 1.0, 1.0)), direct("wrist", 1, LIMITS)]
    )
    ((joint, low, high),) = short_joints(device)
    assert joint.name == "elbow"
    assert (low, high) == pytest.approx((-math.pi / 2, 1.0))
