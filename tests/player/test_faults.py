"""Tests faults while a player moves a robot behind a real port, and that nothing moves afterwards without a
command.

After each fault the robot is disarmed, or holds its pose if the player was merely late, and its device
executes no further order to arm before a person has given one.
"""

import ast
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from limber.character.file.writing import write
from limber.hardware.protocols.limber import DeviceState
from limber.hardware.safety import HELD_UP_AFTER
from limber.hardware.virtual_robot import VirtualRobot
from limber.player.robots import device_of

from tests.hardware.patience import PATIENCE, wait_until
from tests.hardware.pty_robot import PtyRobot
from tests.player.test_live import PROGRAM, ROOT, Playing, playing, robot, unattended, with_robot

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="no /proc here, which names the worker")

STANDS = 0.2  # [s] interval in which servos must stand still
SETTLED = 0.01  # [us of pulse] tolerance for rest, which servos approach exponentially; 10 us are a degree


class Served:
    """A robot behind a port, and the number of times that it was armed."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.character, self.port = folder / "sample.limber", folder / "port"
        self.arms = 0
        write(self.character, with_robot())
        self.device = device_of(robot(), self.character, str(self.port))
        obeyed = VirtualRobot._arm

        def counted(virtual: VirtualRobot, session: int) -> object:
            result = obeyed(virtual, session)
            self.arms += virtual.state is DeviceState.ARMED
            return result

        monkeypatch.setattr(VirtualRobot, "_arm", counted)
        self.plug()

    def plug(self) -> None:
        self.pty = PtyRobot.for_device(self.device)
        self.port.symlink_to(self.pty.port)

    def unplug(self) -> None:
        self.port.unlink()
        self.pty.unplug()

    def close(self) -> None:
        self.pty.close()

    @property
    def state(self) -> DeviceState:
        with self.pty.lock:
            return self.pty.robot.state

    @property
    def positions(self) -> tuple[float, ...]:
        with self.pty.lock:
            return self.pty.robot.positions

    def player(self, *options: str):  # context manager of `Playing`
        patient = ("--seconds", str(5.0 * PATIENCE))  # longer on a busy machine
        return playing(self.character, "--port", str(self.port), "--status", *patient, *options)

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
        with self.pty.lock:
            before, now = self.pty.robot.positions, self.pty.robot._now
        wait_until(lambda: self.pty.robot._now > now + STANDS)
        return self.positions == pytest.approx(before, abs=SETTLED)

    def is_armed_by_a_person(self, player: Playing) -> None:
        """A person arms the robot, and it follows."""
        arms = self.arms
        player.type("arm")
        player.until("Arming")
        wait_until(lambda: self.arms == arms + 1)


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    served = Served(tmp_path, monkeypatch)
    yield served
    served.close()


def worker_of(player: Playing) -> int:
    """Id of the process of the player's worker."""
    (children,) = Path(f"/proc/{player.process.pid}/task").glob(f"{player.process.pid}/children")
    return int(children.read_text().split()[0])


def armed(player: Playing) -> None:
    player.until("Armed: the robot follows")


def test_an_unplugged_robot_that_comes_back(served: Served):
    with served.player("--arm") as player:
        armed(player)
        served.unplug()
        player.until("was unplugged")
        served.plug()
        player.until("Disarmed: type 'arm'")
        served.stays(player)
        assert served.state is DeviceState.DISARMED
        served.is_armed_by_a_person(player)


def test_a_robot_that_falls_silent_and_answers_again(served: Served):
    with served.player("--arm") as player:
        armed(player)
        served.pty.freeze()
        player.until("does not answer")
        served.pty.thaw()
        player.until("Disarmed: type 'arm'")
        served.stays(player)
        assert served.state is DeviceState.DISARMED
        served.is_armed_by_a_person(player)


def test_a_robot_that_restarts(served: Served):
    with served.player("--arm") as player:
        armed(player)
        served.pty.reset()
        player.until("restarted and is disarmed")
        served.stays(player)
        player.type("clear")
        player.until("Disarmed: type 'arm'")
        served.stays(player)
        served.is_armed_by_a_person(player)


def test_a_player_that_stalls_until_its_robot_is_disarmed(served: Served):
    with served.player("--arm") as player:
        armed(player)
        os.kill(player.process.pid, signal.SIGSTOP)
        wait_until(lambda: served.state is DeviceState.DISARMED)
        os.kill(player.process.pid, signal.SIGCONT)
        player.until("was silent for too long, so the robot was disarmed")
        served.stays(player)
        assert served.arms == 1


def test_a_computer_that_sleeps(served: Served):
    with served.player("--arm") as player:
        armed(player)
        both = (player.process.pid, worker_of(player))
        for process in both:
            os.kill(process, signal.SIGSTOP)
        time.sleep(HELD_UP_AFTER + 1.0)  # the delay under test, not a wait for an event
        for process in both:
            os.kill(process, signal.SIGCONT)
        player.until("type 'clear'")
        served.stays(player)
        assert served.state is DeviceState.DISARMED
        assert served.arms == 1


def test_a_worker_that_is_killed(served: Served):
    with served.player("--arm") as player:
        armed(player)
        os.kill(worker_of(player), signal.SIGKILL)
        player.until("The process that talks to the robot ended")
        wait_until(lambda: served.state is DeviceState.HOLDING)  # by the robot's own watchdog
        served.stays(player)
        player.type("clear")
        player.until("Disarmed: type 'arm'")
        served.stays(player)
        served.is_armed_by_a_person(player)


def test_a_player_that_is_killed_and_started_again(served: Served):
    with served.player("--arm") as player:
        armed(player)
        player.process.kill()
        wait_until(lambda: served.state is DeviceState.DISARMED)
    with served.player() as player:
        player.until("Disarmed: type 'arm'")
        served.stays(player)
        assert served.arms == 1
        served.is_armed_by_a_person(player)


def test_two_players_on_a_port(served: Served):
    with served.player("--arm") as first:
        armed(first)
        with served.player("--arm") as second:
            second.until("is busy: close the other program")
            first.until("Armed: the robot follows")
            first.type("quit")
            first.until("Ended: robots are at rest and disarmed")
            second.until("Disarmed: type 'arm'")
            served.stays(second)
            assert served.state is DeviceState.DISARMED
            assert served.arms == 1, "the second's order to arm ended with the fault"


def test_a_disk_that_is_full_where_it_writes_what_it_says(served: Served):
    command = ["play", str(served.character), "--port", str(served.port), "--status", "--page", "0"]
    with Path("/dev/full").open("w") as full:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *command, "--seconds", "3"],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
        )
        _, errors = process.communicate(timeout=PATIENCE)
    assert b"Traceback" not in errors
    assert served.arms == 0


def test_a_disk_that_is_full_where_it_talks_to_its_worker(served: Served):
    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    command = ["play", str(served.character), "--port", str(served.port), "--seconds", "3"]
    done = unattended(*command, preexec_fn=full)
    assert done.returncode == 1
    assert done.stderr.startswith("limber: ")
    assert "Traceback" not in done.stderr
    assert served.arms == 0


@pytest.mark.parametrize(
    "path",
    [
        path
        for layer in ("player", "inputs", "character")
        for path in sorted((ROOT / layer).rglob("*.py"))
        if path.name != "arrival_times.py"  # the system's time stamps use such a clock; it has its own test
    ],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_nothing_reads_a_clock_that_jumps(path: Path):
    called = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    attributes = {
        (each.value.id, each.attr)
        for each in called
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name)
    }
    assert not attributes & {("time", "time"), ("time", "time_ns"), ("datetime", "now"), ("date", "today")}
