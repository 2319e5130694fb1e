"""Tests that a scan of ports finds servos and boards with the values that they report, and changes nothing in
them.
"""

import errno
import time

import pytest
import serial
from limber.hardware.device import LAST_SERVO
from limber.hardware.errors import HardwareError
from limber.hardware.job_events import Ended, Found, JobProgress, Remark
from limber.hardware.protocols.table import OWN, capabilities_of
from limber.hardware.scan import SCANNED, rates_of, run
from limber.hardware.virtual_robot import VirtualRobot

from tests.hardware.background_jobs import PYSERIAL, Late, Twins, Wired, found, scan, served, told
from tests.hardware.boards import LineBoard
from tests.hardware.patience import PATIENCE, wait_until
from tests.hardware.served_bus import ServedBus
from tests.hardware.servo_bus import DynamixelBus, StsBus
from tests.hardware.simulation import make_device


def test_feetech_servos_are_found_with_model_firmware_voltage_and_temperature():
    with Wired(StsBus({1: 2048.0, 7: 1000.0, 13: 3000.0})) as robot:
        news = scan(robot.port, "feetech_sts")
    assert [servo.servo for servo in found(news)] == [1, 7, 13]
    assert found(news)[0] == Found(robot.port, "feetech_sts", 1_000_000, 1, "STS3215", "3.10", 12.0, 30.0)
    assert news[-1] == Ended()
    assert not [item for item in news if isinstance(item, Remark)]


class Hesitant(StsBus):
    """All servos but the first leave their first request without an answer."""

    def __init__(self, *told) -> None:
        super().__init__(*told)
        self.asked = {min(self.servos)}

    def _answer(self, number: int, data: bytes) -> bytes:
        answer = super()._answer(number, data)
        if number not in self.asked:
            self.asked.add(number)
            return b""
        return answer


def test_servos_whose_first_answer_is_lost_are_asked_again_where_others_answer():
    with Wired(Hesitant({1: 2048.0, 7: 1000.0, 13: 3000.0})) as robot:
        news = scan(robot.port, "feetech_sts")
    assert [servo.servo for servo in found(news)] == [1, 7, 13]


@pytest.mark.parametrize(
    ("protocol", "make", "rate", "last"),
    [("feetech_sts", StsBus, 1_000_000, LAST_SERVO), ("dynamixel", DynamixelBus, 57_600, LAST_SERVO - 1)],
)
def test_a_scan_to_the_last_id_finds_the_last_servo_of_each_protocol(protocol, make, rate, last):
    assert capabilities_of(protocol).servos[-1] == last
    with Wired(make({1: 2048.0, last: 1000.0})) as robot:
        news = scan(robot.port, protocol, (rate,), (0, LAST_SERVO))
    assert [servo.servo for servo in found(news)] == [1, last]
    assert news[-1] == Ended()


def test_a_process_on_its_own_finds_dynamixel_servos(sent):
    with ServedBus({2: 2048.0, 5: 1000.0}, "dynamixel") as robot:
        news: list = []

        def are_all_found() -> bool:  # if the other process answers late, it is asked once more
            news[:] = scan(robot.port, "dynamixel", (57_600,), by=sent)
            return len(found(news)) == 2

        wait_until(are_all_found)
    assert [(servo.servo, servo.name, servo.firmware, servo.voltage) for servo in found(news)] == [
        (2, "XL330-M288", "46", 12.0),
        (5, "XL330-M288", "46", 12.0),
    ]


def test_what_a_servo_tells_of_itself_may_come_late(monkeypatch):
    with Late(StsBus({1: 2048.0}), delay=0.09, at_once=1) as robot:
        monkeypatch.setattr("limber.hardware.port_session.time", robot)
        (servo,) = found(scan(robot.port, "feetech_sts", ids=(1, 1)))
    assert (servo.servo, servo.voltage, servo.temperature) == (1, 12.0, 30.0)


def test_an_scs_servo_is_told_from_an_sts_servo_by_its_model():
    bus = StsBus({3: 500.0})
    bus.servos[3].table[3:5] = bytes((5, 4))  # 1284, high byte first
    with Wired(bus) as robot:
        news = scan(robot.port, "feetech_sts")
    assert [(servo.protocol, servo.name) for servo in found(news)] == [("feetech_scs", "SCS0009")]


def test_a_board_with_limbers_firmware_is_found():
    with Wired(VirtualRobot.for_device(make_device(4), time.perf_counter())) as robot:
        news = scan(robot.port, OWN, (115_200,))
    (board,) = found(news)
    assert (board.protocol, board.servo, board.baudrate) == (OWN, None, 115_200)
    assert board.name


