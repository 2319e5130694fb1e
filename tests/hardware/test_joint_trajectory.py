"""Tests trajectories of ROS 2: files of its tools are read, and its tools read the written ones."""

import json

import pytest
import yaml
from limber.hardware.motion_files import FORMATS, MotionFileError, Settings, read

from tests.hardware.moves import motion
from tests.robots.test_work import DOUBLE, lines_run

ECHO = """\
header:
  stamp:
    sec: {stamp}
    nanosec: 0
  frame_id: base_link
joint_names:
- '2'
- wrist
points:
- positions:
  - {first}
  - 1.0e-05
  velocities: []
  accelerations: []
  effort: []
  time_from_start:
    sec: 0
    nanosec: 0
- positions:
  - {last}
  - -1
  velocities: []
  accelerations: []
  effort: []
  time_from_start:
    sec: 1
    nanosec: 500000000
---
"""


def point(*positions: float, seconds: float, **others) -> dict:
    return {
        "positions": positions,
        "time_from_start": {"sec": int(seconds), "nanosec": round(seconds % 1 * 1e9)},
        **others,
    }


def trajectory(*points: dict, names=("pan", "tilt"), **others) -> dict:
    return {
        "joint_names": names,
        "points": points or (point(0.0, 1.0, seconds=0.0), point(0.5, 1.5, seconds=1.0)),
        **others,
    }


def read_json(tmp_path, found):
    (tmp_path / "t.json").write_text(json.dumps(found))
    return read(tmp_path / "t.json")


def read_yaml(tmp_path, text: str):
    (tmp_path / "t.yaml").write_text(text)
    return read(tmp_path / "t.yaml")


def test_what_ros2_topic_echo_shows_is_read(tmp_path):
    found = read_yaml(tmp_path, ECHO.format(stamp=0, first=0.25, last="1.5e0"))
    assert found.times == (0.0, 1.5)
    assert {column.name: column.values for column in found.columns} == {
        "2": (0.25, 1.5),
        "wrist": (1e-5, -1.0),
    }
    assert found.columns[0].velocities == ()


def state(seconds: float, names=("1", "wrist"), position=(0.0, 0.5), **others) -> dict:
    return {
        "header": {"stamp": {"sec": int(seconds), "nanosec": round(seconds % 1 * 1e9)}},
        "name": names,
        "position": position,
        **others,
    }


@pytest.mark.parametrize("first", [0.0, 1.7e9])
def test_recorded_states_are_read_at_their_stamps(tmp_path, first: float):
    states = [
        state(first),
        state(first + 0.5, ("wrist", "1"), (0.7, -0.1), velocity=[]),
        state(first + 1.25, position=(0.2, 0.9)),
    ]
    text = "---\n".join(yaml_of(one) for one in states)
    for found in (read_json(tmp_path, states), read_yaml(tmp_path, text)):
        assert found.times == pytest.approx((0.0, 0.5, 1.25))
        assert {column.name: column.values for column in found.columns} == {
            "1": (0.0, -0.1, 0.2),
            "wrist": (0.5, 0.7, 0.9),
        }
        assert found.columns[0].velocities == ()


FLOW = """\
header:
  stamp: {{sec: {sec}, nanosec: 0}}
name: [elbow, '1']
position: {position}
velocity: array('d')
effort: array('d')
"""
LOST_MESSAGE = "A message was lost!!!\n\ttotal count change:1\n\ttotal count: 1"


@pytest.mark.parametrize("name", ["states.yaml", "states.txt"])
def test_flow_style_and_lost_messages_of_ros2_topic_echo_are_read(tmp_path, name):
    first = FLOW.format(sec=1, position="array('d', [0.5, -1e-3])")
    second = FLOW.format(sec=2, position="[0.25, 2.0]")
    (tmp_path / name).write_text(f"{LOST_MESSAGE}---\n{first}---\n{LOST_MESSAGE}---\n{second}---\n")
    found = read(tmp_path / name)
    assert found.times == (0.0, 1.0)
    assert {column.name: column.values for column in found.columns} == {
        "elbow": (0.5, 0.25),
        "1": (-1e-3, 2.0),
    }


def test_states_that_were_recorded_without_arrays_say_how_to_record_them(tmp_path):
    text = FLOW.format(sec=1, position="'<sequence type: double, length: 2>'")
    with pytest.raises(MotionFileError, match="stands instead of an array: record without --no-arr"):
        read_yaml(tmp_path, text)


def test_a_message_in_each_line_is_read(tmp_path):
    lines = [json.dumps(state(1.0)), json.dumps(state(2.0)), '{"name": ["1", "wr']
    for name in ("states.json", "states.jsonl"):
        (tmp_path / name).write_text("\n".join(lines))
        assert read(tmp_path / name).times == (0.0, 1.0)


def test_velocities_of_states_are_kept(tmp_path):
    found = read_json(tmp_path, [state(1.0, velocity=(0.1, 0.2)), state(2.0, velocity=(0.3, 0.4))])
    assert found.columns[1].velocities == (0.2, 0.4)


