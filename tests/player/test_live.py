"""The player in real time, with the virtual robot: what it says, and that nothing moves unasked."""

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from limber.character.behaviour.data import Behaviour, StateSpec
from limber.character.chain.settings import RIG
from limber.character.file.contents import CharacterFile
from limber.character.file.robots import RobotEntry, RobotJoint
from limber.character.file.writing import write
from limber.hardware.calibration_file import CalibratedJoint, RobotCalibration, to_text
from limber.hardware.device import VIRTUAL_HOBBY_PORT, VIRTUAL_PORT, ServoChannel, Share
from limber.hardware.protocols.limber import DeviceState
from limber.motion import Limits
from limber.player.errors import PlayerError
from limber.player.pacing import Pacing
from limber.player.robots import device_of

from tests.character.samples import chain, character
from tests.hardware.pty_robot import PtyRobot

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (
    "import sys; from checkout import load_limber; load_limber();"
    " from limber.player.command import main; sys.exit(main(sys.argv[1:]))"
)
PATIENCE = 60.0  # [s] for a sentence


def robot(port: str = VIRTUAL_PORT) -> RobotEntry:
    """A robot with servos on the sample's joints and on its value."""
    limits, glow = Limits(-2.0, 2.0, 3.0, 15.0, 150.0), Limits(0.0, 1.0, 4.0, 40.0, 400.0)
    names = ("Link0 Y", "Link1 X", "Link2 X")
    joints = [
        *(RobotJoint(name, "rad", limits, joint=f"Rig/{name}") for name in names),
        RobotJoint("Glow", "plain", glow, value="Glow"),
    ]
    channels = tuple(
        ServoChannel(k, (Share(joint.name, 1.0 if joint.unit == "rad" else 3.0),))
        for k, joint in enumerate(joints)
    )
    calibrated = tuple(CalibratedJoint(joint.name, joint.unit) for joint in joints)
    return RobotEntry(
        "Rig", port, tuple(joints), to_text(RobotCalibration("limber", 115200, calibrated, channels))
    )


def with_robot(port: str = VIRTUAL_PORT) -> CharacterFile:
    behaviour = Behaviour((StateSpec("Idle"), StateSpec("Sad")))
    return replace(character(chain(base=RIG)), robots=(robot(port),), behaviour=behaviour)


class Playing:
    """A player in a process of its own, at a terminal."""

    def __init__(self, process: subprocess.Popen, terminal: int) -> None:
        self.process, self._terminal, self.text = process, terminal, ""

    def type(self, line: str) -> None:
        os.write(self._terminal, f"{line}\n".encode())

    def until(self, words: str) -> None:
        """Reads its lines until one has these words."""
        begin = len(self.text)
        for line in self.process.stdout:
            self.text += line
            if words in line:
                return
        raise AssertionError(f"it never said '{words}': {self.text[begin:]}{self.process.stderr.read()}")


@contextmanager
def playing(path: Path, *options: str) -> Iterator[Playing]:
    """A player at a terminal, which is ended at the end."""
    terminal, typed = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "play", str(path), "--seconds", str(PATIENCE), *options],
        cwd=ROOT,
        stdin=typed,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(typed)
    try:
        yield Playing(process, terminal)
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)
        os.close(terminal)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write(tmp_path / "sample.limber", with_robot())
    return tmp_path / "sample.limber"


def test_a_robot_is_connected_and_stays_disarmed_until_someone_arms_it(path: Path):
    with playing(path, "--status", "--rate", "30") as player:
        player.until("Disarmed: type 'arm' to let the robot move")
        player.until("2 s, Idle, 30 ticks a second")
        assert "Arming" not in player.text
        player.type("arm")
        player.until("Armed: the robot follows")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_at_rest_and_disarmed(path: Path, number: int):
    with playing(path, "--arm") as player:
        player.until("Armed: the robot follows")
        player.process.send_signal(number)
        player.until("Ended: robots are at rest and disarmed")
        assert player.process.wait(PATIENCE) == 0


