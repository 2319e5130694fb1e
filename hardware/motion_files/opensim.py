"""OpenSim's tables of motion (.mot, .sto): lines about the table, a line "endheader", then the table.

Source: OpenSim's documentation, "Storage (.sto) Files" and "Motion (.mot) Files".
"""

from __future__ import annotations

import re

END = re.compile(rb"^endheader[ \t]*\r?\n", re.MULTILINE | re.IGNORECASE)
DEGREES = re.compile(rb"^inDegrees\s*=\s*(yes|no)", re.MULTILINE | re.IGNORECASE)
MOST_HEAD = 4000  # [bytes] of the lines above the table
SLIDES = ("_tx", "_ty", "_tz")  # ends of the names of translations, which are in metres whatever angles are
STATES = "/jointset/"  # begin of the paths of joints' states: "/jointset/hip_r/hip_flexion_r/value"
VALUE = "/value"


def without_head(data: bytes) -> tuple[bytes, str]:
    """The table of a file, and the unit of its angles; the file itself and "" where it has no such head, or
    where the head does not say the unit.
    """
    end = END.search(data, 0, MOST_HEAD)
    if not end:
        return data, ""
    unit = DEGREES.search(data, 0, end.start())
    unit_text = unit[1].lower() if unit else b""
    return data[end.end() :], {b"yes": "deg", b"no": "rad"}.get(unit_text, "")


def with_joints(rows: list[list[str]], unit: str) -> list[list[str]]:
    """Rows of a table with the time and the joints' values, each with its unit in the heading. Of states the
    values of coordinates are kept, by the coordinates' names, not speeds and muscles.
    """
    heading = rows[0]
    has_states = any(cell.startswith(STATES) for cell in heading)
    columns = [
        k
        for k, cell in enumerate(heading)
        if not k or not has_states or (cell.startswith(STATES) and cell.endswith(VALUE))
    ]
    names = [heading[k].removesuffix(VALUE).rpartition("/")[2] for k in columns[1:]]
    units = ("m" if name.endswith(SLIDES) else unit for name in names)
    named = (f"{name} [{its_unit}]" for name, its_unit in zip(names, units, strict=True))
    return [[heading[0], *named], *([row[k] for k in columns] for row in rows[1:])]
