"""Channels and devices: what is refused, and what an angle is in microseconds."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.hardware.calibration import angle_from_pulse, angle_range, pulse_from_angle, speed_us_per_s
from limber.hardware.device import MAX_CHANNELS, Channel, Device
from limber.hardware.errors import AnglesError, DeviceError
from limber.hardware.link import Link
from limber.motion import Limits

from tests.hardware.simulation import LIMITS

channels = st.builds(
    Channel,
    name=st.just("elbow"),
    servo=st.integers(0, 20),
    limits=st.just(LIMITS),
    direction=st.sampled_from([1, -1]),
    zero_us=st.floats(1400.0, 1600.0),
    us_per_rad=st.floats(300.0, 900.0),
)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"servo": -1}, "servos count from 0"),
        ({"direction": 0}, "set \\+1, or -1"),
        ({"us_per_rad": 0.0}, "positive value"),
        ({"us_per_rad": -600.0}, "reverse by the direction"),
        ({"zero_us": math.nan}, "not a number"),
        ({"min_us": 2000.0, "max_us": 1000.0}, "shortest must be below"),
        ({"min_us": 0.0}, "shortest must be below"),
        ({"on_silence": "scream"}, "choose hold or detach"),
    ],
)
def test_a_channel_that_cannot_work_is_an_error_that_names_it_and_the_remedy(wrong, said):
    with pytest.raises(DeviceError, match=f"'elbow'.*{said}"):
        Channel(**{"name": "elbow", "servo": 0, "limits": LIMITS, **wrong})


def test_a_device_that_cannot_work_is_an_error_with_the_remedy():
    one, two = Channel("elbow", 3, LIMITS), Channel("wrist", 3, LIMITS)
    with pytest.raises(DeviceError, match="'elbow' and 'wrist' both use servo 3"):
        Device("virtual", (one, two))
    with pytest.raises(DeviceError, match="no port"):
        Device("  ", (one,))
    with pytest.raises(DeviceError, match="no channels"):
        Device("virtual", ())
    with pytest.raises(DeviceError, match="baud rate"):
        Device("virtual", (one,), baudrate=0)
    with pytest.raises(DeviceError, match=f"at most {MAX_CHANNELS}"):
        Device("virtual", tuple(Channel(f"{k}", k, LIMITS) for k in range(MAX_CHANNELS + 1)))


@settings(derandomize=True)
@given(channels, st.floats(0.0, 1.0))
def test_an_angle_within_the_range_becomes_a_pulse_and_back(channel, share):
    lower, upper = angle_range(channel)
    angle = lower + share * (upper - lower)
    pulse = pulse_from_angle(channel, angle)
    assert channel.min_us <= pulse <= channel.max_us
    assert angle_from_pulse(channel, pulse) == pytest.approx(angle, abs=1e-9)


@settings(derandomize=True)
@given(channels, st.floats(-1e6, 1e6))
def test_no_angle_makes_a_pulse_beyond_the_servos_range(channel, angle):
    assert channel.min_us <= pulse_from_angle(channel, angle) <= channel.max_us


def test_the_direction_mirrors_the_pulse():
    there, back = (Channel("elbow", 0, LIMITS, direction=direction) for direction in (1, -1))
    assert pulse_from_angle(there, 0.5) - 1500.0 == pytest.approx(1500.0 - pulse_from_angle(back, 0.5))


@pytest.mark.parametrize("angle", [math.nan, math.inf, -math.inf])
def test_an_angle_that_is_no_number_has_no_pulse(angle):
    with pytest.raises(AnglesError, match="'elbow'"):
        pulse_from_angle(Channel("elbow", 0, LIMITS), angle)


def test_a_servo_that_cannot_reach_any_angle_of_its_joint_is_refused_before_anything_starts():
    channel = Channel("elbow", 0, Limits(2.0, 3.0, 1.0, 1.0, 1.0))
    with pytest.raises(DeviceError, match=r"'elbow'.*correct zero, direction or pulse range"):
        Link(Device("virtual", (channel,)))


def test_the_devices_speed_limit_lies_above_the_joints():
    channel = Channel("elbow", 0, LIMITS)
    assert speed_us_per_s(channel, 0.5) == math.ceil(1.5 * LIMITS.velocity * channel.us_per_rad)
    fast = Channel("elbow", 0, Limits(-1.0, 1.0, 1e6, 1.0, 1.0))
    assert speed_us_per_s(fast, 0.5) == 0xFFFF
