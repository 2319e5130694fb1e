"""Tests which joints, channels and devices are refused, and the messages."""

import math

import pytest
from limber.hardware.device import (
    MAX_CHANNELS,
    Device,
    DeviceJoint,
    ServoChannel,
    Share,
    auxiliary,
    from_plain,
    to_plain,
)
from limber.hardware.errors import DeviceError
from limber.hardware.link import WorkerLink
from limber.hardware.mixing import Mixing
from limber.hardware.protocols.settings import ProtocolSettings
from limber.hardware.worker.configuration import configurations
from limber.motion import Limits

from tests.hardware.devices import direct, one_to_one
from tests.hardware.simulation import LIMITS

ELBOW = (Share("elbow"),)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"servo": -1}, "servos count from 0"),
        ({"direction": 0}, "set \\+1, or -1"),
        ({"per_radian": 0.0}, "positive value"),
        ({"per_radian": -600.0}, "reverse by the direction"),
        ({"zero": math.nan}, "not a number"),
        ({"lowest": 2000.0, "highest": 1000.0}, "lowest must be below"),
        ({"on_silence": "scream"}, "choose hold or detach"),
        ({"speed": 0.0}, "positive number"),
        ({"shares": (Share("elbow", 0.0),)}, "other than 0"),
        ({"shares": (Share("elbow", math.inf),)}, "other than 0"),
        ({"shares": (Share("elbow"), Share("elbow", 2.0))}, "drives it twice"),
    ],
)
def test_a_channel_that_cannot_work_is_an_error_that_names_it_and_the_remedy(wrong, said):
    with pytest.raises(DeviceError, match=f"elbow.*servo.*{said}"):
        ServoChannel(**{"servo": 0, "shares": ELBOW, **wrong})


@pytest.mark.parametrize(("unit", "text"), [("rad", "0.0 degrees"), ("m", "0.0 mm"), ("plain", "0")])
def test_a_value_that_rounds_to_zero_has_no_sign(unit, text):
    assert (
        DeviceJoint("neck", Limits(-1.0, 1.0, 1.0, 1.0, 1.0), unit).text(-1e-9 if unit != "plain" else -0.0)
        == text
    )


def test_a_device_that_cannot_work_is_an_error_with_the_remedy():
    one, two = direct("elbow", 3, LIMITS), direct("wrist", 3, LIMITS)
    with pytest.raises(DeviceError, match=r"'elbow' .* and 'wrist' .* both use servo 3"):
        one_to_one("virtual", (one, two))
    with pytest.raises(DeviceError, match="no port"):
        one_to_one("  ", (one,))
    with pytest.raises(DeviceError, match="no channels"):
        one_to_one("virtual", ())
    with pytest.raises(DeviceError, match="baud rate"):
        one_to_one("virtual", (one,), baudrate=0)
    with pytest.raises(DeviceError, match="latency of 3 s"):
        one_to_one("virtual", (one,), latency=3.0)
    with pytest.raises(DeviceError, match=f"at most {MAX_CHANNELS}"):
        one_to_one("virtual", [direct(f"{k}", k, LIMITS) for k in range(MAX_CHANNELS + 1)])


def test_joints_and_channels_that_do_not_belong_together_are_named():
    elbow, wrist = DeviceJoint("elbow", LIMITS), DeviceJoint("wrist", LIMITS)
    with pytest.raises(DeviceError, match="'wrist' has no channel"):
        Device("virtual", (elbow, wrist), (ServoChannel(0, ELBOW),))
    with pytest.raises(DeviceError, match="driven by 'elbow', which is no joint; the joints are 'wrist'"):
        Device("virtual", (wrist,), (ServoChannel(0, (Share("wrist"),)), ServoChannel(1, ELBOW)))
    with pytest.raises(DeviceError, match="2 joints have the name 'elbow'"):
        Device("virtual", (elbow, elbow), (ServoChannel(0, ELBOW),))


def test_a_joint_without_a_name_and_a_channel_without_a_joint_say_what_to_do():
    with pytest.raises(DeviceError, match="A joint has no name; give it one"):
        DeviceJoint("", LIMITS)
    with pytest.raises(DeviceError, match="no joint drives it; choose one"):
        ServoChannel(0, ())


def test_a_joint_of_an_unknown_unit_is_named():
    with pytest.raises(DeviceError, match="'elbow': 'turns' is not a unit"):
        DeviceJoint("elbow", LIMITS, "turns")


@pytest.mark.parametrize(("at_lower", "at_upper"), [(1000.0, 2000.0), (2000.0, 1000.0)])
def test_an_auxiliary_goes_from_one_raw_position_to_the_other(at_lower, at_upper):
    device = one_to_one(
        "virtual", [auxiliary("jaw", 2, Limits(0.0, 2.0, 1.0, 10.0, 100.0), at_lower, at_upper)]
    )
    mixing = Mixing(device)
    assert mixing.raw([0.0]) == pytest.approx((at_lower,))
    assert mixing.raw([2.0]) == pytest.approx((at_upper,))
    assert mixing.ranges[0] == pytest.approx((0.0, 2.0))
    assert mixing.values([1250.0])[0] == pytest.approx((1250.0 - at_lower) / (at_upper - at_lower) * 2.0)


def test_an_auxiliary_without_a_range_is_refused():
    with pytest.raises(DeviceError, match=r"'jaw'.*neither may be empty"):
        auxiliary("jaw", 2, Limits(0.0, 1.0, 1.0, 1.0, 1.0), 1500.0, 1500.0)


def test_a_servo_that_cannot_reach_any_angle_of_its_joint_is_refused_before_anything_starts():
    pair = direct("elbow", 0, Limits(2.0, 3.0, 1.0, 1.0, 1.0))
    with pytest.raises(
        DeviceError,
        match=r"'elbow'.*from -90 to 90 degrees, its joint from 115 to 172.*correct zero, direction or range",
    ):
        WorkerLink(one_to_one("virtual", (pair,)))


def test_the_devices_speed_limit_lies_above_the_joints():
    slow = one_to_one("virtual", [direct("elbow", 0, LIMITS, gear=2.0)])
    assert configurations(slow)[0].speed_us_per_s == math.ceil(
        1.5 * 2.0 * LIMITS.velocity * slow.channels[0].per_radian
    )
    fast = one_to_one("virtual", [direct("elbow", 0, Limits(-1.0, 1.0, 1e6, 1.0, 1.0))])
    assert configurations(fast)[0].speed_us_per_s == 0xFFFF


def test_a_device_with_a_mix_survives_json():
    shares = (Share("pan"), Share("tilt", -2.0)), (Share("pan"), Share("tilt", 2.0))
    joints = (DeviceJoint("pan", LIMITS), DeviceJoint("tilt", LIMITS, "m"))
    settings = ProtocolSettings(multi_turn=True, crc=True)
    device = Device(
        "virtual",
        joints,
        tuple(ServoChannel(k, share, speed=3.0) for k, share in enumerate(shares)),
        latency=0.2,
        settings=settings,
    )
    assert from_plain(to_plain(device)) == device
