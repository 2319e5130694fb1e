"""Webots' motions (.motion): a first line with the format and the joints' names, then a row for each pose
with its time, its name, and the joints' positions [rad, m].

Source: Webots' reference manual, "Motion". Older files have the names in the second line.
"""

from __future__ import annotations

import csv
import io
import re

from .recording import MotionFileError

HEAD = b"#WEBOTS_MOTION"
TIME = re.compile(r"(\d+):(\d+):(\d+)")  # time of a pose: minutes, seconds, milliseconds
FIRST_NAME = 2  # index of the first joint's name in the first line


def as_table(data: bytes) -> bytes:
    """A motion of Webots as CSV with the time [s] and a column for each joint; other files unchanged.

    Raises:
        MotionFileError: The file is damaged, or a row has no time.
    """
    if not data.startswith(HEAD):
        return data
    try:
        lines = [line for line in csv.reader(data.decode("utf-8", "replace").splitlines()) if line]
    except csv.Error as error:
        raise MotionFileError(f"it is no motion of Webots ({error}): it is damaged") from error
    names, rows = lines[0][FIRST_NAME:], lines[1:]
    if not names and rows:
        names, rows = rows[0], rows[1:]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["seconds", *names])
    for number, (time, *values) in enumerate(rows, 1):
        if not (match := TIME.fullmatch(time.strip())):
            raise MotionFileError(
                f"row {number}: it begins with '{time[:40]}', and a motion of Webots has a time there,"
                " 'MINUTES:SECONDS:MILLISECONDS', behind it the pose's name"
            )
        minutes, seconds, milliseconds = map(int, match.groups())
        writer.writerow([60 * minutes + seconds + milliseconds / 1000, *values[1:]])
    return text.getvalue().encode()
