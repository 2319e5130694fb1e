"""Tests the codecs of bus servos with independently written simulated servos, in simulated time."""

import random

import pytest
from limber.hardware.protocols.dialogue import Dialogue
from limber.hardware.protocols.dynamixel.series import dynamixel
from limber.hardware.protocols.feetech.series import feetech
from limber.hardware.protocols.interface import (
    Acknowledged,
    Identified,
    Measured,
    Problem,
    Quantity,
    ReportedError,
)

from tests.hardware.servo_bus import DynamixelBus, StsBus

PERIOD = 0.01  # [s] the worker's cycle
PLACES = {number: 1000.0 + 100 * number for number in range(1, 13)}
KINDS = {
    "sts": (lambda: feetech("sts"), StsBus),
    "dynamixel": (dynamixel, DynamixelBus),
}


class Wire:
    """A codec's connection to a bus, one cycle at a time."""

    def __init__(self, kind: str, positions=None) -> None:
        make, bus = KINDS[kind]
        self.codec = make()
        self.bus = bus(PLACES if positions is None else positions)
        self.dialogue = Dialogue(self.codec.decoder(), 1_000_000)
        self.now = 0.0
        self._coming = b""

    def turn(self) -> list:
        self.now += PERIOD
        sent, messages = self.dialogue.update(self._coming, self.now)
        self._coming = self.bus.hear(sent, self.now)
        return messages

    def say(self, *groups) -> list:
        """All messages until every exchange is answered or overdue."""
        for exchanges in groups:
            self.dialogue.ask(exchanges)
        messages = self.turn()
        while self.dialogue.busy or self._coming:
            messages += self.turn()
        return messages

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / PERIOD)):
            self.turn()


@pytest.fixture(params=KINDS)
def line(request):
    return Wire(request.param)


def measured(messages) -> dict[int, int]:
    return {message.servo: message.raw for message in messages if isinstance(message, Measured)}


def test_servos_say_who_they_are(line):
    found = [
        message for message in line.say(line.codec.identify(list(PLACES))) if isinstance(message, Identified)
    ]
    assert [message.servo for message in found] == list(PLACES)
    assert {message.name for message in found} == {
        "STS3215" if isinstance(line.bus, StsBus) else "XL330-M288"
    }


def test_arming_moves_nothing_whatever_goal_was_left_in_the_servo(line):
    for servo in line.bus.servos.values():
        servo.table[42:44] = servo.table[116:118] = b"\xff\x0f"
    positions = measured(line.say(line.codec.read([Quantity.POSITION], list(PLACES))))
    assert positions == {number: round(position) for number, position in PLACES.items()}
    answers = line.say(line.codec.arm(positions))
    line.wait(0.5)
    assert answers == [Acknowledged(number) for number in PLACES] * 2
    assert all(line.bus.has_torque(number) for number in PLACES)
    assert {number: servo.position for number, servo in line.bus.servos.items()} == PLACES
    assert all(len(servo.moves) == 1 for servo in line.bus.servos.values())


def test_twelve_servos_follow_a_stream_of_50_goals_a_second_and_are_read_back_each_time(line):
    line.say(line.codec.arm({number: round(position) for number, position in PLACES.items()}))
    line.say(*(line.codec.limit(number, 1000.0) for number in PLACES))
    readings = 0
    for step in range(1, 101):
        goals = {number: round(position) + step for number, position in PLACES.items()}
        line.dialogue.ask((*line.codec.write(goals), *line.codec.read([Quantity.POSITION], list(PLACES))))
        told = measured(line.turn() + line.turn())  # two cycles: 50 Hz
        readings += len(told)
    assert readings == 100 * 12
    line.wait(0.2)
    assert all(
        line.bus.servos[number].position == round(position) + 100 for number, position in PLACES.items()
    )


def test_disarming_makes_all_limp_and_each_says_so(line):
    line.say(line.codec.arm({1: 1100, 2: 1200}))
    assert line.say(line.codec.disarm([1, 2])) == [Acknowledged(1), Acknowledged(2)]
    assert not line.bus.has_torque(1)
    assert not line.bus.has_torque(2)


