"""Errands in a process of their own, to simulated servos behind real ports: scan, change an id or a baud rate, describe a user's file."""

import os
import signal
import threading
import time
from importlib import import_module

import pytest
import serial
from limber.hardware.change_servo import ChangeError
from limber.hardware.change_servo import run as change
from limber.hardware.describe import OWN, describe
from limber.hardware.errand import Errand
from limber.hardware.errand_entry import TASKS
from limber.hardware.errors import HardwareError, WorkerError
from limber.hardware.news import Described, Ended, Found, News, Progress, Remark, from_line, to_line
from limber.hardware.protocols import dialogue
from limber.hardware.protocols.table import PROTOCOLS
from limber.hardware.scan import SCANNED, rates_of, run

from tests.hardware.boards import LineBoard
from tests.hardware.patience import PATIENCE, wait_until
from tests.hardware.pty_robot import PtyRobot
from tests.hardware.servo_bus import Bus, DynamixelBus, StsBus
from tests.hardware.simulation import make_device


def served(bus: Bus) -> PtyRobot:
    bus.now = time.perf_counter()
    return PtyRobot(bus)


@pytest.fixture
def sent():
    """Sends a process on an errand and returns its news when it has ended."""
    errands = []

    def run(task: str, **arguments) -> list[News]:
        errands.append(Errand(task, arguments, PATIENCE))
        news: list[News] = []

        def ended() -> bool:
            news.extend(errands[-1].news())
            return bool(news) and isinstance(news[-1], Ended)

        wait_until(ended)
        assert errands[-1].over
        return news

    yield run
    for errand in errands:
        errand.cancel()


def told(task: str, **arguments) -> list[News]:
    """The news of an errand, run here: a process takes its time to start."""
    news: list[News] = []
    try:
        news.extend(import_module(f"limber.hardware.{TASKS[task]}").run(arguments, serial))
    except HardwareError as error:
        return [*news, Ended(failed=str(error))]
    return [*news, Ended()]


def scan(port: str, protocol: str, rates=(1_000_000,), ids=(0, 20), by=told) -> list[News]:
    return by("scan", ports=[port], protocols=[protocol], baudrates=list(rates), lowest=ids[0], highest=ids[1])


def found(news: list[News]) -> list[Found]:
    return [item for item in news if isinstance(item, Found)]


class Twins(StsBus):
    """Servos that share their ids with others: each is answered twice."""

    def _answer(self, number: int, data: bytes) -> bytes:
        return 2 * super()._answer(number, data)


class AtRate(StsBus):
    """A bus that notes the baud rates of its servos."""

    @property
    def rates(self) -> dict[int, int]:
        return {number: servo.table[6] for number, servo in self.servos.items()}


def test_every_kind_of_news_comes_through_a_line_as_it_was():
    for news in (
        Progress(1, 2, "at it"),
        Found("COM3", "dynamixel", 57600, 4, "XL330", "46", 12.1, None),
        Described("limber", "Limber", ("It can.", "It cannot."), (115200,), "microseconds"),
        Remark("so"),
        Ended("", "no"),
    ):
        assert from_line(to_line(news)) == news


@pytest.mark.parametrize("line", ["", "{}", "[]", '["Nothing", {}]', '["Remark", {"no": 1}]', '["Remark", 3]', "null"])
def test_a_line_that_is_no_news_is_told_from_news(line):
    with pytest.raises(ValueError, match="no news"):
        from_line(line)


def test_feetech_servos_are_found_with_model_firmware_voltage_and_temperature():
    with served(StsBus({1: 2048.0, 7: 1000.0, 13: 3000.0})) as robot:
        news = scan(robot.port, "feetech_sts")
    assert [servo.servo for servo in found(news)] == [1, 7, 13]
    assert found(news)[0] == Found(robot.port, "feetech_sts", 1_000_000, 1, "STS3215", "3.10", 12.0, 30.0)
    assert news[-1] == Ended()
    assert not [item for item in news if isinstance(item, Remark)]


