"""Tests a peer at the robot's end that sends floods, damaged data and lies: a cycle of the worker processes a
bounded amount, Stop is sent first, and the worker survives.
"""

import json
import os
import pty
import random
import socket
import threading
import time

import pytest
from limber.hardware import network, transport
from limber.hardware.address import Address
from limber.hardware.network import FLOODED_AFTER, NetworkTransport
from limber.hardware.protocols.dynamixel.packets import HEADER
from limber.hardware.protocols.reachy_mini.messages import DaemonStatus, decode
from limber.hardware.protocols.reachy_mini.websocket import LONGEST_MESSAGE
from limber.hardware.protocols.table import codec_for
from limber.hardware.safety import Fault, State
from limber.hardware.transport import TransportError, open_serial
from limber.hardware.worker import loop
from limber.hardware.worker.core import PERIOD

from tests.hardware.bus_simulation import BUSES, PLACES, BusSimulation, bus_device
from tests.hardware.patience import wait, wait_until
from tests.hardware.reachy_daemon import ReachyDaemon, reachy_device, text
from tests.hardware.reachy_simulation import AWAKE, LIMITS, UP, ReachySimulation, begin
from tests.hardware.simulation import POSE, Simulation, make_device

__all__ = ["begin"]

POSITIONS = text(
    {"type": "joint_positions", "head_joint_positions": AWAKE[:7], "antennas_joint_positions": AWAKE[7:]}
)


def frame(first: int, content: bytes = b"") -> bytes:
    size = len(content)
    return (
        bytes((first,))
        + (bytes((size,)) if size < 126 else bytes((126,)) + size.to_bytes(2, "big"))
        + content
    )


def status(error: str) -> bytes:
    said = {
        "type": "daemon_status",
        "state": "running",
        "error": error,
        "backend_status": {"motor_control_mode": "enabled"},
    }
    return text(said | ({"state": "error"} if error else {}))


