"""A virtual robot behind a real serial line, for tests: pyserial opens a pty, the robot answers, and faults
can be caused.

As a program, `python -m tests.hardware.pty_robot`, it prints its port and serves until it is killed.
"""

import os
import select
import sys
import threading
import time
import tty
from collections.abc import Callable

from checkout import load_limber

load_limber()  # also if this file is run as a program

from limber.hardware.device import Device  # noqa: E402
from limber.hardware.virtual_robot import SteadyClock, VirtualRobot  # noqa: E402

from tests.hardware.processes import let_go_as_before, let_go_first  # noqa: E402

LISTEN = 0.002  # [s] longest duration of one reading of the line


class PtyRobot:
    """Serves `robot` on a pty from its own thread until it is closed.

    The thread that created it gets a higher priority as well, since the two share Python's interpreter: on a
    busy machine, a thread that holds the interpreter would keep the robot from answering.

    Attributes:
        port: Path of the port.
        robot: The virtual robot; use `with pty.lock` to read several values at once.
        answer: Changes the robot's bytes before they are sent.
    """

    def __init__(self, robot: VirtualRobot) -> None:
        self.robot = robot
        self.lock = threading.Lock()
        self.answer: Callable[[bytes], bytes] = lambda data: data
        self._clock = SteadyClock(
            time.perf_counter
        )  # a delay of the test delays its robot too: that is no silence of the worker
        self._frozen = threading.Event()
        self._ended = threading.Event()
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.port = os.ttyname(self._slave)
        self._maker = threading.get_native_id()
        self._niceness = let_go_first(self._maker)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @classmethod
    def for_device(cls, device: Device) -> "PtyRobot":
        return cls(VirtualRobot.for_device(device, time.perf_counter()))

    def freeze(self) -> None:
        """Stops the robot: it neither receives nor sends bytes."""
        self._frozen.set()

    def thaw(self) -> None:
        self._frozen.clear()

    def reset(self) -> None:
        """Restarts the robot."""
        with self.lock:
            self.robot.reset()

    def unplug(self) -> None:
        """Disconnects the cable."""
        self._ended.set()
        self._thread.join()
        os.close(self._master)
        os.close(self._slave)
        self._master = -1

    def close(self) -> None:
        if self._master >= 0:
            self.unplug()
        let_go_as_before(self._maker, self._niceness)

    def __enter__(self) -> "PtyRobot":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve(self) -> None:
        let_go_first(threading.get_native_id())
        while not self._ended.is_set():
            if self._frozen.is_set():
                self._ended.wait(LISTEN)
                continue
            readable, _, _ = select.select([self._master], [], [], LISTEN)
            data = os.read(self._master, 4096) if readable else b""
            with self.lock:
                said = self.answer(self.robot.hear(data, self._clock()))
            if said:
                os.write(self._master, said)


def main() -> None:
    from tests.hardware.simulation import make_device

    with PtyRobot.for_device(make_device(8)) as robot:
        print(robot.port, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
