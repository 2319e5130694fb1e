"""Motion as CSV and as JSON of Limber's own, written and read."""

from __future__ import annotations

import csv
import io
import json
import math
import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..device import DeviceJoint
from ..lerobot.calibration import GRIPPER
from . import json_tables
from .clock_texts import with_seconds
from .csv_rows import is_number, numbers_of, rows_of, with_point
from .json_files import document, plain_of
from .motion import Motion
from .named import Named
from .named_cells import with_columns
from .recording import MotionFileError, RecordedColumn, Recording, Unit

FORMAT, VERSION = "limber motion", 1
LIMITS = ("lower", "upper", "velocity", "acceleration", "jerk")
SCALES = {"rad": ("deg", 180.0 / math.pi), "m": ("mm", 1000.0), "plain": ("", 1.0)}
OWN_UNITS = {"rad": "rad", "m": "m", "plain": ""}
# Headings of the time; they may have a unit, "time [ms]" or "t_ms".
TIMES = (
    "time",
    "t",
    "timestamp",
    "stamp",
    "elapsed",
    "clock",
    "time from start",
    "header stamp",
    *("zeit", "temps", "tiempo", "tempo", "tijd", "時間", "时间"),
)
# Last words of headings of the time: "sim time", "recording timestamp".
TIME_WORDS = ("time", "timestamp", "stamp", "zeit")
SINCE = ("since", "from")  # words after a unit, which make a time of it: "secs_since_start"
# [s] since 1970; a clock's larger number counts milliseconds, microseconds or nanoseconds
LATEST_CLOCK = 1e11
TIME_UNITS = {  # also as the whole heading of the time -> s
    **dict.fromkeys(("seconds", "s", "second", "sec", "secs"), 1.0),
    **dict.fromkeys(("milliseconds", "ms", "millisecond", "msec", "millis"), 1e-3),
    **dict.fromkeys(("microseconds", "us", "microsecond", "usec"), 1e-6),
    **dict.fromkeys(("nanoseconds", "ns", "nanosecond", "nsec", "nsecs", "nanosec"), 1e-9),
}
UNITS: dict[str, tuple[Unit, float]] = {  # in a heading -> unit and factor
    "deg": ("rad", math.pi / 180.0),
    "degrees": ("rad", math.pi / 180.0),
    "rad": ("rad", 1.0),
    "m": ("m", 1.0),
    "mm": ("m", 1e-3),
    "cm": ("m", 1e-2),
    "degree": ("rad", math.pi / 180.0),
    "\u00b0": ("rad", math.pi / 180.0),
    "radian": ("rad", 1.0),
    "radians": ("rad", 1.0),
    "metres": ("m", 1.0),
    "meters": ("m", 1.0),
    **dict.fromkeys(
        ("degs", "grad", "degré", "degrés", "grado", "grados", "gradi"), ("rad", math.pi / 180.0)
    ),
    **dict.fromkeys(("rads", "radiant", "radianes", "radianti"), ("rad", 1.0)),
    **dict.fromkeys(("turns", "turn", "rev", "revolutions"), ("rad", math.tau)),
}
OTHER_UNITS = {  # in headings of columns that have no positions
    *("a", "ma", "v", "mv", "nm", "n m", "n·m", "hz", "rpm", "°c", "celsius"),
}
ANGLES = (
    "deg",
    "degrees",
    "rad",
    "radians",
    *("grad", "degrés", "grados", "gradi"),
)  # units at a name's end, "elbow_deg"; lengths are not: "left_arm_m" is a name
POSITION = "position"  # end of names, as ROS's tools write them: "elbow/position"
OTHERS = ("velocity", "effort", "acceleration", "torque", "current", "temperature", "voltage")
# Short marks of quantities, before or behind a joint's name. They may belong to the name, "jaw_vel", so they
# count only where the table shows it: see `_ShortMarks`.
SHORT_POSITIONS = ("q", "pos")
SHORT_OTHERS = ("vel", "eff", "acc", "tau", "qd", "dq", "qdd", "ddq")
LEROBOT = ".pos"  # end of LeRobot's names of joints, whose values are LeRobot's degrees
NANO = TIME_UNITS["nanoseconds"]
Joint = tuple[str, Unit, float]  # a column's joint, its unit, and the factor to it
JOINT_UNITS = ("rad", "m", "plain")
# a quantity before the joint's name, where "/" or "." are around it
PLOTTED = re.compile(
    rf"(?:.*[/.])?(?P<quantity>{'|'.join((POSITION, *OTHERS))})"
    r"(?:\[\d+;(?P<named>[^\]]+)\]|[/.](?P<joint>[^/.\[(]+?))(?P<unit>\s*(?:[\[(].*)?)",
    re.IGNORECASE,
)
SERVO = re.compile(r"servo (\d+)")
FRAMES = (  # headings of the number of a row's frame
    *("frame", "frames", "frame index", "frame number", "frame nr", "frame no", "frame id"),
    *("index", "idx", "step", "sample", "row", "n", "#"),
)
NO_UNITS = ("", "-", "1", "none", "n/a")  # cells of a row of units, for columns without one


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
    """A CSV or TSV table: a heading, a column with the time, a joint in each other. Without a time, rows are
    frames, `frame_rate` a second (0: not known), and a column may have their numbers.

    A heading's unit is in brackets, [deg], (rad), [mm], behind the joint's name, elbow_deg, or in a row of
    units below. Without a unit, values are radians, or in the joint's own unit; under LeRobot's names,
    elbow_flex.pos, they are LeRobot's degrees, and shares of the gripper's range. Columns "servo N", without
    a heading, of texts, and of velocities, efforts and other quantities are not read. Cells may name the
    joints (`named_cells`), and times may be dates (`clock_texts`). Where columns are not separated
    by commas, numbers may have decimal commas.

    Raises:
        MotionFileError: A value is invalid; the message names row and column.
    """
    return _of_rows(rows_of(data), frame_rate)


