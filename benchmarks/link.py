"""What the robot link costs, and how punctual its worker is.

    python -m benchmarks.link [--soak SECONDS | --figures | --stop TIMES] [--port PORT]

Without --soak: the hand-over of a frame and a look at the status, then the worker's lateness while this
process burns 14 ms of Python 60 times a second. With --soak: a long stream with a walking target, and what
was lost of it. With --figures: the real firmware and simulated servos behind real ports. With --stop: the
time from Stop to a worker that has obeyed, again and again in the middle of motion. Ends with status 1 where
a figure is missed.
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

CHANNELS = 8
FRAME = 1.0 / 60.0  # [s]
BURN = 0.014  # [s] of each frame: a heavy rig's Python
HAND_OVER_BAR_US = 100.0
LATE_BAR_MS = 0.3
STOP_BAR_MS = 12.0  # a turn of the worker, 10 ms, and what a look from another process costs
LOOK = 0.0005  # [s] between two looks at whether Stop was obeyed
MOVING = 0.5  # [s] of motion before each Stop
PATIENCE = 30.0  # [s] for what takes a second


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
    """Slow sines, each joint its own [rad]."""
    return [0.6 * math.sin(0.7 * t + k) for k in range(CHANNELS)]


def stream(link: WorkerLink, seconds: float, busy: float = 0.0, every: float = math.inf) -> Status:
    """Connect, arm, and stream for `seconds` at 60 Hz, burning `busy` [s] of each frame; a line `every` so
    many seconds.
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
    """Times single calls of `send` and `status` from the main process."""
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
    """The worker's lateness while this process computes for most of each frame."""
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
    """A long stream; a line every tenth of the time."""
    with WorkerLink(device) as link:
        status = stream(link, seconds, every=seconds / 10)
    show_stream(status)
    show_lateness(status, f"over {seconds:.0f} s")
    return []


def stops(device: Device, times: int) -> list[str]:
    """How long it takes from Stop, pressed while the robot moves, to a worker that has told the device."""
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
    """Arm from wherever the robot is at rest, and stream until it has followed for so long."""
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
    """Processor time that the worker has used [s]; 0 where the system does not tell this way."""
    path = Path(f"/proc/{link.worker_pid}/stat")
    if not path.exists():
        return 0.0
    fields = path.read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def priority(link: WorkerLink) -> str:
    """How the system schedules the worker."""
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
