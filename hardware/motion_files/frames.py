"""Resampling of frames to another rate: to rows that keep the joints' limits, and, for files whose player
interpolates and limits, on other curves through the frames.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from ...motion import Limits
from ...motion.joint import FRAMES
from .check import first_excess
from .recording import Pose
from .take import STANDING, Take, Values

T = TypeVar("T")

SAME = 1e-9  # [frames] distance within which a row counts as at a frame


def sample(take: Take, rate: float) -> tuple[Values, ...]:
    """Values of all joints at `rate` [1/s] (samples, joints).

    They begin at rest in the first frame and end at rest in the last, so they last two frames longer than the
    take. A joint passes through its frames, on their interpolating cubic spline, if the rows then keep its
    limits. Else it moves on the curve of the robot link's playback, whose control points the frames are: that
    keeps every limit that the frames keep, and rounds corners (docs/motion.md).
    """
    columns = list(take.joints())
    weights = _weights(len(columns[0]), take.rate, rate)
    rows = []
    for joint, frames in zip(take.device.joints, columns, strict=True):
        exact = [joint.limits.clamp(value) for value in _spline(interpolating(frames), weights)]
        rows.append(exact if _keeps(exact, joint.limits, rate) else _spline(frames, weights))
    return tuple(zip(*rows, strict=True))


def _keeps(values: Sequence[float], limits: Limits, rate: float) -> bool:
    """Whether a joint's values at `rate` [1/s], with rest before and after, keep the limits of its velocity,
    acceleration and jerk.
    """
    standing = [values[0]] * STANDING + list(values) + [values[-1]] * STANDING
    return first_excess(standing, limits, rate) is None


class _Weights(NamedTuple):
    """A row on the uniform cubic B-spline: the control point before it, and the weights of the control
    points before and after that one, each relative to it.
    """

    point: int
    before: float
    after: float
    second_after: float


def _weights(count: int, frame_rate: float, rate: float) -> list[_Weights]:
    """Weights of all rows on the spline of `count` control points, the first and last of which stand."""
    # range of the curve's parameter [frames], outside of which the curve is at rest
    begin, end = STANDING - 1, count - STANDING
    # the small term prevents a further row that only rounding would cause
    rows = math.ceil((end - begin) * rate / frame_rate - 1e-9) + 1
    weights = []
    for row in range(rows):
        parameter = min(begin + row * frame_rate / rate, float(end))
        index = min(int(parameter), count - FRAMES + 1)
        share = parameter - index
        weights.append(
            _Weights(
                index,
                (1.0 - share) ** 3 / 6.0,
                (1.0 + 3.0 * share * (1.0 + share * (1.0 - share))) / 6.0,
                share**3 / 6.0,
            )
        )
    return weights


def _spline(points: Sequence[float], weights: Sequence[_Weights]) -> list[float]:
    """Positions on the spline of the control points; equal control points give exactly that position."""
    return [
        points[k]
        + before * (points[k - 1] - points[k])
        + after * (points[k + 1] - points[k])
        + second_after * (points[k + 2] - points[k])
        for k, before, after, second_after in weights
    ]


def interpolating(frames: Sequence[float]) -> list[float]:
    """Control points of the uniform cubic B-spline that passes through the frames, which stand at both ends.

    Source: at the control point c[k] the spline is (c[k-1] + 4 c[k] + c[k+1]) / 6 (de Boor 1978, "A Practical
    Guide to Splines"). The equations' matrix is tridiagonal: Gaussian elimination without pivoting.
    """
    corrections, factors = [0.0] * len(frames), [0.0] * len(frames)
    # frames that stand at the ends are not corrected, since the spline is at rest there
    corrected = range(STANDING - 1, len(frames) - STANDING + 1)
    for k in corrected:
        bend = frames[k - 1] - 2.0 * frames[k] + frames[k + 1]
        factors[k] = 1.0 / (4.0 - factors[k - 1])
        corrections[k] = -factors[k] * (bend + corrections[k - 1])
    for k in reversed(corrected):
        corrections[k] -= factors[k] * corrections[k + 1]
    return [frame + correction for frame, correction in zip(frames, corrections, strict=True)]


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
