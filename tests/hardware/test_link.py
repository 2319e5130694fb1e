"""The link with a real worker process: over shared memory alone, and over a real pty to a robot whose faults are at hand."""

import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import serial
from limber.hardware import device as devices
from limber.hardware.errors import AnglesError, WorkerError
from limber.hardware.link import Link
from limber.hardware.mixing import Mixing
from limber.hardware.protocols.limber import VERSION, WrongVersion, encode
from limber.hardware.protocols.limber import State as DeviceState
from limber.hardware.safety import Fault, State

from tests.hardware.patience import POSE, arm, wait, wait_for, wait_until
from tests.hardware.pty_robot import PtyRobot
from tests.hardware.simulation import make_device

ROOT = Path(__file__).resolve().parents[2]


def is_running(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def robot():
    with PtyRobot.for_device(make_device()) as robot:
        yield robot


@pytest.mark.parametrize("port", [devices.VIRTUAL_PORT, devices.VIRTUAL_HOBBY_PORT])
def test_the_virtual_robot_connects_arms_follows_and_disarms(opened, port):
    link = opened(make_device(port=port))
    arm(link)
    there = wait(link, lambda status: status.commanded is not None and math.dist(status.commanded, POSE) < 1e-6)
    assert there.sent > 0
    if port == devices.VIRTUAL_PORT:
        wait(link, lambda status: math.dist(status.reported, POSE) < 1e-2)
    link.disarm()
    wait_for(link, State.DISARMED)


def test_a_robot_on_a_serial_port_goes_where_blender_says(opened, robot):
    link = opened(make_device(port=robot.port))
    arm(link)
    status = wait(link, lambda status: status.reported is not None and math.dist(status.reported, POSE) < 1e-2)
    assert status.acknowledged > 0
    assert status.lost == 0


def test_connecting_moves_nothing(opened, robot):
    link = opened(make_device(port=robot.port))
    wait_for(link, State.DISARMED)
    wait(link, lambda status: status.reported is not None)
    with robot.lock:
        assert robot.robot.pulses == (None,) * 3


def test_a_closed_link_takes_frames_and_wishes_without_a_word():
    link = Link(make_device())
    link.send(POSE)
    link.arm()
    link.stop()
    status = link.status()
    assert status.state is State.CLOSED
    assert "Connect" in status.sentence


def test_the_wrong_number_of_angles_is_an_error_that_says_how_many():
    with pytest.raises(AnglesError, match="2 values for 3 joints"):
        Link(make_device()).send((0.0, 0.0))


def test_an_interpreter_that_is_not_there_is_an_error_that_names_it():
    with pytest.raises(WorkerError, match="/no/such/python"):
        Link(make_device(), python="/no/such/python").open()


def test_stop_reaches_the_robot_and_latches(opened, robot):
    link = opened(make_device(port=robot.port))
    arm(link)
    link.stop()
    wait_until(lambda: robot.robot.state is DeviceState.FAULT)
    assert wait_for(link, State.FAULT).fault is Fault.STOPPED
    link.arm()
    link.clear_fault()
    wait_for(link, State.DISARMED)
    arm(link)


def test_a_missing_port_is_named_and_connects_once_it_is_there(opened, tmp_path):
    port = tmp_path / "robot"
    link = opened(make_device(port=str(port)))
    status = wait_for(link, State.FAULT)
    assert status.fault is Fault.PORT_MISSING
    assert str(port) in status.sentence
    with PtyRobot.for_device(make_device()) as robot:
        port.symlink_to(robot.port)
        link.clear_fault()
        wait_for(link, State.DISARMED)
        link.close()


def test_a_port_that_another_program_has_open_is_busy(opened, robot):
    with serial.Serial(robot.port, exclusive=True):
        link = opened(make_device(port=robot.port))
        assert wait_for(link, State.FAULT).fault is Fault.PORT_BUSY
    link.reconnect()
    wait_for(link, State.DISARMED)


def test_a_second_link_to_a_port_finds_it_busy_and_leaves_the_first_alone(opened, robot):
    first = opened(make_device(port=robot.port))
    arm(first)
    second = opened(make_device(port=robot.port))
    assert wait_for(second, State.FAULT).fault is Fault.PORT_BUSY
    assert wait_for(first, State.ARMED).state is State.ARMED


def test_a_file_that_is_no_port_cannot_be_used(opened, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a robot")
    link = opened(make_device(port=str(path)))
    assert wait_for(link, State.FAULT).fault is Fault.PORT_UNUSABLE


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open every port: run as a user to see a port forbidden")
def test_a_port_that_may_not_be_opened_names_the_group(opened, robot):
    os.chmod(robot.port, 0)
    link = opened(make_device(port=robot.port))
    status = wait_for(link, State.FAULT)
    assert status.fault is Fault.PORT_FORBIDDEN
    assert "dialout" in status.sentence


def test_a_port_that_never_answers_is_silent(opened, robot):
    robot.freeze()
    link = opened(make_device(port=robot.port))
    assert wait_for(link, State.FAULT).fault is Fault.SILENT
    robot.thaw()
    link.clear_fault()
    wait_for(link, State.DISARMED)


def test_a_port_that_speaks_otherwise_is_not_taken_for_a_robot(opened, robot):
    robot.answer = lambda data: b"echo:busy: processing\n" if data else b""
    link = opened(make_device(port=robot.port))
    assert wait_for(link, State.FAULT).fault is Fault.OTHER_PROTOCOL


def test_a_robot_of_another_version_is_told_apart(opened, robot):
    robot.answer = lambda data: encode(WrongVersion(VERSION + 1, (2, 0))) if data else b""
    link = opened(make_device(port=robot.port))
    status = wait_for(link, State.FAULT)
    assert status.fault is Fault.OTHER_VERSION
    assert f"version {VERSION + 1}" in status.sentence


def test_a_robot_with_too_few_servos_says_so(opened, robot):
    link = opened(make_device(5, port=robot.port))
    status = wait_for(link, State.FAULT, (0.0,) * 5)
    assert status.fault is Fault.UNSUITABLE
    assert "3 servos" in status.sentence


def test_a_cable_pulled_in_motion_is_noticed_and_a_new_one_connects(opened, tmp_path):
    port = tmp_path / "robot"
    with PtyRobot.for_device(make_device()) as robot:
        port.symlink_to(robot.port)
        link = opened(make_device(port=str(port)))
        arm(link)
        robot.unplug()
    assert wait_for(link, State.FAULT).fault is Fault.UNPLUGGED
    port.unlink()
    with PtyRobot.for_device(make_device()) as robot:
        port.symlink_to(robot.port)
        link.clear_fault()
        arm(link)
        link.close()


def test_a_robot_that_freezes_in_motion_is_noticed(opened, robot):
    link = opened(make_device(port=robot.port))
    arm(link)
    robot.freeze()
    assert wait_for(link, State.FAULT).fault is Fault.SILENT
    robot.thaw()
    wait_until(lambda: robot.robot.state is not DeviceState.ARMED)


def test_a_robot_that_restarts_in_motion_ends_disarmed(opened, robot):
    link = opened(make_device(port=robot.port))
    arm(link)
    robot.reset()
    assert wait_for(link, State.FAULT).fault is Fault.DEVICE_RESET
    assert robot.robot.state is DeviceState.DISARMED
    link.clear_fault()
    arm(link)


def test_a_robot_among_garbage_is_still_understood(opened, robot):
    robot.answer = lambda data: b"\xa5\x04\xfb??" + data if data else b""
    link = opened(make_device(port=robot.port))
    arm(link)
    wait(link, lambda status: status.acknowledged > 50)


def test_a_killed_worker_is_noticed_stops_the_robot_and_can_be_started_anew(opened, robot):
    link = opened(make_device(port=robot.port))
    arm(link)
    killed = link.worker_pid
    os.kill(killed, signal.SIGKILL)
    status = wait_for(link, State.WORKER_LOST)
    assert status.fault is Fault.WORKER_DIED
    link.send(POSE)  # live goes on
    wait_until(lambda: robot.robot.state is not DeviceState.ARMED)
    link.clear_fault()
    arm(link)
    assert link.worker_pid != killed
    assert not Path(f"/proc/{killed}").exists()


def test_a_worker_that_hangs_is_noticed_stops_the_robot_and_is_replaced(opened, robot):
    link = opened(make_device(port=robot.port))
    arm(link)
    hung = link.worker_pid
    os.kill(hung, signal.SIGSTOP)
    assert wait_for(link, State.WORKER_LOST).fault is Fault.WORKER_HUNG
    wait_until(lambda: robot.robot.state is not DeviceState.ARMED)
    link.reconnect()
    arm(link)
    wait_until(lambda: not is_running(hung))


def test_a_worker_that_hung_for_a_while_does_not_move_the_robot_when_it_wakes(opened, robot):
    link = opened(make_device(port=robot.port))
    arm(link)
    os.kill(link.worker_pid, signal.SIGSTOP)
    wait_until(lambda: robot.robot.state is not DeviceState.ARMED)
    os.kill(link.worker_pid, signal.SIGCONT)
    status = wait_for(link, State.FAULT)
    assert status.fault is Fault.DEVICE_WATCHDOG
    assert robot.robot.state is not DeviceState.ARMED


def test_closing_a_hung_worker_kills_it(opened):
    link = opened(make_device())
    wait_for(link, State.DISARMED)
    pid = link.worker_pid
    os.kill(pid, signal.SIGSTOP)
    link.close()
    assert link.status().state is State.CLOSED
    wait_until(lambda: not is_running(pid))


def test_closing_does_not_wait_for_a_worker_that_not_even_a_kill_ends(opened, monkeypatch):
    """As one in a driver's call. It is a stopped one here, whose kill is kept back until the test's end."""
    link = opened(make_device())
    wait_for(link, State.DISARMED)
    process = link._process
    os.kill(process.pid, signal.SIGSTOP)
    monkeypatch.setattr(process, "kill", lambda: None)
    link.close()
    assert process.poll() is None
    assert link.status().state is State.CLOSED
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def test_silence_from_blender_is_a_hold_and_then_a_ramp(opened, robot):
    link = opened(make_device(port=robot.port))
    arm(link)
    wait_for(link, State.HOLDING, None)
    assert robot.robot.state is DeviceState.ARMED
    wait(link, lambda status: status.state in (State.ARMING, State.ARMED))
    wait_for(link, State.ARMED)


def test_blender_gone_without_a_word_ends_the_worker_and_disarms_the_robot(robot):
    """A process stands for Blender and is killed while its robot moves."""
    script = (
        "import sys, time\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "from checkout import load_limber\n"
        "load_limber()\n"
        "from limber.hardware.link import Link\n"
        "from tests.hardware.simulation import make_device\n"
        "from tests.hardware.patience import POSE, arm\n"
        "link = Link(make_device(port=sys.argv[1]))\n"
        "link.open()\n"
        "arm(link)\n"
        "print(link.worker_pid, flush=True)\n"
        "while True:\n"
        "    link.send(POSE)\n"
        "    time.sleep(0.01)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, robot.port], stdout=subprocess.PIPE, text=True) as blender:
        worker = int(blender.stdout.readline())
        wait_until(lambda: robot.robot.state is DeviceState.ARMED)
        blender.kill()
    wait_until(lambda: robot.robot.state is DeviceState.DISARMED)  # not HOLDING: the worker said so before it went
    wait_until(lambda: not is_running(worker))


def test_no_file_and_no_process_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    link = Link(make_device())
    for _ in range(2):
        link.open()
        wait_for(link, State.DISARMED)
        pid = link.worker_pid
        link.close()
        assert list(tmp_path.iterdir()) == []
        wait_until(lambda pid=pid: not is_running(pid))


def test_a_temporary_folder_that_takes_no_file_is_named_with_the_remedy_and_nothing_stays_open(tmp_path, monkeypatch):
    missing = tmp_path / "missing"
    monkeypatch.setattr("tempfile.tempdir", str(missing))
    link = Link(make_device())
    with pytest.raises(WorkerError, match=f"{missing}.*make room there"):
        link.open()
    assert link.worker_pid is None
    assert link.status().state is State.CLOSED
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with link:
        wait_for(link, State.DISARMED)


def test_a_disk_that_is_full_leaves_no_file(tmp_path, monkeypatch):
    import resource

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    usual = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write beyond the largest file is an error then, as one to a full disk
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, hard))
    try:
        with pytest.raises(WorkerError, match=str(tmp_path)):
            Link(make_device()).open()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, usual)
    assert list(tmp_path.iterdir()) == []


