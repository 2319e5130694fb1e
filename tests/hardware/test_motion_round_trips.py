"""Tests that every format of motion files that can be read returns the written values, to a millionth of a
radian.
"""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from limber.hardware.motion_files import (
    FORMATS,
    MotionFileError,
    Named,
    Scale,
    Settings,
    Take,
    frames_at,
    read,
    write,
)

from tests.hardware.moves import device, in_joint_units

NEAR = 1e-6  # [rad, m] tolerance
JOINTS = {
    "reachy_mini": [Named("yaw_body"), Named("right_antenna", -1.0), Named("left_antenna", -1.0)],
    "lelamp": [Named(str(k), -1.0, servo=k, scale=Scale(ends=(-2.9 + 0.1 * k, 2.9))) for k in range(1, 6)],
    "lerobot": [
        Named("elbow_flex", servo=3, scale=Scale(1.57, -1.0)),
        Named("shoulder_pan", -1.0, servo=1, scale=Scale(-0.7)),
        Named("gripper", servo=6, scale=Scale(ends=(-2.9, 2.9))),
    ],
}
OTHERS = [Named("pan"), Named("a 'joint', [named] \"\\é🤖: #1"), Named("7")]
READ = [name for key, form in FORMATS.items() if form.read is not None for name in form.variants or (key,)]
angles = st.floats(-2.3, 2.3)


@st.composite
def motions(draw, name: str):
    """Motions of a format's robot: any angles, at any rate that its player supports."""
    form = FORMATS[name]
    named = JOINTS.get(name, OTHERS)
    rate = form.usual_rate if name == "lelamp" else draw(st.integers(1, 100))
    frames = draw(st.lists(st.tuples(*[angles] * len(named)), min_size=1, max_size=12))
    poses = {
        link: tuple(_pose(draw(angles), draw(angles), draw(st.floats(-0.1, 0.1))) for _ in frames)
        for link in form.poses
    }
    take = Take(
        device(*(one.name for one in named)), 1, float(rate), tuple(frames), len(frames), tuple(named), poses
    )
    return frames_at(take, rate, "Wave")


def _pose(yaw: float, pitch: float, away: float) -> tuple[float, ...]:
    c, s, p, q = math.cos(yaw), math.sin(yaw), math.cos(pitch), math.sin(pitch)
    return (c * p, -s, c * q, away, s * p, c, s * q, -away, -q, 0.0, p, away / 2, 0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize("name", READ)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_is_written_is_read_again(tmp_path_factory, name, data):
    motion = data.draw(motions(name))
    path = tmp_path_factory.mktemp("motion") / f"wave{FORMATS[name].suffix}"
    write(path, FORMATS[name].make(motion, Settings()))
    found, expected = in_joint_units(read(path), motion.named), motion.recording
    assert found.times == pytest.approx(expected.times, abs=NEAR)
    columns = {column.name: column for column in found.columns}
    for column in expected.columns:
        assert columns[column.name].unit in (column.unit, "plain")
        assert columns[column.name].values == pytest.approx(column.values, abs=NEAR)
    for link, poses in expected.poses.items():
        for one, other in zip(found.poses[link], poses, strict=True):
            assert one == pytest.approx(other, abs=NEAR)


@pytest.mark.parametrize(
    ("mode", "beyond", "end"),
    [("range_m100_100", -130.0, 0.5), ("range_m100_100", 130.0, -1.0), ("range_0_100", 101.0, -1.0)],
)
def test_shares_beyond_a_range_are_its_ends_as_lerobot_takes_them(mode, beyond, end):
    assert Scale(ends=(0.5, -1.0)).joint(beyond, mode) == end


def test_shares_of_a_range_that_is_not_known_say_what_to_do():
    with pytest.raises(
        MotionFileError, match="give the joints their servos, and import LeRobot's calibration"
    ):
        Scale().joint(10.0, "range_m100_100")


@pytest.mark.parametrize("values", ["degrees", "range_m100_100", "plain"])
@settings(max_examples=40)
@given(angle=st.floats(-1.4, 1.4), zero=angles, sense=st.sampled_from([1.0, -1.0]))
def test_lerobots_units_of_a_joint_are_converted_there_and_back(values, angle, zero, sense):
    scale = Scale(zero, sense, (1.5, -1.5))
    there = angle if values == "plain" else scale.value(angle, values)
    back = there if values == "plain" else scale.joint(there, values)
    assert back == pytest.approx(angle, abs=1e-12)
