"""Measures the link and the firmware: frames per second, time from a command to its pulse, bus servos,
duration of calls in Blender.

Tests check the bounds that hold on every machine; `python -m benchmarks.link --figures` prints all figures.
"""

import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import serial
from limber.hardware.link import WorkerLink
from limber.hardware.protocols import limber
from limber.hardware.protocols.limber import (
    Arm,
    Configure,
    DeviceReport,
    DeviceResult,
    Hello,
    MessageFrame,
    MessageKind,
    Move,
    OnSilence,
    Welcome,
)
from limber.hardware.safety import State

from tests.hardware.bus_simulation import bus_device
from tests.hardware.emulator import EmulatedUno, Timeline
from tests.hardware.pty_robot import PtyRobot
from tests.hardware.servo_bus import Bus
from tests.hardware.simulation import make_device

CHANNELS = 6
SESSION = 9
FASTEST = 65535  # [us/s] fastest speed
PATIENCE = 20.0  # [s] longest waiting time
OPENS = 8
MOST_OPEN = 12  # largest number of frames without an answer, as in the worker


@dataclass(frozen=True, slots=True)
class Stream:
    """Result of a stream of moves to the firmware.

    Attributes:
        rate: Desired number of frames per second.
        sent: Number of frames sent.
        answered: Number of frames that the device answered.
        refused: Number of these that it refused, because its watchdog had stopped it while this process had
            no processor time.
        damaged: Number of frames that the device could not read.
        seconds: Duration [s] in the device's own time.
        slipped: Time [s] that the emulator skipped because the machine was busy.
    """

    rate: float
    sent: int
    answered: int
    refused: int
    damaged: int
    seconds: float
    slipped: float

    @property
    def lost(self) -> int:
        return self.sent - self.answered


class Wire:
    """A host that uses the protocol on a real port, without the worker."""

    def __init__(self, port: str) -> None:
        self._port = serial.Serial(port, limber.BAUDRATE, timeout=0, write_timeout=PATIENCE, exclusive=True)
        self._decoder = limber.FrameDecoder()
        self._sequence = 0
        self.open: set[int] = set()
        self.answered = self.refused = 0
        self.report: DeviceReport | None = None

    def close(self) -> None:
        self._port.close()

    def ask(self, message: limber.Message) -> MessageFrame:
        """Sends a request until it is answered, since the device may still be starting; returns the
        answer.
        """
        give_up = time.perf_counter() + PATIENCE
        while time.perf_counter() < give_up:
            number = self.send(message)
            until = time.perf_counter() + 0.25
            while time.perf_counter() < until:
                for frame in self.listen():
                    if frame.sequence == number and (isinstance(frame.message, Welcome | DeviceReport)):
                        return frame
                time.sleep(0.001)
        raise TimeoutError(f"no answer to {message}")

    def send(self, message: limber.Message) -> int:
        self._sequence = (self._sequence + 1) % 256
        self._port.write(limber.encode(message, self._sequence))
        return self._sequence

    def move(self, positions: Sequence[float], interval_ms: int = 0) -> None:
        self.open.add(self.send(Move(tuple(positions), interval_ms)))

    def listen(self) -> list[MessageFrame]:
        """Frames that have arrived; answers to moves are counted."""
        frames = list(self._decoder.feed(self._port.read(4096)))
        for frame in frames:
            if isinstance(frame.message, DeviceReport):
                self.report = frame.message
                if frame.message.answers == MessageKind.MOVE and frame.sequence in self.open:
                    self.open.discard(frame.sequence)
                    self.answered += 1
                    self.refused += frame.message.result != DeviceResult.ACCEPTED
        return frames

    def begin(self, channels: int) -> None:
        """Begins a session with so many channels, and arms it."""
        self.ask(Hello(SESSION))
        for channel in range(channels):
            self.ask(Configure(channel, 500.0, 2500.0, FASTEST, OnSilence.HOLD))
        self.ask(Arm(SESSION))


def stream(rate: float, seconds: float, most_open: int = MOST_OPEN) -> Stream:
    """Sends moves of six channels over a pty to the firmware, `rate` per second."""
    with EmulatedUno() as uno:
        wire = Wire(uno.port)
        try:
            wire.begin(CHANNELS)
            before, sent = uno.stats(), 0
            bad = wire.report.bad_frames if wire.report else 0
            began = time.perf_counter()
            while sent < rate * seconds:
                wire.listen()
                if time.perf_counter() >= began + sent / rate and len(wire.open) < most_open:
                    wire.move([1500.0 + (sent * (channel + 1)) % 400 for channel in range(CHANNELS)])
                    sent += 1
                else:
                    time.sleep(0.0005)
            give_up = time.perf_counter() + 1.0
            while wire.open and time.perf_counter() < give_up:
                wire.listen()
                time.sleep(0.001)
            after = uno.stats()
            damaged = (wire.report.bad_frames if wire.report else 0) - bad
        finally:
            wire.close()
    took, slipped = after.now_us - before.now_us, after.slipped_us - before.slipped_us
    return Stream(rate, sent, wire.answered, wire.refused, damaged, took / 1e6, slipped / 1e6)


