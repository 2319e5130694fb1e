"""Tests the player in real time, with the virtual robot: its output, and that nothing moves without a
command.
"""

import math
import os
import pty
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from limber.character.behaviour.data import Behaviour, StateSpec, TransitionSpec
from limber.character.behaviour.deciding import Senses
from limber.character.chain.settings import RIG
from limber.character.file.contents import CharacterFile
from limber.character.file.robots import RobotEntry, RobotJoint
from limber.character.file.writing import write
from limber.hardware.calibration_file import CalibratedJoint, RobotCalibration, to_text
from limber.hardware.device import VIRTUAL_HOBBY_PORT, VIRTUAL_PORT, ServoChannel, Share
from limber.hardware.protocols.limber import DeviceState
from limber.motion import Limits
from limber.player import live
from limber.player.directing import Director
from limber.player.errors import PlayerError
from limber.player.osc import PlayerInbox
from limber.player.pacing import Pacing
from limber.player.page import decision_line
from limber.player.performance import Performance
from limber.player.playhead import Playhead
from limber.player.robots import check_origin, device_of

from tests.blender.osc_sender import packet, words
from tests.character.samples import chain, character
from tests.hardware.pty_robot import PtyRobot

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (
    "import sys; from checkout import load_limber; load_limber();"
    " from limber.player.command import main; sys.exit(main(sys.argv[1:]))"
)
PATIENCE = 60.0  # [s] longest time until a sentence is printed


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
    events = [TransitionSpec("Idle", "Sad", "event", name) for name in ("wave", "bow")]
    behaviour = Behaviour((StateSpec("Idle"), StateSpec("Sad")), tuple(events))
    return replace(character(chain(base=RIG)), robots=(robot(port),), behaviour=behaviour)


class Playing:
    """A player in a separate process, at a terminal."""

    def __init__(self, process: subprocess.Popen, terminal: int) -> None:
        self.process, self.terminal, self.text = process, terminal, ""

    def type(self, line: str) -> None:
        os.write(self.terminal, f"{line}\n".encode())

    def until(self, *words: str) -> str:
        """Reads its lines until one contains one of these texts; returns this one."""
        begin = len(self.text)
        for line in self.process.stdout:
            self.text += line
            if any(text in line for text in words):
                return line
        raise AssertionError(f"it never said {words}: {self.text[begin:]}{self.process.stderr.read()}")


