"""Main loop of the worker process: a step every 10 ms by absolute deadlines, and one at every Stop, until the
host (Blender or the player) has ended.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from .. import clock
from ..address import address_of
from ..device import Device
from ..memory import SharedMemory
from ..network import NetworkTransport
from ..protocols.table import is_on_network
from ..safety import Fault
from ..transport import Transport, TransportError, open_serial
from ..virtual_robot import SteadyClock, VirtualRobot, VirtualTransport, on_board
from .core import PERIOD, Worker
from .priority import request_real_time_priority

# [s] shortest sleep before every step, however late it is: the system ends a process that computes at
# real-time priority without a pause
SHORTEST_PAUSE = 1e-4
STOP_EVERY = 2e-3  # [s] time between two checks for Stop while the worker waits; they cost under 1% of a core
# [s] time for which a busy port is retried: the last connection's worker may still be ending, or must be
# killed first
BUSY_FOR = 2.5
# [s] longest time of a shutdown: to slow down within the limits, to receive the confirmation that the device
# is disarmed, and for its servos to come to rest
SHUTDOWN_TIMEOUT = 1.6


def run(memory_map: Path, load_pyserial: Callable[[], ModuleType | None], ended: threading.Event) -> None:
    """Run until `ended` is set, then disarm the robot.

    Args:
        memory_map: File of the memory that the worker shares with its host.
        load_pyserial: Imports pyserial and returns it; None if it is missing.
        ended: Set when the host has ended.
    """
    robots: list[VirtualRobot] = []  # the virtual robot outlives its connections, as real ones do
    robot_time = SteadyClock(time.perf_counter)

    def connect(device: Device, current_time: float) -> Transport:
        if device.is_virtual:
            robots[:] = robots or [VirtualRobot.for_device(on_board(device), robot_time())]
            return VirtualTransport(robots[0], robot_time)
        if is_on_network(device.protocol):
            return NetworkTransport(address_of(device.port))
        serial = load_pyserial()
        if serial is None:
            raise TransportError(Fault.NO_PYSERIAL, "")
        return open_serial(serial, device.port, device.baudrate, BUSY_FOR, ended.wait)

    with SharedMemory.attach(memory_map) as memory:
        memory.remove_file()
        worker = Worker(memory, connect, clock.now())
        request_real_time_priority()
        gc.freeze()  # modules stay loaded, so garbage collections need not look at them again
        try:
            _run_periods(worker, ended)
        finally:
            _shut_down(worker)


def _run_periods(worker: Worker, ended: threading.Event) -> None:
    deadline = clock.now()
    while not ended.is_set():
        deadline += PERIOD
        _wait(worker, deadline)
        current_time = clock.now()
        late = max(current_time - deadline, 0.0)  # [s]; 0 if a Stop begins the step early
        if late > PERIOD:
            deadline = current_time  # missed steps are not made up for
        worker.step(current_time, late)


def _wait(worker: Worker, deadline: float) -> None:
    """Sleep until `deadline` [s], or until Stop is pressed; at least for `SHORTEST_PAUSE`."""
    time.sleep(SHORTEST_PAUSE)
    while (left := deadline - clock.now()) > 0.0 and not worker.is_stop_pressed:
        time.sleep(min(left, STOP_EVERY))


def _shut_down(worker: Worker) -> None:
    until = clock.now() + SHUTDOWN_TIMEOUT
    while (current_time := clock.now()) < until and not worker.shut_down(current_time):
        time.sleep(PERIOD)
    worker.close(current_time)
