"""OpenSim's tables of motion (.mot, .sto): lines about the table, a line "endheader", then the table.

Sources: OpenSim's documentation, "Storage (.sto) Files" and "Motion (.mot) Files"; its class Storage, which
takes angles as radians if the lines do not give the unit.
"""

from __future__ import annotations

import re

from .recording import MotionFileError

END = re.compile(rb"^endheader[ \t]*\r?\n", re.MULTILINE | re.IGNORECASE)
# lines that say that angles are degrees: "inDegrees=yes"; before version 1 of the format, and in SIMM's
# files, "Angles are in degrees."
DEGREES = re.compile(rb"^inDegrees\s*=\s*(?:y|yes)\s*$|^Angles are in degrees", re.MULTILINE | re.IGNORECASE)
RADIANS = re.compile(rb"^inDegrees\s*=|^Angles are in radians", re.MULTILINE | re.IGNORECASE)
MOST_HEAD = 4000  # [bytes] largest size of the lines above the table, up to which "endheader" is searched
# ends of the names of translations, which are in metres for any unit of angles
SLIDES = ("_tx", "_ty", "_tz")
VALUE = "/value"  # end of the paths of joint states: "/jointset/hip_r/hip_flexion_r/value"
NO_POSITIONS = (b"speeds", b"accelerations")  # first lines of tables of coordinates' derivatives


def without_head(data: bytes) -> tuple[bytes, str | None]:
    """The table of a file, without the lines above it.

    Returns:
        (table, unit): the table, and the unit of its angles, "" if the lines do not give one. For a file
        without these lines the whole file, and None.

    Raises:
        MotionFileError: The table has no positions according to its header.
    """
    end = END.search(data, 0, MOST_HEAD)
    if not end:
        return data, None
    head = data[: end.start()]
    quantity = head.split(b"\n", 1)[0].strip().lower()
    if quantity in NO_POSITIONS:
        raise MotionFileError(
            f"it has the coordinates' {quantity.decode()}, not their positions: choose the file with those"
            " beside it, whose name ends in '_q'"
        )
    unit = "deg" if DEGREES.search(head) else "rad" if RADIANS.search(head) else ""
    return data[end.end() :], unit


def with_joints(rows: list[list[str]], unit: str) -> list[list[str]]:
    """Rows of a table with the time and the joints' values, each with its unit in the heading. Of the columns
    of a table of states only the coordinates' values remain, under the coordinates' names.
    """
    heading = rows[0]
    has_states = any(cell.endswith(VALUE) for cell in heading)
    columns = [k for k, cell in enumerate(heading) if not k or not has_states or cell.endswith(VALUE)]
    names = [heading[k].removesuffix(VALUE).rpartition("/")[2] for k in columns[1:]]
    units = ("m" if name.endswith(SLIDES) else unit for name in names)
    named = (
        f"{name} [{its_unit}]" if its_unit else name for name, its_unit in zip(names, units, strict=True)
    )
    return [[heading[0], *named], *([row[k] for k in columns] for row in rows[1:])]