def unattended(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs the command `limber` with these words to its end without a terminal; `options` of the process."""
    streams = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "check": False}
    command = [sys.executable, "-c", PROGRAM, *words]
    return subprocess.run(command, cwd=ROOT, timeout=PATIENCE, **(streams | options))


@contextmanager
def playing(path: Path, *options: str, **process_options: Any) -> Iterator[Playing]:
    """A player at a terminal, which is ended on leaving the context; `process_options` of the process."""
    terminal, typed = pty.openpty()
    streams = {"stdin": typed, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, "-c", PROGRAM, "play", str(path), "--seconds", str(PATIENCE), *options]
    process = subprocess.Popen(command, cwd=ROOT, **(streams | process_options))
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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
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


def test_an_order_to_arm_at_the_start_is_dropped_by_a_stop(path: Path):
    with playing(path, "--arm", "--status") as player:
        player.type("stop")
        player.until("Stopped: make sure that all is safe, type 'clear'")
        player.type("clear")
        player.until("Disarmed: type 'arm'")
        player.until("ticks a second")
        player.until("ticks a second")
        assert "Arming" not in player.text


def test_what_was_typed_before_a_stop_does_not_clear_it(path: Path):
    with playing(path, "--arm", "--rate", "5", "--status") as player:
        player.until("Armed: the robot follows")
        player.type("clear\nstop")
        player.until("Stopped: make sure that all is safe, type 'clear'")
        player.type("connect")
        player.until("type clear first, then connect")
        player.until("ticks a second")
        player.until("ticks a second")
        assert "Disarmed: type 'arm'" not in player.text.split("Stopped:")[1]


def test_the_end_of_the_terminal_ends_it_at_rest_and_disarmed(path: Path):
    with playing(path, "--arm") as player:
        player.until("Armed: the robot follows")
        os.write(player.terminal, b"\x04")
        player.until("Ended: robots are at rest and disarmed")
        assert player.process.wait(PATIENCE) == 0


def test_values_that_cannot_be_are_refused_and_it_plays_on(path: Path):
    with playing(path, "--status") as player:
        for order, sentence in (
            ("set value/Glow nan", "give it a number"),
            ("set influence/Arm 2", "give it a number from 0 to 1"),
            ("arm Leg", "there is no robot 'Leg': there is 'Rig'"),
            ("set 'value/Glow", "a name with blanks stands in quotes"),
        ):
            player.type(order)
            player.until(sentence)
        player.until("ticks a second")


def test_hobby_servos_always_want_a_confirmation(tmp_path: Path):
    write(tmp_path / "sample.limber", with_robot(VIRTUAL_HOBBY_PORT))
    with playing(tmp_path / "sample.limber", "--arm") as player:
        player.until("the pose is Link0 Y ")
        player.until("bring the robot to the pose that Limber shows, then type 'confirm'")
        player.type("confirm")
        player.until("Armed: the robot follows")


def test_nobody_at_a_terminal_arms_nothing(path: Path):
    command = ["play", str(path), "--seconds", "2"]
    refused = unattended(*command, "--arm")
    assert refused.returncode == 1
    assert "armed by a person at a terminal alone" in refused.stderr
    piped = unattended(*command, stdin=None, input="arm\nconfirm\n")
    assert piped.stdout.count("armed by a person at a terminal alone") == 2
    assert not re.search("Arming|Armed:", piped.stdout)
    assert piped.returncode == 0


def test_a_robot_that_is_away_is_waited_for(path: Path, tmp_path: Path):
    with playing(path, "--port", str(tmp_path / "no port"), "--arm", "--status") as player:
        player.until(
            "does not exist: plug the robot in; Limber connects again by itself, and it stays disarmed"
        )
        player.until("5 s, Idle")
        said = [line for line in player.text.splitlines() if line.startswith("Robot of 'Rig': ")]
        assert len(said) == 3, "its port, that it is being connected, and once that it is away"
        player.type("arm")
        player.until("does not exist")
        player.type("quit")
        player.until("Ended without a connection to Rig: one that was lost while it was armed may keep its")


def test_of_a_robot_that_was_stopped_and_then_unplugged_it_does_not_say_that_it_rests(path: Path):
    with (
        PtyRobot.for_device(device_of(robot(), path)) as pty_robot,
        playing(path, "--port", pty_robot.port, "--arm") as player,
    ):
        player.until("Armed: the robot follows")
        player.type("stop")
        player.until("Stopped: ")
        pty_robot.unplug()
        said = player.until("Not reached: ")
        assert "Stopped: make sure that all is safe, type 'clear'" in said
        player.type("quit")
        player.until("Ended without a connection to Rig")
        assert "at rest" not in player.text


def test_an_order_to_arm_that_comes_before_the_robot_is_connected_is_answered(path: Path):
    silent = PtyRobot.for_device(device_of(robot(), path))
    said: list[str] = []
    options = live.LiveOptions(is_attended=True, port=silent.port)
    with silent:
        silent.freeze()
        play = live.LivePlay(with_robot(), path, options, said.append)
        try:
            play.order("arm")
            play._tick(0.0, 0.0, 1.0)
        finally:
            play._close()
    assert f"Connecting to {silent.port}: wait until the robot answers; nothing moves" in said[-2]
    assert said[-2] == said[-1]


def test_an_osc_port_that_another_program_has_is_told_with_the_remedy(path: Path):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        options = live.LiveOptions(without_robot=True, osc=port)
        with pytest.raises(PlayerError, match=f"cannot be heard on port {port}.*with --osc PORT"):
            live.LivePlay(with_robot(), path, options, lambda line: None)


def test_impossible_osc_commands_that_alternate_are_reported_once_each(path: Path):
    said: list[str] = []
    play = live.LivePlay(with_robot(), path, live.LiveOptions(without_robot=True, osc=0), said.append)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for name in ("Leg", "Tail", "Leg", "Tail"):
                sender.sendto(packet(f"/limber/influence/{name}", 0.5), ("127.0.0.1", play._inbox.port))
                play._hear(play._inbox, 0.02)
    finally:
        play._close()
    assert [sum(f"influence/{name}" in line for line in said) for name in ("Leg", "Tail")] == [1, 1]


def test_a_calibration_file_beside_the_characters_replaces_its_own(path: Path):
    entry = robot()
    assert device_of(entry, path).channels[0].direction == 1
    other = entry.calibration.replace('"direction": 1', '"direction": -1')
    path.with_name("sample.calibration.json").write_text(other)
    assert device_of(entry, path).channels[0].direction == -1


def test_a_calibration_beside_several_robots_and_an_address_of_the_file_alone_are_refused(path: Path):
    entry = robot()
    path.with_name("sample.calibration.json").write_text(entry.calibration)
    check_origin(entry, device_of(entry, path), path, "", 1)
    with pytest.raises(PlayerError, match="does not say to which of the 2 robots"):
        check_origin(entry, device_of(entry, path), path, "", 2)
    far = replace(device_of(entry, path), protocol="reachy_mini", port="192.168.1.20:8000")
    with pytest.raises(PlayerError, match="give --port"):
        check_origin(entry, far, path, "", 1)


def test_a_robot_that_a_program_drives_is_refused(path: Path):
    entry = robot()
    program = replace(entry, calibration=entry.calibration.replace('"limber"', '"file:/tmp/evil.py"', 1))
    with pytest.raises(PlayerError):
        device_of(program, path)


def paced(pacing: Pacing, now: float, seconds: float, tick: float) -> tuple[float, list[float]]:
    """The time [s] after `seconds` of ticks that each take `tick` [s], and the rates in the meantime."""
    rates, until = [pacing.rate], now + seconds
    while now < until:
        began = max(now, pacing.due)
        now = began + tick
        if pacing.ticked(began, now):
            rates.append(pacing.rate)
        assert pacing.due >= now
    return now, rates


def test_a_computer_that_is_too_slow_lowers_the_rate_and_is_never_behind():
    pacing = Pacing(60.0, 0.0)
    paced(pacing, 0.0, 12.0, 0.03)
    assert 0.03 <= 1.0 / pacing.rate < 0.06
    assert pacing.tick_seconds == pytest.approx(0.03)


class Clock:
    """Simulated time that passes only while a program sleeps, or when the test advances it."""

    def __init__(self) -> None:
        # [s] current time; [s] time for which the process is stopped during its next sleep
        self.now, self.stopped = 100.0, 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds + self.stopped
        self.stopped = 0.0


def test_the_first_tick_and_a_player_that_was_stopped_are_no_measure_and_said_once(tmp_path, monkeypatch):
    clock, said, ticks = Clock(), [], []
    monkeypatch.setattr(live, "time", clock)
    options = live.LiveOptions(rate=20.0, seconds=20.0, without_robot=True, has_status=True)
    play = live.LivePlay(character(), tmp_path / "sample.limber", options, said.append)
    tick = play._tick

    def slow(seconds: float, dt: float, due: float) -> None:
        ticks.append(dt)
        clock.now += 3.0 if not seconds else 0.01  # the first tick builds the models
        clock.stopped = 10.0 if len(ticks) == 30 else 0.0  # as by Ctrl Z
        tick(seconds, dt, due)

    monkeypatch.setattr(play, "_tick", slow)
    play.run()
    assert ticks[1] == pytest.approx(0.05), "the clip begins when the first tick is over"
    assert not [line for line in said if "too slow" in line]
    lines = [int(line.split(" s", 1)[0]) for line in said if " ticks a second, each" in line]
    assert lines[0] == 1
    assert not [line for line in said if "computed in 0.0 ms" in line], "it says what it has measured"
    assert lines[1] >= 11, "no line for each second that it was stopped"
    assert len(lines) == len(set(lines)) < 12


def test_each_decision_is_told_once_and_in_the_order_of_their_times(tmp_path: Path):
    options = live.LiveOptions(without_robot=True)
    play = live.LivePlay(with_robot(), tmp_path / "sample.limber", options, lambda line: None)
    for number in range(6):
        if number in (2, 4):
            play.order("event wave" if number == 2 else "state Idle")
        play._tick(number / 60.0, bool(number) / 60.0, 1.0 / 60.0)
    assert [decision_line(each)[7:] for each in play._decisions] == [
        "event wave (typed)",
        "Idle → Sad (event wave)",
        "Sad → Idle (typed)",
    ]
    times = [each["time"] for each in play._decisions]
    assert times == sorted(times)


def test_a_computer_that_has_time_again_raises_the_rate_step_by_step_up_to_what_was_wanted():
    pacing = Pacing(60.0, 0.0)
    now, lowered = paced(pacing, 0.0, 20.0, 0.05)
    now, raised = paced(pacing, now, 8.0, 0.002)
    assert raised == [lowered[-1]], "not at once"
    now, raised = paced(pacing, now, 120.0, 0.002)
    assert raised == sorted(raised)
    assert len(raised) == len(lowered)
    assert pacing.rate == 60.0
    assert paced(pacing, now, 60.0, 0.002)[1] == [60.0]


def test_a_computer_that_is_just_fast_enough_keeps_its_rate():
    pacing = Pacing(60.0, 0.0)
    now, _ = paced(pacing, 0.0, 20.0, 0.0175)
    assert len(paced(pacing, now, 3600.0, 0.0175)[1]) == 1


def test_raises_that_do_not_last_come_ever_more_seldom():
    """Work that arrives for one second after each rise of the rate."""
    pacing, now, raises = Pacing(60.0, 0.0), 0.0, []
    now, _ = paced(pacing, now, 2.0, 0.02)
    while now < 7200.0:
        before = pacing.rate
        now, rates = paced(pacing, now, 1.0, 0.002 if pacing.rate < 60.0 else 0.02)
        if max(rates) > before:
            raises.append(now)
    waits = np.diff(raises)
    assert len(raises) < 20
    assert (np.diff(waits)[:6] > 8.0).all()
    assert (waits[6:] > 590.0).all()


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


def told(inbox: PlayerInbox, director: Director, *messages: tuple) -> list[str]:
    """Sentences about the messages that could not be carried out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for message in messages:
            make = words if isinstance(message[-1], str) and len(message) > 1 else packet
            sender.sendto(make(*message), ("127.0.0.1", inbox.port))
    heard, troubles = inbox.told()
    orders = [each.order for each in heard]
    for order in orders:
        try:
            director.obey(order, "OSC")
        except PlayerError as error:
            troubles.append(str(error))
    return troubles


def test_osc_moves_targets_sets_what_a_script_sets_and_names_events_but_arms_nothing():
    stops: list[int] = []
    performance = Performance(with_robot())
    director = Director(performance, Playhead(2.0))
    director.tick(0.0, 0.0)
    inbox = PlayerInbox("127.0.0.1", 0, lambda: stops.append(1))
    try:
        troubles = told(
            inbox,
            director,
            ("/limber/event", "wave"),
            ("/limber/trigger/bow", 1.0),
            ("/limber/trigger/bow_again", 0.0),
            ("/limber/state", "Sad"),
            ("/limber/target/Arm", 0.25, 0.5, 0.75),
            ("/limber/influence/Arm", 0.5),
            ("/limber/value/Glow", 0.125),
        )
        assert troubles == []
        assert director.events == ["wave", "bow"]
        assert told(inbox, director, ("/limber/event", "nod")) == [
            "there is no event 'nod': there is 'wave', 'bow'"
        ]
        director.tick(1 / 24, 1 / 24)
        assert director.events == []
        assert performance.state == "Sad"
        chain = performance.character.chains[0]
        assert performance.target_position(chain) == [0.25, 0.5, 0.75]
        assert performance.values() == [0.125]
        assert told(inbox, director, ("/limber/axis/Arm/y", 0.25), ("/limber/look", "Ball")) == []
        director.tick(1 / 24, 2 / 24)
        assert performance.target_position(chain) == [0.25, 0.25, 0.75]
        near, far = ((number, 0.0, 0.5, 0.0, z, 1.0) for number, z in ((1.0, 2.0), (2.0, 3.0)))
        assert told(inbox, director, ("/limber/seen/Ball", *near), ("/limber/seen/Ball", *far)) == []
        x, y, z = (row[3] for row in performance.authored_target("Ball", performance.frame)[:3])
        director.tick(1e-3, 2 / 24)
        assert performance.target_position(chain) == pytest.approx([x + 1.0, y, z - 2.0], abs=1e-6)
        assert director.persons.senses == Senses(2.0)
        assert told(inbox, director, ("/limber/pause",), ("/limber/seek", 1.5)) == []
        director.tick(1 / 24, 3 / 24)
        assert performance.frame == 36.0, "the clip stands where it was put"
        assert told(inbox, director, ("/limber/play",)) == []
        director.tick(1 / 24, 4 / 24)
        assert performance.frame == pytest.approx(37.0)
        troubles = told(
            inbox,
            director,
            ("/limber/arm",),
            ("/limber/clear",),
            ("/limber/influence/Leg", 0.5),
            ("/limber/share/Arm", math.nan),
            ("/limber/target/Arm", "Moon"),
            ("/limber/rotation/Arm", 0.0, 0.0, 0.0, 0.0),
            ("/limber/dance",),
        )
        assert len(troubles) == 7, troubles
        assert not stops
        told(inbox, director, ("/limber/stop",))
        assert stops
    finally:
        inbox.close()
