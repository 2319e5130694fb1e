"""Animations of LeLamp: CSV with a column for each of its five joints, in shares of the servos' ranges.

Its player sends 30 rows per second and ignores the times; values go from -100 to 100 over each servo's
recorded range.

Source: `AnimationService` and `record.py` of humancomputerlab/lelamp_runtime.
"""

from __future__ import annotations

from ..lerobot.calibration import Mode
from .csv_rows import numbers_of, rows_of
from .motion import Motion
from .plain import csv_of
from .recording import MotionFileError, RecordedColumn, Recording

RATE = 30  # number of rows per second that LeLamp's player sends
TIME, SUFFIX = "timestamp", ".pos"
JOINTS = ("base_yaw", "base_pitch", "elbow_pitch", "wrist_roll", "wrist_pitch")  # joints of the servos 1 to 5
MODE: Mode = "range_m100_100"


def is_animation(first_line: object) -> bool:
    """Whether a table's first line is that of a LeLamp animation: the time, and only joints of a LeLamp."""
    if not isinstance(first_line, str):
        return False
    time, *names = (cell.strip() for cell in first_line.split(","))
    return time == TIME and bool(names) and set(names) <= {f"{name}{SUFFIX}" for name in JOINTS}


def read(data: bytes) -> Recording:
    """Recording of an animation file, with values in LeRobot's unit `range_m100_100`.

    Raises:
        MotionFileError: The file is no table, a column is not one of a LeLamp's, or a value is no number.
    """
    rows = rows_of(data)
    heading = [cell.strip() for cell in rows[0]]
    if heading[0] != TIME:
        raise MotionFileError(f"the first column is '{heading[0][:40]}'; expected '{TIME}'")
    for name in heading[1:]:
        if name.removesuffix(SUFFIX) not in JOINTS or not name.endswith(SUFFIX):
            raise MotionFileError(
                f"column '{name[:40]}' is no joint of a LeLamp; expected"
                f" {', '.join(f'{joint}{SUFFIX}' for joint in JOINTS)}"
            )
    numbers = numbers_of(rows)
    names = [name.removesuffix(SUFFIX) for name in heading[1:]]
    columns = (
        RecordedColumn(name, tuple(row[k] for row in numbers), MODE, JOINTS.index(name) + 1)
        for k, name in enumerate(names, 1)
    )
    # LeLamp's player ignores the file's times and sends its rows at a fixed rate
    return Recording(tuple(k / RATE for k in range(len(numbers))), tuple(columns))


def write(motion: Motion) -> bytes:
    """Animation file of a motion, for a lamp whose joints have the servos 1 to 5.

    Raises:
        MotionFileError: A joint is missing, its servo's range is not known, or the rate differs from the
            player's.
    """
    if motion.rate != RATE:
        raise MotionFileError(
            f"LeLamp plays {RATE} rows a second, whatever the file says: set the sample rate to {RATE}"
        )
    by_servo = {
        named.servo: (column, named.scale)
        for named, column in zip(motion.named, motion.recording.columns, strict=True)
    }
    missing = [f"{name} (servo {servo})" for servo, name in enumerate(JOINTS, 1) if servo not in by_servo]
    if missing:
        raise MotionFileError(
            f"the robot has no joint for {', '.join(missing)}: give a LeLamp's joints the servos 1 to 5"
        )
    # the player's columns belong to servos, whatever the robot's joints are called
    columns = [
        [scale.value(value, MODE) for value in column.values]
        for column, scale in (by_servo[k] for k in range(1, 6))
    ]
    rows = ([f"{time:.9f}", *map(repr, values)] for time, *values in zip(motion.times, *columns, strict=True))
    return csv_of([[TIME, *(f"{name}{SUFFIX}" for name in JOINTS)], *rows])
