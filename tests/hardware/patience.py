"""Waits for a state of a link with a real worker: sends frames and reads the status until the state is
reached or a long time has passed.
"""

import time
from collections.abc import Callable

from limber.hardware.link import WorkerLink
from limber.hardware.safety import Fault, State
from limber.hardware.status import Status

PATIENCE = 60.0  # [s] longest waiting time; on an idle machine a second or two suffice
LOOK = 0.005  # [s] interval between two readings
POSE = (0.1, -0.1, 0.05)
DUE_TO_LOAD = (
    Fault.NONE,
    Fault.SILENT,
    Fault.POSE_UNREAD,
    Fault.DEVICE_REFUSED,
    Fault.DEVICE_WATCHDOG,
    Fault.BLENDER_SILENT,
    Fault.HELD_UP,
)


def wait(link: WorkerLink, seen: Callable[[Status], bool], angles=POSE) -> Status:
    """Sends frames until `seen` is true for a status, and returns this status; without frames if `angles` is
    None.
    """
    until = time.perf_counter() + PATIENCE
    while not seen(status := link.status()):
        assert time.perf_counter() < until, status
        if angles is not None:
            link.send(angles)
        time.sleep(LOOK)
    return status


def wait_for(link: WorkerLink, state: State, angles=POSE) -> Status:
    return wait(link, lambda status: status.state is state, angles)


def wait_until(true: Callable[[], bool]) -> None:
    until = time.perf_counter() + PATIENCE
    while not true():
        assert time.perf_counter() < until
        time.sleep(LOOK)


def arm(link: WorkerLink, angles=POSE) -> Status:
    """Presses what leads to ARMED in each state, and returns the status there. A fault is cleared if a busy
    machine causes it, which may keep a simulated robot from answering in time.
    """
    presses = {
        State.DISARMED: link.arm,
        State.CONFIRM_POSE: link.confirm_pose,
        State.FAULT: link.clear_fault,
    }
    last = None

    def armed(status: Status) -> bool:
        nonlocal last
        if status.state is not last:
            assert last is None or status.fault in DUE_TO_LOAD, status
            last = status.state
            presses.get(last, lambda: None)()
        return last is State.ARMED

    return wait(link, armed, angles)