def _of_rows(rows: list[list[str]], frame_rate: float) -> Recording:
    """Recording of the rows of a table, as `read_table`."""
    rows = _with_units(with_columns(rows, _words, lambda heading: _time_factor(heading) is not None))
    heading = rows[0]
    has_times, clocks = _clocks(heading, frame_rate)
    cells = {k: cell for k, cell in enumerate(heading) if _time_factor(cell) is None and k not in clocks}
    marks = _ShortMarks.of(cells.values())
    columns = {k: joint for k, cell in cells.items() if (joint := _joint_of(cell, marks)) is not None}
    columns = dict(_without_texts(columns, rows))
    rows = with_seconds(rows, list(clocks))
    numbers = numbers_of([[row[k] for k in (*clocks, *columns)] for row in rows])
    values = list(zip(*numbers, strict=True)) or [()] * (len(clocks) + len(columns))
    joints = (
        RecordedColumn(name, tuple(scale * value for value in joint_values), unit)
        for (name, unit, scale), joint_values in zip(columns.values(), values[len(clocks) :], strict=True)
    )
    if clocks:
        times = tuple(
            sum(map(operator.mul, clocks.values(), part)) for part in zip(*values[: len(clocks)], strict=True)
        )
        times = _in_seconds(times)
    else:
        times = tuple(row / frame_rate for row in range(len(numbers)))
    return Recording(times, tuple(joints), assumed_rate=0.0 if has_times else frame_rate)


def _without_texts(columns: Mapping[int, Joint], rows: list[list[str]]) -> Mapping[int, Joint]:
    """The columns that have a number; all, where none has."""
    with_numbers = {
        k: joint for k, joint in columns.items() if any(is_number(with_point(row[k])) for row in rows[1:])
    }
    return with_numbers or columns


def _in_seconds(times: tuple[float, ...]) -> tuple[float, ...]:
    """Times [s] of a computer's clock, which counts from 1970 in seconds, or thousandths of them, or
    thousandths of these.
    """
    scale = 1.0
    while times and scale * times[0] > LATEST_CLOCK and scale > NANO:
        scale *= 1e-3
    return tuple(scale * time for time in times) if scale != 1.0 else times


