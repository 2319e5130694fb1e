"""Move files of Reachy Mini: JSON with times, the head's pose, antennas and the body's rotation.

Head poses are in the base's frame with the neutral head as origin; antennas are [right, left] with the
opposite sign of the joints in the robot's URDF. The daemon's player uses absolute times, so that a move
begins at 0.

Source: `RecordedMove` of reachy-mini 1.13.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...files.json_fields import JsonFields
from .json_files import document
from .recording import MotionFileError, Pose, RecordedColumn, Recording

HEAD = "head"
NEUTRAL = 0.177  # [m] height of the neutral head's link above the base
# names of the joints of the body and the antennas in the robot's URDF
BODY, ANTENNAS = "yaw_body", ("right_antenna", "left_antenna")
DECIMALS = 9  # number of decimals in files; the rounding errors add up to less than 1e-6 rad or m
ROWS = "set_target_data"


def is_move(json_value: Any) -> bool:
    """Whether a JSON value is a move of Reachy Mini."""
    return isinstance(json_value, Mapping) and ROWS in json_value


def read(data: bytes) -> Recording:
    """Recording of a move file.

    Raises:
        MotionFileError: The file is no JSON of a move, or a value is missing or invalid.
    """
    move = document(data)
    times, rows = move.numbers("time"), move.children(ROWS, "row")
    if len(rows) != len(times):
        raise MotionFileError(f"'{ROWS}' has {len(rows)} rows for {len(times)} times: give one for each")
    heads = tuple(map(_head, rows))
    antennas = [row.numbers("antennas", 2) if row.is_given("antennas") else [0.0, 0.0] for row in rows]
    bodies = tuple(row.number("body_yaw") if row.is_given("body_yaw") else 0.0 for row in rows)
    columns = [
        RecordedColumn(BODY, bodies),
        *(RecordedColumn(name, tuple(-angles[k] for angles in antennas)) for k, name in enumerate(ANTENNAS)),
    ]
    return Recording(
        tuple(times),
        tuple(columns),
        {HEAD: heads},
        move.get("description", str) if move.is_given("description") else "",
    )


def _head(row: JsonFields) -> Pose:
    """Pose of the head in the base's frame, from a row with a matrix, nested or flat."""
    lines = row.get("head", list)
    is_nested = all(isinstance(line, list) for line in lines)
    pose = row.numbers("head", 16, [number for line in lines for number in line] if is_nested else lines)
    pose[11] += NEUTRAL
    return tuple(pose)


def write(recording: Recording) -> bytes:
    """Move file of a recording with the head's pose, antennas and the body's rotation; joints that are not in
    the recording are 0.

    Raises:
        MotionFileError: The recording has no pose of the head.
    """
    if HEAD not in recording.poses:
        raise MotionFileError(
            f"the robot has no link or bone '{HEAD}', whose pose a move of Reachy Mini has: export another"
            " format"
        )
    values = {column.name: column.values for column in recording.columns if column.unit == "rad"}
    still = (0.0,) * len(recording.times)
    body, right, left = (values.get(name, still) for name in (BODY, *ANTENNAS))
    rows = [
        {
            "head": _matrix(head),
            "antennas": [_rounded(-antennas[0]), _rounded(-antennas[1])],
            "body_yaw": _rounded(yaw),
            "check_collision": False,
        }
        for head, antennas, yaw in zip(
            recording.poses[HEAD], zip(right, left, strict=True), body, strict=True
        )
    ]
    times = [_rounded(time) for time in recording.from_zero().times]
    return json.dumps({"description": recording.title, "time": times, "set_target_data": rows}).encode(
        "utf-8"
    )


def _matrix(pose: Sequence[float]) -> list[list[float]]:
    """(4, 4) matrix of a head's pose in the base's frame, as a row of the file has it."""
    rows = [[_rounded(number) for number in pose[4 * k : 4 * k + 4]] for k in range(4)]
    rows[2][3] = _rounded(pose[11] - NEUTRAL)
    return rows


def _rounded(number: float) -> float:
    return round(number, DECIMALS) + 0.0  # no -0.0
