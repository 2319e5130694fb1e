"""Tests that a person releases a robot from the player: its servos go limp where they are, and nothing else
moves.
"""

import os
import signal
import socket
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from limber.character.file.robots import RobotEntry, RobotJoint
from limber.character.file.tracks import ClipTrack
from limber.character.file.writing import write
from limber.hardware.calibration_file import RobotCalibration, to_text
from limber.motion import Limits

from tests.blender.osc_sender import packet
from tests.hardware.patience import wait_until
from tests.hardware.reachy_daemon import reachy_device
from tests.hardware.served_daemon import ServedDaemon
from tests.player.served_robot import FOLLOWS, PROC, SETTLED, ServedRobot, worker_of
from tests.player.test_live import Playing, path, playing, unattended, with_robot

__all__ = ["path"]

LIMP = "Limp: move the robot by hand; type 'disarm' when done"
AWAKE = (0.0, 0.6, -0.6, 0.6, -0.6, 0.6, -0.6, 0.1, -0.1)  # [rad] angles of the daemon's motors


def test_a_robot_that_was_lost_while_armed_holds_until_a_person_releases_it(
    served_robot: ServedRobot, armed_player: Playing
):
    served_robot.pty.freeze()
    armed_player.until("does not answer")
    served_robot.pty.thaw()
    armed_player.until("Disarmed: type 'arm'")
    served_robot.stays(armed_player)
    assert None not in served_robot.pulses
    before = served_robot.positions
    armed_player.type("release")
    armed_player.until(LIMP)
    wait_until(lambda: served_robot.pulses == {None})
    served_robot.stays(armed_player)
    assert served_robot.positions == pytest.approx(before, abs=SETTLED)
    armed_player.type("disarm")
    armed_player.until("Disarmed: type 'arm'")
    served_robot.stays(armed_player)
    served_robot.is_armed_by_a_person(armed_player)


def test_a_robot_that_is_armed_or_stopped_is_not_released(served_robot: ServedRobot, armed_player: Playing):
    armed_player.type("release")
    armed_player.until("Robot of 'Rig': type disarm first, then release")
    armed_player.until(FOLLOWS)
    assert None not in served_robot.pulses
    armed_player.type("stop")
    armed_player.until("type 'clear'")
    armed_player.type("release")
    armed_player.until("type clear first, then release")
    assert None not in served_robot.pulses


def test_no_program_releases_a_robot(path: Path):
    piped = unattended("play", str(path), "--seconds", "2", stdin=None, input="release\n")
    assert "A robot is released or armed by a person at a terminal alone" in piped.stdout
    assert "Limp" not in piped.stdout
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with playing(path, "--osc", str(port), "--status") as player:
        player.until("Disarmed: type 'arm'")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(packet("/limber/release"), ("127.0.0.1", port))
        player.until("/limber/release: this is a person's order: no program gives it")
        player.until("ticks a second")
        assert "Limp" not in player.text


def reachy(folder: Path) -> Path:
    """Path of a character whose robot is a Reachy Mini with motors that are to go limp."""
    limits = Limits(-3.2, 3.2, 3.0, 15.0, 150.0)
    device = reachy_device(limits, "detach")
    joints = tuple(
        RobotJoint(each.name, "rad", limits, track=ClipTrack(np.zeros(1))) for each in device.joints
    )
    entry = RobotEntry("Rig", "", joints, to_text(RobotCalibration.of(device)))
    write(folder / "sample.limber", replace(with_robot(), robots=(entry,)))
    return folder / "sample.limber"


@pytest.mark.skipif(not PROC.is_dir(), reason="no /proc here, which names the worker")
def test_motors_of_a_daemon_that_kept_torque_go_limp_where_they_are(tmp_path: Path):
    with (
        ServedDaemon(AWAKE) as daemon,
        playing(reachy(tmp_path), "--port", daemon.address, "--arm", "--status") as player,
    ):
        player.until(FOLLOWS)
        os.kill(worker_of(player), signal.SIGKILL)
        player.until("The process that talks to the robot ended")
        player.type("clear")
        player.until("Disarmed: type 'arm'")
        mode, before = daemon.motors()
        assert mode == "enabled", "a daemon whose client is gone holds the pose"
        player.type("release")
        player.until(LIMP)
        wait_until(lambda: daemon.motors()[0] == "disabled")
        player.until("ticks a second")
        assert daemon.motors() == ("disabled", before)


def test_nothing_is_released_before_the_robot_is_connected(path: Path, tmp_path: Path):
    with playing(path, "--port", str(tmp_path / "no port")) as player:
        player.until("does not exist")
        player.type("release")
        player.until("wait until it is connected, then type release")
        assert "Limp" not in player.text
