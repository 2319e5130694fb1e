"""The fault table's rows with the player as the robot's host: a real player, its worker, and a robot behind a
real port.

Each row is a function that causes the fault while the robot follows, checks that nothing moves that a person
has not ordered, and goes the way back. test_faults.py plays them, and so does `python -m
tests.hardware.faults.table`, which writes docs/faults.md.
"""

import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from limber.hardware.protocols.limber import DeviceState
from limber.hardware.safety import HELD_UP_AFTER

from tests.hardware.patience import PATIENCE, wait_until
from tests.player.served_robot import FOLLOWS, ServedRobot, worker_of
from tests.player.test_live import Playing, unattended

HEAD = "| what happens | what moves unasked | the player says | it | way back |\n|---|---|---|---|---|"
NOTHING = {
    DeviceState.DISARMED: "nothing: the robot is disarmed",
    DeviceState.HOLDING: "nothing: the robot holds its pose",
    DeviceState.ARMED: "nothing: the robot follows on",
}  # what moves unasked, by what the robot is in
ONCE_ENDED = "once the first player has ended, it is disarmed"
GOES_ON, ENDS = "goes on", "ends, exit status {}"
CLOCK_JUMPS = Path(__file__).with_name("clock_jumps.c")
LINES = 2.5  # [s] time in which the player prints two status lines
HOUR = 3600  # [s]
LONGEST_LINE = 600  # [s] between two status lines, on the busiest machine; less than a jump of the clock
ATTEMPTS = 3  # number of plays, of which a busy computer may disturb some


@dataclass(frozen=True)
class PlayerOutcome:
    """Result of a row.

    Attributes:
        moves: What moves unasked, in words.
        said: The player's sentence; "" if it says nothing.
        ending: Whether the player goes on or ends, in words.
        back: What a person types, until the robot follows again.
    """

    moves: str
    said: str
    ending: str = GOES_ON
    back: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlayerRow:
    """A fault with the player as the host.

    Attributes:
        key: Name of the test.
        what: Description of the fault in the table.
        play: Plays it with a robot that nobody has armed yet; raises AssertionError if a result differs.
    """

    key: str
    what: str
    play: Callable[[ServedRobot], PlayerOutcome]

    def line(self, outcome: PlayerOutcome) -> str:
        """Its row of the table in docs/faults.md."""
        said = outcome.said or "(nothing)"
        columns = (
            self.what,
            outcome.moves,
            said,
            outcome.ending,
            " > ".join(f"`{word}`" for word in outcome.back) or "none is needed",
        )
        return f"| {' | '.join(columns)} |"


def table(rows: Iterable[PlayerRow]) -> str:
    """Plays all rows; returns the table."""
    lines = [HEAD]
    for row in rows:
        with TemporaryDirectory() as folder, ServedRobot(Path(folder)) as robot:
            lines.append(row.line(row.play(robot)))
    return "\n".join(lines)


def sentence(player: Playing, robot: ServedRobot, words: str) -> str:
    """The next sentence about the robot that contains these words."""
    line = player.until(words).strip().removeprefix("Robot of 'Rig': ")
    return line.replace(str(robot.port), "PORT")


def unmoved(robot: ServedRobot, player: Playing, state: DeviceState) -> str:
    """Checks that the robot stays at rest, in that state; returns that in words."""
    robot.stays(player)
    assert robot.state is state
    return NOTHING[state]


def way_back(robot: ServedRobot, player: Playing, is_latched: bool = True) -> tuple[str, ...]:
    """A person clears the fault, which moves nothing, and arms the robot; returns what is typed."""
    if is_latched:
        player.type("clear")
        player.until("Disarmed: type 'arm'")
        robot.stays(player)
    robot.is_armed_by_a_person(player)
    return ("clear", "arm") if is_latched else ("arm",)


def outcome(
    robot: ServedRobot,
    player: Playing,
    said: str,
    state: DeviceState = DeviceState.DISARMED,
    arms: int = 1,
    is_latched: bool = True,
) -> PlayerOutcome:
    """The outcome of a row after which the robot, armed `arms` times until then, is at rest in that state."""
    moves = unmoved(robot, player, state)
    assert robot.arms == arms
    return PlayerOutcome(moves, said, back=way_back(robot, player, is_latched))


