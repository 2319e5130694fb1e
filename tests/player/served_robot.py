"""A robot behind a real port, for tests of the player as its host: how often it was armed, and whether it
rests.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

import pytest
from limber.character.file.writing import write
from limber.hardware.protocols.limber import DeviceState
from limber.hardware.virtual_robot import VirtualRobot
from limber.player.robots import device_of

from tests.hardware.patience import PATIENCE, wait_until
from tests.hardware.pty_robot import PtyRobot
from tests.player.test_live import Playing, playing, robot, with_robot

STANDS = 0.2  # [s] interval in which servos must stand still
SETTLED = 0.01  # [us of pulse] tolerance for rest, which servos approach exponentially; 10 us are a degree
FOLLOWS = "Armed: the robot follows"
PROC = Path("/proc")


class ServedRobot:
    """A robot behind a port, and its character.

    Args:
        folder: An empty folder.

    Attributes:
        arms: Number of times that the robot was armed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.character, self.port = folder, folder / "sample.limber", folder / "port"
        self.arms = 0
        write(self.character, with_robot())
        self.device = device_of(robot(), self.character, str(self.port))
        self._at_end = ExitStack()

    def __enter__(self) -> Self:
        obeyed = VirtualRobot._arm

        def counted(virtual: VirtualRobot, session: int) -> object:
            result = obeyed(virtual, session)
            self.arms += virtual.state is DeviceState.ARMED
            return result

        patch = self._at_end.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(VirtualRobot, "_arm", counted)
        self.plug()
        self._at_end.callback(lambda: self.pty.close())
        return self

    def __exit__(self, *_: object) -> None:
        self._at_end.close()

    def plug(self) -> None:
        self.pty = PtyRobot.for_device(self.device)
        self.port.symlink_to(self.pty.port)

    def unplug(self) -> None:
        self.port.unlink()
        self.pty.unplug()

    @property
    def state(self) -> DeviceState:
        with self.pty.lock:
            return self.pty.robot.state

    @property
    def positions(self) -> tuple[float, ...]:
        with self.pty.lock:
            return self.pty.robot.positions

    @property
    def pulses(self) -> set[float | None]:
        """Pulses of its servos [us]; None for a limp one."""
        with self.pty.lock:
            return set(self.pty.robot.pulses)

    @property
    def command(self) -> list[str]:
        """Words after `limber` with which its character plays."""
        return ["play", str(self.character), "--port", str(self.port), "--status"]

    def player(self, *options: str, **process: Any) -> AbstractContextManager[Playing]:
        """Context manager of a player at a terminal, disarmed; arguments as for `playing`."""
        _, path, *port_and_status = self.command
        patient = ("--seconds", str(5.0 * PATIENCE))  # longer on a busy machine
        return playing(Path(path), *port_and_status, *patient, *options, **process)

    @contextmanager
    def armed_player(self, **process: Any) -> Iterator[Playing]:
        """Context manager of a player that a person has armed, and whom the robot follows."""
        with self.player("--arm", **process) as player:
            player.until(FOLLOWS)
            yield player

    def stays(self, player: Playing) -> None:
        """Checks that the robot has come to rest, and stays so for two seconds in which the player plays."""
        arms = self.arms
        wait_until(self._rests)
        before = self.positions
        for _ in range(3):
            player.until("ticks a second")
        assert self.positions == pytest.approx(before, abs=SETTLED)
        assert self.arms == arms

    def _rests(self) -> bool:
        """Whether its servos stand still at this moment, in the robot's own time."""
        before = self.positions
        self.passes(STANDS)
        return self.positions == pytest.approx(before, abs=SETTLED)

    def passes(self, seconds: float) -> None:
        """Waits for this time, in the robot's own time."""
        until = self.pty.robot._now + seconds
        wait_until(lambda: self.pty.robot._now > until)

    def is_armed_by_a_person(self, player: Playing) -> None:
        """A person arms the robot, again where it was too late for the worker on a busy computer, and it
        follows.
        """
        arms = self.arms
        player.type("arm")
        while "Arming" not in player.until("Arming", "was not armed"):
            player.type("clear")
            player.until("Disarmed: type 'arm'")
            player.type("arm")
        wait_until(lambda: self.arms == arms + 1)


def worker_of(player: Playing) -> int:
    """Id of the process of the player's worker."""
    (children,) = (PROC / f"{player.process.pid}/task").glob(f"{player.process.pid}/children")
    return int(children.read_text().split()[0])