def test_a_process_on_its_own_finds_dynamixel_servos(sent):
    with served(DynamixelBus({2: 2048.0, 5: 1000.0})) as robot:
        news = scan(robot.port, "dynamixel", (57_600,), by=sent)
    assert [(servo.servo, servo.name, servo.firmware, servo.voltage) for servo in found(news)] == [
        (2, "XL330-M288", "46", 12.0),
        (5, "XL330-M288", "46", 12.0),
    ]


def test_an_scs_servo_is_told_from_an_sts_servo_by_its_model():
    bus = StsBus({3: 500.0})
    bus.servos[3].table[3:5] = bytes((5, 4))  # 1284, high byte first
    with served(bus) as robot:
        news = scan(robot.port, "feetech_sts")
    assert [(servo.protocol, servo.name) for servo in found(news)] == [("feetech_scs", "SCS0009")]


def test_a_board_with_limbers_firmware_is_found():
    with PtyRobot.for_device(make_device(4)) as robot:
        news = scan(robot.port, OWN, (115_200,))
    (board,) = found(news)
    assert (board.protocol, board.servo, board.baudrate) == (OWN, None, 115_200)
    assert board.name


def test_scanning_moves_nothing_and_changes_nothing():
    bus = StsBus({1: 2048.0, 7: 1000.0})
    before = {number: bytes(servo.table) for number, servo in bus.servos.items()}
    with served(bus) as robot:
        scan(robot.port, "feetech_sts")
    assert {number: bytes(servo.table) for number, servo in bus.servos.items()} == before
    assert [servo.moves for servo in bus.servos.values()] == [[2048.0], [1000.0]]


def test_progress_grows_to_the_end():
    with served(StsBus({1: 2048.0})) as robot:
        news = scan(robot.port, "feetech_sts", (1_000_000, 115_200), (0, 40))
    shares = [item.done / item.total for item in news if isinstance(item, Progress)]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(shares) > 5


def test_two_servos_with_one_id_are_a_remark():
    with served(Twins({4: 2048.0})) as robot:
        news = scan(robot.port, "feetech_sts")
    assert any("two servos may have" in item.text for item in news if isinstance(item, Remark))


def test_a_port_that_is_not_there_is_a_remark_and_the_others_are_scanned():
    with served(StsBus({1: 2048.0})) as robot:
        ports = ["/dev/ttyNOWHERE", robot.port]
        news = told("scan", ports=ports, protocols=["feetech_sts"], baudrates=[1_000_000, 500_000], lowest=0, highest=3)
    (remark,) = [item for item in news if isinstance(item, Remark)]
    assert "/dev/ttyNOWHERE does not exist" in remark.text
    assert {servo.servo for servo in found(news)} == {1}


def test_a_port_that_a_robot_is_about_to_give_back_is_waited_for(monkeypatch):
    monkeypatch.setattr("limber.hardware.asking.BUSY_FOR", PATIENCE)
    with served(StsBus({1: 2048.0})) as robot:
        held = serial.Serial(robot.port, exclusive=True)
        threading.Timer(0.3, held.close).start()
        news = scan(robot.port, "feetech_sts", ids=(0, 3))
    assert [servo.servo for servo in found(news)] == [1]


def test_a_port_that_stays_busy_is_a_remark(monkeypatch):
    monkeypatch.setattr("limber.hardware.asking.BUSY_FOR", 0.1)
    with served(StsBus({1: 2048.0})) as robot, serial.Serial(robot.port, exclusive=True):
        news = scan(robot.port, "feetech_sts", ids=(0, 3))
    assert any("is busy" in item.text for item in news if isinstance(item, Remark))
    assert not found(news)


def test_a_cancelled_scan_ends_at_once_and_its_process_with_it():
    with served(StsBus({})) as robot:
        arguments = {"ports": [robot.port], "protocols": ["feetech_sts"], "baudrates": [1_000_000], "lowest": 0, "highest": 252}
        errand = Errand("scan", arguments, PATIENCE)
        wait_until(lambda: bool(errand.news()))
        errand.cancel()
        assert [item for item in errand.news() if isinstance(item, Ended)] == [Ended("Cancelled")]
        assert errand.over
        wait_until(lambda: errand._process.poll() is not None)


