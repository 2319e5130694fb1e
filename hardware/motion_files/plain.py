"""Limber's own motion files in CSV and JSON, and tables of other programs: writing and reading."""

from __future__ import annotations

import csv
import io
import json
import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..device import DeviceJoint
from . import json_tables, opensim, robot_states, webots
from .clock_texts import with_seconds
from .csv_rows import is_number, numbers_of, rows_of, with_point
from .headings import (
    TIME_UNITS,
    ColumnJoint,
    ShortMarks,
    joint_of,
    time_columns,
    time_factor,
    with_units,
)
from .json_files import document, plain_of
from .motion import Motion
from .named import Named
from .named_cells import with_columns
from .other_names import other_name
from .recording import RecordedColumn, Recording

FORMAT, VERSION = "limber motion", 1
LIMITS = ("lower", "upper", "velocity", "acceleration", "jerk")
# unit of a joint -> (unit in the heading of Limber's own table, factor to it)
SCALES = {"rad": ("deg", 180.0 / math.pi), "m": ("mm", 1000.0), "plain": ("", 1.0)}
# unit of a joint -> unit in the heading of a table in the joints' own units
OWN_UNITS = {"rad": "rad", "m": "m", "plain": ""}
# larger times count as milliseconds, microseconds or nanoseconds since 1970, since in seconds they would be
# after the year 5000
LATEST_CLOCK = 1e11
JOINT_UNITS = ("rad", "m", "plain")


def table(motion: Motion) -> bytes:
    """CSV with a row per sample and a heading: time [s], value of each joint [deg, mm], raw position of each
    channel.
    """
    columns = motion.recording.columns
    names = (_heading(column.name, SCALES[column.unit][0]) for column in columns)
    scales = [SCALES[column.unit][1] for column in columns]
    rows = [["seconds", *names, *(f"servo {channel.servo}" for channel in motion.device.channels)]]
    for time, positions, *values in zip(
        motion.times, motion.positions, *(column.values for column in columns), strict=True
    ):
        numbers = (f"{scale * value:.10g}" for scale, value in zip(scales, values, strict=True))
        rows.append([f"{time:.9g}", *numbers, *(f"{position:.3f}" for position in positions)])
    return csv_of(rows)


def joint_table(recording: Recording) -> bytes:
    """CSV with the time [s] and the values of all joints, in their own units [rad, m]."""
    rows = [["seconds", *(_heading(column.name, OWN_UNITS[column.unit]) for column in recording.columns)]]
    for time, *values in zip(recording.times, *(column.values for column in recording.columns), strict=True):
        rows.append([f"{time:.9g}", *(f"{value:.10g}" for value in values)])
    return csv_of(rows)


