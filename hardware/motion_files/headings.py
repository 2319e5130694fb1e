"""Parses headings of a table's columns: the time and its unit, or a joint, its unit and its quantity."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..lerobot.calibration import GRIPPER
from .csv_rows import is_number, with_point
from .recording import MotionFileError, Unit

# headings of the column of times; a unit may be added: "time [ms]" or "t_ms"
TIMES = (
    "time",
    "t",
    "timestamp",
    "stamp",
    "elapsed",
    "clock",
    "time from start",
    "header stamp",
    "tout",
    *("zeit", "temps", "tiempo", "tempo", "tijd", "時間", "时间"),
)
# last words of headings of the time: "sim time", "recording timestamp"
TIME_WORDS = ("time", "datetime", "timestamp", "stamp", "zeit")
SINCE = ("since", "from")  # words after a unit that mark a column of times: "secs_since_start"
TIME_UNITS = {  # unit of time, which may also be the whole heading -> seconds
    **dict.fromkeys(("seconds", "s", "second", "sec", "secs"), 1.0),
    **dict.fromkeys(("milliseconds", "ms", "millisecond", "msec", "millis"), 1e-3),
    **dict.fromkeys(("microseconds", "us", "microsecond", "usec"), 1e-6),
    **dict.fromkeys(("nanoseconds", "ns", "nanosecond", "nsec", "nsecs", "nanosec"), 1e-9),
}
UNITS: dict[str, tuple[Unit, float]] = {  # unit in a heading -> (unit of a joint, factor to it)
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
OTHER_UNITS = {  # units in headings of columns that have no positions
    *("a", "ma", "v", "mv", "nm", "n m", "n·m", "hz", "rpm", "°c", "celsius"),
}
# units at the end of a name, "elbow_deg"; units of length are not, since "left_arm_m" is a name
ANGLES = ("deg", "degrees", "rad", "radians", *("grad", "degrés", "grados", "gradi"))
POSITION = "position"  # end of names written by ROS's tools: "elbow/position"
OTHERS = ("velocity", "effort", "acceleration", "torque", "current", "temperature", "voltage")
# short marks of quantities before or after a joint's name. They may belong to the name, as in "jaw_vel", so
# that the whole table decides: see `ShortMarks`
SHORT_POSITIONS = ("q", "pos", "qpos")
SHORT_OTHERS = ("vel", "eff", "acc", "tau", "qd", "dq", "qdd", "ddq", "qvel", "qacc")
CONTROLS = ("ctrl", "actuator")  # first words of MuJoCo's columns of controls: "ctrl_0"
LEROBOT = ".pos"  # suffix of LeRobot's joint names; values are in degrees, a gripper's from 0 to 100
NANO = TIME_UNITS["nanoseconds"]
# word before "/" or "." and a joint's name, possibly with "joint_" or "dof_" before it -> quantity
QUANTITIES = {
    **{name: name for name in (POSITION, *OTHERS)},
    **dict.fromkeys(("pos", "positions", "qpos"), POSITION),
    **dict.fromkeys(("vel", "velocities", "qvel"), "velocity"),
    **dict.fromkeys(("acc", "accelerations", "qacc"), "acceleration"),
    **dict.fromkeys(("torques", "efforts", "eff", "tau"), "torque"),
}
# a quantity before the joint's name, with "/" or "." around it
PLOTTED = re.compile(
    rf"(?:.*[/.])?(?:joint_|dof_)?(?P<quantity>{'|'.join(QUANTITIES)})"
    r"(?:\[\d+;(?P<named>[^\]]+)\]|[/.](?P<joint>[^/.\[(]+?))(?P<unit>\s*(?:[\[(].*)?)",
    re.IGNORECASE,
)
UNIT_MARKS = (",", " in ")  # separators between a name and a unit without brackets
SERVO = re.compile(r"servo (\d+)")
FRAMES = (  # headings of a column of frame numbers
    *("frame", "frames", "frame index", "frame number", "frame nr", "frame no", "frame id"),
    *("index", "idx", "step", "sample", "row", "n", "#"),
)
NO_UNITS = ("", "-", "1", "none", "n/a")  # cells in a row of units for columns without a unit


def name_and_unit(heading: str) -> tuple[str, str]:
    """Name and unit of a heading "neck X [deg]", "neck X (deg)", "neck X, deg" or "neck X in deg"; the unit
    is "" if the heading names none.
    """
    heading = heading.strip()
    opening = {"]": "[", ")": "("}.get(heading[-1:])
    if opening is None or opening not in heading:
        parts = (heading.rpartition(mark) for mark in UNIT_MARKS)
        split = ((name.strip(), unit.strip()) for name, _, unit in parts)
        return next(((name, unit) for name, unit in split if name and is_unit(unit)), (heading, ""))
    name, _, unit = heading[:-1].rpartition(opening)
    if unit.strip().isdecimal():  # an array index: "joint_angle(1)"
        return heading, ""
    return name.strip(), unit.strip()


def is_unit(text: str) -> bool:
    """Whether a text is a known unit: of a position, a time or another quantity, or one of these per second
    ("deg/s").
    """
    unit, _, _ = text.lower().partition("/s")
    return unit in (UNITS | TIME_UNITS).keys() | OTHER_UNITS


def words_of(heading: str) -> str:
    """A heading's words in lower case, separated by spaces: "Frame_Index" -> "frame index",
    "rosbagTimestamp" -> "rosbag timestamp".
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading)
    return " ".join(filter(None, re.split(r"[\W_]+", spaced.lower()))) or heading.strip()