def test_an_errand_whose_process_dies_says_so():
    with served(StsBus({})) as robot:
        arguments = {"ports": [robot.port], "protocols": ["feetech_sts"], "baudrates": [1_000_000], "lowest": 0, "highest": 252}
        errand = Errand("scan", arguments, PATIENCE)
        os.kill(errand._process.pid, signal.SIGKILL)
        news: list[News] = []
        wait_until(lambda: news.extend(errand.news()) or errand.over)
    assert isinstance(news[-1], Ended)
    assert "exit status" in news[-1].failed


def test_an_errand_that_hangs_is_ended():
    with served(StsBus({})) as robot:
        arguments = {"ports": [robot.port], "protocols": ["feetech_sts"], "baudrates": [1_000_000], "lowest": 0, "highest": 252}
        errand = Errand("scan", arguments, 0.2)
        os.kill(errand._process.pid, signal.SIGSTOP)
        news: list[News] = []
        wait_until(lambda: news.extend(errand.news()) or errand.over)
    assert "Nothing was heard" in news[-1].failed


def test_where_no_port_is_named_the_errand_looks_itself_which_there_are_and_leaves_out_those_in_use(monkeypatch):
    with served(StsBus({1: 2048.0})) as robot:
        monkeypatch.setattr("limber.hardware.scan.serial_ports", lambda: ["/dev/ttyUSED", robot.port])
        arguments = {"ports": None, "without": ["/dev/ttyUSED"], "protocols": ["feetech_sts"], "baudrates": [1_000_000]}
        news = list(run({**arguments, "lowest": 0, "highest": 3}, serial))
        assert [(one.port, one.servo) for one in found(news)] == [(robot.port, 1)]
        assert not any(isinstance(item, Remark) for item in news)
        with pytest.raises(HardwareError, match="no serial port that is free"):
            list(run({**arguments, "without": ["/dev/ttyUSED", robot.port], "lowest": 0, "highest": 3}, serial))


def test_no_protocol_is_asked_at_a_rate_that_it_does_not_offer():
    assert rates_of("feetech_sts", (115_200, 2_000_000)) == [115_200]
    assert rates_of("dynamixel", (115_200, 2_000_000)) == [115_200, 2_000_000]
    assert all(rates_of(protocol, (115_200,)) == [115_200] for protocol in SCANNED)


@pytest.mark.parametrize(("protocol", "make", "rate"), [("feetech_sts", StsBus, 1_000_000), ("dynamixel", DynamixelBus, 57_600)])
def test_a_servo_gets_another_id_and_is_read_back_by_it(protocol, make, rate):
    bus = make({1: 2048.0, 3: 1000.0})
    with served(bus) as robot:
        news = told("change", port=robot.port, protocol=protocol, baudrate=rate, servo=1, new_servo=9)
    assert [servo.servo for servo in found(news)] == [9]
    assert news[-1] == Ended()
    assert sorted(bus.servos) == [3, 9]
    if protocol == "feetech_sts":
        assert bus.servos[9].table[55] == 1, "it is locked again"


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
    with served(bus) as robot:
        news = told("change", port=robot.port, protocol="feetech_sts", baudrate=1_000_000, servo=servo, new_servo=new)
    assert words in news[-1].failed
    assert not found(news)
    assert {number: bytes(servo.table) for number, servo in bus.servos.items()} == before


def test_a_servo_that_does_not_take_its_new_id_is_told():
    class Stubborn(StsBus):
        def _write(self, number: int, start: int, data: bytes) -> None:
            if start != 5:
                super()._write(number, start, data)

    with served(Stubborn({1: 2048.0})) as robot:
        news = told("change", port=robot.port, protocol="feetech_sts", baudrate=1_000_000, servo=1, new_servo=9)
    assert "answers as 1 still" in news[-1].failed


class Swapped(StsBus):
    """Another servo stands where a new id is given, or a rate: as if two had been on the line."""

    def _write(self, number: int, start: int, data: bytes) -> None:
        super()._write(number, start, data)
        if start == 5:
            self.servos[data[0]].table[3:5] = bytes((5, 4))


class InTurns(StsBus):
    """Two servos of different models share an id, and now one, now the other is heard."""

    def _read(self, number: int, start: int, size: int) -> bytes:
        self.servos[number].table[3] ^= 1
        return super()._read(number, start, size)