def test_scanning_a_board_that_talks_something_else_finds_nothing():
    with Wired(LineBoard()) as robot:
        news = scan(robot.port, "feetech_sts")
    assert not found(news)
    assert news[-1] == Ended()


def test_scanning_moves_nothing_and_changes_nothing():
    bus = StsBus({1: 2048.0, 7: 1000.0})
    before = {number: bytes(servo.table) for number, servo in bus.servos.items()}
    with Wired(bus) as robot:
        scan(robot.port, "feetech_sts")
    assert {number: bytes(servo.table) for number, servo in bus.servos.items()} == before
    assert [servo.moves for servo in bus.servos.values()] == [[2048.0], [1000.0]]


def test_progress_grows_to_the_end():
    with Wired(StsBus({1: 2048.0})) as robot:
        news = scan(robot.port, "feetech_sts", (1_000_000, 115_200), (0, 40))
    shares = [item.done / item.total for item in news if isinstance(item, JobProgress)]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(shares) > 5


def test_two_servos_with_one_id_are_a_remark():
    with Wired(Twins({4: 2048.0})) as robot:
        news = scan(robot.port, "feetech_sts")
    assert any("two servos may have" in item.text for item in news if isinstance(item, Remark))


def test_a_port_that_is_not_there_is_a_remark_and_the_others_are_scanned():
    with Wired(StsBus({1: 2048.0})) as robot:
        ports = ["/dev/ttyNOWHERE", robot.port]
        news = told(
            "scan",
            ports=ports,
            protocols=["feetech_sts"],
            baudrates=[1_000_000, 500_000],
            lowest=0,
            highest=3,
        )
    (remark,) = [item for item in news if isinstance(item, Remark)]
    assert "/dev/ttyNOWHERE does not exist" in remark.text
    assert {servo.servo for servo in found(news)} == {1}


class GivenBack(Wired):
    """Another program uses its port when it is opened for the first time."""

    def __init__(self, robot: StsBus) -> None:
        super().__init__(robot)
        self.refused = 0

    @classmethod
    def open(cls, port: str, *rate: int, **options: object) -> "Wired | serial.Serial":
        opened = super().open(port, *rate, **options)
        if isinstance(opened, GivenBack) and not opened.refused:
            opened.refused += 1
            raise serial.SerialException(errno.EBUSY, "in use")
        return opened


def test_a_port_that_a_robot_is_about_to_give_back_is_waited_for(monkeypatch):
    monkeypatch.setattr("limber.hardware.port_session.BUSY_FOR", PATIENCE)
    monkeypatch.setattr(PYSERIAL, "Serial", GivenBack.open)
    with GivenBack(StsBus({1: 2048.0})) as robot:
        news = scan(robot.port, "feetech_sts", ids=(0, 3))
    assert [servo.servo for servo in found(news)] == [1]
    assert robot.refused == 1


def test_a_port_that_stays_busy_is_a_remark(monkeypatch):
    monkeypatch.setattr("limber.hardware.port_session.BUSY_FOR", 0.1)
    with served(StsBus({1: 2048.0})) as robot, serial.Serial(robot.port, exclusive=True):
        news = scan(robot.port, "feetech_sts", ids=(0, 3))
    assert any("is busy" in item.text for item in news if isinstance(item, Remark))
    assert not found(news)


def test_where_no_port_is_named_the_errand_looks_itself_which_there_are_and_leaves_out_those_in_use(
    monkeypatch,
):
    with Wired(StsBus({1: 2048.0})) as robot:
        monkeypatch.setattr("limber.hardware.scan.serial_ports", lambda: ["/dev/ttyUSED", robot.port])
        arguments = {
            "ports": None,
            "without": ["/dev/ttyUSED"],
            "protocols": ["feetech_sts"],
            "baudrates": [1_000_000],
        }
        news = list(run({**arguments, "lowest": 0, "highest": 3}, PYSERIAL))
        assert [(one.port, one.servo) for one in found(news)] == [(robot.port, 1)]
        assert not any(isinstance(item, Remark) for item in news)
        with pytest.raises(HardwareError, match="no serial port that is free"):
            list(
                run(
                    {**arguments, "without": ["/dev/ttyUSED", robot.port], "lowest": 0, "highest": 3},
                    PYSERIAL,
                )
            )


def test_no_protocol_is_asked_at_a_rate_that_it_does_not_offer():
    assert rates_of("feetech_sts", (115_200, 2_000_000)) == [115_200]
    assert rates_of("dynamixel", (115_200, 2_000_000)) == [115_200, 2_000_000]
    assert all(rates_of(protocol, (115_200,)) == [115_200] for protocol in SCANNED)
