"""Measures the time that the robot link takes in Blender, and the punctuality of its worker.

    python -m benchmarks.link [--soak SECONDS | --figures | --stop TIMES] [--port PORT]

Without options: time to send a frame and to read the status, then the worker's lateness while this process
computes for 14 ms in Python 60 times a second. With --soak: a long stream with a moving target, and the
number of lost moves. With --figures: the real firmware and simulated servos on real ports. With --stop: the
time from Stop until the worker has executed it, repeatedly during motion. The exit status is 1 if a figure
exceeds its bound.
"""

import argparse
import math
import os
import sys
import time
from pathlib import Path

from limber.hardware.device import VIRTUAL_PORT, Device
from limber.hardware.link import WorkerLink
from limber.hardware.safety import State
from limber.hardware.status import Status
from limber.motion import Limits

from benchmarks import link_figures
from tests.hardware.devices import direct, one_to_one

CHANNELS = 8  # number of servos of the robot
FRAME = 1.0 / 60.0  # [s] duration of a frame
BURN = 0.014  # [s] computation in each frame, as by a heavy rig
HAND_OVER_BAR_US = 100.0  # [us] largest median time in which Blender hands a frame over
LATE_BAR_MS = 0.3  # [ms] largest median lateness of the worker's cycles
# largest time from Stop to its execution: a cycle of the worker, 10 ms, and the time of a check from another
# process
STOP_BAR_MS = 12.0
LOOK = 0.0005  # [s] time between two checks whether Stop was executed
MOVING = 0.5  # [s] duration of motion before each Stop
PATIENCE = 30.0  # [s] timeout for operations that take a second


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--port", default=VIRTUAL_PORT)
    ask.add_argument("--baudrate", type=int, default=115200)
    ask.add_argument("--seconds", type=float, default=10.0, help="of the burn")
    ask.add_argument("--soak", type=float, metavar="SECONDS", help="stream for so long instead")
    ask.add_argument(
        "--figures", action="store_true", help="firmware and servos behind real ports, streams of --seconds"
    )
    ask.add_argument("--stop", type=int, metavar="TIMES", help="stop the robot so often instead")
    options = ask.parse_args()
    if options.figures:
        sys.exit("; ".join(link_figures.show(options.seconds)) or 0)
    limits = Limits(-1.5, 1.5, math.pi, 5 * math.pi, 50 * math.pi)
    device = one_to_one(
        options.port, [direct(f"joint {k}", k, limits) for k in range(CHANNELS)], baudrate=options.baudrate
    )
    if options.soak:
        missed = soak(device, options.soak)
    elif options.stop:
        missed = stops(device, options.stop)
    else:
        missed = [*hand_over(device), *burn(device, options.seconds)]
    sys.exit("; ".join(missed) if missed else 0)


def angles_at(t: float) -> list[float]:
    """Joint values [rad] at a time [s]: slow sines, different for each joint."""
    return [0.6 * math.sin(0.7 * t + k) for k in range(CHANNELS)]


def stream(link: WorkerLink, seconds: float, busy: float = 0.0, every: float = math.inf) -> Status:
    """Streams for `seconds` [s] at 60 Hz, and arms when the robot is disarmed; computes for `busy` [s] of
    each frame. Prints a line at intervals of `every` [s], and the worker's load at the end; returns the
    status.

    After a fault, and if the robot was never armed, the program ends.
    """
    before = None
    began = deadline = shown = time.perf_counter()
    armed = False
    while time.perf_counter() < began + seconds:
        until = time.perf_counter() + busy
        while time.perf_counter() < until:
            pass
        time_now = time.perf_counter()
        link.send(angles_at(time_now - began))
        status = link.status()
        if status.state in (State.FAULT, State.WORKER_LOST) or (armed and not status.moving):
            sys.exit(f"after {time_now - began:.1f} s: {status.sentence}")
        armed |= status.moving
        if status.state is State.DISARMED:
            link.arm_confirmed()
        if before is None and armed:
            before = time_now, process_time(link)
        if time_now - shown >= every:
            shown = time_now
            show_stream(status)
        deadline += FRAME
        time.sleep(max(deadline - time.perf_counter(), 0.0))
    if before is None:
        sys.exit(f"not armed after {seconds:.0f} s: {link.status().sentence}")
    show_process(link, process_time(link) - before[1], time.perf_counter() - before[0])
    return link.status()


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def hand_over(device: Device) -> list[str]:
    """Prints the times of single calls of `send` and `status` in the main process; returns a sentence if that
    of `send` exceeds its bound.
    """
    sends, looks = [], []
    with WorkerLink(device) as link:
        for frame in range(600):
            angles = angles_at(0.01 * frame)
            before = time.perf_counter_ns()
            link.send(angles)
            between = time.perf_counter_ns()
            link.status()
            sends.append((between - before) / 1e3)
            looks.append((time.perf_counter_ns() - between) / 1e3)
            time.sleep(0.004)
    for name, times in (("send", sends), ("status", looks)):
        print(
            f"{name:8s} p50 {percentile(times, 0.5):7.1f} us   p99 {percentile(times, 0.99):7.1f} us  "
            f" ({CHANNELS} channels)"
        )
    p50 = percentile(sends, 0.5)
    return (
        [f"handing a frame over takes {p50:.0f} us, more than {HAND_OVER_BAR_US:.0f}"]
        if p50 > HAND_OVER_BAR_US
        else []
    )