@pytest.mark.parametrize("unknown", [(float("nan"), 0.2), ("nan", "nan")])
def test_velocities_that_a_controller_does_not_know_are_none(tmp_path, unknown):
    states = [state(1.0, velocity=(0.1, 0.2)), state(2.0)]
    text = "---\n".join(
        [yaml_of(states[0]), yaml_of(states[1]).replace("velocity: []", "velocity: [.nan, 0.1]")]
    )
    assert read_yaml(tmp_path, text).columns[0].velocities == ()
    states[1]["velocity"] = [str(number) for number in unknown]
    assert read_json(tmp_path, states).columns[0].velocities == ()


@pytest.mark.parametrize("cut", ["position:", "- 0.5\nvelocity", "name:"])
def test_the_last_state_of_a_stopped_recording_is_left_out_where_it_is_cut_off(tmp_path, cut):
    last = yaml_of(state(2.0))
    text = f"{yaml_of(state(1.0))}---\n{last[: last.index(cut)]}"
    found = read_yaml(tmp_path, text)
    assert (found.times, [column.values for column in found.columns]) == ((0.0,), [(0.0,), (0.5,)])


def test_states_from_several_senders_are_joined_where_all_are_known(tmp_path):
    arm, gripper = ("1", "wrist"), ("jaw",)
    found = read_json(
        tmp_path,
        [
            state(10.0, arm, (0.0, 0.0)),
            state(10.5, gripper, (4.0,)),
            state(11.0, arm, (1.0, 2.0)),
            state(11.5, gripper, (6.0,)),
            state(12.0, arm, (2.0, 2.0)),
        ],
    )
    assert found.times == (0.5, 1.0, 1.5)
    assert {column.name: column.values for column in found.columns} == {
        "1": (0.5, 1.0, 1.5),
        "wrist": (1.0, 2.0, 2.0),
        "jaw": (4.0, 5.0, 6.0),
    }
    with pytest.raises(MotionFileError, match="never all at the same time"):
        read_json(tmp_path, [state(1.0, arm), state(2.0, gripper, (0.0,))])


def test_a_duration_may_be_a_number_or_lack_its_nanoseconds(tmp_path):
    times = [0, 1.5, {"sec": 2}]
    points = [{"positions": [0.0, 1.0], "time_from_start": time} for time in times]
    assert read_json(tmp_path, trajectory(*points)).times == (0.0, 1.5, 2.0)


def yaml_of(one: dict) -> str:
    """Text of a state as `ros2 topic echo` prints it."""
    stamp = one["header"]["stamp"]
    lines = [
        "header:",
        "  stamp:",
        f"    sec: {stamp['sec']}",
        f"    nanosec: {stamp['nanosec']}",
        "  frame_id: ''",
        "name:",
    ]
    lines += (
        [f"- {name!r}" for name in one["name"]]
        + ["position:"]
        + [f"- {number}" for number in one["position"]]
        + ["velocity: []"]
    )
    return "\n".join(lines) + "\n"


def test_messages_without_stamps_follow_one_another(tmp_path):
    text = ECHO.format(stamp=0, first=0, last=1) + ECHO.format(stamp=0, first=1, last=2)
    found = read_yaml(tmp_path, text)
    assert found.times == (0.0, 1.5, 3.0)
    assert found.columns[0].values == (0.0, 1.0, 2.0)


def test_messages_with_stamps_replace_what_earlier_ones_planned(tmp_path):
    found = read_yaml(
        tmp_path, ECHO.format(stamp=100, first=0, last=9) + ECHO.format(stamp=101, first=1, last=2)
    )
    assert found.times == (0.0, 1.0, 2.5)
    assert found.columns[0].values == (0.0, 1.0, 2.0)


@pytest.mark.parametrize(
    "inside",
    [
        lambda own: {
            "joint_trajectory": own,
            "multi_dof_joint_trajectory": {"joint_names": [], "points": []},
        },
        lambda own: {"model_id": "arm", "trajectory": [{"joint_trajectory": own}], "trajectory_start": {}},
        lambda own: {"goal": {"trajectory": own, "goal_time_tolerance": {"sec": 0, "nanosec": 0}}},
        lambda own: {"op": "publish", "topic": "/arm", "msg": own},
        lambda own: [own],
        lambda own: {"topic": "/arm", "messages": [{"timestamp": 1, "message": own}]},
    ],
    ids=[
        "MoveIt's RobotTrajectory",
        "DisplayTrajectory",
        "FollowJointTrajectory",
        "rosbridge",
        "list",
        "bag",
    ],
)
def test_a_trajectory_inside_of_another_message_is_found(tmp_path, inside):
    found = read_json(tmp_path, inside(trajectory()))
    assert [column.values for column in found.columns] == [(0.0, 0.5), (1.0, 1.5)]


def test_times_of_the_predecessor_of_ros_2_are_read(tmp_path):
    points = [{"positions": [0, 0], "time_from_start": {"secs": k, "nsecs": 500_000_000}} for k in range(2)]
    assert read_json(tmp_path, trajectory(*points)).times == (0.5, 1.5)