def test_a_stop_latches_until_it_is_cleared_and_then_waits_for_an_order(path: Path):
    with playing(path, "--arm") as player:
        player.until("Armed: the robot follows")
        player.type("stop")
        player.until("Stopped: make sure that all is safe, type 'clear'")
        player.type("arm")
        player.type("state Sad")
        player.type("clear")
        player.until("Disarmed: type 'arm'")
        player.type("dance")
        player.until("'dance' is no order: type arm")
        assert player.text.count("Armed: the robot follows") == 1


def test_hobby_servos_always_want_a_confirmation(tmp_path: Path):
    write(tmp_path / "sample.limber", with_robot(VIRTUAL_HOBBY_PORT))
    with playing(tmp_path / "sample.limber", "--arm") as player:
        player.until("bring the robot to the pose that Limber shows, then type 'confirm'")
        player.type("confirm")
        player.until("Armed: the robot follows")


def test_nobody_at_a_terminal_arms_nothing(path: Path):
    command = [sys.executable, "-c", PROGRAM, "play", str(path), "--seconds", "2"]
    options = {"cwd": ROOT, "capture_output": True, "text": True, "timeout": PATIENCE}
    refused = subprocess.run([*command, "--arm"], stdin=subprocess.DEVNULL, check=False, **options)
    assert refused.returncode == 1
    assert "armed by a person at a terminal alone" in refused.stderr
    piped = subprocess.run(command, input="arm\nconfirm\n", check=False, **options)
    assert piped.stdout.count("armed by a person at a terminal alone") == 2
    assert not re.search("Arming|Armed:", piped.stdout)
    assert piped.returncode == 0


def test_a_robot_that_is_away_is_waited_for(path: Path, tmp_path: Path):
    with playing(path, "--port", str(tmp_path / "no port"), "--arm", "--status") as player:
        player.until("does not exist: plug the robot in and type 'clear'")
        player.until("3 s, Idle")


def test_a_calibration_file_beside_the_characters_replaces_its_own(path: Path):
    entry = robot()
    assert device_of(entry, path).channels[0].direction == 1
    other = entry.calibration.replace('"direction": 1', '"direction": -1')
    path.with_name("sample.calibration.json").write_text(other)
    assert device_of(entry, path).channels[0].direction == -1


def test_a_robot_that_a_program_drives_is_refused(path: Path):
    entry = robot()
    program = replace(entry, calibration=entry.calibration.replace('"limber"', '"file:/tmp/evil.py"', 1))
    with pytest.raises(PlayerError):
        device_of(program, path)


def test_a_computer_that_is_too_slow_lowers_the_rate_and_is_never_behind():
    pacing, now = Pacing(60.0, 0.0), 0.0
    lowered = False
    for _ in range(400):
        began = max(now, pacing.due)
        now = began + 0.03
        lowered |= pacing.ticked(began, now)
        assert pacing.due >= now
    assert lowered
    assert 0.03 <= 1.0 / pacing.rate < 0.06
    assert pacing.tick_seconds == pytest.approx(0.03)


def test_a_robot_that_was_unplugged_comes_back_disarmed_and_waits_for_an_order(path: Path, tmp_path: Path):
    port = tmp_path / "port"
    device = device_of(robot(), path, str(port))
    with PtyRobot.for_device(device) as first:
        port.symlink_to(first.port)
        with playing(path, "--port", str(port), "--arm", "--status") as player:
            player.until("Armed: the robot follows")
            port.unlink()
            first.unplug()
            player.until("was unplugged")
            player.until("does not exist")
            with PtyRobot.for_device(device) as second:
                port.symlink_to(second.port)
                player.until("Disarmed: type 'arm'")
                player.until("ticks a second")
                player.until("ticks a second")
                assert second.robot.state is DeviceState.DISARMED
                player.type("arm")
                player.until("Arming")