def obeyed_at(rate: float, seconds: float) -> tuple[int, int, int]:
    """Sends moves to the firmware in simulated time, `rate` per second; returns how many it read completely,
    and how many it answered.

    A device with twelve channels answers with 41 bytes: at 115200 baud the line carries at most 280 answers
    per second.
    """
    timeline = Timeline()
    timeline.open_session(
        [Configure(channel, 500.0, 2500.0, FASTEST, OnSilence.HOLD) for channel in range(CHANNELS)]
    )
    sent = round(rate * seconds)
    for k in range(sent):
        timeline.send(Move(tuple(1500.0 + (k * (channel + 1)) % 400 for channel in range(CHANNELS))))
        timeline.wait(1e6 / rate)
    timeline.wait(100_000)
    timeline.send(limber.Poll())
    timeline.wait(50_000)
    reports = timeline.run().reports()
    last, answered = (
        reports[-1],
        sum(
            report.answers == MessageKind.MOVE and report.result == DeviceResult.ACCEPTED
            for report in reports
        ),
    )
    expected = [1500.0 + ((sent - 1) * (channel + 1)) % 400 for channel in range(CHANNELS)]
    assert list(last.commanded_us[:CHANNELS]) == expected, "the newest move is not what the device does"
    return sent, sent - last.bad_frames, answered


def latencies(moves: int = 200) -> list[float]:
    """Time [ms, simulated] from the first bit of a move on the wire to the rise of the first pulse with its
    width, for each move.
    """
    timeline = Timeline()
    timeline.open_session(
        [Configure(channel, 500.0, 2500.0, FASTEST, OnSilence.HOLD) for channel in range(CHANNELS)]
    )
    sent: list[tuple[float, float]] = []
    for k in range(moves):
        width = 1000.0 + 8.0 * ((k * 37) % 100)  # each differs from the one before
        sent.append((timeline.now_us, width))
        timeline.send(Move((width,) * CHANNELS))
        timeline.wait(40_000 + 1_237 * (k % 17))  # so that moves arrive at all phases of the period
    run = timeline.run()
    times = []
    for at, width in sent:
        for channel in range(CHANNELS):
            pulses = run.pulses_of(channel, at, at + 60_000)
            shown = next((pulse for pulse in pulses if abs(pulse.width_us - width) <= 8.0), None)
            if shown is None:
                raise AssertionError(f"{width} us, sent at {at}, never came on channel {channel}")
            times.append((shown.rise_us - at) / 1e3)
    return times


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def empty_loop(rate: float, seconds: float) -> list[float]:
    """Lateness [ms] of an empty loop on this machine: the least possible one of a process at ordinary
    priority.
    """
    late, deadline = [], time.perf_counter()
    end = deadline + seconds
    while deadline < end:
        deadline += 1.0 / rate
        time.sleep(max(deadline - time.perf_counter(), 0.0))
        late.append(1e3 * (time.perf_counter() - deadline))
        if late[-1] > 1e3 / rate:
            deadline = time.perf_counter()
    return late


@dataclass(frozen=True, slots=True)
class BusStream:
    """Result for twelve servos on a bus behind a pty, written and read by the worker.

    Attributes:
        rate: Number of moves per second whose positions were read.
        lost: Number of moves without positions.
        behind: Largest distance of a servo from its command [rad].
    """

    rate: float
    lost: int
    behind: float


def bus_stream(protocol: str, bus: Bus, seconds: float) -> BusStream:
    """Lets twelve servos follow slow sines; returns the result."""
    ids = sorted(bus.servos)
    bus.now = time.perf_counter()

    def pose(now: float) -> list[float]:
        return [0.4 * math.sin(1.5 * now + number) for number in ids]

    with PtyRobot(bus) as robot, WorkerLink(replace(bus_device(protocol, ids=ids), port=robot.port)) as link:
        settle(link, pose)
        before, began, behind = link.status(), time.perf_counter(), 0.0
        while time.perf_counter() < began + seconds:
            link.send(pose(time.perf_counter()))
            status = link.status()
            if status.commanded and status.measured:
                behind = max(
                    [behind, *(abs(a - b) for a, b in zip(status.commanded, status.measured, strict=True))]
                )
            time.sleep(1 / 60)
        after = link.status()
        assert after.state is State.ARMED, after.sentence
        rate = (after.acknowledged - before.acknowledged) / (time.perf_counter() - began)
    return BusStream(rate, after.lost - before.lost, behind)


def settle(link: WorkerLink, pose: Callable[[float], Sequence[float]]) -> None:
    """Arms, and sends frames until the robot follows."""
    give_up = time.perf_counter() + PATIENCE
    while (status := link.status()).state is not State.ARMED:
        assert time.perf_counter() < give_up, status.sentence
        link.send(pose(time.perf_counter()))
        if status.state is State.DISARMED:
            link.arm()
        elif status.state is State.CONFIRM_POSE:
            link.confirm_pose()
        time.sleep(0.01)


def calls_beside_a_stuck_port(seconds: float) -> dict[str, list[float]]:
    """Duration [ms] of each call of a link while no program reads the port: its buffer is completely full."""
    device = make_device()
    times: dict[str, list[float]] = {}

    def timed(name: str, call: Callable[[], object]) -> None:
        before = time.perf_counter()
        call()
        times.setdefault(name, []).append(1e3 * (time.perf_counter() - before))

    with PtyRobot.for_device(device) as robot:
        link = WorkerLink(replace(device, port=robot.port))
        link.open()
        settle(link, lambda _: (0.1, -0.1, 0.05))
        robot.freeze()
        fill(robot.port)
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            timed("send", lambda: link.send((0.1, -0.1, 0.05)))
            timed("status", link.status)
            for name in ("arm", "disarm", "stop", "clear_fault", "reconnect"):
                timed(name, getattr(link, name))
                time.sleep(0.02)
        timed("close", link.close)
        for _ in range(OPENS):
            timed("open", link.open)
            time.sleep(0.3)
            timed("close", link.close)
    return times


def fill(port: str) -> None:
    """Writes to a port until it accepts no more bytes."""
    handle = os.open(port, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        while True:
            os.write(handle, bytes(256))
    except BlockingIOError:
        return
    finally:
        os.close(handle)
