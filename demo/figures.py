"""Figures of a take: aim errors, used shares of limits, and the robot's lag. Knows no Blender."""

import numpy as np

LAGS = np.arange(0.0, 0.5, 0.002)  # [s] candidates for the robot's lag


def shares(angles: np.ndarray, fps: float, limits: np.ndarray) -> dict[str, float]:
    """Largest share of each motion limit that sampled angles use, by finite differences.

    Args:
        angles: (t, n) [rad], one row per frame.
        fps: Frames per second.
        limits: (3, n) velocity [rad/s], acceleration [rad/s2], jerk [rad/s3].
    """
    largest = {}
    for order, (name, limit) in enumerate(
        zip(("velocity", "acceleration", "jerk"), limits, strict=True), start=1
    ):
        rates = np.abs(np.diff(angles, order, axis=0)) * fps**order
        largest[name] = float((rates / limit).max()) if len(rates) else 0.0
    return largest


def speeds(angles: np.ndarray, fps: float) -> np.ndarray:
    """Velocities (t, n) [rad/s] for angles (t, n) [rad], by differences to the previous frame; 0 in the first
    row.
    """
    return np.diff(angles, axis=0, prepend=angles[:1]) * fps


def lag(times: np.ndarray, reported: np.ndarray, due: np.ndarray, filtered: np.ndarray) -> float:
    """Delay [s] of the reported angles (m, n) [rad], at `times` (m,) [s], after the filtered ones (t, n), at
    `due` (t,) [s], by least mean squares.
    """
    misses = []
    for delay in LAGS:
        desired = np.stack([np.interp(times - delay, due, column) for column in filtered.T], 1)
        misses.append(((reported - desired) ** 2).mean())
    return float(LAGS[int(np.argmin(misses))])


def at(moments: np.ndarray, times: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Angles (m, n) [rad] at `moments` [s], linearly interpolated between the samples at `times`."""
    return np.stack([np.interp(moments, times, column) for column in angles.T], 1)


def spread(values) -> dict[str, float]:
    values = np.asarray(values)
    return {"mean": float(values.mean()), "max": float(values.max())}


def quantiles(values: np.ndarray) -> dict[str, float]:
    """Median and 99th percentile of values (n,)."""
    return {"median": float(np.median(values)), "p99": float(np.quantile(values, 0.99))}


def near_changes(marks: list[str], frames: int) -> np.ndarray:
    """Mask (t,): whether each frame is within `frames` frames after a change of the mark."""
    near = np.zeros(len(marks), bool)
    for k in range(1, len(marks)):
        if marks[k] != marks[k - 1]:
            near[k : k + frames] = True
    return near
