"""Tests Reachy Mini's daemon when it reads slowly, or the network passes less than is sent: few commands
wait, so that a stop does not come late, and a daemon that reads nothing is a fault. In simulated time.
"""

import math

import pytest
from limber.hardware.safety import Fault, State
from limber.hardware.worker.connection import MOST_WAITING
from limber.hardware.worker.core import PERIOD

from tests.hardware.reachy_simulation import UP, begin, waving

__all__ = ["begin"]


class SlowReader:
    """A line whose bytes wait in the system's buffers until the daemon reads them; its positions come as
    usual.

    Args:
        simulation: The simulation, whose line is replaced.
        rate: Bytes that the daemon reads in a second.
    """

    def __init__(self, simulation, rate: float) -> None:
        self._simulation, self.rate = simulation, rate
        self._since = simulation.now
        self.waiting = b""
        self.sent = 0  # number of writes
        self._read = simulation.line.read
        simulation.line.read, simulation.line.write = self.read, self.write

    def read(self) -> bytes:
        now = self._simulation.now
        count, self._since = math.floor(self.rate * (now - self._since)), now
        data, self.waiting = self.waiting[:count], self.waiting[count:]
        return self._simulation.daemon.hear(data, now) + self._read()

    def write(self, data: bytes) -> bool:
        self.waiting += data
        self.sent += 1
        return True


@pytest.mark.parametrize("rate", [5_000.0, 8_000.0, 12_000.0])
def test_a_daemon_that_reads_slowly_is_stopped_behind_a_few_commands(begin, rate):
    simulation = begin()
    simulation.arm(waving)
    SlowReader(simulation, rate)
    assert simulation.run(6.0, waving).state is State.ARMED
    simulation.stop()
    before = len(simulation.daemon.told("set_head_joints"))
    simulation.run(PERIOD, waving)
    for _ in range(100):
        if simulation.daemon.told("stop_move"):
            break
        simulation.run(PERIOD, waving)
    assert simulation.daemon.told("stop_move")
    assert len(simulation.daemon.told("set_head_joints")) - before <= MOST_WAITING + 1


def test_a_daemon_that_reads_nothing_and_says_where_it_is_gets_a_few_commands_and_is_silent(begin):
    simulation = begin()
    simulation.arm(UP)
    line = SlowReader(simulation, 0.0)
    report = simulation.run(0.75, UP)
    assert report.state is State.ARMED
    assert line.sent == MOST_WAITING
    report = simulation.run(0.2, UP)
    assert (report.state, report.fault) == (State.FAULT, Fault.SILENT)


def test_a_network_that_passes_nothing_for_half_a_second_ends_no_motion(begin):
    simulation = begin()
    simulation.arm(waving)
    line = SlowReader(simulation, 0.0)
    simulation.run(0.5, waving)
    line.rate = 1e6
    report = simulation.run(2.0, waving)
    assert report.state is State.ARMED
    assert report.lost == 0
    assert simulation.report.measured == pytest.approx(waving(simulation.now), abs=0.05)


def test_moves_that_were_unread_while_the_worker_itself_was_held_up_end_no_motion(begin):
    simulation = begin()
    simulation.arm(UP)
    line = SlowReader(simulation, 0.0)
    simulation.run(0.3, UP)
    simulation.now += 0.65
    simulation.run(PERIOD, UP)  # nothing has come yet
    line.rate = 1e6
    assert simulation.run(2.0, UP).state is State.ARMED


def test_a_daemon_that_answers_no_pings_is_followed_by_its_positions(begin):
    simulation = begin()
    simulation.daemon.answers_pings = False
    simulation.arm(waving)
    report = simulation.run(3.0, waving)
    assert (report.state, report.lost) == (State.ARMED, 0)
    assert simulation.report.measured == pytest.approx(waving(simulation.now), abs=0.05)
    simulation.stop()
    simulation.run(PERIOD, waving)
    assert simulation.daemon.told("stop_move")
