"""Tests the worker process: killed, hanging, abandoned by Blender, without space for its file; its remains,
and its priority.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from limber.hardware import clock
from limber.hardware.errors import WorkerError
from limber.hardware.link import WorkerLink
from limber.hardware.protocols.limber import DeviceState as DeviceState
from limber.hardware.safety import Fault, State

from tests.hardware.patience import POSE, arm, wait, wait_for, wait_until
from tests.hardware.processes import is_running
from tests.hardware.simulation import make_device

ROOT = Path(__file__).resolve().parents[2]


def test_a_killed_worker_is_noticed_stops_the_robot_and_can_be_started_anew(opened, robot):
    link = opened(make_device(port=robot.port))
    arm(link)
    killed = link.worker_pid
    os.kill(killed, signal.SIGKILL)
    status = wait_for(link, State.WORKER_LOST)
    assert not status.is_reached
    assert status.fault is Fault.WORKER_DIED
    link.send(POSE)  # live motion continues
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
    # after a second the worker detects this by itself
    assert status.fault in (Fault.DEVICE_WATCHDOG, Fault.HELD_UP)
    assert robot.robot.state is not DeviceState.ARMED


def test_a_worker_that_blender_called_lost_is_ended_and_stays_lost_until_a_person_presses(opened):
    link = opened(make_device())
    arm(link)
    hung = link.worker_pid
    os.kill(hung, signal.SIGSTOP)
    wait_for(link, State.WORKER_LOST)
    wait_until(lambda: not is_running(hung))
    link.send(POSE)
    assert link.status().fault is Fault.WORKER_HUNG
    link.clear_fault()
    assert link.worker_pid != hung
    wait_for(link, State.DISARMED)


def test_a_worker_is_not_called_lost_because_blender_itself_was_held_up(opened, monkeypatch):
    link = opened(make_device())
    wait_for(link, State.DISARMED)
    report = link.status
    os.kill(link.worker_pid, signal.SIGSTOP)
    wait_until(lambda: report() == report())  # the worker's last report was read
    slept = clock.now()
    monkeypatch.setattr(clock, "now", lambda: slept + 3600.0)
    assert report().state is State.DISARMED, "both slept"
    monkeypatch.undo()
    os.kill(link.worker_pid, signal.SIGCONT)


@pytest.mark.parametrize("end", [WorkerLink.stop, WorkerLink.disarm])
def test_what_is_ordered_together_with_stop_or_disarm_is_void_and_what_is_ordered_after_it_is_not(
    opened, end
):
    link = opened(make_device())
    arm(link)
    end(link)
    link.clear_fault()
    link.arm()
    link.jog(0, 0.2)
    wait(link, lambda status: status.state in (State.DISARMED, State.FAULT))
    state = link.status().state
    link.clear_fault()
    wait_for(link, State.DISARMED)
    assert state is (State.FAULT if end is WorkerLink.stop else State.DISARMED)
    link.jog(0, 0.2)
    wait_for(link, State.SETUP)


def test_closing_a_hung_worker_kills_it(opened):
    link = opened(make_device())
    wait_for(link, State.DISARMED)
    pid = link.worker_pid
    os.kill(pid, signal.SIGSTOP)
    link.close()
    assert link.status().state is State.CLOSED
    wait_until(lambda: not is_running(pid))


def test_closing_does_not_wait_for_a_worker_that_not_even_a_kill_ends(opened, monkeypatch):
    """As with one in a driver's call. Here the process is stopped, and the kill is delayed until the end of
    the test.
    """
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
        "from limber.hardware.link import WorkerLink\n"
        "from tests.hardware.simulation import make_device\n"
        "from tests.hardware.patience import POSE, arm\n"
        "link = WorkerLink(make_device(port=sys.argv[1]))\n"
        "link.open()\n"
        "arm(link)\n"
        "print(link.worker_pid, flush=True)\n"
        "while True:\n"
        "    link.send(POSE)\n"
        "    time.sleep(0.01)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, robot.port], stdout=subprocess.PIPE, text=True
    ) as blender:
        worker = int(blender.stdout.readline())
        wait_until(lambda: robot.robot.state is DeviceState.ARMED)
        blender.kill()
    wait_until(
        lambda: robot.robot.state is DeviceState.DISARMED
    )  # not HOLDING: the worker reported this before it ended
    wait_until(lambda: not is_running(worker))


def test_no_file_and_no_process_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    link = WorkerLink(make_device())
    for _ in range(2):
        link.open()
        wait_for(link, State.DISARMED)
        pid = link.worker_pid
        link.close()
        assert list(tmp_path.iterdir()) == []
        wait_until(lambda pid=pid: not is_running(pid))


def test_a_temporary_folder_that_takes_no_file_is_named_with_the_remedy_and_nothing_stays_open(
    tmp_path, monkeypatch
):
    missing = tmp_path / "missing"
    monkeypatch.setattr("tempfile.tempdir", str(missing))
    link = WorkerLink(make_device())
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
    usual = signal.signal(
        signal.SIGXFSZ, signal.SIG_IGN
    )  # then a write beyond the largest file size is an error, as on a full disk
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, hard))
    try:
        with pytest.raises(WorkerError, match=str(tmp_path)):
            WorkerLink(make_device()).open()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, usual)
    assert list(tmp_path.iterdir()) == []


def test_the_worker_has_real_time_priority_where_this_user_may_have_it(opened):
    trying = "import os; os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))"
    granted = (
        subprocess.run([sys.executable, "-c", trying], stderr=subprocess.DEVNULL, check=False).returncode == 0
    )
    link = opened(make_device())
    wait_for(link, State.DISARMED)
    assert (os.sched_getscheduler(link.worker_pid) & ~os.SCHED_RESET_ON_FORK == os.SCHED_RR) is granted
