"""Motion of ROS 2, as YAML and as JSON: trajectories (trajectory_msgs/JointTrajectory), and recorded states
(sensor_msgs/JointState), which are only read.

Files are sequences of messages as `ros2 topic echo`, `ros2 topic pub`, MoveIt and rosbridge write them, each
alone or inside of a RobotTrajectory, a DisplayTrajectory or a goal of FollowJointTrajectory. A point's time
is `time_from_start`, counted from its message's stamp if all stamps ascend, else from the previous message's
last point. A message replaces earlier ones from its first point on. A state is one point at its stamp.

Source: trajectory_msgs/msg/JointTrajectory.msg, sensor_msgs/msg/JointState.msg and
builtin_interfaces/msg/Duration.msg.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ...files.json_fields import JsonFields
from ...files.plain import number_of
from .json_files import plain_of, text_of
from .motion import Motion
from .recording import MOST_NUMBERS, MotionFileError, RecordedColumn, Recording

NAMES, POINTS = "joint_names", "points"
STATE_NAMES, STATE_POSITIONS, STATE_VELOCITIES = "name", "position", "velocity"
# fields of messages that contain trajectories
INSIDE = ("joint_trajectory", "trajectory", "goal", "msg", "message", "messages")
# values of a velocity that a controller has not measured
NOT_MEASURED = ("nan", ".nan")
# arrays as `ros2 topic echo --flow-style` writes them
ARRAY = re.compile(r"array\('\w'(?:, \[(?P<numbers>[^\[\]]*)\])?\)")
# text that `ros2 topic echo` writes between messages if the network has lost some
LOST = re.compile(
    r"^A message was lost!!!\n[ \t]*total count change: ?\d+\n[ \t]*total count: ?\d+", re.MULTILINE
)
SHORTENED = {  # text instead of an array that `ros2 topic echo` has shortened -> how to record it in full
    "<sequence": "record without --no-arr",
    "<array": "record without --no-arr",
}
DEEPEST = 4  # deepest nesting of the fields INSIDE; messages nested deeper are not read
DECIMALS = 9  # number of decimals in files: 1e-9 rad, m, rad/s
CENTRAL_SPAN = 2  # [frames] span of a central difference: from the row before to the row after


@dataclass(frozen=True, slots=True)
class _Row:
    """Positions of all joints (n,) [rad; prismatic joints m], and their velocities (n,) if the file has them,
    at a time [s].
    """

    time: float
    positions: Sequence[float]
    velocities: Sequence[float] | None


def is_trajectory(json_value: object) -> bool:
    """Whether a JSON value, or the first one of a list, has the fields of a trajectory, of a state, or of a
    message that contains one.
    """
    first = json_value[0] if isinstance(json_value, list) and json_value else json_value
    is_state = isinstance(first, Mapping) and STATE_NAMES in first and STATE_POSITIONS in first
    return is_state or (isinstance(first, Mapping) and any(name in first for name in (NAMES, *INSIDE)))


def is_text(first_line: object) -> bool:
    """Whether a file's first line is that of messages as YAML, and not of a table."""
    line = first_line.strip() if isinstance(first_line, str) else ""
    return line.endswith((":", "---", "!!!")) or line.startswith(("header:", "name:", f"{NAMES}:"))


def read_json(data: bytes) -> Recording:
    """Recording of a single JSON message, or of a list of messages.

    Raises:
        MotionFileError: The file is no JSON, has no trajectory or states, or these are invalid.
    """
    json_value = plain_of(data)
    return _recording(json_value if isinstance(json_value, list) else [json_value])


def read_yaml(data: bytes) -> Recording:
    """Recording of a YAML text in which each document is a message.

    Raises:
        MotionFileError: As `read_json`; if the text is no YAML the error names the line.
    """
    # imported here, since ruamel.yaml takes long to import
    from ...files.yaml_text import MAX_LENGTH, YamlError, yaml_documents

    text = LOST.sub("", text_of(data))
    if len(text) > MAX_LENGTH:
        raise MotionFileError(
            f"it has {len(text)} characters, more than {MAX_LENGTH}: record it as JSON, or import it in parts"
        )
    try:
        return _recording([_typed(document) for _, document in yaml_documents(text) if document])
    except YamlError as error:
        raise MotionFileError(str(error)) from error