def longest(item: str) -> bytes:
    """A message of nearly the greatest length, which is filled with an item."""
    head = '{"type": "joint_positions", "head_joint_positions": ['
    return frame(
        0x81,
        (head + ", ".join([item] * ((LONGEST_MESSAGE - len(head) - 9) // (len(item) + 2))) + "]}").encode(),
    )


FLOODS = {
    "pings": frame(0x89) * 1000,
    "long pings": frame(0x89, b"p" * 125) * 100,
    "empty texts": frame(0x81) * 1000,
    "empty fragments": (frame(0x01) + frame(0x00) * 500 + frame(0x80, b"{}")) * 2,
    "positions": POSITIONS * 100,
    "moves that begin": text({"type": "play_uploaded_move", "started": True}) * 100,
    "lists of numbers": longest("1e-320") + longest("9" * 4000),
    "lists of lists": longest("[[[[[[]]]]]]") + longest("{}"),
    "lone surrogates": status("\ud800\u202e\x00\x1b[31m\n"),
    "damage": bytes(random.Random(4).randrange(256) for _ in range(5000)),
}


class Flooding:
    """A daemon that behaves correctly until `flood` is set; then it sends that again and again to each client
    whose first message, the handshake, it has answered.
    """

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._server.getsockname()[1]}"
        self.flood = b""
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._server.close()

    def _serve(self) -> None:
        try:
            while True:
                client, _ = self._server.accept()
                with client:
                    self._talk(client)
        except OSError:
            return

    def _talk(self, client: socket.socket) -> None:
        client.settimeout(0.005)
        daemon, flood = ReachyDaemon(time.perf_counter(), AWAKE), b""
        try:
            while True:
                try:
                    data = client.recv(65536)
                    if not data:
                        return
                except TimeoutError:
                    data = b""
                answer = daemon.hear(b"" if flood else data, time.perf_counter())
                client.sendall(answer + flood)
                flood = self.flood if answer else flood
        except OSError:  # its client has disconnected
            return


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_no_daemon_ends_the_worker_of_an_armed_robot_or_keeps_it_from_stopping(opened, flood):
    daemon = Flooding()
    joints = (*AWAKE[:7], *(-angle for angle in AWAKE[7:]))
    link = opened(reachy_device(LIMITS, port=daemon.address))
    wait(link, lambda status: status.state is State.DISARMED, joints)
    link.arm()
    wait(link, lambda status: status.state is State.ARMED, joints)
    daemon.flood = flood
    wait(link, lambda status: status.state is State.FAULT or status.acknowledged > 200, joints)
    link.stop()
    stopped = wait(
        link, lambda status: status.fault is Fault.STOPPED or status.state is State.WORKER_LOST, joints
    )
    assert stopped.state is State.FAULT
    assert stopped.sentence.isprintable()
    daemon.close()


def test_what_a_daemon_says_is_shown_with_replacements_for_what_cannot_be_shown(opened):
    daemon = Flooding()
    link = opened(reachy_device(LIMITS, port=daemon.address))
    wait(link, lambda status: status.state is State.DISARMED, None)
    daemon.flood = status("\ud800\x00 broken \u202e")
    seen = wait(link, lambda status: status.state in (State.FAULT, State.WORKER_LOST), None)
    assert seen.fault is Fault.DEVICE_REFUSED
    assert " broken " in seen.sentence
    assert seen.sentence.isprintable()
    daemon.close()


class Flooded:
    """A line that always has more bytes than a cycle may read; counts the bytes that are read before it is
    written to.
    """

    def __init__(self, line, noise: bytes, most: int) -> None:
        self._read, self._write = line.read, line.write
        self._noise, self._most = noise, most
        self.reads: list[int] = []  # numbers of bytes that each read returned before the first write
        self.has_written = False
        line.read, line.write = self.read, self.write

    def read(self) -> bytes:
        data = (self._read() + self._noise * self._most)[: self._most]
        if not self.has_written:
            self.reads.append(len(data))
        return data

    def write(self, data: bytes) -> bool:
        self.has_written = True
        return self._write(data)


NOISE = (b"\x00", b"\xff", b"\xff\xff\x01\x02", HEADER, frame(0x89), POSITIONS)


@pytest.fixture(params=["firmware", *BUSES, "reachy_mini"])
def flooded(request, closing):
    """An armed robot that goes limp on Stop: (simulation, its pose, its line, number of bytes that a cycle
    may read, whether Stop has arrived).
    """
    if request.param == "reachy_mini":
        simulation = closing(ReachySimulation("detach"))
        simulation.arm(UP)
        return (
            simulation,
            UP,
            simulation.line,
            network.RECEIVE,
            lambda: simulation.daemon.motors == "disabled",
        )
    if request.param == "firmware":
        simulation = closing(Simulation(make_device(on_silence="detach")))
        simulation.arm(POSE)
        return (
            simulation,
            POSE,
            simulation.cable,
            transport.RECEIVE,
            lambda: simulation.robot.pulses[:3] == (None,) * 3,
        )
    simulation = closing(
        BusSimulation(bus_device(request.param, "detach"), BUSES[request.param](dict(PLACES)))
    )
    simulation.arm(POSE)
    return simulation, POSE, simulation.cable, transport.RECEIVE, lambda: all(simulation.limp())


@pytest.mark.parametrize("noise", NOISE, ids=range(len(NOISE)))
def test_from_stop_to_the_wire_the_worker_reads_once_and_a_bounded_part_whatever_arrives(flooded, noise):
    simulation, pose, line, most, is_stopped = flooded
    simulation.run(0.1, pose)
    assert not is_stopped()
    peer = Flooded(line, noise, most)
    simulation.stop()
    simulation.run(PERIOD, pose)
    assert is_stopped()
    assert peer.reads == [most]


def test_a_stop_wakes_the_worker_between_two_turns(monkeypatch):
    class Pressed:
        looks = 0

        @property
        def is_stop_pressed(self) -> bool:
            self.looks += 1
            return self.looks > 3

    slept = []
    monkeypatch.setattr(loop.time, "sleep", slept.append)
    loop._wait(Pressed(), loop.clock.now() + 3600.0)
    assert slept == [loop.SHORTEST_PAUSE] + [loop.STOP_EVERY] * 3


def test_turns_that_take_too_long_have_pauses_so_that_the_system_does_not_end_the_worker(monkeypatch):
    class Flooded:
        turns, is_stop_pressed = 0, False

        def step(self, now: float, late: float) -> None:
            self.turns += 1
            time_now[0] += 3.0 * loop.PERIOD
            if self.turns == 5:
                ended.set()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        time_now[0] += seconds

    slept, time_now, ended = [], [100.0], threading.Event()
    monkeypatch.setattr(loop.time, "sleep", sleep)
    monkeypatch.setattr(loop.clock, "now", lambda: time_now[0])
    loop._run_periods(Flooded(), ended)
    assert slept.count(loop.SHORTEST_PAUSE) == 5


def test_a_turn_takes_a_bounded_part_of_what_has_come_over_a_network():
    with socket.create_server(("127.0.0.1", 0)) as server:
        line = NetworkTransport(Address(*server.getsockname()))
        peer, _ = server.accept()
        with peer:
            peer.sendall(bytes(50_000))
            got = []
            wait_until(lambda: got.append(len(line.read())) or sum(got) == 50_000)
            assert max(got) == network.RECEIVE
    line.close()


class Brimming:
    """A socket that always has more data than are read."""

    def __init__(self, most: int) -> None:
        self.most = most

    def recv(self, size: int) -> bytes:
        return bytes(min(size, self.most))

    def close(self) -> None:
        pass


def test_a_network_that_brings_more_than_is_read_for_over_a_second_is_a_fault(monkeypatch):
    monkeypatch.setattr(NetworkTransport, "_connect", lambda self: None)
    line = NetworkTransport(Address("127.0.0.1", 9))
    for most in (network.RECEIVE, network.RECEIVE - 1):
        line._socket = Brimming(most)
        for _ in range(FLOODED_AFTER):
            assert len(line.read()) == most
    line._socket = Brimming(1 << 20)
    for _ in range(FLOODED_AFTER):
        line.read()
    with pytest.raises(TransportError, match="sends more than a robot") as raised:
        line.read()
    assert raised.value.fault is Fault.UNPLUGGED


def test_a_turn_takes_a_bounded_part_of_what_has_come_over_a_serial_line():
    serial = pytest.importorskip("serial")
    board, port = pty.openpty()
    line = open_serial(serial, os.ttyname(port), 115_200, 0.0)
    os.write(board, bytes(3_000))
    got = []
    wait_until(lambda: got.append(len(line.read())) or sum(got) == 3_000)
    assert max(got) <= transport.RECEIVE
    line.close()
    os.close(board)
    os.close(port)


PATTERNS = (
    b"\xff",
    b"\xff\xff\x01\xf0",
    b"\xff\xff\x01\x02",
    HEADER,
    HEADER + b"\x01\x03\x00",
    b"\xaa\x55",
    b"\x3c",
)


@pytest.mark.parametrize(
    "protocol", ["feetech_sts", "feetech_scs", "dynamixel", "maestro", "servo_animation"]
)
@pytest.mark.parametrize("seed", range(4))
def test_no_bytes_make_a_decoder_fail_or_keep_more_than_a_message(protocol, seed):
    chance, codec = random.Random(seed), codec_for(protocol)
    decoder = codec.decoder()
    for _ in range(300):
        for exchange in codec.identify((1,))[:1] if chance.random() < 0.3 else ():
            decoder.expect(exchange)
        pattern = chance.choice((*PATTERNS, bytes(chance.randrange(256) for _ in range(40))))
        decoder.feed((pattern * transport.RECEIVE)[: chance.randrange(transport.RECEIVE)])
        if chance.random() < 0.2:
            decoder.give_up()
    decoder.give_up()
    assert not decoder.waiting


@pytest.mark.parametrize("field", ["state", "error", "motor_control_mode"])
@pytest.mark.parametrize("value", [[["x"] * 100], {"a": 1}, 7, True, None])
def test_a_status_has_only_texts(field, value):
    said = {"type": "daemon_status", "state": "", "error": "", "backend_status": {"motor_control_mode": ""}}
    (said["backend_status"] if field == "motor_control_mode" else said)[field] = value
    assert decode(json.dumps(said)) == DaemonStatus("", "", "")
    assert decode(json.dumps([said])) is None


@pytest.mark.parametrize("angle", [1e3, -1e18, 1e300])
def test_an_angle_that_no_motor_can_have_is_no_position(angle, begin):
    said = {
        "type": "joint_positions",
        "head_joint_positions": [angle] + [0.0] * 6,
        "antennas_joint_positions": [0.0, 0.0],
    }
    assert decode(json.dumps(said)) is None
    simulation = begin()
    simulation.run(1.0, UP)
    simulation.line._coming += text(said)
    assert simulation.run(0.02, UP).state is State.DISARMED


def test_what_breaks_the_protocol_ends_with_the_motors_that_are_to_be_limp_limp(begin):
    simulation = begin("detach")
    simulation.arm(UP)
    simulation.line._coming += frame(0xC1, b"x")
    report = simulation.run(0.1, UP)
    assert report.fault is Fault.UNPLUGGED
    assert simulation.daemon.motors == "disabled"