def test_a_stop_holds_some_where_they_are_and_lets_others_go(line):
    line.say(line.codec.arm({1: 1100, 2: 1200}))
    line.say(line.codec.write({1: 3000, 2: 3000}))
    line.wait(0.2)
    positions = measured(line.say(line.codec.read([Quantity.POSITION], [1, 2])))
    line.dialogue.interrupt(line.codec.stop({1: positions[1]}, [2]))
    line.wait(0.5)
    assert line.bus.has_torque(1)
    assert line.bus.servos[1].position == positions[1]
    assert not line.bus.has_torque(2)
    assert line.bus.servos[2].position < 3000


def test_a_servo_that_is_silent_gets_no_torque(line):
    line.bus.servos[2].silent = True
    messages = line.say(line.codec.read([Quantity.POSITION], [1, 2, 3]))
    assert 2 not in measured(messages)
    assert 2 in {message.servo for message in messages if isinstance(message, Problem)}


def test_a_servo_gets_another_id(line):
    messages = line.say(line.codec.change_id(1, 20))
    assert [message.servo for message in messages if isinstance(message, Identified)] == [20]
    assert 1 not in line.bus.servos


def test_a_servo_that_is_too_hot_says_so(line):
    line.bus.servos[1].error = 0x04
    messages = line.say(line.codec.read([Quantity.TEMPERATURE], [1]))
    if isinstance(line.bus, DynamixelBus):
        messages += line.say(line.codec.check([1]))
    assert ReportedError(1, "it is too hot") in messages
    assert any(isinstance(message, Measured) for message in messages)


def test_voltage_and_temperature_come_with_the_position_in_one_question(line):
    (question,) = line.codec.read([Quantity.POSITION, Quantity.VOLTAGE, Quantity.TEMPERATURE], [1])
    told = {message.quantity: message.raw for message in line.say([question])}
    assert told == {Quantity.POSITION: 1100, Quantity.VOLTAGE: 120, Quantity.TEMPERATURE: 30}


@pytest.mark.parametrize("seed", range(3))
def test_no_damage_to_orders_gives_a_servo_a_goal_that_it_was_not_to_have(line, seed):
    """One bit of every frame is flipped: commands are lost, and none becomes another one.

    A Feetech servo may still take the goals that were sent: if the length grows by one, the next frame's
    first byte corrects the checksum.
    """
    chance = random.Random(seed)
    line.say(line.codec.arm({number: round(position) for number, position in PLACES.items()}))
    goal = slice(42, 44) if isinstance(line.bus, StsBus) else slice(116, 120)
    may_be = {number: {bytes(servo.table)} for number, servo in line.bus.servos.items()}
    for _ in range(300):
        goals = {1: chance.randrange(4096), 2: chance.randrange(4096)}
        (order,) = line.codec.write(goals)
        for number in goals if isinstance(line.bus, StsBus) else ():
            table = bytearray(line.bus.servos[number].table)
            table[goal] = goals[number].to_bytes(2, "little")
            may_be[number].add(bytes(table))
        bit = chance.randrange(8 * len(order.data))
        damaged = bytearray(order.data)
        damaged[bit // 8] ^= 1 << bit % 8
        line.bus.hear(bytes(damaged), line.now)
        assert all(bytes(servo.table) in may_be[number] for number, servo in line.bus.servos.items())


def test_a_dynamixel_s_watchdog_stops_it_when_nothing_is_heard_and_must_be_cleared():
    line = Wire("dynamixel", {1: 1000.0})
    line.say(
        line.codec.arm({1: 1000}),
        line.codec.limit(1, 500.0),
        line.codec.watchdog([1], 0.1),
        line.codec.write({1: 4000}),
    )
    line.bus.hear(b"", line.now + 1.0)
    line.now += 1.0
    stopped = line.bus.servos[1].position
    assert 1000 + 500 * 0.08 < stopped < 1000 + 500 * 0.2
    assert line.bus.has_torque(1)
    goal, *_ = line.codec.arm({1: round(stopped)})
    (complaint,) = line.say([goal])
    assert "watchdog has tripped" in complaint.text
    line.say(line.codec.watchdog([1], None))
    assert line.say([goal]) == [Acknowledged(1)]