def burn(device: Device, seconds: float) -> list[str]:
    """Prints the worker's lateness while this process computes for most of each frame; returns a sentence if
    it exceeds its bound.
    """
    with WorkerLink(device) as link:
        status = stream(link, seconds, BURN)
    show_stream(status)
    show_lateness(
        status, f"while {BURN * 1e3:.0f} ms of Python run 60 times a second; {link_figures.empty_loop(5.0)}"
    )
    late = status.late_ms_p50
    return (
        [f"the worker is {late:.2f} ms late at the median, more than {LATE_BAR_MS}"]
        if late > LATE_BAR_MS
        else []
    )


def soak(device: Device, seconds: float) -> list[str]:
    """Runs a long stream, with a line of progress after each tenth of the time; returns [], since its figures
    have no bounds.
    """
    with WorkerLink(device) as link:
        status = stream(link, seconds, every=seconds / 10)
    show_stream(status)
    show_lateness(status, f"over {seconds:.0f} s")
    return []


def stops(device: Device, times: int) -> list[str]:
    """Prints the times from Stop, given while the robot moves, until the worker has stopped the device;
    returns a sentence if their median exceeds its bound.
    """
    durations = []
    with WorkerLink(device) as link:
        for _ in range(times):
            follow(link, MOVING)
            link.stop()
            pressed = time.perf_counter()
            while link.status().state is not State.FAULT:
                if time.perf_counter() > pressed + PATIENCE:
                    sys.exit(f"Stop was not obeyed within {PATIENCE:.0f} s: {link.status().sentence}")
                time.sleep(LOOK)
            durations.append(1e3 * (time.perf_counter() - pressed))
            link.clear_fault()
    print(
        f"Stop     p50 {percentile(durations, 0.5):7.1f} ms   largest {max(durations):7.1f} ms   {times} times in"
        " the middle of motion"
    )
    p50 = percentile(durations, 0.5)
    return [f"Stop takes {p50:.1f} ms at the median, more than {STOP_BAR_MS}"] if p50 > STOP_BAR_MS else []


def follow(link: WorkerLink, seconds: float) -> None:
    """Arms from the robot's current pose, and streams until it has followed for `seconds` [s]."""
    began = time.perf_counter()
    since = math.inf
    while time.perf_counter() < since + seconds:
        time_now = time.perf_counter()
        if time_now > began + PATIENCE:
            sys.exit(f"not armed after {PATIENCE:.0f} s: {link.status().sentence}")
        link.send(angles_at(time_now - began))
        status = link.status()
        if status.state is State.DISARMED:
            link.arm_confirmed()
        elif status.state is State.ARMED:
            since = min(since, time_now)
        time.sleep(FRAME)


def show_lateness(status: Status, when: str) -> None:
    print(f"lateness p50 {status.late_ms_p50:7.3f} ms   p99 {status.late_ms_p99:7.3f} ms   at 100 Hz {when}")


def show_stream(status: Status) -> None:
    share = 100.0 * status.lost / max(status.sent, 1)
    counts = f"sent {status.sent}   acknowledged {status.acknowledged}   lost {status.lost} ({share:.3f}%)"
    print(f"stream   {counts}   answer p50 {status.ack_ms_p50:.1f} ms", flush=True)


def process_time(link: WorkerLink) -> float:
    """Processor time of the worker [s]; 0 if the system does not provide it."""
    path = Path(f"/proc/{link.worker_pid}/stat")
    if not path.exists():
        return 0.0
    fields = path.read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def priority(link: WorkerLink) -> str:
    """Text that says whether the worker has real-time priority."""
    if not hasattr(os, "sched_getscheduler"):
        return "priority as the system gives it"
    real_time = os.sched_getscheduler(link.worker_pid) & ~os.SCHED_RESET_ON_FORK == os.SCHED_RR
    return (
        "real-time priority granted"
        if real_time
        else "ordinary priority: this user may not have real-time priority"
    )


def show_process(link: WorkerLink, used: float, seconds: float) -> None:
    path = Path(f"/proc/{link.worker_pid}/status")
    if path.exists():
        resident = next(line for line in path.read_text().splitlines() if line.startswith("VmRSS"))
        print(
            f"process  {100 * used / seconds:.1f}% of a core   {int(resident.split()[1]) / 1024:.1f} MB"
            f" resident   {priority(link)}"
        )


if __name__ == "__main__":
    main()
