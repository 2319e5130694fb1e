"""Tests Limber's worker process with Reachy Mini's own daemon: actions that the daemon does not announce are
reported, and nothing moves without a command.
"""

import math
import socket
import time

import pytest
from limber.hardware.link import WorkerLink
from limber.hardware.protocols.reachy_mini import messages
from limber.hardware.protocols.reachy_mini.websocket import WebSocket
from limber.hardware.safety import Fault, State
from limber.motion import Limits
from limber.robots.download import Download
from limber.robots.meshes import find_mesh
from limber.robots.model import MeshFile
from limber.robots.reading import read

from tests.hardware.patience import PATIENCE, wait, wait_for, wait_until
from tests.hardware.reachy_daemon import reachy_device
from tests.makers.reachy import IS_THERE, MISSING, MakersDaemon

pytestmark = pytest.mark.skipif(not IS_THERE, reason=MISSING)
LIMITS = Limits(-3.2, 3.2, math.pi, 5 * math.pi, 50 * math.pi)
NEUTRAL = (
    0.0,
    0.6265,
    -0.6265,
    0.6265,
    -0.6265,
    0.6265,
    -0.6265,
    0.175,
    -0.175,
)  # pose to which the daemon wakes up
TURNED = (0.3, *NEUTRAL[1:7], 0.6, -0.1)


@pytest.fixture(scope="module")
def mock(tmp_path_factory):
    with MakersDaemon(tmp_path_factory.mktemp("mock"), "--mockup-sim") as daemon:
        yield daemon


@pytest.fixture
def connected():
    links: list[WorkerLink] = []

    def connect(daemon: MakersDaemon, on_silence: str = "hold", limits: Limits = LIMITS) -> WorkerLink:
        links.append(WorkerLink(reachy_device(limits, on_silence, daemon.address)))
        links[-1].open()
        return links[-1]

    yield connect
    for link in links:
        link.close()


def follow(link: WorkerLink, angles, seen=lambda status: True):
    """Waits until `seen` is true for a status of the armed robot, and returns this status.

    On a busy machine, the daemon may be silent for so long that this is a fault; then the robot is armed
    again.
    """
    until = time.perf_counter() + PATIENCE
    while not ((status := link.status()).state is State.ARMED and seen(status)):
        assert time.perf_counter() < until, status
        if status.state is State.FAULT:
            assert status.fault in (Fault.SILENT, Fault.UNREAD), status.sentence
            link.clear_fault()
        elif status.state is State.DISARMED:
            link.arm()
        link.send(angles)
        time.sleep(0.02)
    return status


class OtherProgram:
    """Another client of the daemon."""

    def __init__(self, daemon: MakersDaemon) -> None:
        host, port = daemon.address.split(":")
        self._socket = socket.create_connection((host, int(port)))
        self._line = WebSocket(daemon.address, "/ws/sdk")
        self._socket.sendall(self._line.handshake)
        while not self._line.opened:
            self._line.feed(self._socket.recv(4096))

    def say(self, message: str) -> None:
        self._socket.sendall(self._line.text(message))

    def close(self) -> None:
        self._socket.close()


def test_the_robot_is_armed_where_it_is_follows_and_stops(mock, connected):
    link = connected(mock)
    before = wait_for(link, State.DISARMED, NEUTRAL)
    assert before.positions == pytest.approx(NEUTRAL, abs=0.01)
    there = follow(link, TURNED, lambda status: status.measured == pytest.approx(TURNED, abs=1e-6))
    right, left = mock.get("/api/state/full")["antennas_position"]
    # the daemon's signs are opposite to the URDF's
    assert (right, left) == pytest.approx((-0.6, 0.1), abs=1e-6)
    assert there.lost == 0
    link.stop()
    assert wait_for(link, State.FAULT, NEUTRAL).fault is Fault.STOPPED
    held = mock.get("/api/state/full")["body_yaw"]
    for _ in range(20):
        link.send(NEUTRAL)
        time.sleep(0.01)
    assert (
        mock.get("/api/state/full")["body_yaw"]
        == pytest.approx(held, abs=1e-6)
        == pytest.approx(0.3, abs=1e-3)
    )


