"""Real-time priority for the worker."""

from __future__ import annotations

import os

# [us] longest computation without a pause, after which the system ends the worker; a step takes under a
# thousandth of it
LONGEST_RUN_US = 500_000


def request_real_time_priority() -> bool:
    """Request the lowest real-time priority, if the system offers it; returns whether it was granted.

    Linux grants it to root and to users with the limit `rtprio`, which audio programs set up. Without it,
    lateness depends on the load. A worker in an infinite loop, which nothing could interrupt at this
    priority, is ended by the system; the robot's watchdog stops the robot.
    """
    if not hasattr(os, "sched_setscheduler"):
        return False  # Windows, where `link` sets the priority at the start, or macOS, where none is set
    import resource

    try:
        _, hard_limit = resource.getrlimit(resource.RLIMIT_RTTIME)
        soft_limit = (
            LONGEST_RUN_US if hard_limit == resource.RLIM_INFINITY else min(LONGEST_RUN_US, hard_limit)
        )
        resource.setrlimit(resource.RLIMIT_RTTIME, (soft_limit, hard_limit))
        os.sched_setscheduler(
            0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(os.sched_get_priority_min(os.SCHED_RR))
        )
    except (OSError, ValueError):
        return False
    return True
