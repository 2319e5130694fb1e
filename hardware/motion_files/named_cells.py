"""Tables whose cells name the joints, as tables with a column for each joint.

Four ways to write them are known: a row for each joint and time ("time, joint, position"); lists in cells, as
tools for ROS bags write a JointState ("['pan', 'tilt']", "[0.1, 0.2]"); a numbered column for each name and
position ("name_0, name_1, position_0, position_1"), as `rostopic echo -p` writes them; and rows without a
heading, as `ros2 topic echo --csv` writes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .csv_rows import is_number, with_point
from .recording import MotionFileError

NAMES = ("name", "names", "joint", "joints", "joint name", "joint names", "motor", "motor name", "channel")
POSITIONS = ("position", "positions", "pos", "value", "values", "angle", "angles", "q")
UNITS = ("unit", "units")
NUMBERED = re.compile(r"(?:.*\.)?(name|position)[_.\[]?(\d+)\]?", re.IGNORECASE)
STAMP = ("header.stamp.sec", "header.stamp.nanosec")  # of `ros2 topic echo --csv`, before the frame's name
QUANTITIES = 3  # at most: positions, velocities and efforts

Rows = list[list[str]]


def with_columns(rows: Rows, words: Callable[[str], str], is_time: Callable[[str], bool]) -> Rows:
    """A table with a column for each joint; one whose cells name no joints as it is.

    Args:
        rows: The heading and the rows below it, all of one length.
        words: The words of a heading, in small letters.
        is_time: Whether a heading is the time's.

    Raises:
        MotionFileError: The names change from row to row, or a joint has no value at some time.
    """
    rows = _headed(rows)
    if len(rows) < 2:
        return rows
    heading, first = rows[0], rows[1]
    numbered = {k: match for k, cell in enumerate(heading) if (match := NUMBERED.fullmatch(cell.strip()))}
    if any(match[1].lower() == "name" and not is_number(first[k]) for k, match in numbered.items()):
        return _of_numbered(rows, {k: (match[1].lower(), match[2]) for k, match in numbered.items()})
    names = next((k for k, cell in enumerate(heading) if words(_name(cell).split(".")[-1]) in NAMES), None)
    if names is None or is_number(first[names]) or not first[names].strip():
        return rows
    if (positions := _positions(heading, words)) is None:
        return rows
    if _listed(first[names]) is not None and _listed(first[positions]) is not None:
        return _of_lists(rows, names, positions)
    clock = next((k for k, cell in enumerate(heading) if is_time(cell)), None)
    if clock is None or not is_number(with_point(first[positions])):
        return rows
    units = next((k for k, cell in enumerate(heading) if words(cell) in UNITS), None)
    return _of_single_values(rows, clock, names, positions, units)


def _positions(heading: Sequence[str], words: Callable[[str], str]) -> int | None:
    """The column of the positions: "position", "Position [deg]", "value_deg"."""
    for k, cell in enumerate(heading):
        said = words(_name(cell).split(".")[-1])
        if said in POSITIONS or said.split(" ")[0] in POSITIONS[:-1]:
            return k
    return None


def _name(heading: str) -> str:
    """A heading without the unit in brackets behind it."""
    return re.split(r"[\[(]", heading, maxsplit=1)[0].strip()


def _mark(heading: str) -> str:
    """What a heading of positions says of their unit, to stand behind a joint's name: " [deg]", "_deg"."""
    name = _name(heading)
    in_brackets = heading[len(name) :].strip()
    end = re.search(r"_[^\W_]+$", name)
    return f" {in_brackets}" if in_brackets else end[0] if end else ""


def _headed(rows: Rows) -> Rows:
    """Rows of `ros2 topic echo --csv` with a heading: the stamp, the frame's name, the joints' names, and
    their positions, velocities and efforts.
    """
    cells = [cell.strip() for cell in rows[0]]
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
    others = [""] * (len(numbers) - count)
    return [[*STAMP, "", *names, *positions, *others], *rows]


def _of_numbered(rows: Rows, numbered: dict[int, tuple[str, str]]) -> Rows:
    """A table whose columns "name_0" have the names of the columns "position_0"."""
    names = {number: rows[1][k].strip() for k, (kind, number) in numbered.items() if kind == "name"}
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
    """Heading of a column that has no positions: none of one that has names."""
    return "" if column in numbered else cell


def _of_lists(rows: Rows, names: int, positions: int) -> Rows:
    """A table whose cells have lists of names and of positions."""
    joints = _listed(rows[1][names]) or []
    table = [[cell for k, cell in enumerate(rows[0]) if k not in (names, positions)] + joints]
    for row, cells in enumerate(rows[1:], 1):
        if _listed(cells[names]) != joints:
            raise MotionFileError(_changed(row, cells[names]))
        values = _listed(cells[positions]) or []
        if len(values) != len(joints):
            raise MotionFileError(
                f"row {row}: it has {len(values)} positions for {len(joints)} names: correct it"
            )
        table.append([cell for k, cell in enumerate(cells) if k not in (names, positions)] + values)
    return table


def _of_single_values(rows: Rows, clock: int, names: int, positions: int, units: int | None) -> Rows:
    """A table that has a row for each joint and time."""
    values: dict[str, dict[str, str]] = {}  # time -> joint -> value
    joints: dict[str, None] = {}
    mark = _mark(rows[0][positions])
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
    for time, at_time in sorted(values.items(), key=lambda item: _order(item[0])):
        if lacking := next((joint for joint in joints if joint not in at_time), None):
            raise MotionFileError(
                f"'{lacking[:40]}' has no value at {time}: give all joints a row at each time"
            )
        table.append([time, *(at_time[joint] for joint in joints)])
    return table


def _order(time: str) -> tuple[float, str]:
    """Sort key of a time's cell: times as texts ascend as they are written."""
    return (float(with_point(time)), "") if is_number(with_point(time)) else (0.0, time)


def _listed(cell: str) -> list[str] | None:
    """Members of a list in a cell, "['pan', 'tilt']" or "(0.1, 0.2)"; None: it has none."""
    cell = cell.strip()
    if not cell or cell[0] + cell[-1] not in {"[]", "()"}:
        return None
    return [part.strip().strip("'\"") for part in cell[1:-1].split(",") if part.strip()]


def _changed(row: int, cell: str) -> str:
    return f"row {row}: it names '{cell[:40]}', and the first row others: record one sender alone"
