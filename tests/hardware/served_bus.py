"""Simulated servos behind a serial port in a separate process, which answers however busy the testing process
is.

A thread of the testing process could not: while Blender holds Python's interpreter no other thread runs, and
servos that are silent for half a second are a fault that stays until the user clears it. `ServedBus` starts
the process; its command is `python -m tests.hardware.served_bus PROTOCOL NUMBER=STEPS ...`, which prints its
port, executes lines from standard input and ends when that is closed. With `--body MODEL.xml NUMBER:ACTUATOR
...` the servos move a robot with mass: see `servo_bus/body.py`.
"""

import argparse
import os
import select
import subprocess
import sys
import time
import tty
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from tests.hardware.processes import let_go_first
from tests.hardware.servo_bus import Bus, DynamixelBus, StsBus

ROOT = Path(__file__).resolve().parents[2]
LISTEN = 0.02  # [s] step of servos without messages
BUSES: dict[str, type[Bus]] = {"feetech_sts": StsBus, "dynamixel": DynamixelBus}
TORQUE = "torque"  # command that requests which servos have torque
IDS = "ids"  # command that requests the ids of the servos
RESTART = "!"  # command after a servo's id that restarts it


class ServedBus:
    """Servos in a separate process, which must be closed.

    Args:
        positions: Position [steps] of each servo, by id.
        protocol: Key of the servos in BUSES.
        body: File of a MuJoCo model that they move; then the positions are ignored.
        horns: Their places in it: see `servo_bus.body.horns_of`.

    Attributes:
        port: Path of the port.
    """

    def __init__(
        self,
        positions: dict[int, float],
        protocol: str = "feetech_sts",
        body: Path | None = None,
        horns: Sequence[str] = (),
    ) -> None:
        said = (
            ["--body", str(body), *horns]
            if body
            else [f"{number}={steps}" for number, steps in positions.items()]
        )
        command = [sys.executable, "-m", "tests.hardware.served_bus", protocol, *said]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdin
        assert self._process.stdout
        self._orders, self._answers = self._process.stdin, self._process.stdout
        self.port = self._answers.readline().strip()
        if not self.port:
            raise RuntimeError(f"the process of the simulated servos ended with {self._process.wait()}")

    def put(self, servo: int, steps: float) -> None:
        """Moves a servo by hand."""
        self._orders.write(f"{servo}={steps}\n")
        self._orders.flush()

    def torque(self) -> list[bool]:
        """Whether each servo has torque, in their order."""
        self._orders.write(f"{TORQUE}\n")
        self._orders.flush()
        return [word == "True" for word in self._answers.readline().split()]

    def ids(self) -> list[int]:
        """Ids of the servos."""
        self._orders.write(f"{IDS}\n")
        self._orders.flush()
        return sorted(map(int, self._answers.readline().split()))

    def store(self, servo: int, start: int, data: bytes) -> None:
        """Writes registers of a servo, as its maker's tool does; they survive a loss of power."""
        self._orders.write(f"{servo}@{start}={data.hex()}\n")
        self._orders.flush()

    def restart(self, servo: int) -> None:
        """Switches the power of a servo off and on: its RAM, including the goal, is set from its stored
        registers and its position.
        """
        self._orders.write(f"{servo}{RESTART}\n")
        self._orders.flush()

    def registers(self, servo: int) -> bytes:
        """All registers of a servo."""
        self._orders.write(f"{servo}@\n")
        self._orders.flush()
        return bytes.fromhex(self._answers.readline())

    def close(self) -> None:
        """Ends the process; the port disappears, as when a cable is pulled."""
        if self._process.poll() is None:
            self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def serve(bus: Bus) -> None:
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
            for order in orders:
                if order == TORQUE:
                    print(*map(bus.has_torque, bus.servos), flush=True)
                elif order == IDS:
                    print(*bus.servos, flush=True)
                elif order.endswith(RESTART):
                    bus.restart(int(order.removesuffix(RESTART)))
                elif "@" in order:
                    _use_registers(bus, order)
                else:
                    number, steps = servo_and_steps(order)
                    bus.servos[number].position = steps
        said = bus.hear(os.read(master, 4096) if master in readable else b"", time.perf_counter())
        if said:
            os.write(master, said)


def _use_registers(bus: Bus, order: str) -> None:
    """Writes registers (SERVO@START=HEX), or prints all of them (SERVO@)."""
    number, _, register = order.partition("@")
    servo = bus.servos[int(number)]
    if not register:
        bus.refresh(servo)
        print(servo.table.hex(), flush=True)
        return
    start, data = register.split("=")
    servo.table[int(start) : int(start) + len(data) // 2] = bytes.fromhex(data)
    servo.kept = bytes(servo.table[: bus.EEPROM])


def servo_and_steps(order: str) -> tuple[int, float]:
    number, steps = order.split("=")
    return int(number), float(steps)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("protocol", choices=BUSES)
    parser.add_argument("servos", nargs="+", help="NUMBER=STEPS; with a body NUMBER:ACTUATOR[:SENSE[:ZERO]]")
    parser.add_argument("--body", type=Path, help="MuJoCo model that the servos move")
    parser.add_argument("--weld", default="", help="body of the model that is held where it is")
    given = parser.parse_args()
    if not given.body:
        serve(BUSES[given.protocol](dict(map(servo_and_steps, given.servos))))
        return
    from tests.hardware.servo_bus.body import (
        DynamixelOnBody,
        StsOnBody,
        horns_of,
        model_of,
    )  # imported only here, since it needs MuJoCo

    kinds = {"feetech_sts": StsOnBody, "dynamixel": DynamixelOnBody}
    serve(kinds[given.protocol](model_of(given.body, given.weld), horns_of(given.servos)))


if __name__ == "__main__":
    main()
