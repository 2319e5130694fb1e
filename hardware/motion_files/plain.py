"""Motion as CSV and as JSON of Limber's own, written and read. Knows no Blender."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable
from typing import Any

from ...files.plain import shown
from ..device import Joint
from .json_files import document, text_of
from .motion import Motion
from .named import Named
from .recording import MOST_NUMBERS, Column, MotionFileError, Recording, Unit

FORMAT, VERSION = "limber motion", 1
LIMITS = ("lower", "upper", "velocity", "acceleration", "jerk")
SCALES = {"rad": ("deg", 180.0 / math.pi), "m": ("mm", 1000.0), "plain": ("", 1.0)}
TIMES = {"seconds": 1.0, "time": 1.0, "t": 1.0, "timestamp": 1.0, "s": 1.0, "milliseconds": 1e-3, "ms": 1e-3}  # headings -> s
UNITS: dict[str, tuple[Unit, float]] = {  # in a heading -> unit and factor
    "deg": ("rad", math.pi / 180.0),
    "degrees": ("rad", math.pi / 180.0),
    "rad": ("rad", 1.0),
    "m": ("m", 1.0),
    "mm": ("m", 1e-3),
}
JOINT_UNITS = ("rad", "m", "plain")
SERVO = re.compile(r"servo (\d+)")


def table(motion: Motion) -> bytes:
    """CSV with a row per sample: time [s], value of each joint, raw position of each channel."""
    columns = motion.recording.columns
    rows = [["seconds", *map(_heading, columns), *(f"servo {channel.servo}" for channel in motion.device.channels)]]
    scales = [SCALES[column.unit][1] for column in columns]
    for time, positions, *values in zip(motion.times, motion.positions, *(column.values for column in columns), strict=True):
        numbers = (f"{scale * value:.10g}" for scale, value in zip(scales, values, strict=True))
        rows.append([f"{time:.9g}", *numbers, *(f"{position:.3f}" for position in positions)])
    return csv_of(rows)


def joint_table(recording: Recording) -> bytes:
    """CSV with the time [s] and the values of all joints, in their own units."""
    rows = [["seconds", *(f"{one.name} [{one.unit}]" if one.unit != "plain" else one.name for one in recording.columns)]]
    for time, *values in zip(recording.times, *(column.values for column in recording.columns), strict=True):
        rows.append([f"{time:.9g}", *(f"{value:.10g}" for value in values)])
    return csv_of(rows)


def csv_of(rows: Iterable[Iterable[str]]) -> bytes:
    """CSV file of these rows of cells."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8")


def read_table(data: bytes) -> Recording:
    """A CSV table: a heading, the time in the first column, a joint in each other.

    A heading's unit is in brackets: [deg], [rad], [mm], [m]. Without a unit, values are radians, or in the joint's own unit. Columns "servo
    N" beside joints are not read.

    Raises:
        MotionFileError: A value is invalid; the message names row and column.
    """
    rows = rows_of(data)
    heading = rows[0]
    name, unit = _split(heading[0])
    factor = TIMES.get((unit or name).lower(), TIMES.get(name.lower()))
    if factor is None:
        known = ", ".join(f"'{one}'" for one in TIMES)
        raise MotionFileError(f"the first column is '{heading[0][:40]}'; expected the time ({known})")
    numbers = numbers_of(rows)
    columns = []
    joints = [k for k, one in enumerate(heading) if k and not SERVO.fullmatch(one.strip())]
    for k in joints:
        name, given = _split(heading[k])
        if given and given not in UNITS:
            raise MotionFileError(f"column '{heading[k][:40]}': '{given}' is no unit; expected one of {', '.join(UNITS)}")
        known_unit, scale = UNITS[given] if given else ("plain", 1.0)
        columns.append(Column(name, tuple(scale * row[k] for row in numbers), known_unit))
    return Recording(tuple(factor * row[0] for row in numbers), tuple(columns))


