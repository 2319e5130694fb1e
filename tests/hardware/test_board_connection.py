"""Tests the worker with boards whose servos do not measure their positions, and with a user's own robot, in
simulated time.
"""

import re
from pathlib import Path

import pytest
from limber.hardware.device import Device
from limber.hardware.mixing import Mixing
from limber.hardware.protocols.program import read_program
from limber.hardware.protocols.settings import ProtocolSettings
from limber.hardware.protocols.table import FILE
from limber.hardware.safety import Command, Fault, State

from tests.hardware.boards import LineBoard, MaestroBoard, ServoAnimationBoard
from tests.hardware.bus_simulation import Wire
from tests.hardware.devices import direct, one_to_one
from tests.hardware.simulation import LIMITS, Simulation, still, waving

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "protocols.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"^```python\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)
POSE = still(0.4, -0.3, 0.2)
BOARDS = {
    "maestro": (MaestroBoard, 4),
    "servo_animation": (ServoAnimationBoard, 1),
}  # and units per microsecond


class BoardSimulation(Simulation):
    """Blender, the worker and a board, on one simulated clock."""

    def __init__(
        self, protocol: str, board, on_silence: str = "detach", servos=(0, 1, 2), **settings
    ) -> None:
        self.bus = board
        pairs = [direct(f"joint {k}", k, LIMITS, on_silence=on_silence) for k in servos]
        program = read_program(Path(protocol.removeprefix(FILE))).digest if protocol.startswith(FILE) else ""
        device = one_to_one(
            "a port", pairs, protocol=protocol, settings=ProtocolSettings(**settings), program=program
        )
        super().__init__(device, board)

    def _connect(self, device: Device, now: float) -> Wire:
        self.cable = Wire(self)
        return self.cable

    def pulses_of(self, angles, unit: int) -> list[int]:
        return [round(raw * unit) for raw in Mixing(self.device).raw(angles)]


@pytest.fixture
def begin(closing):
    """Function that creates simulations, which are closed at the end of the test."""
    return lambda *args, **kwargs: closing(BoardSimulation(*args, **kwargs))


@pytest.mark.parametrize("protocol", BOARDS)
def test_pulses_begin_at_the_pose_that_the_user_confirmed_and_not_before(begin, protocol):
    board, unit = BOARDS[protocol]
    simulation = begin(protocol, board())
    assert simulation.run(2.0, POSE).state is State.DISARMED
    simulation.command(Command.ARM)
    assert simulation.run(1.0, POSE).state is State.CONFIRM_POSE
    assert simulation.bus.history == []
    simulation.command(Command.CONFIRM_POSE)
    simulation.run(1.0, POSE, until=State.ARMED)
    assert [pulse for _, pulse in simulation.bus.history[:3]] == simulation.pulses_of(POSE(0), unit)
    assert simulation.run(0.5, POSE).state is State.ARMED


@pytest.mark.parametrize("protocol", BOARDS)
def test_servos_follow(begin, protocol):
    board, unit = BOARDS[protocol]
    simulation = begin(protocol, board())
    simulation.arm(waving)
    report = simulation.run(2.0, waving)
    assert report.state is State.ARMED
    assert report.lost == 0
    wanted = simulation.pulses_of(report.commanded, unit)
    assert [simulation.bus.pulses[servo] for servo in range(3)] == pytest.approx(wanted, abs=20 * unit)
    assert report.measured is None


def test_a_maestro_s_pulses_end_when_it_is_disarmed_or_stopped_and_arming_asks_again(begin):
    simulation = begin("maestro", MaestroBoard())
    simulation.arm(POSE)
    simulation.command(Command.DISARM)
    simulation.run(0.2, POSE)
    assert simulation.robot.positions == (0, 0, 0)
    simulation.arm(POSE)
    simulation.stop()
    simulation.run(0.02, POSE)
    assert simulation.robot.positions == (0, 0, 0)


def test_a_maestro_s_channels_that_hold_keep_their_pulses_after_a_stop(begin):
    simulation = begin("maestro", MaestroBoard(), on_silence="hold")
    simulation.arm(POSE)
    simulation.stop()
    simulation.run(0.2, POSE)
    assert list(simulation.robot.positions) == simulation.pulses_of(POSE(0), 4)
    simulation.command(Command.CLEAR_FAULT)
    simulation.run(0.2, POSE)
    simulation.command(Command.ARM)
    simulation.run(0.1, POSE)
    assert simulation.state in (
        State.ARMING,
        State.ARMED,
    )  # the position at which they are held is known and needs no confirmation


def test_a_maestro_that_reports_an_error_in_motion_is_a_fault_in_words(begin):
    simulation = begin("maestro", MaestroBoard())
    simulation.arm(waving)
    simulation.bus.errors = 0x20
    report = simulation.run(0.5, waving)
    assert (report.state, report.fault) == (State.FAULT, Fault.DEVICE_REFUSED)
    assert "timeout" in report.detail


def test_a_maestro_that_is_not_there_is_silence(begin):
    simulation = begin("maestro", MaestroBoard())
    simulation.bus.hear = lambda data, now: b""
    report = simulation.run(8.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.SILENT)


def test_a_maestro_that_falls_silent_in_motion_is_a_fault(begin):
    simulation = begin("maestro", MaestroBoard())
    simulation.arm(waving)
    simulation.cable.broken = True
    report = simulation.run(2.0, waving)
    assert (report.state, report.fault) == (State.FAULT, Fault.SILENT)


def test_servos_that_cannot_be_made_limp_are_where_they_were_sent_and_need_no_confirmation_again(begin):
    simulation = begin("servo_animation", ServoAnimationBoard())
    simulation.arm(POSE)
    simulation.command(Command.DISARM)
    assert simulation.run(0.5, POSE).state is State.DISARMED
    simulation.command(Command.ARM)
    simulation.run(0.1, POSE)
    assert simulation.state in (State.ARMING, State.ARMED)


def test_servo_60_of_servo_animation_is_refused_with_its_channel(begin):
    simulation = begin("servo_animation", ServoAnimationBoard(), servos=(0, 1, 60))
    report = simulation.run(0.5, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.UNSUITABLE)
    assert "joint 60" in report.detail
    assert "never moves" in report.detail


@pytest.fixture
def robot_file(tmp_path):
    """Function that writes a user's file and returns its protocol's name."""

    def write(text: str) -> str:
        path = tmp_path / "my_robot.py"
        path.write_text(text, encoding="utf-8")
        return f"file:{path}"

    return write


def test_the_documents_example_is_armed_from_where_it_says_it_is_and_follows(begin, robot_file):
    simulation = begin(robot_file(EXAMPLE), LineBoard())
    simulation.arm(waving)
    assert simulation.commands[0] == pytest.approx((0.0, 0.0, 0.0), abs=1e-3)  # the board reports 1500
    report = simulation.run(2.0, waving)
    assert report.state is State.ARMED
    assert report.measured == pytest.approx(report.commanded, abs=0.1)
    simulation.command(Command.DISARM)
    simulation.run(0.2, waving)
    assert simulation.robot.positions == (0, 0, 0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import nothing_like_this", "line 1: loading it failed: ModuleNotFoundError"),
        ("def frame(positions):\n    return 7", "must give bytes"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_fault_in_words_and_the_mended_one_works_when_it_is_allowed(
    begin, robot_file, text, words
):
    protocol = robot_file(text)
    simulation = begin(protocol, LineBoard())
    report = simulation.run(0.5, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.UNSUITABLE)
    assert words in report.detail
    robot_file(EXAMPLE)
    simulation.command(Command.CLEAR_FAULT)
    report = simulation.run(0.5, POSE)
    assert "is not the program that you have allowed on this computer" in report.detail
    begin(protocol, LineBoard()).arm(POSE)


def test_a_file_that_fails_in_motion_is_a_fault_in_words_and_the_worker_goes_on(begin, robot_file):
    simulation = begin(
        robot_file(
            EXAMPLE.replace("def frame(positions):", "def frame(positions):\n    assert positions[0] < 1600")
        ),
        LineBoard(),
    )
    report = simulation.run(10.0, still(0.05, 0.0, 0.0), until=State.DISARMED)
    # detected while connecting: the board is sent the end of the range
    assert report.fault is Fault.UNSUITABLE
    assert "line 10: frame() failed: AssertionError" in report.detail


# --- a Maestro's model and its CRC
@pytest.mark.parametrize("crc", [False, True])
@pytest.mark.parametrize("channels", [6, 12, 18, 24])
def test_every_channel_of_every_maestro_moves_with_and_without_a_crc(begin, channels, crc):
    servos = (0, channels - 2, channels - 1)
    simulation = begin("maestro", MaestroBoard(channels, crc), servos=servos, channel_count=channels, crc=crc)
    simulation.run(2.0, POSE)
    simulation.command(Command.ARM)
    simulation.run(1.0, POSE)
    simulation.command(Command.CONFIRM_POSE)
    simulation.run(1.0, POSE, until=State.ARMED)
    simulation.run(1.0, POSE)
    assert [simulation.bus.pulses[servo] for servo in servos] == simulation.pulses_of([0.4, -0.3, 0.2], 4)
    assert simulation.bus.homecomings == 0


def test_a_channel_that_the_chosen_maestro_lacks_is_refused_with_the_remedy(begin):
    simulation = begin("maestro", MaestroBoard(12), servos=(0, 1, 8))
    status = simulation.run(2.0, POSE)
    assert status.fault is Fault.UNSUITABLE
    assert (
        status.detail
        == "'joint 8' (servo 8) is not among its servos, 0 to 5: give it another servo, or choose the"
        " controller's Channels"
    )
    assert simulation.bus.history == []
