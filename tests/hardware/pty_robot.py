"""A virtual robot behind a real serial line, for tests: what pyserial opens is a pty, what answers is the
robot, and faults are at hand.

Run by itself it prints its port and serves until it is killed: `python -m tests.hardware.pty_robot`.
"""

import os
import select
import sys
import threading
import time
import tty
from collections.abc import Callable

from checkout import load_limber

load_limber()  # also where it runs by itself

from limber.hardware.device import Device  # noqa: E402
from limber.hardware.virtual_robot import SteadyClock, VirtualRobot  # noqa: E402

from tests.hardware.processes import let_go_as_before, let_go_first  # noqa: E402

LISTEN = 0.002  # [s] how long one look at the line takes at most


class PtyRobot:
    """Serves `robot` on a pty from a thread of its own until it is closed.

    The thread that made it goes first, too, since the two share Python's interpreter: whoever holds it while
    other programs have the cores keeps the robot silent.

    Attributes:
        port: What to open.
        robot: What answers; use `with pty.lock` to look at several things at once.
        answer: What becomes of the robot's bytes on their way out.
    """

    def __init__(self, robot: VirtualRobot) -> None:
        self.robot = robot
        self.lock = threading.Lock()
        self.answer: Callable[[bytes], bytes] = lambda data: data
        self._clock = SteadyClock(
            time.perf_counter
        )  # a test that is held up holds its robot up: that is no silence of the worker's
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
        """The robot hangs: it takes no byte and gives none."""
        self._frozen.set()

    def thaw(self) -> None:
        self._frozen.clear()

    def reset(self) -> None:
        """The robot restarts."""
        with self.lock:
            self.robot.reset()

    def unplug(self) -> None:
        """Pull the cable."""
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
