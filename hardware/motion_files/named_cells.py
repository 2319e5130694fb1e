"""Converts tables whose cells name the joints to tables with a column for each joint.

Four layouts are known: a row for each joint and time ("time, joint, position"); lists in cells, as
tools for ROS bags write a JointState ("['pan', 'tilt']", "[0.1, 0.2]"); a numbered column for each name and
position ("name_0, name_1, position_0, position_1"), as `rostopic echo -p` writes them; and rows without a
heading, as `ros2 topic echo --csv` writes them.
"""

from __future__ import annotations

import re

from .csv_rows import is_number, with_point
from .headings import time_factor, words_of
from .recording import MotionFileError

# headings of columns with joints' names, with their positions, and with the positions' units
NAMES = ("name", "names", "joint", "joints", "joint name", "joint names", "motor", "motor name", "channel")
POSITIONS = ("position", "positions", "pos", "value", "values", "angle", "angles", "q")
UNITS = ("unit", "units")
NUMBERED = re.compile(r"(?:.*\.)?(name|position)[_.\[]?(\d+)\]?", re.IGNORECASE)
# columns of `ros2 topic echo --csv` before the frame's name
STAMP = ("header.stamp.sec", "header.stamp.nanosec")
QUANTITIES = 3  # largest number of values for each name: position, velocity and effort

Rows = list[list[str]]


def with_columns(rows: Rows) -> Rows:
    """A table with a column for each joint; a table whose cells name no joints is returned unchanged.

    Args:
        rows: The heading and the rows below it, all of one length.

    Raises:
        MotionFileError: The names in a row differ from those before or from the row's number of positions, or
            a joint has no value or two values at some time.
    """
    rows = _headed(rows)
    if len(rows) < 2:
        return rows
    readers = (_from_numbered, _from_lists, _from_single_values)
    return next((table for read in readers if (table := read(rows)) is not None), rows)


def _names_and_positions(rows: Rows) -> tuple[int, int] | None:
    """Indices of the column with the joints' names and of the column with their positions; None unless both
    exist and the names are texts.
    """
    heading, first = rows[0], rows[1]
    names = next((k for k, cell in enumerate(heading) if _last_words(cell) in NAMES), None)
    positions = next((k for k, cell in enumerate(heading) if _has_positions(cell)), None)
    if names is None or positions is None or is_number(first[names]) or not first[names].strip():
        return None
    return names, positions


def _has_positions(heading: str) -> bool:
    """Whether a column has positions: "position", "Position [deg]", "value_deg"."""
    words = _last_words(heading)
    return words in POSITIONS or words.split(" ")[0] in POSITIONS[:-1]


def _last_words(heading: str) -> str:
    """Words of a heading without its unit, after the last point: "msg.Joint_Names [-]" -> "joint names"."""
    return words_of(_name(heading).split(".")[-1])


def _name(heading: str) -> str:
    """A heading without the unit in brackets after it."""
    return re.split(r"[\[(]", heading, maxsplit=1)[0].strip()


def _unit_mark(heading: str) -> str:
    """The unit in a heading of positions, in the form that follows a joint's name: " [deg]", "_deg"."""
    name = _name(heading)
    in_brackets = heading[len(name) :].strip()
    end = re.search(r"_[^\W_]+$", name)
    return f" {in_brackets}" if in_brackets else end[0] if end else ""


def _headed(rows: Rows) -> Rows:
    """Rows of `ros2 topic echo --csv` with a heading: the stamp, the frame's name, the joints' names, and
    their positions, velocities and efforts; other rows unchanged.
    """
    cells = [cell.strip() for cell in rows[0]]
    # without a heading, only the first number after the frame's name shows how many names there are;
    # velocities and efforts may be missing
    count = next((k for k, cell in enumerate(cells[3:]) if is_number(cell)), 0)
    numbers = cells[3 + count :]
    is_state = (
        count > 0
        and all(cell.isdecimal() for cell in cells[:2])
        and not is_number(cells[2])
        and len(numbers) % count == 0
        and len(numbers) <= QUANTITIES * count
        and all(map(is_number, numbers))
    )
    if not is_state:
        return rows
    names = [f"name_{k}" for k in range(count)]
    positions = [f"position_{k}" for k in range(count)]
    # columns with an empty heading are not read as joints
    empty_cells = [""] * (len(numbers) - count)
    return [[*STAMP, "", *names, *positions, *empty_cells], *rows]