def test_the_daemon_gives_its_model_with_all_meshes_and_closed_loops(mock, tmp_path):
    download = Download(mock.address, tmp_path)
    while not download.wait(1.0):
        pass
    assert download.done == download.total == 42
    robot = read(download.model)
    assert (len(robot.closures), len(robot.motors), len(robot.balls)) == (5, 9, 7)
    names = {
        visual.shape.name
        for link in robot.links
        for visual in link.visuals
        if isinstance(visual.shape, MeshFile)
    }
    assert len(names) == 41
    assert all(find_mesh(name, robot.file) is not None for name in names)


def test_automatic_body_yaw_is_off_once_it_was_armed(mock, connected):
    link = connected(mock)
    follow(link, NEUTRAL)
    link.disarm()
    wait_for(link, State.DISARMED, NEUTRAL)
    mock.post("/api/move/set_target", target_head_pose={"yaw": math.radians(80.0)}, target_body_yaw=0.0)
    wait_until(
        lambda: abs(mock.get("/api/state/full?with_head_joints=true")["head_joints"][1] - NEUTRAL[1]) > 0.1
    )
    assert mock.get("/api/state/full")["body_yaw"] == pytest.approx(
        0.0, abs=1e-6
    )  # 0.26 where the daemon turns the body by itself


def test_feedback_is_the_motors_also_where_the_daemons_own_pose_is_mirrored(mock, connected):
    link = connected(mock)
    follow(link, NEUTRAL)
    link.disarm()
    wait_for(link, State.DISARMED, NEUTRAL)
    mock.post(
        "/api/move/set_target", target_head_pose={"z": 0.02}
    )  # immediately, since its forward kinematics finds another assembly
    higher = wait(link, lambda status: abs(status.positions[1] - NEUTRAL[1]) > 0.2, NEUTRAL)
    assert higher.positions[1] == pytest.approx(-higher.positions[2], abs=1e-3)
    joints = mock.get("/api/state/full?with_head_joints=true")["head_joints"]
    assert higher.positions[:7] == pytest.approx(joints, abs=1e-6)


def test_what_is_not_a_number_does_not_reach_the_daemon(mock, connected):
    link = connected(mock)
    follow(link, NEUTRAL)
    status = wait_for(link, State.HOLDING, (*NEUTRAL[:7], math.nan, NEUTRAL[8]))
    assert "'right_antenna' is not a number" in status.sentence
    assert mock.get("/api/state/full")["antennas_position"][0] == pytest.approx(-NEUTRAL[7], abs=0.01)


def test_a_move_that_plays_is_told_and_so_is_another_program(mock, connected):
    link = connected(mock)
    follow(link, NEUTRAL)
    mock.post("/api/move/goto", head_pose={"yaw": 0.5}, duration=2.0)
    follow(link, NEUTRAL, lambda status: any("while a move plays" in text for text in status.warnings))
    follow(link, NEUTRAL, lambda status: not status.warnings)
    other = OtherProgram(mock)

    def told(status) -> bool:
        other.say(messages.head_joints((0.5, *NEUTRAL[1:7])))
        return any("body_rotation" in text and "Another program" in text for text in status.warnings)

    follow(link, NEUTRAL, told)
    other.close()


def test_motors_that_another_program_switches_off_are_a_fault(mock, connected):
    link = connected(mock)
    follow(link, NEUTRAL)
    mock.post("/api/motors/set_mode/disabled")
    assert "'disabled'" in wait_for(link, State.FAULT, NEUTRAL).sentence
    link.clear_fault()
    wait_for(link, State.DISARMED, NEUTRAL)
    follow(link, NEUTRAL)
    assert mock.get("/api/daemon/status")["backend_status"]["motor_control_mode"] == "enabled"


def test_a_daemon_that_hangs_is_a_fault(mock, connected):
    link = connected(mock)
    follow(link, NEUTRAL)
    mock.pause()
    assert wait_for(link, State.FAULT, NEUTRAL).fault is Fault.SILENT
    mock.go_on()
    follow(link, NEUTRAL)
