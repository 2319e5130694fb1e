"""Tests that connecting to a Maestro moves nothing, whatever the controller's Enable CRC and the setting here
are. In simulated time.
"""

from dataclasses import replace

import pytest
from limber.hardware.protocols.maestro import Maestro
from limber.hardware.protocols.settings import ProtocolSettings
from limber.hardware.safety import Command, Fault, State
from limber.hardware.transport import TransportError

from tests.hardware.boards import MaestroBoard
from tests.hardware.faults.worlds import MaestroWorld
from tests.hardware.simulation import POSE, Simulation

CASES = [(channels, there, here) for channels in (6, 12) for there in (False, True) for here in (False, True)]


class Line:
    """A port with a controller, whose answers come `late` [s] after the command."""

    def __init__(self, simulation: "MaestroSimulation") -> None:
        self._simulation = simulation
        self._coming: list[tuple[float, bytes]] = []
        self.closed = False

    def read(self) -> bytes:
        now = self._simulation.now
        come = b"".join(data for time, data in self._coming if time <= now)
        self._coming = [(time, data) for time, data in self._coming if time > now]
        return come

    def write(self, data: bytes) -> bool:
        if self.closed:
            raise TransportError(Fault.UNPLUGGED, "closed")
        simulation = self._simulation
        self._coming.append((simulation.now + simulation.late, simulation.board.hear(data, simulation.now)))
        return True

    def close(self) -> None:
        self.closed = True


class MaestroSimulation(Simulation):
    def __init__(self, board: MaestroBoard, channels: int, here: bool, late: float = 0.002) -> None:
        world = MaestroWorld()
        device = replace(world.device, settings=ProtocolSettings(channel_count=channels, crc=here))
        world.close()
        self.board, self.late = board, late
        super().__init__(device, board)  # type: ignore[arg-type]  # of a robot it asks for `positions` alone

    def _connect(self, device, now):
        return Line(self)


@pytest.mark.parametrize(("channels", "there", "here"), CASES)
def test_connecting_is_no_error_for_the_controller_and_a_setting_that_differs_is_named(
    closing, channels, there, here
):
    board = MaestroBoard(channels, there)
    simulation = closing(MaestroSimulation(board, channels, here))
    report = simulation.run(6.0, POSE)
    assert (board.homecomings, board.errors, board.history) == (0, 0, [])
    if there is here:
        assert report.state is State.DISARMED
        simulation.arm(POSE)
        simulation.run(1.0, POSE)
        assert len({servo for servo, _ in board.history}) == 3
    else:
        assert (report.state, report.fault) == (State.FAULT, Fault.UNSUITABLE)
        words = ("off", "on")
        assert f"Enable CRC is {words[there]} in its Control Center, and {words[here]} here" in report.detail
    assert board.homecomings == 0


@pytest.mark.parametrize("late", [0.016, 0.1, 0.4])
@pytest.mark.parametrize("crc", [False, True])
def test_a_slow_line_does_not_make_the_question_an_error(closing, crc, late):
    board = MaestroBoard(6, crc)
    simulation = closing(MaestroSimulation(board, 6, crc, late))
    simulation.run(5.0, POSE)
    assert board.homecomings == 0


@pytest.mark.parametrize("crc", [False, True])
@pytest.mark.parametrize(
    ("what", "after"), [("stop", 0.02), ("stop", 0.2), ("stop", 0.5), ("reconnect", 0.2), ("reconnect", 0.5)]
)
def test_no_press_while_it_is_asked_makes_the_question_an_error(closing, crc, after, what):
    board = MaestroBoard(6, crc)
    simulation = closing(MaestroSimulation(board, 6, crc))
    simulation.run(after, POSE)
    if what == "stop":
        simulation.stop()
        simulation.run(1.5, POSE)
        assert simulation.state is State.FAULT
        simulation.command(Command.CLEAR_FAULT)
    else:
        simulation.command(Command.RECONNECT)
    assert simulation.run(3.0, POSE, until=State.DISARMED).state is State.DISARMED
    assert board.homecomings == 0


def test_a_scan_asks_in_the_same_way():
    """The default commands of a scan find a controller with either setting, and cause no error."""
    for crc in (False, True):
        board = MaestroBoard(6, crc)
        (question,) = Maestro().identify(())
        answer = board.hear(question.data, 0.0) or board.hear(question.otherwise.data, 0.0)
        assert len(answer) == 2
        assert board.homecomings == 0
