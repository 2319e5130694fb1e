"""Resampling of frames to another rate, on curves through the frames, for files whose player interpolates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from .recording import Pose

T = TypeVar("T")
Values = tuple[float, ...]

SAME = 1e-9  # [frames] distance within which a row counts as at a frame


def at_rate(frames: Sequence[Values], rate: float, new_rate: float) -> tuple[Values, ...]:
    """Frames resampled from `rate` to `new_rate` [1/s], on a Catmull-Rom curve through them; unchanged if the
    rates are equal.
    """
    return tuple(_rows(frames, rate / new_rate, _curve))


def poses_at_rate(frames: Sequence[Pose], rate: float, new_rate: float) -> tuple[Pose, ...]:
    """Poses resampled from `rate` to `new_rate` [1/s]; positions and axes are interpolated linearly between
    frames, and the axes are made perpendicular unit vectors again.
    """
    return tuple(_rows(frames, rate / new_rate, _between))


def _rows(frames: Sequence[T], step: float, between: Callable[[Sequence[T], int, float], T]) -> list[T]:
    """Values every `step` frames; those between two frames are `between(frames, index, share)`, at the
    `share` (0 to 1) of the way from the frame `index` to the next.
    """
    last, rows = len(frames) - 1, []
    for row in range(math.floor(last / step + SAME) + 1):
        position = min(row * step, float(last))
        index = round(position)
        if abs(position - index) < SAME:
            rows.append(frames[index])
        else:
            index = int(position)
            rows.append(between(frames, index, position - index))
    return rows


def _curve(frames: Sequence[Values], index: int, u: float) -> Values:
    """A point of the Catmull-Rom curve between frame `index` and the next, at the share `u` (0 to 1)."""
    p, q, r, s = (frames[min(max(index + k, 0), len(frames) - 1)] for k in (-1, 0, 1, 2))
    weights = (
        0.5 * u * (u * (2.0 - u) - 1.0),
        0.5 * (u * u * (3.0 * u - 5.0) + 2.0),
        0.5 * u * (u * (4.0 - 3.0 * u) + 1.0),
        0.5 * u * u * (u - 1.0),
    )
    return tuple(
        math.fsum(w * v for w, v in zip(weights, values, strict=True))
        for values in zip(p, q, r, s, strict=True)
    )


def _between(frames: Sequence[Pose], index: int, u: float) -> Pose:
    """A pose between frame `index` and the next, at the share `u` (0 to 1)."""
    mean = [(1.0 - u) * a + u * b for a, b in zip(frames[index], frames[index + 1], strict=True)]
    x, y = ([mean[4 * row + k] for row in range(3)] for k in (0, 1))
    x = _unit(x)
    along = math.fsum(a * b for a, b in zip(x, y, strict=True))
    y = _unit([b - along * a for a, b in zip(x, y, strict=True)])
    z = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
    rows = ((x[k], y[k], z[k], mean[4 * k + 3]) for k in range(3))
    return (*(number for row in rows for number in row), 0.0, 0.0, 0.0, 1.0)


def _unit(vector: Sequence[float]) -> list[float]:
    size = math.hypot(*vector)
    return [number / size for number in vector]
