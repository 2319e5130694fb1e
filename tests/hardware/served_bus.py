"""Simulated servos behind a serial port, served by a process of their own, which answers however busy the program is that asks.

A thread of that program could not: while Blender holds Python's interpreter no other thread runs, and servos that say nothing for half a
second are a fault that stays until the user clears it. `ServedBus` starts the process; by itself it is
`python -m tests.hardware.served_bus NUMBER=STEPS ...`, which prints its port, obeys lines on standard input and ends with it.
"""

import os
import select
import subprocess
import sys
import time
import tty
from pathlib import Path

from tests.hardware.processes import let_go_first
from tests.hardware.servo_bus import StsBus

ROOT = Path(__file__).resolve().parents[2]
LISTEN = 0.02  # [s] between two steps of servos that nobody talks to


class ServedBus:
    """Feetech servos in a process of their own; close it.

    Args:
        places: Where each servo is [steps], by id.

    Attributes:
        port: What to open.
    """

    def __init__(self, positions: dict[int, float]) -> None:
        said = [f"{number}={steps}" for number, steps in positions.items()]
        command = [sys.executable, "-m", "tests.hardware.served_bus", *said]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin
        assert self._process.stdout
        self._orders = self._process.stdin
        self.port = self._process.stdout.readline().strip()
        if not self.port:
            raise RuntimeError(f"the process of the simulated servos ended with {self._process.wait()}")

    def put(self, servo: int, steps: float) -> None:
        """Move a servo by hand."""
        self._orders.write(f"{servo}={steps}\n")
        self._orders.flush()

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def serve(bus: StsBus) -> None:
    """Answers on a new pty, whose name is printed, until standard input ends."""
    let_go_first(os.getpid())
    bus.now = time.perf_counter()
    master, slave = os.openpty()
    tty.setraw(slave)
    print(os.ttyname(slave), flush=True)
    while True:
        readable, _, _ = select.select([master, sys.stdin.fileno()], [], [], LISTEN)
        if sys.stdin.fileno() in readable:
            orders = os.read(sys.stdin.fileno(), 4096).decode().split()
            if not orders:
                return
            for number, steps in map(servo_and_steps, orders):
                bus.servos[number].position = steps
        said = bus.hear(os.read(master, 4096) if master in readable else b"", time.perf_counter())
        if said:
            os.write(master, said)


def servo_and_steps(order: str) -> tuple[int, float]:
    number, steps = order.split("=")
    return int(number), float(steps)


if __name__ == "__main__":
    serve(StsBus(dict(map(servo_and_steps, sys.argv[1:]))))