def unplugged(robot: ServedRobot) -> PlayerOutcome:
    with robot.armed_player() as player:
        robot.unplug()
        said = sentence(player, robot, "was unplugged")
        robot.plug()
        player.until("Disarmed: type 'arm'")
        return outcome(robot, player, said, is_latched=False)


def stopped_then_unplugged(robot: ServedRobot) -> PlayerOutcome:
    with robot.armed_player() as player:
        player.type("stop")
        player.until("Stopped: ")
        robot.unplug()
        said = sentence(player, robot, "Not reached: ")
        robot.plug()
        moves = unmoved(robot, player, DeviceState.DISARMED)
        return PlayerOutcome(moves, said, back=way_back(robot, player))


def not_there(robot: ServedRobot) -> PlayerOutcome:
    robot.unplug()
    with robot.player("--arm") as player:
        said = sentence(player, robot, "does not exist")
        robot.plug()
        player.until("Disarmed: type 'arm'")
        return outcome(robot, player, said, arms=0, is_latched=False)  # the order to arm ended too


def silent(robot: ServedRobot) -> PlayerOutcome:
    with robot.armed_player() as player:
        robot.pty.freeze()
        said = sentence(player, robot, "does not answer")
        robot.pty.thaw()
        player.until("Disarmed: type 'arm'")
        return outcome(robot, player, said, is_latched=False)


def restarts(robot: ServedRobot) -> PlayerOutcome:
    with robot.armed_player() as player:
        robot.pty.reset()
        said = sentence(player, robot, "restarted and is disarmed")
        return outcome(robot, player, said)


def stalls(robot: ServedRobot) -> PlayerOutcome:
    """The player is stopped until its robot is disarmed, as by Ctrl Z."""
    with robot.armed_player() as player:
        os.kill(player.process.pid, signal.SIGSTOP)
        wait_until(lambda: robot.state is DeviceState.DISARMED)
        os.kill(player.process.pid, signal.SIGCONT)
        said = sentence(player, robot, "was silent for too long, so the robot was disarmed")
        return outcome(robot, player, said)


def sleeps(robot: ServedRobot) -> PlayerOutcome:
    """The player and its worker are stopped at once."""
    with robot.armed_player() as player:
        both = (player.process.pid, worker_of(player))
        for process in both:
            os.kill(process, signal.SIGSTOP)
        time.sleep(HELD_UP_AFTER + 1.0)  # the delay under test, not a wait for an event
        for process in both:
            os.kill(process, signal.SIGCONT)
        said = sentence(player, robot, "type 'clear'")
        return outcome(robot, player, said)


def killed_worker(robot: ServedRobot) -> PlayerOutcome:
    with robot.armed_player() as player:
        os.kill(worker_of(player), signal.SIGKILL)
        said = sentence(player, robot, "The process that talks to the robot ended")
        wait_until(lambda: robot.state is DeviceState.HOLDING)  # by the robot's own watchdog
        return outcome(robot, player, said, DeviceState.HOLDING)


def killed_player(robot: ServedRobot) -> PlayerOutcome:
    with robot.armed_player() as player:
        player.process.kill()
        wait_until(lambda: robot.state is DeviceState.DISARMED)
    with robot.player() as player:
        player.until("Disarmed: type 'arm'")
        moves = unmoved(robot, player, DeviceState.DISARMED)
        assert robot.arms == 1
        back = ("limber play", *way_back(robot, player, is_latched=False))
    return PlayerOutcome(moves, "(nobody is left to say anything)", "is gone", back)


def two_players(robot: ServedRobot) -> PlayerOutcome:
    with robot.armed_player() as first, robot.player("--arm") as second:
        said = sentence(second, robot, "is busy: close the other program")
        first.until(FOLLOWS)
        first.type("quit")
        first.until("Ended: robots are at rest and disarmed")
        second.until("Disarmed: type 'arm'")
        unmoved(robot, second, DeviceState.DISARMED)
        assert robot.arms == 1, "the second's order to arm ended with the fault"
        back = way_back(robot, second, is_latched=False)
    return PlayerOutcome(f"{NOTHING[DeviceState.ARMED]}; {ONCE_ENDED}", said, back=back)