def test_joints_in_another_order_keep_their_values(tmp_path):
    later = trajectory(point(9.0, 8.0, seconds=0.5), names=("tilt", "pan"))
    found = read_json(tmp_path, [trajectory(), later])
    assert {column.name: column.values for column in found.columns} == {
        "pan": (0.0, 0.5, 8.0),
        "tilt": (1.0, 1.5, 9.0),
    }


def test_velocities_are_kept_where_each_point_has_them(tmp_path):
    has = trajectory(
        point(0.0, 1.0, seconds=0.0, velocities=[1.0, 2.0]),
        point(1.0, 2.0, seconds=1.0, velocities=[3.0, 4.0]),
    )
    assert [column.velocities for column in read_json(tmp_path, has).columns] == [(1.0, 3.0), (2.0, 4.0)]
    half = trajectory(
        point(0.0, 1.0, seconds=0.0, velocities=[1.0, 2.0]), point(1.0, 2.0, seconds=1.0, velocities=[])
    )
    assert [column.velocities for column in read_json(tmp_path, half).columns] == [(), ()]


def test_what_is_written_has_the_message_s_own_types_and_rests_at_both_ends():
    found = motion(rows=26)
    text = FORMATS["ros2_yaml"].make(found, Settings())
    message = yaml.safe_load(text)  # as `ros2 topic pub` reads it
    assert message == json.loads(FORMATS["ros2_json"].make(found, Settings()))
    assert set(message) == {"header", "joint_names", "points"}
    assert all(
        isinstance(number, float)
        for one in message["points"]
        for number in (*one["positions"], *one["velocities"])
    )
    assert message["points"][-1]["time_from_start"] == {"sec": 0, "nanosec": 500_000_000}
    assert message["points"][0]["velocities"] == message["points"][-1]["velocities"] == [0.0, 0.0]
    slope = (found.values[11][0] - found.values[9][0]) * 25
    assert message["points"][10]["velocities"][0] == pytest.approx(slope, abs=1e-8)


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ({"joint_names": ["pan"]}, r"the file, points: expected a list, found nothing"),
        (trajectory(point(1.0, seconds=0.0)), r"point 1, positions: expected 2 numbers"),
        (
            trajectory(point(1.0, "x", seconds=0.0)),
            r"point 1, positions, number 2: expected a finite number, found 'x'",
        ),
        (trajectory({"positions": [0, 0]}), r"point 1, time_from_start"),
        (trajectory(point(0, 0, seconds=0.0, velocities=[1.0])), r"point 1, velocities: expected 2 numbers"),
        (
            trajectory(point(0, 0, seconds=1.0), point(0, 0, seconds=0.5)),
            r"row 2: its time 0.5 s is not after 1 s",
        ),
        (trajectory(names=()), "message 1 moves nothing"),
        (
            [trajectory(), trajectory(names=("pan", "roll"))],
            r"message 2 moves pan, roll, the first pan, tilt: import them apart",
        ),
        (
            {"goal": {"goal": {"goal": {"goal": {"goal": trajectory()}}}}},
            "it has no 'joint_names' with 'points'",
        ),
        (trajectory(names=("pan", "pan")), "two joints are called 'pan'"),
    ],
)
def test_a_message_that_cannot_be_used_is_named_with_the_place(tmp_path, found, sentence):
    with pytest.raises(MotionFileError, match=sentence):
        read_json(tmp_path, found)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("joint_names: [a\n", r"'t.yaml': line \d"),
        ("- a\n", "a map is needed"),
        ("joint_names: &a [pan]\npoints: *a\n", "anchor 'a' is not allowed"),
        (
            "joint_names: [pan]\npoints:\n- positions: [.nan]\n  time_from_start: {sec: 0, nanosec: 0}\n",
            r"finite number, found '.nan'",
        ),
        ("joint_names: [pan]\npoints:\n- positions:\n  - 1.0\n  - '...'\n", "expected 1 numbers"),
        ("---\n", "it has no 'joint_names' with 'points'"),
        ("# " + "x" * 1_000_001, "characters, more than 1000000: record it as JSON"),
    ],
)
def test_a_text_that_cannot_be_used_is_named_with_the_line(tmp_path, text, sentence):
    with pytest.raises(MotionFileError, match=sentence):
        read_yaml(tmp_path, text)


@pytest.mark.parametrize("what", ["messages", "joints"])
def test_twice_the_messages_and_twice_the_joints_take_twice_the_work(tmp_path, what):
    def work(size: int) -> int:
        if what == "messages":
            found = [
                trajectory(
                    point(0.0, 1.0, seconds=k + 0.0), point(0.0, 1.0, seconds=k + 0.5), header=stamp(k)
                )
                for k in range(size)
            ]
        else:
            names = [f"j{k}" for k in range(size)]
            found = [
                trajectory(point(*range(size), seconds=0.0), names=names),
                trajectory(point(*range(size), seconds=1.0), names=names[::-1]),
            ]
        return lines_run(lambda: read_json(tmp_path, found))

    assert work(400) < DOUBLE * work(200)


def stamp(seconds: int) -> dict:
    return {"stamp": {"sec": 1 + seconds // 2, "nanosec": 0}}
