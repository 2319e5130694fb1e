"""Tests Reachy Mini's daemon when it reads slowly, or the network passes less than is sent: few commands
wait, so that a stop does not come late, and a daemon that reads nothing is a fault. In simulated time.
"""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from limber.hardware.safety import FOLLOWING, HOLD_AFTER, LATE, Command, Fault, State
from limber.hardware.worker.core import PERIOD
from limber.hardware.worker.drive import APPROACH_SPEED

from tests.hardware.reachy_simulation import LIMITS, UP, begin, waving

__all__ = ["begin"]

MOST_UNREAD = 7  # moves that hold the motion of an eighth of a second, and the first


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
        self.sent_at = []  # [s] time of each write
        self._more = b""
        self._read = simulation.line.read
        simulation.line.read, simulation.line.write = self.read, self.write

    def read(self) -> bytes:
        now = self._simulation.now
        count, self._since = math.floor(self.rate * (now - self._since)), now
        data, self.waiting = self.waiting[:count], self.waiting[count:]
        more, self._more = self._more, b""
        return self._simulation.daemon.hear(data, now) + self._read() + more

    def say_more(self, frames: bytes) -> None:
        """Sends these frames from the daemon with the next positions."""
        self._more += frames

    def write(self, data: bytes) -> bool:
        self.waiting += data
        self.sent_at.append(self._simulation.now)
        return True


@pytest.mark.parametrize("rate", [5_000.0, 8_000.0, 12_000.0])
def test_a_daemon_that_reads_slowly_is_stopped_behind_a_few_commands(begin, rate):
    simulation = begin()
    simulation.arm(waving)
    SlowReader(simulation, rate)
    assert simulation.run(6.0, waving).state in FOLLOWING
    simulation.stop()
    before = len(simulation.daemon.told("set_head_joints"))
    simulation.run(PERIOD, waving)
    for _ in range(100):
        if simulation.daemon.told("stop_move"):
            break
        simulation.run(PERIOD, waving)
    assert simulation.daemon.told("stop_move")
    assert (
        len(simulation.daemon.told("set_head_joints")) - before <= MOST_UNREAD + 1
    )  # and the hold after the stop


def test_a_robot_behind_a_slow_network_moves_slower_and_that_is_told(begin):
    simulation = begin()
    simulation.arm(waving)
    SlowReader(simulation, 7_000.0)
    report = simulation.run(6.0, waving)
    assert report.state is State.ARMED
    assert any("late, so it moves slower" in warning for warning in report.warnings)
    assert not any("not where Limber sends it" in warning for warning in report.warnings)


def test_a_daemon_that_reads_nothing_and_says_where_it_is_gets_a_few_commands_then_is_a_fault(begin):
    simulation = begin()
    simulation.arm(UP)
    line = SlowReader(simulation, 0.0)
    report = simulation.run(0.75, UP)
    assert (report.state, report.detail) == (State.HOLDING, LATE)
    assert 3 <= len(line.sent_at) <= MOST_UNREAD
    report = simulation.run(0.2, UP)
    assert (report.state, report.fault) == (State.FAULT, Fault.UNREAD)


def turning_by(speed: float):
    """A motion of the body, at up to `speed` [rad/s]."""
    return lambda time: (math.sin(speed * time), *UP(time)[1:])


def body_speeds(simulation, times) -> list[float]:
    """Speed [rad/s] of the body in each of the last moves but the first, which were sent at `times` [s]."""
    sent = [command["joints"][0] for command in simulation.daemon.told("set_head_joints")][-len(times) :]
    return [
        abs(there - here) / (after - before)
        for (here, there), (before, after) in zip(pairwise(sent), pairwise(times), strict=True)
    ]


class FarNetwork:
    """A line whose bytes take half of `round_trip` [s] each way."""

    def __init__(self, simulation, round_trip: float) -> None:
        self._simulation, self._delay = simulation, 0.5 * round_trip
        self._there: list[tuple[float, bytes]] = []
        self._back: list[tuple[float, bytes]] = []
        self.sent_at: list[float] = []  # [s] time of each write
        simulation.line.read, simulation.line.write = self.read, self.write

    def read(self) -> bytes:
        now = self._simulation.now
        self._there, arrived = _ripe(self._there, now)
        self._back.append((now + self._delay, self._simulation.daemon.hear(arrived, now)))
        self._back, arrived = _ripe(self._back, now)
        return arrived

    def write(self, data: bytes) -> bool:
        self.sent_at.append(self._simulation.now)
        self._there.append((self._simulation.now + self._delay, data))
        return True


def _ripe(waiting, now: float) -> tuple[list, bytes]:
    """What still waits, and the bytes that have arrived until `now` [s]."""
    return [each for each in waiting if each[0] > now], b"".join(data for due, data in waiting if due <= now)


@pytest.mark.parametrize("round_trip", [0.04, 0.08, 0.12, 0.15, 0.18])
def test_behind_a_far_network_moves_are_evenly_spaced_and_few_are_on_the_way(begin, round_trip):
    simulation = begin()
    turning = turning_by(2.0)
    simulation.arm(turning)
    line = FarNetwork(simulation, round_trip)
    simulation.run(2.0, turning)
    before = len(line.sent_at)
    assert simulation.run(4.0, turning).state is State.ARMED
    gaps = [after - start for start, after in pairwise(line.sent_at[before:])]
    assert max(gaps) < min(gaps) + 1.5 * PERIOD
    assert min(gaps) * MOST_UNREAD > round_trip