def _typed(yaml_value: Any) -> Any:
    """A YAML value whose strings are converted to numbers and arrays where possible, except joints' names.

    Raises:
        MotionFileError: An array is shortened.
    """
    if isinstance(yaml_value, dict):
        return {
            name: value if name in {NAMES, STATE_NAMES} else _typed(value)
            for name, value in yaml_value.items()
        }
    if isinstance(yaml_value, list):
        return [_typed(value) for value in yaml_value]
    return _typed_text(yaml_value) if isinstance(yaml_value, str) else yaml_value


def _typed_text(text: str) -> Any:
    """The number, or the array of numbers, that a text contains; other texts unchanged.

    Raises:
        MotionFileError: The text stands for a shortened array.
    """
    if array := ARRAY.fullmatch(text):
        return [_typed_text(number) for number in (array["numbers"] or "").split(",") if number.strip()]
    for start, remedy in SHORTENED.items():
        if text.startswith(start):
            raise MotionFileError(f"'{text[:40]}' stands instead of an array: {remedy}")
    try:
        return float(text)
    except ValueError:
        return text


def _recording(documents: Sequence[Any]) -> Recording:
    """Recording of a file's documents, which are messages or contain them; errors as for `read_json`."""
    messages = _messages(documents)
    stamps = [
        _time(message.child("header"), "stamp") if message.has("header") else 0.0 for message in messages
    ]
    ascend = all(before <= after for before, after in pairwise(stamps))
    are_states = all(map(_is_state, messages))
    if ascend and are_states and len({frozenset(_names(message)) for message in messages}) > 1:
        return _of_several_senders(messages, stamps)
    are_stamped = ascend and (stamps[0] > 0.0 or are_states)
    starts = [stamp - stamps[0] if are_stamped else None for stamp in stamps]
    return _of_one_sender(messages, starts)


def _messages(documents: Sequence[Any]) -> list[JsonFields]:
    """All trajectories and joint states of a file's documents, without a last one that is truncated.

    Raises:
        MotionFileError: There are none.
    """
    messages = [
        trajectory
        for document in documents
        for trajectory in _trajectories(JsonFields("the file", document, MotionFileError), 0)
    ]
    if len(messages) > 1 and _is_cut_off(messages[-1]):
        messages.pop()
    if not messages:
        raise MotionFileError(
            f"it has no '{NAMES}' with '{POINTS}': choose a trajectory_msgs/JointTrajectory, or"
            " sensor_msgs/JointState"
        )
    return messages


def _of_one_sender(messages: Sequence[JsonFields], starts: Sequence[float | None]) -> Recording:
    """Recording of messages that all move the same joints.

    Args:
        messages: The messages.
        starts: Start time [s] of each; None: it starts at the end of the previous one.

    Raises:
        MotionFileError: A message moves other joints than the first, or there are too many numbers.
    """
    names = _names(messages[0])
    rows: list[_Row] = []
    for number, (message, start) in enumerate(zip(messages, starts, strict=True), 1):
        joint_names = _names(message)
        if set(joint_names) != set(names) or not joint_names:
            raise MotionFileError(
                f"message {number} moves {', '.join(joint_names) or 'nothing'}, the first {', '.join(names)}:"
                " import them apart"
            )
        if start is None:
            start = rows[-1].time if rows else 0.0
        # later messages may list the same joints in another order
        indices = {name: k for k, name in enumerate(joint_names)}
        _replace_from(rows, list(_rows(message, start, [indices[name] for name in names])))
        if len(rows) * len(names) > MOST_NUMBERS:
            raise MotionFileError(f"it has more than {MOST_NUMBERS} numbers: import it in parts")
    return Recording(tuple(row.time for row in rows), tuple(_columns(names, rows)))


def _names(message: JsonFields) -> list[str]:
    """Names of a message's joints."""
    names = message.get(STATE_NAMES if _is_state(message) else NAMES, list)
    return [name for name in names if isinstance(name, str)]