def test_frames_that_are_no_numbers_hold_the_robot_and_name_the_joint(opened):
    link = opened(make_device())
    arm(link)
    status = wait_for(link, State.HOLDING, (0.0, math.nan, 0.0))
    assert "joint 1" in status.sentence
    assert status.refused > 0
    wait_for(link, State.ARMED)


def test_frames_out_of_range_stay_within_it(opened, robot):
    device = make_device(port=robot.port)
    link = opened(device)
    arm(link)
    wait(link, lambda status: status.clamped > 0 and math.dist(status.commanded, (1.5, -1.5, 0.0)) < 1e-6, (99.0, -99.0, 0.0))
    with robot.lock:
        angles = Mixing(device).values(robot.robot.pulses)
    assert all(abs(angle) <= 1.51 for angle in angles)


def test_without_pyserial_the_virtual_robot_works_and_a_port_says_what_is_missing(opened, monkeypatch, robot):
    monkeypatch.setattr("limber.hardware.link.pyserial_folder", lambda: "")
    wait_for(opened(make_device()), State.DISARMED)
    assert wait_for(opened(make_device(port=robot.port)), State.FAULT).fault is Fault.NO_PYSERIAL


def test_the_worker_has_real_time_priority_where_this_user_may_have_it(opened):
    trying = "import os; os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))"
    granted = subprocess.run([sys.executable, "-c", trying], stderr=subprocess.DEVNULL, check=False).returncode == 0
    link = opened(make_device())
    wait_for(link, State.DISARMED)
    assert (os.sched_getscheduler(link.worker_pid) & ~os.SCHED_RESET_ON_FORK == os.SCHED_RR) is granted