@pytest.mark.parametrize("gap", [0.15, 0.5, 0.75])
def test_after_a_gap_of_the_network_the_robot_goes_on_from_where_it_was_sent_and_leaps_nowhere(begin, gap):
    """The body rotates at up to 170 degrees a second; of what is sent during the gap an eighth of a second
    arrives at its end.
    """
    simulation = begin()
    turning = turning_by(3.0)
    simulation.arm(turning)
    line = SlowReader(simulation, 1e6)
    simulation.run(0.5, turning)
    while math.cos(3.0 * (simulation.now + 0.6 * gap)) < 0.99:  # the gap is where the body is fast
        simulation.run(PERIOD, turning)
    line.rate = 0.0
    simulation.run(gap, turning)
    line.rate = 1e6
    simulation.run(2.0 * PERIOD, turning)  # what had been sent arrives
    before = len(line.sent_at)
    report = simulation.run(5.0, turning)
    assert (report.state, report.lost) == (State.ARMED, 0)
    assert simulation.report.measured == pytest.approx(turning(simulation.now), abs=0.15)
    speeds = body_speeds(simulation, line.sent_at)
    assert max(speeds) <= 1.1 * LIMITS.velocity + 1e-9
    if gap > HOLD_AFTER:  # the robot has stopped meanwhile, and goes on as after arming
        assert max(speeds[before : before + 20]) <= 1.1 * APPROACH_SPEED


def test_a_daemon_that_reads_nothing_from_arming_on_is_known_by_its_answer_to_the_first_ping(begin):
    simulation = begin(motors="enabled")
    simulation.run(1.5, UP, until=State.DISARMED)
    simulation.run(0.5, UP)
    line = SlowReader(simulation, 0.0)
    simulation.command(Command.ARM)
    report = simulation.run(1.5, UP)
    assert (report.state, report.fault) == (State.FAULT, Fault.UNREAD)
    assert len(line.sent_at) <= MOST_UNREAD + 2  # and what arms it


@pytest.mark.parametrize("answers", [True, False])
def test_a_robot_with_torque_is_armed_only_when_its_daemon_has_read_that(begin, answers):
    simulation = begin(motors="enabled")
    simulation.daemon.answers_pings = answers
    simulation.run(1.5, UP, until=State.DISARMED)
    simulation.run(0.5, UP)
    line = SlowReader(simulation, 0.0)
    simulation.command(Command.ARM)
    simulation.run(0.5, UP)
    assert len(line.sent_at) == 1  # the request, and no move
    line.rate = 1e6
    assert simulation.run(4.0, UP).state is State.ARMED
    assert any("answers no pings" in warning for warning in simulation.report.warnings) is not answers


def seconds_until_released(simulation, pose) -> float:
    start = simulation.now
    while simulation.daemon.motors != "disabled":
        simulation.run(PERIOD, pose)
        assert simulation.now < start + 3.0
    return simulation.now - start


def test_park_after_a_hold_behind_a_far_network_brakes_within_the_limits(begin):
    gentle = replace(LIMITS, velocity=2.0, acceleration=2.0, jerk=20.0)
    simulation = begin(limits=gentle)
    turning = turning_by(2.0)
    simulation.arm(turning)
    line = FarNetwork(simulation, 0.1)
    simulation.run(6.0, turning)
    for _ in range(26):  # no new values, so it begins to hold
        simulation.now += PERIOD
        simulation.worker.step(simulation.now)
    assert simulation.report.state is State.HOLDING
    first = len(line.sent_at)
    simulation.command(Command.PARK, values=UP(0.0))
    simulation.run(0.5, UP)
    speeds = body_speeds(simulation, line.sent_at[first - 1 :])
    changes = [abs(after - before) for before, after in pairwise(speeds)]
    assert max(changes) <= 1.5 * gentle.acceleration * 0.05


@pytest.mark.parametrize("gap", [0.15, 0.3, 0.6])
def test_disarm_in_a_gap_of_the_network_lets_the_robot_come_to_rest_before_it_loses_torque(begin, gap):
    simulation = begin(on_silence="detach")
    turning = turning_by(3.0)
    simulation.arm(turning)
    line = SlowReader(simulation, 1e6)
    simulation.run(1.0, turning)
    line.rate = 0.0
    simulation.run(0.02, turning)
    simulation.command(Command.DISARM)
    assert simulation.run(gap, turning).state is State.BRAKING
    line.rate = 1e6
    # the robot has the motion of a fifth of a second to perform, and its servos lag
    assert 0.25 < seconds_until_released(simulation, turning) < 1.0


@pytest.mark.parametrize("round_trip", [0.12, 0.15, 0.19, 0.25, 0.4, 0.7])
def test_disarm_behind_a_far_network_is_quick(begin, round_trip):
    simulation = begin(on_silence="detach")
    turning = turning_by(2.0)
    simulation.arm(turning)
    FarNetwork(simulation, round_trip)
    simulation.run(3.0, turning)
    simulation.command(Command.DISARM)
    assert seconds_until_released(simulation, turning) < 1.2 + round_trip


def test_a_worker_whose_steps_are_late_notices_that_nothing_is_read(begin):
    simulation = begin()
    simulation.arm(UP)
    line = SlowReader(simulation, 0.0)
    for _ in range(15):
        simulation.now += 0.11
        simulation.send(UP(simulation.now))
        simulation.worker.step(simulation.now)
    assert simulation.report.fault is Fault.UNREAD
    assert len(line.sent_at) <= MOST_UNREAD


def test_pongs_that_answer_no_ping_of_a_move_show_nothing_as_read(begin):
    simulation = begin()
    simulation.arm(UP)
    line = SlowReader(simulation, 0.0)
    for _ in range(3):
        line.say_more(b"\x8a\x00" + b"\x8a\x08" + b"\xff" * 8)
        simulation.run(0.25, UP)
    assert len(line.sent_at) <= MOST_UNREAD


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