def _with_units(rows: list[list[str]]) -> list[list[str]]:
    """A table whose row of units, below the heading, is part of the heading.

    Raises:
        MotionFileError: The heading has no names, or the row below it has neither numbers nor units.
    """
    if all(is_number(with_point(cell)) for cell in rows[0]):
        raise MotionFileError(
            "its first row has numbers: write the names of the columns above them, the time's and the joints'"
        )
    units = [cell.strip().strip("[]()") for cell in rows[1]] if len(rows) > 1 else []
    if not _are_units(rows[0], units):
        return rows
    heading = [
        cell if unit.lower() in NO_UNITS or _split(cell)[1] else f"{cell} [{unit}]"
        for cell, unit in zip(rows[0], units, strict=True)
    ]
    return [heading, *rows[2:]]


def _are_units(names: list[str], cells: list[str]) -> bool:
    """Whether the cells below a heading are units.

    Raises:
        MotionFileError: Some are, and another one is neither a unit nor a number.
    """
    known = {*UNITS, *TIME_UNITS, *OTHER_UNITS}
    has_numbers = any(is_number(with_point(cell)) and cell not in NO_UNITS for cell in cells)
    if has_numbers or not any(cell.lower() in known for cell in cells):
        return False
    for name, cell in zip(names, cells, strict=True):
        if cell.lower() not in {*known, *NO_UNITS} and "/s" not in cell:
            raise MotionFileError(
                f"row 1, column '{name[:40]}': '{cell[:40]}' is neither a number nor a unit: correct it, or"
                " take the row out"
            )
    return True


def _clocks(heading: list[str], frame_rate: float) -> tuple[bool, dict[int, float]]:
    """Whether a table has times, and the columns whose sum is the time, each with the seconds in its unit:
    the first time, and after one of whole seconds the nanoseconds, as ROS has its stamps; else the numbers
    of frames. Without any, rows are frames.

    Raises:
        MotionFileError: There is no time, and the rate of frames is not known.
    """
    at = next((k for k, cell in enumerate(heading) if _time_factor(cell) is not None), None)
    if at is not None:
        clocks = {at: _time_factor(heading[at]) or 0.0}
        following = _time_factor(heading[at + 1]) if at + 1 < len(heading) else None
        if following == NANO and clocks[at] == 1.0:
            clocks[at + 1] = following
        return True, clocks
    if not frame_rate:
        known = ", ".join(f"'{name}'" for name in (*TIMES[:3], *list(TIME_UNITS)[:2]))
        raise MotionFileError(
            f"the first column is '{heading[0][:40]}'; expected the time ({known}) there or in another column"
        )
    counter = next((k for k, cell in enumerate(heading) if _words(cell) in FRAMES), None)
    return False, {} if counter is None else {counter: 1.0 / frame_rate}


def _time_factor(heading: str) -> float | None:
    """Seconds in the unit of a time's heading; None if it is none: "time", "t_ms", "Time [s]", "seconds"."""
    name, unit = _split(heading)
    words = _words(name).split()
    if not unit and len(words) > 1 and words[-1] in TIME_UNITS:
        unit = words.pop()
    if len(words) > 1 and words[-1].isdecimal() and words[-2] in TIME_WORDS:  # a second column of its name
        words.pop()
    if " ".join(words) in TIMES or (words and words[-1] in TIME_WORDS):
        return TIME_UNITS.get(unit.lower()) if unit else 1.0
    if len(words) > 1 and words[1] in SINCE:
        return TIME_UNITS.get(words[0])
    return TIME_UNITS.get(" ".join(words)) if not unit else None


