"""The clock of the robot link.

It continues while the computer sleeps, since servos stay powered, and is the same in all processes.
`time.perf_counter` stops during sleep on Linux and macOS, so that an hour of sleep would look like an
instant.
"""

from __future__ import annotations

import sys
import time

if sys.platform == "linux":

    def now() -> float:
        """Time [s] since the computer was started, including sleep."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

elif sys.platform == "darwin":

    def now() -> float:
        """Time [s] since the computer was started, including sleep."""
        # Apple's CLOCK_MONOTONIC continues during sleep, unlike mach_absolute_time
        return time.clock_gettime(time.CLOCK_MONOTONIC)

else:

    def now() -> float:
        """Time [s] since the computer was started, including sleep."""
        return time.perf_counter()  # QueryPerformanceCounter continues during sleep