def full_disk_of_output(robot: ServedRobot) -> PlayerOutcome:
    with Path("/dev/full").open("w") as full, robot.player("--arm", stdout=full) as player:
        wait_until(lambda: robot.arms == 1)
        robot.passes(LINES)
        assert robot.state is DeviceState.ARMED
        player.type("quit")
        wait_until(lambda: robot.state is DeviceState.DISARMED)
        _, errors = player.process.communicate(timeout=PATIENCE)
    assert robot.arms == 1
    assert "Traceback" not in errors
    return PlayerOutcome(NOTHING[DeviceState.ARMED], "")


def full_disk_of_worker(robot: ServedRobot) -> PlayerOutcome:
    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    done = unattended(*robot.command, "--seconds", "3", preexec_fn=full)
    assert done.returncode == 1
    assert done.stderr.startswith("limber: ")
    assert "Traceback" not in done.stderr
    assert robot.arms == 0
    with robot.player() as player:
        player.until("Disarmed: type 'arm'")
        back = ("limber play", *way_back(robot, player, is_latched=False))
    said = done.stderr.strip().removeprefix("limber: ")
    said = re.sub(r" \(\[Errno .*\]\)", "", said)  # the folders of this machine
    return PlayerOutcome("nothing: no robot is connected", said, ENDS.format(done.returncode), back)


def jumping_clock(robot: ServedRobot) -> PlayerOutcome:
    """The clock of the player and of its worker is set forward and back."""
    jump, shim = robot.folder / "jump", robot.folder / "clock_jumps.so"
    try:
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", shim, CLOCK_JUMPS], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no gcc here: it makes the clock that jumps")
    variables = os.environ | {"LD_PRELOAD": str(shim), "CLOCK_JUMP": str(jump)}
    for attempt in range(1, ATTEMPTS + 1):
        jump.unlink(missing_ok=True)
        said = clock_jumps(robot, jump, variables)
        assert robot.arms == attempt
        if not said:
            break
    assert not said, said
    return PlayerOutcome(NOTHING[DeviceState.ARMED], "")


def clock_jumps(robot: ServedRobot, jump: Path, variables: dict[str, str]) -> list[str]:
    """Sentences about a robot that follows while the clock of its player and worker jumps; a busy computer
    may let it hold meanwhile.
    """
    with robot.armed_player(env=variables) as player:
        for seconds in (HOUR, -HOUR):
            before = played_seconds(player)
            jump.write_text(str(seconds))
            look = [sys.executable, "-c", "import time; print(time.time())"]
            shown = subprocess.run(look, env=variables, check=True, capture_output=True, text=True).stdout
            assert float(shown) - time.time() == pytest.approx(seconds, abs=PATIENCE), "it jumps"
            for _ in range(2):
                seconds_played = played_seconds(player)
            assert before <= seconds_played < before + LONGEST_LINE
        wait_until(lambda: robot.state is DeviceState.ARMED)
        return [line for line in player.text.split(FOLLOWS, 1)[1].splitlines() if "Robot of" in line]


def played_seconds(player: Playing) -> int:
    """Time [s] since the player's start, in its next status line."""
    return int(re.match(r"\d+", player.until(" ticks a second, each"))[0])


PLAYER = (
    PlayerRow("unplugged", "The cable is pulled, and plugged in again later", unplugged),
    PlayerRow(
        "stopped_then_unplugged",
        "The robot is stopped, then the cable is pulled, and plugged in again later",
        stopped_then_unplugged,
    ),
    PlayerRow("not_there", "The port is not there yet, and appears later; `--arm` was typed", not_there),
    PlayerRow("silent", "The robot falls silent, and answers again later", silent),
    PlayerRow("restarts", "The robot restarts in motion", restarts),
    PlayerRow("stalls", "The player stalls for more than 5 s (Ctrl Z, then `fg`)", stalls),
    PlayerRow("sleeps", "The computer sleeps, or the player and its worker are held up", sleeps),
    PlayerRow("killed_worker", "The worker is killed (kill -9)", killed_worker),
    PlayerRow("killed_player", "The player is killed (kill -9), and started again", killed_player),
    PlayerRow("two_players", "A second player opens the port, with `--arm`", two_players),
    PlayerRow("full_disk_of_output", "The disk is full to which the player's lines go", full_disk_of_output),
    PlayerRow(
        "full_disk_of_worker", "The disk is full when the player starts its worker", full_disk_of_worker
    ),
    PlayerRow(
        "jumping_clock", "The computer's clock is set an hour ahead, then two hours back", jumping_clock
    ),
)
