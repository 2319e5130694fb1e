"""The clock of the robot link.

It counts while the computer sleeps, as servos do, and is the same in all processes. `time.perf_counter`
stands meanwhile on Linux and macOS, so that an hour of sleep would look like a moment.
"""

from __future__ import annotations

import sys
import time

if sys.platform == "linux":

    def now() -> float:
        """Time since the computer was started, with the time that it slept [s]."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

elif sys.platform == "darwin":

    def now() -> float:
        """Time since the computer was started, with the time that it slept [s]."""
        return time.clock_gettime(time.CLOCK_MONOTONIC)  # Apple's goes on in sleep, unlike mach_absolute_time

else:

    def now() -> float:
        """Time since the computer was started, with the time that it slept [s]."""
        return time.perf_counter()  # QueryPerformanceCounter goes on in sleep