def rows_of(data: bytes) -> list[list[str]]:
    """Rows of a CSV file, each as long as the first; empty ones are left out.

    Raises:
        MotionFileError: The file is no CSV table.
    """
    text = text_of(data)
    if "\0" in text:
        raise MotionFileError("it has a zero character: it is no text, choose another file")
    try:
        first = text.partition("\n")[0]
        mark = max(",;\t", key=first.count)
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise MotionFileError(f"it is no table ({error}): it is damaged, or not a CSV file") from error
    if not rows or len(rows[0]) < 2:
        raise MotionFileError("its first line is no heading: write the names of the columns, the time first")
    if len(rows) * len(rows[0]) > MOST_NUMBERS:
        raise MotionFileError(f"it has {len(rows) * len(rows[0])} numbers, more than {MOST_NUMBERS}: import it in parts")
    for k, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise MotionFileError(f"row {k}: it has {len(row)} columns, and the heading {len(rows[0])}: the file is damaged there")
    return rows


def numbers_of(rows: list[list[str]]) -> list[list[float]]:
    """The numbers below the heading of a table.

    Raises:
        MotionFileError: A cell has no number.
    """
    found = []
    for k, row in enumerate(rows[1:], 1):
        try:
            numbers = [float(cell) for cell in row]
        except ValueError:
            numbers = []
        if not numbers or not all(map(math.isfinite, numbers)):
            wrong = next(c for c, cell in enumerate(row) if not _is_number(cell))
            remedy = "write decimals with a point" if _is_number(row[wrong].replace(",", ".")) else "correct it, or choose another file"
            raise MotionFileError(f"row {k}, column '{rows[0][wrong][:40]}': expected a number, found {shown(row[wrong])}: {remedy}")
        found.append(numbers)
    return found


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def _split(heading: str) -> tuple[str, str]:
    """Name and unit of a heading "neck X [deg]"."""
    name, bracket, unit = heading.strip().rpartition("[")
    if bracket and unit.find("]") == len(unit) - 1:
        return name.strip(), unit[:-1].strip()
    return heading.strip(), ""


def write_document(motion: Motion) -> bytes:
    """JSON with the rate, the joints and their limits, the channels, and all samples."""
    found = {
        "format": FORMAT,
        "version": VERSION,
        "title": motion.title,
        "rate": motion.rate,
        "seconds": motion.seconds,
        "loops": motion.loops,
        "protocol": motion.device.protocol,
        "joints": [_described(named, joint) for named, joint in zip(motion.named, motion.device.joints, strict=True)],
        "channels": _channels(motion),
        "values": list(zip(*(column.values for column in motion.recording.columns), strict=True)),
        "positions": motion.positions,
    }
    return json.dumps(found).encode("utf-8")


def read_document(data: bytes) -> Recording:
    """Recording from Limber's own JSON.

    Raises:
        MotionFileError: A value is invalid; the message names row and field.
    """
    own = document(data)
    own.whole("version", VERSION, VERSION)
    rate, joints = own.number("rate"), own.children("joints", "joint", "name")
    if rate <= 0.0:
        own.wrong("rate", "rows per second")
    rows = own.get("values", list)
    if not all(isinstance(row, list) and len(row) == len(joints) for row in rows):
        own.wrong("values", f"rows of {len(joints)} numbers, one for each joint")
    numbers = own.numbers("values", values=[number for row in rows for number in row])
    columns = tuple(
        Column(joint.get("name", str), tuple(numbers[k :: len(joints)]), joint.choice("unit", JOINT_UNITS))
        for k, joint in enumerate(joints)
    )
    return Recording(tuple(k / rate for k in range(len(rows))), columns, title=own.get("title", str))


def is_own(found: Any) -> bool:
    return isinstance(found, dict) and found.get("format") == FORMAT


def _described(named: Named, joint: Joint) -> dict[str, object]:
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


def _heading(column: Column) -> str:
    unit = SCALES[column.unit][0]
    return f"{column.name} [{unit}]" if unit else column.name
