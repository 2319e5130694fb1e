"""Values of a character file over the frames of its clip, and the file member that stores them."""

from dataclasses import dataclass
from math import floor

import numpy as np
from numpy.typing import NDArray

from ...files.json_fields import JsonFields
from .archive import MOST_TOTAL
from .errors import CharacterFileError

Array = NDArray[np.float64]
WIDTH = 8  # [bytes] size of a number: little-endian double precision
EXACT = 1e-6  # [frames] distance from a frame within which a time counts as that frame, in spite of rounding
MOST_AXES = 4  # largest number of axes of a stored array; more are refused
MOST_LENGTH = 1_000_000  # largest length of one axis of a stored array; a longer one is refused


@dataclass(frozen=True)
class ClipTrack:
    """Values over the frames of the clip; before the first frame the first value, after the last frame the
    last value.

    Attributes:
        rows: (frames, ...) values of each frame; (1, ...) for a constant.
    """

    rows: Array

    def at(self, frame: float) -> Array:
        """Values (...) at a frame (counted from 0), linearly interpolated between frames."""
        whole, share = self._row_before(frame)
        first: Array = self.rows[whole]
        mixed: Array = first + share * (self.rows[whole + 1] - first) if share else first
        return mixed

    def matrix_at(self, frame: float) -> list[list[float]]:
        """The values (r, c) at a frame as `at` gives them, row by row as floats."""
        whole, share = self._row_before(frame)
        first: list[list[float]] = self.rows[whole].tolist()
        if not share:
            return first
        pairs = zip(first, self.rows[whole + 1].tolist(), strict=True)
        return [[a + share * (b - a) for a, b in zip(row, later, strict=True)] for row, later in pairs]

    def step(self, frame: float) -> Array:
        """Values (...) at a frame (counted from 0), constant between frames."""
        rows: Array = self.rows[self._row_before(frame)[0]]
        return rows

    def _row_before(self, frame: float) -> tuple[int, float]:
        """Index of the row before a frame, and the share of the distance from there to the next row."""
        last = len(self.rows) - 1
        if last == 0:
            return 0, 0.0
        whole, share = split(frame)
        if whole < 0:
            return 0, 0.0
        return (last, 0.0) if whole >= last else (whole, share)


def split(frame: float) -> tuple[int, float]:
    """The whole frame before a time [frames], or the frame itself within `EXACT` of one; and the share of the
    distance from there to the next frame.
    """
    near = round(frame)
    if abs(frame - near) < EXACT:
        return near, 0.0
    return floor(frame), frame - floor(frame)


def track(rows: Array) -> ClipTrack:
    """The track of these values (frames, ...), with a single row if they are constant."""
    stays = len(rows) > 1 and np.array_equal(rows, np.broadcast_to(rows[:1], rows.shape), equal_nan=True)
    return ClipTrack(rows[:1] if stays else rows)


class ArrayWriter:
    """Collects arrays into the bytes of one member, and returns references to them for the JSON."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def put(self, array: Array) -> dict[str, object]:
        """Adds an array; returns the reference to it for the JSON."""
        data = np.ascontiguousarray(array, "<f8").tobytes()
        stored = {"at": self._size // WIDTH, "shape": list(array.shape)}
        self._parts.append(data)
        self._size += len(data)
        return stored

    @property
    def data(self) -> bytes:
        """The bytes of the member, with all arrays so far."""
        return b"".join(self._parts)


class ArrayReader:
    """Reads arrays of a member, by their references in the JSON. References can overlap, but all arrays that
    are read may together have at most as many numbers as a file of `MOST_TOTAL` bytes, which bounds the time.
    """

    def __init__(self, data: bytes) -> None:
        if len(data) % WIDTH:
            raise CharacterFileError("the arrays of the character file are cut off: export it again")
        self._numbers = np.frombuffer(data, "<f8")
        self._left = MOST_TOTAL // WIDTH  # number of values that can still be read

    def get(self, fields: JsonFields, name: str, shape: tuple[int, ...], may_lack: bool = False) -> Array:
        """An array with this shape, in which -1 stands for any length. An infinite number is an error.

        Args:
            fields, name: The field with the reference to the array.
            shape: The expected shape.
            may_lack: Whether the array is allowed to contain NaN.
        """
        stored = fields.child(name)
        axes = stored.get("shape", list)
        count = 1
        # in Python a bool is an int, and a negative axis would let `reshape` choose its length
        for axis in axes if len(axes) == len(shape) <= MOST_AXES else [None]:
            if isinstance(axis, bool) or not isinstance(axis, int) or not 0 <= axis <= MOST_LENGTH:
                fields.wrong(name, f"an array with {len(shape)} axes")
            count *= axis
        if any(length not in (-1, axis) for axis, length in zip(axes, shape, strict=True)):
            fields.wrong(name, f"an array of shape {shape}")
        begin = stored.whole("at", 0, len(self._numbers))
        if begin + count > len(self._numbers):
            fields.wrong(name, "an array that is in the file")
        self._left -= count
        if self._left < 0:
            fields.wrong(name, f"at most {MOST_TOTAL // 1_000_000} MB of arrays in all")
        array: Array = self._numbers[begin : begin + count].reshape(axes)
        if np.isinf(array).any() or (not may_lack and np.isnan(array).any()):
            fields.wrong(name, "finite numbers")
        return array

    def track(
        self, fields: JsonFields, name: str, shape: tuple[int, ...], frames: int, may_lack: bool = False
    ) -> ClipTrack:
        """A track whose rows have this shape; `may_lack` as for `get`."""
        rows = self.get(fields, name, (-1, *shape), may_lack)
        if len(rows) not in (1, frames):
            fields.wrong(name, f"1 row or {frames}")
        return ClipTrack(rows)

    def indices(self, fields: JsonFields, name: str, frames: int, lowest: int, highest: int) -> ClipTrack:
        """A track with a whole number from `lowest` to `highest` for each of the clip's `frames`."""
        track = self.track(fields, name, (), frames)
        if ((track.rows != np.round(track.rows)) | (track.rows < lowest) | (track.rows > highest)).any():
            fields.wrong(name, f"whole numbers from {lowest} to {highest}")
        return track
