"""Tests lines that transmit fewer bytes than the worker could write: nothing piles up in the system's buffer,
so that neither goals nor a stop come late. In simulated time.
"""

import math
from dataclasses import replace

import pytest
from limber.hardware.protocols.settings import ProtocolSettings
from limber.hardware.safety import Command, Fault, State
from limber.hardware.worker.core import PERIOD
from limber.hardware.worker.servos.servo_connection import EARLY

from tests.hardware.boards import Board, MaestroBoard, ServoAnimationBoard
from tests.hardware.devices import direct, one_to_one
from tests.hardware.simulation import LIMITS, Simulation

BITS = 10  # of a byte on the line
BUFFER = 4096  # [bytes] of the system


class SlowLine:
    """A port whose bytes wait in the system's buffer until the line has transmitted those before them."""

    def __init__(self, simulation: "SlowSimulation") -> None:
        self._simulation = simulation
        self._begun = simulation.now
        self._transmitted = 0  # [bytes] that the line could transmit so far
        self._coming = b""
        self.waiting = b""

    def read(self) -> bytes:
        self.pass_time()
        coming, self._coming = self._coming, b""
        return coming

    def write(self, data: bytes) -> bool:
        self.pass_time()
        self.waiting += data
        return len(self.waiting) <= BUFFER

    def close(self) -> None:
        """The board is not affected."""

    def pass_time(self) -> None:
        rate = self._simulation.device.baudrate / BITS
        whole = int((self._simulation.now - self._begun) * rate)
        count, self._transmitted = whole - self._transmitted, whole
        sent, self.waiting = self.waiting[:count], self.waiting[count:]
        self._coming += self._simulation.board.hear(sent, self._simulation.now)


class SlowSimulation(Simulation):
    def __init__(self, board: Board, protocol: str, servos: int, baudrate: int, **settings) -> None:
        self.board = board
        device = one_to_one(
            "a port",
            [direct(f"joint {k}", k, LIMITS) for k in range(servos)],
            protocol=protocol,
            baudrate=baudrate,
        )
        super().__init__(replace(device, settings=ProtocolSettings(**settings)), board)  # type: ignore[arg-type]

    def _connect(self, device, now):
        self.line = SlowLine(self)
        return self.line

    def wave(self, time: float) -> tuple[float, ...]:
        return tuple(0.5 * math.sin(2.0 * time + k) for k in range(len(self.device.joints)))


LINES = [  # protocol, number of servos, baud rate, bytes of a move, settings
    ("servo_animation", 3, 9_600, 5 * 3, {}),
    ("servo_animation", 16, 19_200, 5 * 16, {}),
    ("servo_animation", 16, 57_600, 5 * 16, {}),
    ("maestro", 6, 9_600, 4 * 6, {}),
    ("maestro", 12, 9_600, 5 * 12, {"channel_count": 12, "crc": True}),
    ("maestro", 24, 115_200, 5 * 24, {"channel_count": 24, "crc": True}),
]
ASKED = 2  # [bytes] query for a Maestro's errors, which may follow a move


def board_of(protocol: str, settings: dict) -> Board:
    if protocol == "maestro":
        return MaestroBoard(settings.get("channel_count", 6), settings.get("crc", False))
    return ServoAnimationBoard()


@pytest.mark.parametrize(("protocol", "servos", "baudrate", "move", "settings"), LINES)
def test_behind_a_line_of_any_rate_wait_a_move_at_most_and_goals_end_with_stop(
    closing, protocol, servos, baudrate, move, settings
):
    board = board_of(protocol, settings)
    simulation = closing(SlowSimulation(board, protocol, servos, baudrate, **settings))
    assert simulation.run(2.0, simulation.wave).state is State.DISARMED
    simulation.command(Command.ARM_CONFIRMED)
    assert simulation.run(20.0, simulation.wave, until=State.ARMED).state is State.ARMED
    most = move + ASKED + EARLY * baudrate / BITS  # [bytes]
    for _ in range(100):
        assert simulation.run(PERIOD, simulation.wave).state is State.ARMED
        assert len(simulation.line.waiting) <= most
    simulation.stop()
    # the move that is on the line, then the stop itself
    simulation.run(2 * most * BITS / baudrate + 2 * PERIOD, simulation.wave)
    simulation.line.pass_time()
    goals = len(board.history)
    assert simulation.run(1.0, simulation.wave).fault is Fault.STOPPED
    assert len(board.history) == goals


def test_a_line_that_takes_long_for_the_goals_of_all_servos_is_refused(closing):
    simulation = closing(
        SlowSimulation(MaestroBoard(24, True), "maestro", 24, 9_600, channel_count=24, crc=True)
    )
    report = simulation.run(0.5, simulation.wave)
    assert (report.state, report.fault) == (State.FAULT, Fault.UNSUITABLE)
    assert report.detail.startswith("9600 baud are too slow for its 24 servos: choose a higher Baud Rate")