class Deaf(StsBus):
    """A servo that is not heard of any more once its rate is changed."""

    def _write(self, number: int, start: int, data: bytes) -> None:
        super()._write(number, start, data)
        self.servos[number].silent = start == 6


@pytest.mark.parametrize(
    ("make", "asked", "words"),
    [
        (Swapped, {"new_servo": 9}, "As 9 answers unknown model 1029 where STS3215 was expected: connect servos one by one"),
        (InTurns, {"new_servo": 9}, "seems to have id 1 (unknown model 776 and STS3215 answered): connect the one to be changed alone"),
        (StsBus, {"new_baudrate": 1_000_000}, "Servo 1 talks at 1000000 baud already: choose another rate"),
        (Deaf, {"new_baudrate": 500_000}, "should answer at 500000 baud now and does not: switch its power off and on, then scan at both"),
    ],
)
def test_a_change_that_went_wrong_says_what_was_expected_and_what_to_do(make, asked, words, monkeypatch):
    monkeypatch.setattr(dialogue, "PATIENCE", 0.1)  # [s] the bus is a thread of a busy computer
    with served(make({1: 2048.0})) as robot:
        news = told("change", port=robot.port, protocol="feetech_sts", baudrate=1_000_000, servo=1, **asked)
    assert words in news[-1].failed
    assert not found(news)


def test_an_interpreter_that_is_not_there_is_named_with_the_remedy():
    with pytest.raises(WorkerError, match=r"cannot be started with /nowhere/python .*; reinstall Blender"):
        Errand("scan", {}, PATIENCE, python="/nowhere/python")


def test_a_servo_gets_another_baud_rate_and_is_read_back_at_it():
    bus = AtRate({1: 2048.0, 3: 1000.0})  # a pty has no rate: whatever is written is heard
    before = bus.rates
    with served(bus) as robot:
        news = told("change", port=robot.port, protocol="feetech_sts", baudrate=1_000_000, servo=1, new_baudrate=500_000)
    assert [(servo.servo, servo.baudrate) for servo in found(news)] == [(1, 500_000)]
    assert bus.rates == {**before, 1: 1}
    assert bus.servos[1].table[55] == 1, "it is locked again"


def test_servos_of_a_board_have_no_ids_to_change():
    with pytest.raises(ChangeError, match="Maestro"):
        list(change({"port": "", "protocol": "maestro", "baudrate": 1, "servo": 0, "new_servo": 1}, None))


@pytest.mark.parametrize("protocol", [OWN, *PROTOCOLS])
def test_every_protocol_says_whether_it_can_tell_where_it_is_and_what_happens_when_the_cable_breaks(protocol):
    described = describe(protocol)
    text = " ".join(described.sentences)
    assert "ell where its servos are" in text or "ells where its servos are" in text
    assert "cable breaks" in text
    assert described.baudrates
    assert all("  " not in sentence and not sentence.endswith(".") for sentence in described.sentences)


def test_a_users_file_is_described_by_another_process(sent, tmp_path):
    path = tmp_path / "my_robot.py"
    path.write_text("NAME = 'Owl'\nBAUDRATE = 9600\nREMARK = 'It hoots'\n\ndef frame(positions):\n    return b''\n")
    described, ended = sent("describe", protocol=f"file:{path}")
    assert (described.title, described.baudrates) == ("Owl", (9600,))
    assert "It hoots" in described.sentences
    assert ended == Ended()


@pytest.mark.parametrize(("source", "words"), [("def frame(", "line 1"), ("import os\nos._exit(3)\n", "exit status 3")])
def test_a_users_file_that_cannot_be_used_is_a_sentence(sent, tmp_path, source, words):
    path = tmp_path / "my_robot.py"
    path.write_text(source)
    assert words in sent("describe", protocol=f"file:{path}")[-1].failed


def test_scanning_a_board_that_talks_something_else_finds_nothing():
    with PtyRobot(LineBoard()) as robot:
        news = scan(robot.port, "feetech_sts")
    assert not found(news)
    assert news[-1] == Ended()
