"""Asks the system to let the worker run when its time has come. Knows no Blender."""

from __future__ import annotations

import os

LONGEST_RUN_US = 500_000  # [us] of computing without a pause: a turn takes under one thousandth of it, more is a fault of ours


def ask_for_punctuality() -> bool:
    """Real-time priority, the lowest there is, where the system has it and grants it; whether it did.

    Linux grants it to root and to whom its limits allow it (`rtprio`, which audio programs set up). Without it, all depends on how busy the
    cores are. A worker that would compute on and on, which at this priority nobody could interrupt, is ended by the system; the robot's
    watchdog stops the robot.
    """
    if not hasattr(os, "sched_setscheduler"):
        return False  # Windows got its priority at the start (see `link`), macOS has none to give
    import resource

    try:
        _, most = resource.getrlimit(resource.RLIMIT_RTTIME)
        longest = LONGEST_RUN_US if most == resource.RLIM_INFINITY else min(LONGEST_RUN_US, most)
        resource.setrlimit(resource.RLIMIT_RTTIME, (longest, most))
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(os.sched_get_priority_min(os.SCHED_RR)))
    except (OSError, ValueError):
        return False
    return True