def _heading(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name


def csv_of(rows: Iterable[Iterable[str]]) -> bytes:
    """CSV file of these rows of cells."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8")


def read_table(data: bytes, frame_rate: float = 0.0) -> Recording:
    """Recording of a CSV or TSV table: a heading, a column with the time, a joint in each other column.
    Without a time, rows are frames, `frame_rate` per second (0 if not known), and a column may have frame
    numbers.

    A heading's unit is in brackets, [deg], (rad), [mm], after the joint's name, "elbow_deg", "elbow, deg", or
    in a row of units below. Without a unit, angles are radians or degrees, as the user has set; under
    LeRobot's names, elbow_flex.pos, they are LeRobot's degrees, and shares of the gripper's range. Columns
    "servo N", without a heading, of texts, and of velocities, efforts and other quantities are not read.
    Cells may name the joints (`named_cells`), and times may be dates (`clock_texts`). OpenSim's tables
    (`opensim`), Webots' motions (`webots`) and recordings of robots' states (`robot_states`) are known. If
    columns are not separated by commas, numbers may have decimal commas.

    Raises:
        MotionFileError: The file is no such table, or a value is invalid.
    """
    data, unit = opensim.without_head(webots.as_table(data))
    rows = rows_of(data)
    return _of_rows(rows if unit is None else opensim.with_joints(rows, unit), frame_rate)


def _of_rows(rows: list[list[str]], frame_rate: float) -> Recording:
    """Recording of the rows of a table, as `read_table`."""
    rows = with_units(robot_states.with_clock(with_columns(rows)))
    heading = rows[0]
    has_times, clocks = time_columns(heading, frame_rate)
    # a second column of times is no joint, even if the clock does not use it
    cells = {k: cell for k, cell in enumerate(heading) if time_factor(cell) is None and k not in clocks}
    columns = dict(_without_texts(_joint_columns(cells), rows))
    rows = with_seconds(rows, list(clocks))
    numbers = numbers_of([[row[k] for k in (*clocks, *columns)] for row in rows])
    # without rows, `zip` would yield no columns
    values = list(zip(*numbers, strict=True)) or [()] * (len(clocks) + len(columns))
    joints = (
        _column(joint, joint_values)
        for joint, joint_values in zip(columns.values(), values[len(clocks) :], strict=True)
    )
    if clocks:
        times = tuple(
            sum(map(operator.mul, clocks.values(), part)) for part in zip(*values[: len(clocks)], strict=True)
        )
        times = _in_seconds(times)
    else:
        times = tuple(row / frame_rate for row in range(len(numbers)))
    return Recording(times, tuple(joints), assumed_rate=0.0 if has_times else frame_rate)


def _joint_columns(cells: Mapping[int, str]) -> dict[int, ColumnJoint]:
    """The columns with joints' positions, by their headings; if a joint occurs in several units, only
    its columns in the unit of the first.
    """
    if states := robot_states.joints_of(cells.values()):
        return {
            k: ColumnJoint(states[cell].name, "rad", 1.0, states[cell].others)
            for k, cell in cells.items()
            if cell in states
        }
    marks = ShortMarks.of(cells.values())
    columns = {k: joint for k, cell in cells.items() if (joint := joint_of(cell, marks)) is not None}
    first = {joint.name: joint for joint in reversed(columns.values())}
    return {
        k: joint
        for k, joint in columns.items()
        if joint is first[joint.name] or joint.scale == first[joint.name].scale
    }


def _column(joint: ColumnJoint, values: Sequence[float]) -> RecordedColumn:
    """A recorded column with these values."""
    other = other_name(joint.name)
    return RecordedColumn(
        joint.name,
        tuple(joint.scale * value for value in values),
        joint.unit,
        other_names=joint.others or tuple(filter(None, [other.name])),
        is_commanded=other.is_commanded,
    )


def _without_texts(columns: Mapping[int, ColumnJoint], rows: list[list[str]]) -> Mapping[int, ColumnJoint]:
    """The columns that contain a number; all columns if none does."""
    with_numbers = {
        k: joint for k, joint in columns.items() if any(is_number(with_point(row[k])) for row in rows[1:])
    }
    return with_numbers or columns


def _in_seconds(times: tuple[float, ...]) -> tuple[float, ...]:
    """Times in seconds; large ones are taken for those of a computer's clock, which counts milliseconds,
    microseconds or nanoseconds from 1970.
    """
    scale = 1.0
    while times and scale * times[0] > LATEST_CLOCK and scale > TIME_UNITS["nanoseconds"]:
        scale *= 1e-3
    return tuple(scale * time for time in times) if scale != 1.0 else times


def write_document(motion: Motion) -> bytes:
    """JSON with the rate, the joints and their limits, the channels, and all samples."""
    fields = {
        "format": FORMAT,
        "version": VERSION,
        "title": motion.title,
        "rate": motion.rate,
        "seconds": motion.seconds,
        "loops": motion.loops,
        "protocol": motion.device.protocol,
        "joints": [
            _described(named, joint) for named, joint in zip(motion.named, motion.device.joints, strict=True)
        ],
        "channels": _channels(motion),
        "values": list(zip(*(column.values for column in motion.recording.columns), strict=True)),
        "positions": motion.positions,
    }
    return json.dumps(fields).encode("utf-8")


def read_document(data: bytes) -> Recording:
    """Recording from Limber's own JSON.

    Raises:
        MotionFileError: The file is no such JSON, or a value is invalid.
    """
    fields = document(data)
    fields.whole("version", VERSION, VERSION)
    rate, joints = fields.number("rate"), fields.children("joints", "joint", "name")
    if rate <= 0.0:
        fields.wrong("rate", "rows per second")
    rows = fields.get("values", list)
    if not all(isinstance(row, list) and len(row) == len(joints) for row in rows):
        fields.wrong("values", f"rows of {len(joints)} numbers, one for each joint")
    numbers = fields.numbers("values", values=[number for row in rows for number in row])
    columns = tuple(
        RecordedColumn(
            joint.get("name", str), tuple(numbers[k :: len(joints)]), joint.choice("unit", JOINT_UNITS)
        )
        for k, joint in enumerate(joints)
    )
    return Recording(tuple(k / rate for k in range(len(rows))), columns, title=fields.get("title", str))


def is_own(json_value: Any) -> bool:
    """Whether a JSON value is a motion in Limber's own format."""
    return isinstance(json_value, dict) and json_value.get("format") == FORMAT


def is_own_or_table(json_value: Any) -> bool:
    """Whether a JSON value is a motion in Limber's own format, or a table."""
    return is_own(json_value) or json_tables.is_table(json_value)


def read_json(data: bytes, frame_rate: float = 0.0) -> Recording:
    """Recording from Limber's own JSON, or from a table in JSON, which is read like CSV.

    Raises:
        MotionFileError: As `read_document` and `read_table`.
    """
    table = plain_of(data)
    if is_own(table) or not json_tables.is_table(table):
        return read_document(data)
    return _of_rows(json_tables.rows_of(table), frame_rate)


def _described(named: Named, joint: DeviceJoint) -> dict[str, object]:
    limits = {name: getattr(joint.limits, name) for name in LIMITS}
    limits["lower"], limits["upper"] = sorted(named.sign * limits[end] for end in ("lower", "upper"))
    return {"name": named.name, "unit": named.unit, **limits}


def _channels(motion: Motion) -> list[dict[str, object]]:
    names = {joint.name: named.name for named, joint in zip(motion.named, motion.device.joints, strict=True)}
    return [
        {
            "servo": channel.servo,
            "joints": [names[share.joint] for share in channel.shares],
            "lowest": channel.lowest,
            "highest": channel.highest,
        }
        for channel in motion.device.channels
    ]
