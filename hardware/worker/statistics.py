"""Histogram of durations in constant memory. Knows no Blender."""

from __future__ import annotations

import math

_FINEST = 1e-6  # [s] shorter times than this are all the same
_STEP = math.log(1.05)  # buckets 5% apart: a percentile is known to 2.5%
_BUCKETS = math.ceil(math.log(1e8) / _STEP)  # up to 100 s


class Durations:
    """A histogram of durations."""

    def __init__(self) -> None:
        self._counts = [0] * _BUCKETS
        self.total = 0

    def add(self, seconds: float) -> None:
        """Count one duration [s]."""
        bucket = int(math.log(seconds / _FINEST) / _STEP) if seconds > _FINEST else 0
        self._counts[min(bucket, _BUCKETS - 1)] += 1
        self.total += 1

    def percentile(self, share: float) -> float:
        """The duration that a `share` (0 to 1) of all stay below [s]; 0 where none was counted."""
        missing = share * self.total
        for bucket, count in enumerate(self._counts):
            missing -= count
            if count and missing <= 0:
                return _FINEST * math.exp((bucket + 0.5) * _STEP)
        return 0.0
