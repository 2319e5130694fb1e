"""What the link and the firmware can do, measured: frames a second, time from a command to its pulse, bus
servos, what calls cost Blender.

For tests, which look at what must hold anywhere, and for `python -m benchmarks.link --figures`, which prints
it all.
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
FASTEST = 65535  # [us/s]
PATIENCE = 20.0  # [s]
OPENS = 8
MOST_OPEN = 12  # frames without an answer, as the worker allows


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream of moves to the firmware.

    Attributes:
        rate: Frames that were to be sent a second.
        sent: Frames.
        answered: How many of them the device answered.
        refused: How many of these it did not obey: its watchdog had stopped it, since this process was not
            given time to speak.
        damaged: Frames that the device could not read.
        seconds: That it took, in the device's own time.
        slipped: Time that the emulator gave up because the machine was busy [s].
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
    """A host that speaks the protocol over a real port, without the worker."""

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
        """Send a request until it is answered: the device may still be starting."""
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
        """What came; answers to moves are counted."""
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
        """A session with so many channels, armed."""
        self.ask(Hello(SESSION))
        for channel in range(channels):
            self.ask(Configure(channel, 500.0, 2500.0, FASTEST, OnSilence.HOLD))
        self.ask(Arm(SESSION))


def stream(rate: float, seconds: float, most_open: int = MOST_OPEN) -> Stream:
    """Moves of six channels over a pty to the firmware, `rate` a second."""
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
    """Moves sent to the firmware in simulated time, `rate` a second; how many it read whole, and how many it
    answered.

    A device of twelve channels answers with 41 bytes: at 115200 baud no more than 280 a second go over the
    line.
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
    """From the first bit of a move on the wire to the rise of the first pulse that has its width [ms,
    simulated], for each move.
    """
    timeline = Timeline()
    timeline.open_session(
        [Configure(channel, 500.0, 2500.0, FASTEST, OnSilence.HOLD) for channel in range(CHANNELS)]
    )
    sent: list[tuple[float, float]] = []
    for k in range(moves):
        width = 1000.0 + 8.0 * ((k * 37) % 100)  # each other than the one before
        sent.append((timeline.now_us, width))
        timeline.send(Move((width,) * CHANNELS))
        timeline.wait(40_000 + 1_237 * (k % 17))  # meets the period everywhere
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
    """How late an empty loop is on this machine [ms]: what no process can do better at ordinary priority."""
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
    """Twelve servos on a bus behind a pty, written and read back by the worker.

    Attributes:
        rate: Moves a second whose positions came back.
        lost: Moves without.
        behind: The farthest that any servo was from its command [rad].
    """

    rate: float
    lost: int
    behind: float


def bus_stream(protocol: str, bus: Bus, seconds: float) -> BusStream:
    """Twelve servos follow slow sines."""
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
    """Arm, and stream until the robot follows."""
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
    """What each call of a link takes [ms] while nobody reads the port: its buffer is full to the
    last byte.
    """
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
    """Write to a port until it takes no more."""
    handle = os.open(port, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        while True:
            os.write(handle, bytes(256))
    except BlockingIOError:
        return
    finally:
        os.close(handle)