def _replace_from(rows: list[_Row], later: list[_Row]) -> None:
    """Append the rows `later`; they replace all rows at and after the time of their first."""
    # rows ascend in time, so that those to be replaced are at the end; `Recording` refuses rows that do not
    # ascend
    while later and rows and rows[-1].time >= later[0].time:
        rows.pop()
    rows += later


def _of_several_senders(messages: Sequence[JsonFields], stamps: Sequence[float]) -> Recording:
    """Recording of states from several senders with different joints, such as an arm and its gripper. It has
    rows at the stamps at which all joints are known, from the first such stamp to the last state of the
    sender that ends first. Between the states of its sender a joint's values are interpolated linearly.

    Raises:
        MotionFileError: There is no time at which all joints are known, or there would be too many numbers.
    """
    sent: dict[str, tuple[list[float], list[float]]] = {}
    for message, stamp in zip(messages, stamps, strict=True):
        names = message.get(STATE_NAMES, list)
        for name, position in zip(names, message.numbers(STATE_POSITIONS, len(names)), strict=True):
            times, positions = sent.setdefault(str(name), ([], []))
            # interpolation divides by the time between two states, so that a repeated stamp is left out
            if not times or stamp > times[-1]:
                times.append(stamp)
                positions.append(position)
    first = max(times[0] for times, _ in sent.values())
    last = min(times[-1] for times, _ in sent.values())
    common = sorted({stamp for stamp in stamps if first <= stamp <= last})
    if not common:
        raise MotionFileError(
            f"its states move {', '.join(sent)}, but never all at the same time: import them apart"
        )
    # each joint gets a value at the stamps of all senders: far more numbers than the file has
    if len(common) * len(sent) > MOST_NUMBERS:
        raise MotionFileError(f"it has more than {MOST_NUMBERS} numbers: import it in parts")
    columns = (
        RecordedColumn(name, tuple(_between(stamp, times, positions) for stamp in common), "plain")
        for name, (times, positions) in sent.items()
    )
    return Recording(tuple(stamp - stamps[0] for stamp in common), tuple(columns))


def _between(stamp: float, times: Sequence[float], positions: Sequence[float]) -> float:
    """Position at a time within ascending times, linearly interpolated."""
    after = bisect_left(times, stamp)
    if times[after] == stamp:
        return positions[after]
    share = (stamp - times[after - 1]) / (times[after] - times[after - 1])
    return positions[after - 1] + share * (positions[after] - positions[after - 1])


def _trajectories(fields: JsonFields, depth: int) -> Iterator[JsonFields]:
    """The trajectories and states in an object that is inside of `depth` others."""
    if fields.has(NAMES) or _is_state(fields):
        yield fields
        return
    field = next((field for field in INSIDE if fields.has(field)), None)
    if field is None or depth == DEEPEST:
        return
    inside = fields.get(field, object)
    for child in fields.children(field, field) if isinstance(inside, list) else [fields.child(field)]:
        yield from _trajectories(child, depth + 1)


def _is_state(message: JsonFields) -> bool:
    return message.has(STATE_NAMES) and message.has(STATE_POSITIONS)


def _is_cut_off(message: JsonFields) -> bool:
    """Whether a state has fewer positions than names, as the last one when its recorder was stopped."""
    return _is_state(message) and any(
        not isinstance(values, list) or len(values) < len(message.get(STATE_NAMES, list))
        for values in [message.get(STATE_POSITIONS, object)]
    )


def _rows(message: JsonFields, start: float, order: Sequence[int]) -> Iterator[_Row]:
    """Rows of a message that starts at `start` [s]; `order`: index in the message of each joint."""
    if _is_state(message):
        velocities = _velocities(message, STATE_VELOCITIES, len(order))
        joint_positions = message.numbers(STATE_POSITIONS, len(order))
        yield _Row(
            start,
            [joint_positions[k] for k in order],
            [velocities[k] for k in order] if velocities else None,
        )
        return
    for point in message.children(POINTS, "point"):
        positions = point.numbers("positions", len(order))
        velocities = _velocities(point, "velocities", len(order))
        time = start + _time(point, "time_from_start")
        yield _Row(
            time, [positions[k] for k in order], [velocities[k] for k in order] if velocities else None
        )


