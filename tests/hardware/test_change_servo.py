"""Tests changing a servo's id or baud rate, and reading it back; a change that fails leaves the servo
unchanged, and is reported with a remedy.
"""

import pytest
from limber.hardware.change_servo import ChangeError
from limber.hardware.change_servo import run as change
from limber.hardware.device import LAST_SERVO
from limber.hardware.job_events import Ended

from tests.hardware.background_jobs import Late, Twins, Wired, found, told
from tests.hardware.servo_bus import DynamixelBus, StsBus


class AtRate(StsBus):
    """A bus that records the baud rates of its servos."""

    @property
    def rates(self) -> dict[int, int]:
        return {number: servo.table[6] for number, servo in self.servos.items()}


class Swapped(StsBus):
    """After a change of an id or rate another servo answers, as if two had been on the line."""

    def _write(self, number: int, start: int, data: bytes) -> None:
        super()._write(number, start, data)
        if start == 5:
            self.servos[data[0]].table[3:5] = bytes((5, 4))


class InTurns(StsBus):
    """Two servos of different models share an id, and answer alternately."""

    def _read(self, number: int, start: int, size: int) -> bytes:
        self.servos[number].table[3] ^= 1
        return super()._read(number, start, size)


class Deaf(StsBus):
    """A servo that does not answer any more after a change of its rate."""

    def _write(self, number: int, start: int, data: bytes) -> None:
        super()._write(number, start, data)
        self.servos[number].silent = start == 6


@pytest.mark.parametrize(
    ("protocol", "make", "rate"), [("feetech_sts", StsBus, 1_000_000), ("dynamixel", DynamixelBus, 57_600)]
)
def test_a_servo_gets_another_id_and_is_read_back_by_it(protocol, make, rate):
    bus = make({1: 2048.0, 3: 1000.0})
    with Wired(bus) as robot:
        news = told("change", port=robot.port, protocol=protocol, baudrate=rate, servo=1, new_servo=9)
    assert [servo.servo for servo in found(news)] == [9]
    assert news[-1] == Ended()
    assert sorted(bus.servos) == [3, 9]
    if protocol == "feetech_sts":
        assert bus.servos[9].table[55] == 1, "it is locked again"


def test_the_last_id_is_given_to_a_feetech_servo_and_refused_for_a_dynamixel_servo():
    feetech, dynamixel = StsBus({1: 2048.0}), DynamixelBus({1: 2048.0})
    last = {"baudrate": 1_000_000, "servo": 1, "new_servo": LAST_SERVO}
    with Wired(feetech) as robot:
        assert told("change", port=robot.port, protocol="feetech_sts", **last)[-1] == Ended()
    with Wired(dynamixel) as robot:
        news = told("change", port=robot.port, protocol="dynamixel", **last)
    assert news[-1].failed == "Servo 253 does not exist; numbers of Dynamixel X servos go from 0 to 252"
    assert (sorted(feetech.servos), sorted(dynamixel.servos)) == ([LAST_SERVO], [1])


def test_a_servo_that_answers_late_gets_another_id_too(monkeypatch):
    bus = StsBus({1: 2048.0})
    with Late(bus, delay=0.09) as robot:
        monkeypatch.setattr("limber.hardware.port_session.time", robot)
        news = told(
            "change", port=robot.port, protocol="feetech_sts", baudrate=1_000_000, servo=1, new_servo=9
        )
    assert [servo.servo for servo in found(news)] == [9]


def test_a_servo_gets_another_baud_rate_and_is_read_back_at_it():
    bus = AtRate({1: 2048.0, 3: 1000.0})  # the simulated line has no rate: every written byte is received
    before = bus.rates
    with Wired(bus) as robot:
        news = told(
            "change",
            port=robot.port,
            protocol="feetech_sts",
            baudrate=1_000_000,
            servo=1,
            new_baudrate=500_000,
        )
    assert [(servo.servo, servo.baudrate) for servo in found(news)] == [(1, 500_000)]
    assert bus.rates == {**before, 1: 1}
    assert bus.servos[1].table[55] == 1, "it is locked again"


@pytest.mark.parametrize(
    ("bus", "servo", "new", "words"),
    [
        (StsBus({1: 2048.0, 3: 1000.0}), 1, 3, "Id 3 is taken"),
        (StsBus({1: 2048.0}), 2, 5, "No servo answers as 2"),
        (StsBus({1: 2048.0}), 1, 1, "has that id already"),
        (Twins({1: 2048.0}), 1, 5, "More than one servo"),
    ],
)
def test_an_id_that_cannot_be_given_changes_nothing_and_says_why(bus, servo, new, words):
    before = {number: bytes(servo.table) for number, servo in bus.servos.items()}
    with Wired(bus) as robot:
        news = told(
            "change", port=robot.port, protocol="feetech_sts", baudrate=1_000_000, servo=servo, new_servo=new
        )
    assert words in news[-1].failed
    assert not found(news)
    assert {number: bytes(servo.table) for number, servo in bus.servos.items()} == before


def test_a_servo_that_does_not_take_its_new_id_is_told():
    class Stubborn(StsBus):
        def _write(self, number: int, start: int, data: bytes) -> None:
            if start != 5:
                super()._write(number, start, data)

    with Wired(Stubborn({1: 2048.0})) as robot:
        news = told(
            "change", port=robot.port, protocol="feetech_sts", baudrate=1_000_000, servo=1, new_servo=9
        )
    assert "answers as 1 still" in news[-1].failed


@pytest.mark.parametrize(
    ("make", "asked", "words"),
    [
        (
            Swapped,
            {"new_servo": 9},
            "As 9 answers unknown model 1029 where STS3215 was expected: connect servos one by one",
        ),
        (
            InTurns,
            {"new_servo": 9},
            (
                "seems to have id 1 (unknown model 776 and STS3215 answered): connect the one to be changed"
                " alone"
            ),
        ),
        (StsBus, {"new_baudrate": 1_000_000}, "Servo 1 talks at 1000000 baud already: choose another rate"),
        (
            Deaf,
            {"new_baudrate": 500_000},
            "should answer at 500000 baud now and does not: switch its power off and on, then scan at both",
        ),
    ],
)
def test_a_change_that_went_wrong_says_what_was_expected_and_what_to_do(make, asked, words):
    with Wired(make({1: 2048.0})) as robot:
        news = told("change", port=robot.port, protocol="feetech_sts", baudrate=1_000_000, servo=1, **asked)
    assert words in news[-1].failed
    assert not found(news)


def test_servos_of_a_board_have_no_ids_to_change():
    with pytest.raises(ChangeError, match="Maestro"):
        list(change({"port": "", "protocol": "maestro", "baudrate": 1, "servo": 0, "new_servo": 1}, None))