def time_factor(heading: str) -> float | None:
    """Seconds per unit of a column of times, from its heading, such as "time", "t_ms", "Time [s]" or
    "seconds"; None if the heading does not name a time, or in an unknown unit.
    """
    name, unit = name_and_unit(heading)
    words = words_of(name).split()
    if not unit and len(words) > 1 and words[-1] in TIME_UNITS:
        unit = words.pop()
    # a number after the word distinguishes columns of the same name: "timestamp 2"
    if len(words) > 1 and words[-1].isdecimal() and words[-2] in TIME_WORDS:
        words.pop()
    if " ".join(words) in TIMES or (words and words[-1] in TIME_WORDS):
        return TIME_UNITS.get(unit.lower()) if unit else 1.0
    if len(words) > 1 and words[1] in SINCE:
        return TIME_UNITS.get(words[0])
    return TIME_UNITS.get(" ".join(words)) if not unit else None


class ColumnJoint(NamedTuple):
    """A column's joint: its name, the unit of its positions, the factor to that unit, and other names that it
    may have in a robot's model.
    """

    name: str
    unit: Unit
    scale: float
    others: tuple[str, ...] = ()


class ShortMarks(NamedTuple):
    """Short marks of quantities in a table's headings, such as "q" and "vel".

    Attributes:
        positions: Joints with marked positions, if all columns of positions are marked.
        joints: Joints that have a column of positions, marked or not, so that their other quantities can be
            recognised.
    """

    positions: frozenset[str]
    joints: frozenset[str]

    @classmethod
    def of(cls, headings: Iterable[str]) -> ShortMarks:
        """The short marks in these headings."""
        names = {name: unit for name, unit in map(name_and_unit, headings) if name}
        without_positions = {name for name, unit in names.items() if not unit and _has_no_positions(name)}
        marked = {name: _unmarked(name, SHORT_POSITIONS) for name in names.keys() - without_positions}
        positions = frozenset(marked.values()) if all(marked.values()) else frozenset()
        return cls(positions, positions | frozenset(marked))


def _has_no_positions(name: str) -> bool:
    """Whether a word before or after a name shows that its column has no positions: "elbow_vel", "ctrl_0"."""
    first = name.partition("_")[0].lower()
    _, end = _without_end(name)
    return end.lower() in OTHERS or first in CONTROLS or bool(_unmarked(name, SHORT_OTHERS))


def _unmarked(name: str, marks: Sequence[str]) -> str:
    """A name without its mark, the first or last word; "" if the name has none of the marks."""
    before, end = _without_end(name)
    first, _, after = name.partition("_")
    if before and end.lower() in marks:
        return before.rpartition("/")[2] or before
    return after if first.lower() in marks and not after.isdecimal() else ""