def _words(heading: str) -> str:
    """A heading's words in small letters, with a blank between them: "Frame_Index" -> "frame index",
    "rosbagTimestamp" -> "rosbag timestamp".
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading)
    return " ".join(filter(None, re.split(r"[\W_]+", spaced.lower()))) or heading.strip()


class _ShortMarks(NamedTuple):
    """Which short marks of quantities a table's headings have.

    Attributes:
        positions: Joints whose positions are marked, where all columns of positions are.
        joints: Joints that have a column of positions, marked or not: their other quantities are known.
    """

    positions: frozenset[str]
    joints: frozenset[str]

    @classmethod
    def of(cls, headings: Iterable[str]) -> _ShortMarks:
        names = {name: unit for name, unit in map(_split, headings) if name}
        others = {name for name, unit in names.items() if not unit and _unmarked(name, SHORT_OTHERS)}
        marked = {name: _unmarked(name, SHORT_POSITIONS) for name in names.keys() - others}
        positions = frozenset(marked.values()) if all(marked.values()) else frozenset()
        return cls(positions, positions | frozenset(marked))


def _unmarked(name: str, marks: Sequence[str]) -> str:
    """A name without the mark before or behind it; "" where it has none."""
    before, end = _without_end(name)
    first, _, after = name.partition("_")
    if before and end.lower() in marks:
        return before.rpartition("/")[2] or before
    return after if first.lower() in marks and not after.isdecimal() else ""


def _joint_of(heading: str, marks: _ShortMarks) -> Joint | None:
    """Name of a column's joint, its unit and the factor to it; None for a column that has no joint's
    positions.

    Raises:
        MotionFileError: The heading's unit is unknown.
    """
    name, unit_name = _split(_quantity_last(heading))
    if not name or SERVO.fullmatch(name) or "/s" in unit_name or unit_name.lower() in OTHER_UNITS:
        return None
    if not unit_name and name.endswith(LEROBOT):
        name = name.removesuffix(LEROBOT)
        return name, "range_0_100" if name == GRIPPER else "degrees", 1.0
    before, quantity = _without_end(name)
    if (before and quantity.lower() in OTHERS) or _unmarked(name, SHORT_OTHERS) in marks.joints:
        return None
    name = _without_position(name, "" if unit_name else _unmarked(name, SHORT_POSITIONS), marks)
    before, end = _without_end(name)
    if not unit_name and before and end.lower() in ANGLES:  # "elbow_deg" names its unit without brackets
        name, unit_name = before, end
    return name, *_unit(heading, unit_name)


def _quantity_last(heading: str) -> str:
    """A heading in which the quantity is behind the joint, "elbow/position": PlotJuggler and others write it
    before, "/joint_states/position[0;elbow]", "joint_states.position.elbow".
    """
    if match := PLOTTED.fullmatch(heading.strip()):
        return f"{match['joint'] or match['named']}/{match['quantity'].lower()}{match['unit']}"
    return heading


def _without_position(name: str, unmarked: str, marks: _ShortMarks) -> str:
    """A column's name without what says that it has positions: a word at its end, or the short mark without
    which it is `unmarked`.
    """
    before, quantity = _without_end(name)
    if before and quantity.lower() == POSITION:
        return before.rpartition("/")[2] or before
    return unmarked if unmarked in marks.positions else name


def _unit(heading: str, unit_name: str) -> tuple[Unit, float]:
    """Unit that a column's heading names, and the factor to it; "": a plain number.

    Raises:
        MotionFileError: The unit is unknown.
    """
    if not unit_name:
        return "plain", 1.0
    if unit_name.lower() not in UNITS:
        raise MotionFileError(
            f"column '{heading[:40]}': '{unit_name}' is no unit; expected one of {', '.join(UNITS)}"
        )
    return UNITS[unit_name.lower()]


def _without_end(name: str) -> tuple[str, str]:
    """A name without its last word, and that word: words are separated by "_", "/", "." and blanks."""
    start = max(name.rfind(mark) for mark in "_/. ") + 1
    return name[: max(start - 1, 0)], name[start:]


def _split(heading: str) -> tuple[str, str]:
    """Name and unit of a heading "neck X [deg]" or "neck X (deg)"."""
    heading = heading.strip()
    opening = {"]": "[", ")": "("}.get(heading[-1:])
    if opening is None or opening not in heading:
        return heading, ""
    name, _, unit = heading[:-1].rpartition(opening)
    return name.strip(), unit.strip()


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
        MotionFileError: A value is invalid; the message names row and field.
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
    return isinstance(json_value, dict) and json_value.get("format") == FORMAT


def is_own_or_table(json_value: Any) -> bool:
    return is_own(json_value) or json_tables.is_table(json_value)


def read_json(data: bytes, frame_rate: float = 0.0) -> Recording:
    """Recording from Limber's own JSON, or from a table as JSON, which is read as CSV is.

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
