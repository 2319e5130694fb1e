"""Tests that the virtual robot behaves as docs/protocol.md requires of every device, and moves like
servos.
"""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from limber.hardware.protocols.limber import (
    Arm,
    Configure,
    DeviceReport,
    DeviceResult,
    DeviceState,
    Disarm,
    Features,
    FrameDecoder,
    Hello,
    Message,
    MessageKind,
    Move,
    OnSilence,
    Poll,
    Reason,
    Stop,
    Welcome,
    WrongVersion,
    encode,
    encode_raw,
)
from limber.hardware.virtual_robot import TOP_SPEED, WATCHDOG_MS, VirtualRobot

SESSION = 4660
PLACES = (1500.0, 1400.0, 1600.0)


class Host:
    """A host that talks to a robot in simulated time."""

    def __init__(self, feedback: bool = True) -> None:
        self.now = 50.0
        self.robot = VirtualRobot(PLACES, feedback, self.now)
        self.unasked: list[DeviceReport] = []
        self._decoder = FrameDecoder()
        self._sequence = 0
        self._listen(b"")

    def ask(self, message: Message) -> Message:
        """The answer to `message`."""
        self._sequence = self._sequence % 255 + 1
        (answer,) = self._listen(encode(message, self._sequence))
        return answer

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self._listen(b"")

    def open(self, speed: int = 2000, on_silence: OnSilence = OnSilence.HOLD) -> None:
        """Opens a session with every channel from 1000 to 2000 us."""
        assert isinstance(self.ask(Hello(SESSION)), Welcome)
        for channel in range(3):
            assert self.ask(Configure(channel, 1000, 2000, speed, on_silence)).result == DeviceResult.ACCEPTED

    def arm(self, **settings) -> None:
        self.open(**settings)
        assert self.ask(Arm(SESSION)).state is DeviceState.ARMED

    def _listen(self, data: bytes) -> list[Message]:
        answers = []
        for frame in self._decoder.feed(self.robot.hear(data, self.now)):
            if isinstance(frame.message, DeviceReport) and frame.message.answers is None:
                self.unasked.append(frame.message)
            else:
                assert frame.sequence == self._sequence
                answers.append(frame.message)
        return answers


def test_after_a_reset_it_says_so_and_has_no_pulse():
    host = Host()
    assert host.unasked[-1].session == 0
    assert Reason.NO_SESSION in host.unasked[-1].reasons
    assert host.robot.pulses == (None,) * 3


@pytest.mark.parametrize(
    "message", [Arm(SESSION), Move((1500.0,)), Configure(0, 1000, 2000, 100, OnSilence.HOLD)]
)
def test_without_a_handshake_nothing_is_accepted(message):
    host = Host()
    assert host.ask(message).result == DeviceResult.NO_SESSION
    assert host.robot.pulses == (None,) * 3


def test_the_handshake_says_what_it_is():
    welcome = Host().ask(Hello(SESSION))
    assert welcome.session == SESSION
    assert welcome.channels == 3
    assert welcome.watchdog_ms == WATCHDOG_MS
    assert Features.FEEDBACK in welcome.features
    assert Features.FEEDBACK not in Host(feedback=False).ask(Hello(SESSION)).features


def test_another_version_changes_nothing_and_is_told_so():
    host = Host()
    host.arm()
    assert isinstance(host.ask(Hello(9, version=2)), WrongVersion)
    assert host.robot.state is DeviceState.ARMED


def test_arming_makes_no_pulse_and_the_first_move_starts_right_there():
    host = Host()
    host.arm()
    assert host.robot.pulses == (None,) * 3
    host.ask(Move((1800.0, None, 1200.0)))
    assert host.robot.pulses == (1800.0, None, 1200.0)


@pytest.mark.parametrize(
    ("message", "result"),
    [
        (Arm(SESSION + 1), DeviceResult.WRONG_SESSION),
        (Configure(0, 1000, 2000, 100, OnSilence.HOLD), DeviceResult.NOT_DISARMED),
        (Move((1500.0,) * 4), DeviceResult.NO_SUCH_CHANNEL),
        (Move((3000.0,)), DeviceResult.OUT_OF_RANGE),
    ],
)
def test_what_does_not_fit_is_refused_and_moves_nothing(message, result):
    host = Host()
    host.arm()
    host.ask(Move((1500.0, 1500.0, 1500.0)))
    pulses = host.robot.pulses
    assert host.ask(message).result == result
    assert host.robot.pulses == pulses


def test_a_move_that_is_partly_wrong_is_refused_as_a_whole():
    host = Host()
    host.ask(Hello(SESSION))
    host.ask(Configure(0, 1000, 2000, 2000, OnSilence.HOLD))
    host.ask(Arm(SESSION))
    assert host.ask(Move((1500.0, 1500.0))).result == DeviceResult.NOT_CONFIGURED
    assert host.robot.pulses == (None,) * 3