def joint_of(heading: str, marks: ShortMarks) -> ColumnJoint | None:
    """The joint of a column, from its heading; None for a column without positions of a joint.

    Raises:
        MotionFileError: The heading's unit is unknown.
    """
    name, unit_name = name_and_unit(_quantity_last(heading))
    if not name or SERVO.fullmatch(name) or "/s" in unit_name or unit_name.lower() in OTHER_UNITS:
        return None
    if not unit_name and name.endswith(LEROBOT):
        name = name.removesuffix(LEROBOT)
        return ColumnJoint(name, "range_0_100" if name.split(".")[-1] == GRIPPER else "degrees", 1.0)
    before, quantity = _without_end(name)
    if (before and quantity.lower() in OTHERS) or _unmarked(name, SHORT_OTHERS) in marks.joints:
        return None
    name = _without_position(name, "" if unit_name else _unmarked(name, SHORT_POSITIONS), marks)
    before, end = _without_end(name)
    if not unit_name and before and end.lower() in ANGLES:  # "elbow_deg" contains its unit without brackets
        name, unit_name = before, end
    return ColumnJoint(name, *_unit(heading, unit_name))


def _quantity_last(heading: str) -> str:
    """A heading converted so that the quantity follows the joint, "elbow/position". PlotJuggler and others
    write it first: "/joint_states/position[0;elbow]", "joint_states.position.elbow".
    """
    if match := PLOTTED.fullmatch(heading.strip()):
        quantity = QUANTITIES[match["quantity"].lower()]
        return f"{match['joint'] or match['named']}/{quantity}{match['unit']}"
    return heading


def _without_position(name: str, unmarked: str, marks: ShortMarks) -> str:
    """A column's name without the part that marks positions: a word at its end, or its short mark if the
    table's `marks` have the joint. `unmarked`: the name without its short mark.
    """
    before, quantity = _without_end(name)
    if before and quantity.lower() == POSITION:
        return before.rpartition("/")[2] or before
    return unmarked if unmarked in marks.positions else name


def _unit(heading: str, unit_name: str) -> tuple[Unit, float]:
    """Unit of a column's positions and the factor from the unit in its heading; a `unit_name` of "" stands
    for plain numbers.

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
    """(name without its last word, that word); words are separated by "_", "/", "." and spaces."""
    start = max(name.rfind(mark) for mark in "_/. ") + 1
    return name[: max(start - 1, 0)], name[start:]


def with_units(rows: list[list[str]]) -> list[list[str]]:
    """A table with the row of units below its heading merged into the heading; unchanged without such a row.

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
        cell if unit.lower() in NO_UNITS or name_and_unit(cell)[1] else f"{cell} [{unit}]"
        for cell, unit in zip(rows[0], units, strict=True)
    ]
    return [heading, *rows[2:]]


def _are_units(names: list[str], cells: list[str]) -> bool:
    """Whether the cells below a heading are units.

    Raises:
        MotionFileError: Some are units, and another cell is neither a unit nor a number.
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


def time_columns(heading: list[str], frame_rate: float) -> tuple[bool, dict[int, float]]:
    """(whether a table has times, {index of a column: seconds per unit of that column}); a row's time is the
    sum over these columns. They are the first column of times, together with a column of nanoseconds if
    that follows whole seconds as in ROS's stamps; else the column of frame numbers. Without any of these,
    each row is one frame.

    Raises:
        MotionFileError: There is no time, and the frame rate is not known.
    """
    at = next((k for k, cell in enumerate(heading) if time_factor(cell) is not None), None)
    if at is not None:
        clocks = {at: time_factor(heading[at]) or 0.0}
        following = time_factor(heading[at + 1]) if at + 1 < len(heading) else None
        if following == NANO and clocks[at] == 1.0:
            clocks[at + 1] = following
        return True, clocks
    if not frame_rate:
        known = ", ".join(f"'{name}'" for name in (*TIMES[:3], *list(TIME_UNITS)[:2]))
        raise MotionFileError(
            f"the first column is '{heading[0][:40]}'; expected the time ({known}) there or in another column"
        )
    counter = next((k for k, cell in enumerate(heading) if words_of(cell) in FRAMES), None)
    return False, {} if counter is None else {counter: 1.0 / frame_rate}