def _velocities(fields: JsonFields, field: str, count: int) -> Sequence[float] | None:
    """Velocities, if a field has them and all are known; else None. Controllers write .nan if unmeasured."""
    numbers = fields.get(field, list) if fields.has(field) else []
    if not numbers or any(str(number).lower() in NOT_MEASURED for number in numbers):
        return None
    return fields.numbers(field, count)


def _time(fields: JsonFields, field: str) -> float:
    """Seconds of a Duration or a Time of ROS 2 or ROS 1, or of a number."""
    if number_of(fields.get(field, object)) is not None:
        return fields.number(field)
    time_fields = fields.child(field)
    second, nanosecond = ("sec", "nanosec") if time_fields.has("sec") else ("secs", "nsecs")
    nanoseconds = time_fields.number(nanosecond) if time_fields.has(nanosecond) else 0.0
    return time_fields.number(second) + 1e-9 * nanoseconds


def _columns(names: Sequence[str], rows: Sequence[_Row]) -> Iterator[RecordedColumn]:
    have_velocities = all(row.velocities is not None for row in rows)
    for k, name in enumerate(names):
        velocities = (
            tuple(row.velocities[k] for row in rows if row.velocities is not None) if have_velocities else ()
        )
        yield RecordedColumn(name, tuple(row.positions[k] for row in rows), "plain", velocities=velocities)


def message(motion: Motion) -> dict[str, Any]:
    """ROS 2 message of a motion: its joints without auxiliary values, at rest in the first and last point, as
    controllers require.

    Raises:
        MotionFileError: The motion has no joints.
    """
    columns = [column for column in motion.recording.columns if column.unit != "plain"]
    if not columns:
        raise MotionFileError("the robot has no joints, only values: export CSV or JSON")
    values = [column.values for column in columns]
    points = []
    for row in range(len(motion.values)):
        nanoseconds = round(row * 1e9 / motion.rate)
        points.append(
            {
                "positions": [_rounded(joint_values[row]) for joint_values in values],
                "velocities": [
                    _rounded(_velocity(joint_values, row, motion.rate)) for joint_values in values
                ],
                "time_from_start": {"sec": nanoseconds // 10**9, "nanosec": nanoseconds % 10**9},
            }
        )
    header = {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""}
    return {"header": header, NAMES: [column.name for column in columns], POINTS: points}


def _velocity(values: Sequence[float], row: int, rate: float) -> float:
    """Slope of the Catmull-Rom curve through the rows [rad/s or m/s]; 0 at both ends."""
    return (values[row + 1] - values[row - 1]) * rate / CENTRAL_SPAN if 0 < row < len(values) - 1 else 0.0


def _rounded(number: float) -> float:
    return round(number, DECIMALS) + 0.0  # no -0.0


def write_json(motion: Motion) -> bytes:
    """The ROS 2 message of a motion as JSON; raises MotionFileError as `message`."""
    return json.dumps(message(motion)).encode("utf-8")


def write_yaml(motion: Motion) -> bytes:
    """The ROS 2 message of a motion as YAML, as `ros2 topic pub` reads it; raises MotionFileError as
    `message`.
    """
    trajectory = message(motion)
    lines = ["header:", "  stamp: {sec: 0, nanosec: 0}", "  frame_id: ''", f"{NAMES}:"]
    lines += [f"- {json.dumps(name, ensure_ascii=False)}" for name in trajectory[NAMES]]
    lines.append(f"{POINTS}:")
    for point in trajectory[POINTS]:
        time = point["time_from_start"]
        lines.append(f"- positions: {_list(point['positions'])}")
        lines.append(f"  velocities: {_list(point['velocities'])}")
        lines.append(f"  time_from_start: {{sec: {time['sec']}, nanosec: {time['nanosec']}}}")
    return ("\n".join(lines) + "\n").encode("utf-8")


def _list(values: Sequence[float]) -> str:
    # never 1e-05, which YAML 1.1 reads as text
    return f"[{', '.join(f'{value:.{DECIMALS}f}' for value in values)}]"
