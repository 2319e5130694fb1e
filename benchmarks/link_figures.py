"""Figures of the link with the real firmware and simulated servos on real ports, for `python -m
benchmarks.link --figures`.
"""

from tests.hardware import figures
from tests.hardware.emulator import missing_packages
from tests.hardware.figures import percentile
from tests.hardware.servo_bus import DynamixelBus, StsBus

SERVOS = 12  # number of servos on the bus
BUS_BAR = 50.0  # smallest number of moves per second, written and read back
LATENCY_BAR_MS = 26.0  # [ms] largest time from a move to the pulse that follows it
CALL_BAR_MS = 1.0  # [ms] largest median time of a call from Blender


def show(seconds: float) -> list[str]:
    """Prints all figures, with streams of `seconds` [s] (to buses of servos 20 s at most); returns sentences
    on those that miss their bounds. Without the packages of the AVR emulator, the firmware's are left out.
    """
    lacking = missing_packages()
    if lacking:
        print(f"no AVR emulator here: apt-get install {' '.join(lacking)}")
    missed = [] if lacking else [*streams(seconds), *flood(), *way_to_the_pulse()]
    return [*missed, *buses(min(seconds, 20.0)), *calls()]


def streams(seconds: float) -> list[str]:
    """Prints figures of streams to the firmware on an emulated Uno behind a pseudo-terminal; returns
    sentences on lost or damaged frames, of which none is allowed.
    """
    missed = []
    for rate in (60, 100, 200):
        done = figures.stream(rate, seconds)
        counts = (
            f"sent {done.sent}   answered {done.answered}   lost {done.lost}   damaged {done.damaged}  "
            f" refused {done.refused}"
        )
        print(
            f"firmware {rate:3d} Hz, 6 channels, pty: {counts}   (emulator behind the wall clock by"
            f" {done.slipped:.1f} s)",
            flush=True,
        )
        if done.lost or done.damaged:
            missed.append(f"{done.lost + done.damaged} frames lost at {rate} Hz")
    return missed


def flood() -> list[str]:
    sent, read, answered = figures.obeyed_at(300, 10.0)
    print(
        f"firmware 300 Hz at 115200 baud, simulated: sent {sent}   read {read}   answered {answered} (all"
        " that the line has room for)"
    )
    return [] if read == sent else [f"{sent - read} frames lost at 300 Hz"]


def way_to_the_pulse() -> list[str]:
    times = figures.latencies()
    print(
        f"from a move on the wire to its pulse, simulated: p50 {percentile(times, 0.5):.1f} ms   largest"
        f" {max(times):.1f} ms"
    )
    return [f"{max(times):.1f} ms to a pulse"] if max(times) > LATENCY_BAR_MS else []


def buses(seconds: float) -> list[str]:
    missed = []
    for protocol, kind in (("feetech_sts", StsBus), ("dynamixel", DynamixelBus)):
        done = figures.bus_stream(protocol, kind(dict.fromkeys(range(1, SERVOS + 1), 2048.0)), seconds)
        print(
            f"{protocol}: {SERVOS} servos: {done.rate:.0f} moves read back a second   lost {done.lost}  "
            f" behind {done.behind:.3f} rad"
        )
        if done.rate < BUS_BAR:
            missed.append(f"{protocol}: {done.rate:.0f} moves a second")
    return missed


def calls() -> list[str]:
    """Prints the times of the calls in Blender's main thread while nobody reads the port; returns sentences
    on those whose median exceeds the bound, which does not apply to opening.
    """
    missed = []
    for name, times in figures.calls_beside_a_stuck_port(10.0).items():
        p50, worst = percentile(times, 0.5), max(times)
        print(f"stuck port: {name:12s} p50 {p50:6.3f} ms   largest {worst:6.3f} ms   of {len(times)}")
        if p50 > CALL_BAR_MS and name != "open":  # starting a process takes a few ms on any port
            missed.append(f"{name} takes {p50:.2f} ms")
    return missed


def empty_loop(seconds: float) -> str:
    """Lateness of an empty 100 Hz loop in this process, for comparison with the worker."""
    late = figures.empty_loop(100.0, seconds)
    return f"an empty loop p50 {percentile(late, 0.5):.3f} ms   p99 {percentile(late, 0.99):.3f} ms"