def _from_numbered(rows: Rows) -> Rows | None:
    """A table whose columns "name_0" contain the names for the columns "position_0"; None for other
    tables.
    """
    matches = ((k, NUMBERED.fullmatch(cell.strip())) for k, cell in enumerate(rows[0]))
    numbered = {k: (match[1].lower(), match[2]) for k, match in matches if match is not None}
    # in other tables a column name_0 may contain numbers; only texts name joints
    if not any(kind == "name" and not is_number(rows[1][k]) for k, (kind, _) in numbered.items()):
        return None
    names = {number: rows[1][k].strip() for k, (kind, number) in numbered.items() if kind == "name"}
    # a topic with several senders may have states of different joints, which must not share a column
    for row, cells in enumerate(rows[1:], 1):
        for k, (kind, number) in numbered.items():
            if kind == "name" and cells[k].strip() != names[number]:
                raise MotionFileError(_changed(row, cells[k]))
    heading = [
        names.get(numbered[k][1], "")
        if numbered.get(k, ("", ""))[0] == "position"
        else _other(k, cell, numbered)
        for k, cell in enumerate(rows[0])
    ]
    return [heading, *rows[1:]]


def _other(column: int, cell: str, numbered: dict[int, tuple[str, str]]) -> str:
    """Heading of a column without positions; "" for a column of names."""
    return "" if column in numbered else cell


def _from_lists(rows: Rows) -> Rows | None:
    """A table whose cells are lists of names and of positions; None for other tables."""
    if (columns := _names_and_positions(rows)) is None:
        return None
    names, positions = columns
    joints = _listed(rows[1][names])
    if joints is None or _listed(rows[1][positions]) is None:
        return None
    table = [[cell for k, cell in enumerate(rows[0]) if k not in columns] + joints]
    for row, cells in enumerate(rows[1:], 1):
        if _listed(cells[names]) != joints:
            raise MotionFileError(_changed(row, cells[names]))
        values = _listed(cells[positions]) or []
        if len(values) != len(joints):
            raise MotionFileError(
                f"row {row}: it has {len(values)} positions for {len(joints)} names: correct it"
            )
        table.append([cell for k, cell in enumerate(cells) if k not in columns] + values)
    return table


def _from_single_values(rows: Rows) -> Rows | None:
    """A table that has a row for each joint and time; None for other tables."""
    columns = _names_and_positions(rows)
    clock = next((k for k, cell in enumerate(rows[0]) if time_factor(cell) is not None), None)
    if columns is None or clock is None or not is_number(with_point(rows[1][columns[1]])):
        return None
    units = next((k for k, cell in enumerate(rows[0]) if words_of(cell) in UNITS), None)
    return _with_joint_columns(rows, clock, *columns, units)


def _with_joint_columns(rows: Rows, clock: int, names: int, positions: int, units: int | None) -> Rows:
    """A table with a row for each joint and time, converted to a table with a row for each time.

    Args:
        rows: The heading and the rows below it.
        clock, names, positions, units: The columns of the time, the joints' names, their positions and units.

    Raises:
        MotionFileError: A joint has two values at some time, or none.
    """
    values: dict[str, dict[str, str]] = {}  # time -> joint -> value
    joints: dict[str, None] = {}
    mark = _unit_mark(rows[0][positions])
    for row, cells in enumerate(rows[1:], 1):
        unit = cells[units].strip() if units is not None else ""
        joint = cells[names].strip() + (f" [{unit}]" if unit else mark)
        joints.setdefault(joint)
        if joint in (at_time := values.setdefault(cells[clock].strip(), {})):
            raise MotionFileError(
                f"row {row}: '{joint[:40]}' has a second value at {cells[clock]}: keep one of them"
            )
        at_time[joint] = cells[positions]
    table = [[rows[0][clock], *joints]]
    for time, at_time in sorted(values.items(), key=lambda item: _sort_key(item[0])):
        if lacking := next((joint for joint in joints if joint not in at_time), None):
            raise MotionFileError(
                f"'{lacking[:40]}' has no value at {time}: give all joints a row at each time"
            )
        table.append([time, *(at_time[joint] for joint in joints)])
    return table


def _sort_key(time: str) -> tuple[float, str]:
    """Sort key of a cell with a time; times that are texts keep the order of their texts."""
    return (float(with_point(time)), "") if is_number(with_point(time)) else (0.0, time)


def _listed(cell: str) -> list[str] | None:
    """Members of a list in a cell, "['pan', 'tilt']" or "(0.1, 0.2)"; None if the cell is no list."""
    cell = cell.strip()
    if not cell or cell[0] + cell[-1] not in {"[]", "()"}:
        return None
    return [part.strip().strip("'\"") for part in cell[1:-1].split(",") if part.strip()]


def _changed(row: int, cell: str) -> str:
    return f"row {row}: it names '{cell[:40]}', and the first row others: record one sender alone"