def test_a_channel_keeps_its_range_and_its_speed():
    host = Host()
    host.arm(speed=1000)
    host.ask(Move((1500.0,)))
    report = host.ask(Move((2500.0,)))
    assert Reason.CLAMPED in report.reasons
    host.wait(0.1)
    assert host.robot.pulses[0] == pytest.approx(1600.0, abs=6.0)
    for _ in range(10):
        host.wait(0.1)
        host.ask(Move((2500.0,)))
    assert host.robot.pulses[0] == 2000.0


def test_a_move_with_an_interval_goes_in_a_straight_line():
    host = Host()
    host.arm()
    host.ask(Move((1500.0,)))
    host.ask(Move((1600.0,), interval_ms=200))
    for step in range(1, 5):
        host.wait(0.05)
        assert host.robot.pulses[0] == pytest.approx(1500.0 + 25.0 * step, abs=0.1)


@pytest.mark.parametrize(("on_silence", "kept"), [(OnSilence.HOLD, 1500.0), (OnSilence.DETACH, None)])
def test_silence_ends_the_motion_and_each_channel_does_as_configured(on_silence, kept):
    host = Host()
    host.arm(on_silence=on_silence)
    host.ask(Move((1500.0,)))
    host.wait(0.249)
    assert host.robot.state is DeviceState.ARMED
    host.wait(0.01)
    assert host.robot.state is DeviceState.HOLDING
    assert host.unasked[-1].reasons == Reason.SILENCE
    assert host.robot.pulses[0] == kept
    assert host.ask(Move((1600.0,))).result == DeviceResult.NOT_ARMED
    assert host.ask(Arm(SESSION)).state is DeviceState.ARMED


def test_a_poll_does_not_calm_the_watchdog():
    host = Host()
    host.arm()
    host.ask(Move((1500.0,)))
    for _ in range(6):
        host.wait(0.05)
        state = host.ask(Poll()).state
    assert state is DeviceState.HOLDING


def test_stop_latches_until_it_is_disarmed():
    host = Host()
    host.arm()
    host.ask(Move((1500.0,)))
    assert host.ask(Stop()).state is DeviceState.FAULT
    assert host.ask(Arm(SESSION)).result == DeviceResult.FAULT_LATCHED
    assert host.ask(Disarm()).state is DeviceState.DISARMED
    assert host.ask(Arm(SESSION)).state is DeviceState.ARMED


def test_disarm_with_release_ends_every_pulse():
    host = Host()
    host.arm()
    host.ask(Move((1500.0, 1500.0)))
    host.ask(Disarm(release=True))
    assert host.robot.pulses == (None,) * 3


def test_a_session_without_a_number_an_unknown_kind_and_a_wrong_length_are_answered():
    host = Host()
    assert host.ask(Hello(0)).result == DeviceResult.OUT_OF_RANGE
    host._sequence = 7
    (answer,) = host._listen(encode_raw(0x55, b"", 7))
    assert (answer.result, answer.answers) == (DeviceResult.UNKNOWN_KIND, 0x55)
    (answer,) = host._listen(encode_raw(MessageKind.STOP, b"x", 7))
    assert answer.result == DeviceResult.WRONG_LENGTH


def test_noise_moves_nothing_and_the_next_good_frame_is_obeyed():
    noise = Random(4)
    host = Host()
    host.arm()
    host.ask(Move((1500.0,)))
    for _ in range(50):
        host.robot.hear(noise.randbytes(40), host.now)
        assert host.robot.pulses == (1500.0, None, None)
    host.robot.hear(
        encode(Move((1600.0,)), 1) * 4, host.now
    )  # half a frame of noise may absorb the first message
    host.now += 0.1
    host.robot.hear(b"", host.now)
    assert host.robot.pulses[0] == 1600.0


def test_a_servo_follows_its_pulse_with_a_lag_and_no_faster_than_it_can():
    host = Host()
    host.arm(speed=60000)
    host.ask(Move((2000.0,)))
    before = PLACES[0]
    for _ in range(20):
        host.wait(0.005)
        position = host.robot.positions[0]
        assert 0.0 <= position - before <= TOP_SPEED * 0.005 * 1.001
        before = position
    assert position < 1999.0
    host.ask(Move((2000.0,)))
    host.wait(0.24)
    host.ask(Move((2000.0,)))
    host.wait(0.24)
    assert host.robot.positions[0] == pytest.approx(2000.0, abs=0.5)


def test_without_a_pulse_a_servo_stays():
    host = Host()
    host.open()
    host.wait(60.0)
    assert host.robot.positions == PLACES


def test_without_feedback_no_report_has_a_measured_position():
    host = Host(feedback=False)
    assert host.ask(Poll()).measured_us == ()
    assert Host().ask(Poll()).measured_us == PLACES


def test_the_virtual_robot_behind_a_real_port_runs_by_itself_as_the_documentation_says():
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "tests.hardware.pty_robot"]
    with subprocess.Popen(
        command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as robot:
        port = robot.stdout.readline().strip()
        assert Path(port).is_char_device()
        robot.stdin.close()
        assert robot.wait(30) == 0
