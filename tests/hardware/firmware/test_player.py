"""Tests motion from flash: the output of the firmware's player for a table, on this machine and on the
emulated Uno, against the live stream.
"""

import ctypes
from itertools import pairwise
from pathlib import Path

import pytest
from limber.hardware.mixing import Mixing
from limber.hardware.motion_files import FORMATS, Settings
from limber.hardware.motion_files.boards import BOARDS, NANO_FLASH
from limber.hardware.motion_files.motion import sample
from limber.hardware.motion_files.table import MotionTable, Track, encode
from limber.hardware.protocols import limber
from limber.hardware.protocols.limber import DeviceState, Features, Hello, Poll, Reason, Welcome
from limber.hardware.worker.configuration import configurations
from limber.hardware.worker.drive import Drive
from limber.hardware.worker.limber_connection import move_to

from tests.hardware.emulator import Run, Timeline, require_emulator
from tests.hardware.exporting import device, filtered, motion
from tests.hardware.firmware import workbench

require_emulator()

UNITS = limber.UNITS_PER_US
CHANNELS = 12
PERIOD_S = 0.02
DELAY_ROUNDS = 101  # two seconds of rounds of 20 ms, and the round in which it begins
APPROACH = 255 * 8 * PERIOD_S  # [1/8 us] speed per round
WAITING, APPROACHING, PLAYING, OVER = range(4)
TOLERANCE_US = 1.0  # tolerance of a pulse on an emulated pin


# --- the player alone
@pytest.fixture(scope="module")
def library(tmp_path_factory) -> ctypes.CDLL:
    sources = ("frame.c", "channel.c", "device.c", "table.c", "player.c")
    found = workbench.library(tmp_path_factory.mktemp("player"), "player_shim.c", *sources)
    found.shim_play.restype = ctypes.c_void_p
    found.shim_play.argtypes = [ctypes.c_char_p, ctypes.c_uint32]
    for name in ("shim_end", "shim_press", "shim_phase", "shim_receive", "shim_round"):
        getattr(found, name).argtypes = [ctypes.c_void_p]
    found.shim_press.argtypes = [ctypes.c_void_p, ctypes.c_int]
    found.shim_receive.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint32]
    found.shim_round.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    return found


class Player:
    """The firmware with a motion in its flash, whose button is pressed (or which has none)."""

    def __init__(self, library: ctypes.CDLL, table: bytes, now_us: int = 0) -> None:
        self._library = library
        self._table = table  # kept, since the player reads the table in this memory
        self._player = library.shim_play(table, now_us)

    def close(self) -> None:
        self._library.shim_end(self._player)

    @property
    def phase(self) -> int:
        return self._library.shim_phase(self._player)

    def press(self, down: bool) -> None:
        self._library.shim_press(self._player, down)

    def hear(self, message: limber.Message) -> None:
        data = limber.encode(message, 1)
        self._library.shim_receive(self._player, data, len(data))

    def round(self) -> tuple[int, ...]:
        widths = (ctypes.c_uint16 * CHANNELS)()
        self._library.shim_round(self._player, widths)
        return tuple(widths)

    def rounds(self, count: int) -> list[tuple[int, ...]]:
        return [self.round() for _ in range(count)]


@pytest.fixture
def play(library, closing):
    """Function that creates players, which are closed at the end of the test."""

    def make(table: MotionTable | bytes, now_us: int = 0) -> Player:
        return closing(Player(library, table if isinstance(table, bytes) else encode(table), now_us))

    return make


def track(
    *positions: int,
    servo: int = 0,
    detaches: bool = False,
    speed: int = 65535,
    lowest: int = 4000,
    highest: int = 20000,
) -> Track:
    return Track(servo, detaches, lowest, highest, speed, positions)


RISE = tuple(range(12000, 12200, 20))
FALL = tuple(reversed(RISE))


def test_it_waits_two_seconds_then_plays_every_row_and_holds_or_ends_as_each_channel_wants(play):
    player = play(MotionTable((track(*RISE, servo=2), track(*FALL, servo=5, detaches=True)), 1, False))
    found = player.rounds(DELAY_ROUNDS + len(RISE) + 3)
    assert set(found[: DELAY_ROUNDS - 1]) == {(0,) * CHANNELS}
    played = found[DELAY_ROUNDS:]
    assert [row[2] for row in played] == [*RISE, RISE[-1], RISE[-1], RISE[-1]]
    assert [row[5] for row in played] == [*FALL, 0, 0, 0]
    assert {width for row in found for k, width in enumerate(row) if k not in (2, 5)} == {0}


def test_a_loop_begins_anew_with_the_pulse_after_the_last(play):
    there_and_back = RISE + FALL[1:]
    player = play(MotionTable((track(*there_and_back),), 1, True))
    found = player.rounds(DELAY_ROUNDS + 3 * len(there_and_back))
    assert [row[0] for row in found[DELAY_ROUNDS:]] == list(there_and_back) * 3


def test_pulses_between_rows_lie_on_straight_lines(play):
    player = play(MotionTable((track(12000, 12000, 12500, 11000),), 5, False))
    widths = [row[0] for row in player.rounds(DELAY_ROUNDS + 20)[DELAY_ROUNDS:]]
    assert widths == [12000] * 10 + [12100, 12200, 12300, 12400, 12500] + [12200, 11900, 11600, 11300, 11000]


def test_the_button_starts_it_and_only_a_new_press_does_so_again_slowly_from_where_it_stands(play):
    player = play(MotionTable((track(*RISE),), 1, False))
    player.press(False)
    assert set(player.rounds(DELAY_ROUNDS + 50)) == {(0,) * CHANNELS}
    player.press(True)
    assert [row[0] for row in player.rounds(len(RISE) + 1)][1:] == list(RISE)
    held = player.rounds(20)
    assert {row[0] for row in held} == {RISE[-1]}
    player.press(False)
    player.rounds(2)
    player.press(True)
    again = [RISE[-1], *(row[0] for row in player.rounds(20))]
    approach = again[: again.index(RISE[0]) + 1]
    assert [before - after for before, after in pairwise(approach)][:-1] == [int(APPROACH)] * (
        len(approach) - 2
    )
    assert again[len(approach) : len(approach) + 3] == list(RISE[:3])


@pytest.mark.parametrize(
    ("message", "rounds"),
    [
        (Hello(7), 50),
        (limber.Stop(), 50),
        *(
            (message, DELAY_ROUNDS + 5)
            for message in (Hello(7), limber.Stop(), limber.Disarm(), limber.Disarm(release=True))
        ),
    ],
)
def test_a_computer_ends_it_for_good(play, message, rounds):
    player = play(MotionTable((track(*RISE * 10),), 1, True))
    player.rounds(rounds)
    player.hear(message)
    stopped = player.rounds(300)
    assert len(set(stopped)) == 1
    assert player.phase == OVER


def test_what_leaves_the_channel_s_range_or_is_faster_than_its_speed_is_held_back_as_in_a_live_move(play):
    player = play(
        MotionTable((track(12000, 12000, 19000, 19000, 19000, 19000, speed=1000, highest=12400),), 1, False)
    )
    widths = [row[0] for row in player.rounds(DELAY_ROUNDS + 6)[DELAY_ROUNDS:]]
    steps = [after - before for before, after in pairwise(widths)]
    assert widths[-1] == 12400
    assert max(steps) <= 1000 * 8 * PERIOD_S
    assert steps[1] >= 1000 * 8 * PERIOD_S - 1  # at the speed limit, rounded down


@pytest.mark.parametrize(
    "table",
    [
        bytes((2,)) + encode(MotionTable((track(*RISE),), 1, False))[1:],
        encode(MotionTable((track(*RISE, servo=12),), 1, False)),
        encode(MotionTable((track(*RISE, lowest=3999),), 1, False)),
        encode(MotionTable((track(*RISE, highest=20001),), 1, False)),
        encode(MotionTable((track(*RISE),), 0, False)),
    ],
    ids=["another version", "a servo too many", "below the board's range", "above it", "no pulses a row"],
)
def test_a_table_that_does_not_fit_the_board_is_not_played(play, table):
    player = play(table)
    assert player.phase == OVER
    assert set(player.rounds(DELAY_ROUNDS + 10)) == {(0,) * CHANNELS}


def test_an_exported_motion_is_played_to_the_last_bit(play):
    found = motion(loops=True, robot=device(12))
    wanted = [tuple(round(UNITS * position) for position in row) for row in found.positions]
    player = play(_bytes(FORMATS["firmware"].make(found, Settings())))
    assert player.rounds(DELAY_ROUNDS + 2 * len(wanted))[DELAY_ROUNDS:] == wanted * 2


def _bytes(header: bytes) -> bytes:
    numbers = header.decode("ascii").partition("= {")[2].partition("}")[0]
    return bytes(int(number) for number in numbers.replace("\n", " ").split(",")[:-1])


# --- on the emulated Uno, against the live stream
TAKE = filtered(device(12))
MOTION = motion(robot=device(12))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("playing")
    header = folder / "limber_motion.h"
    header.write_bytes(FORMATS["firmware"].make(MOTION, Settings()))
    workbench.firmware(folder, motion=header)
    return folder


def polled(timeline: Timeline, seconds: float) -> None:
    """Asks for the commanded widths twice per pulse."""
    for _ in range(round(2 * seconds / PERIOD_S)):
        timeline.send(Poll())
        timeline.wait(1e6 * PERIOD_S / 2)


def sequences(rows: list[tuple[int | None, ...]]) -> list[list[int]]:
    """Widths commanded to each channel in turn [1/8 us], without repetitions and without missing pulses."""
    columns = ([width for width in column if width is not None] for column in zip(*rows, strict=True))
    return [
        [width for k, width in enumerate(column) if not k or column[k - 1] != width] for column in columns
    ]


def commanded(run: Run) -> list[list[int]]:
    """The same widths, from the device's reports."""
    return sequences(
        [
            tuple(None if width is None else round(UNITS * width) for width in report.commanded_us)
            for report in run.reports()
        ]
    )


@pytest.fixture(scope="module")
def played(folder) -> Run:
    timeline = Timeline(folder / "firmware.elf")
    timeline.wait(1_900_000)
    polled(timeline, MOTION.seconds + 0.5)
    return timeline.run()


@pytest.fixture(scope="module")
def streamed() -> tuple[Run, list[tuple[int, ...]]]:
    """The same frames as the robot link plays them back: with its limiter and its codec, one move per
    pulse.
    """
    robot = MOTION.device
    mixing, welcome = (
        Mixing(robot),
        Welcome(7, (1, 1), CHANNELS, Features(0), 500.0, 2500.0, 20_000, 250, "Uno"),
    )
    timeline = Timeline()
    timeline.open_session(list(configurations(robot)))
    rows = sample(TAKE, 1 / PERIOD_S)
    drive = Drive(robot.joints, mixing.ranges, [joint.position for joint in rows[0]])
    commands = []
    for index, goal in enumerate(rows):
        if index:
            drive.follow(goal, PERIOD_S)
        move = move_to(robot, welcome, mixing.raw(drive.commanded), PERIOD_S)
        commands.append(tuple(round(UNITS * width) for width in move.positions_us))
        timeline.send(move)
        timeline.wait(1e6 * PERIOD_S / 2)
        timeline.send(Poll())
        timeline.wait(1e6 * PERIOD_S / 2)
    return timeline.run(), commands


def test_played_from_flash_the_commanded_widths_are_the_live_stream_s_exactly(played, streamed):
    live, commands = streamed
    assert min(map(len, sequences(commands))) > 100
    assert commanded(played) == sequences(commands)
    assert commanded(live) == sequences(commands)


def test_the_pulses_on_the_pins_are_the_table_s_rows_one_after_the_other(played):
    for channel in range(CHANNELS):
        widths = [pulse.width_us for pulse in played.pulses_of(channel)]
        column = [row[channel] for row in MOTION.positions]
        wanted = [column[0], *column, column[-1]]  # it begins at the first row, and holds the last one
        assert widths[: len(wanted)] == pytest.approx(wanted, abs=TOLERANCE_US)


def test_nothing_moves_in_the_first_two_seconds_and_reports_say_when_it_does(played):
    assert min(pulse.rise_us for pulse in played.pulses) > 2_000_000
    states = [report.state for report in played.reports()]
    assert (states[0], states[-1]) == (DeviceState.DISARMED, DeviceState.DISARMED)
    assert DeviceState.ARMED in states
    assert {report.session for report in played.reports()} == {0}


def test_a_computer_that_connects_while_it_plays_has_the_robot(folder):
    timeline = Timeline(folder / "firmware.elf")
    timeline.wait(3_000_000)
    timeline.send(Hello(9))
    greeted = timeline.now_us
    timeline.wait(300_000)
    poll = timeline.send(Poll())
    timeline.wait(20_000)
    run = timeline.run()
    report = run.answer_to(poll)
    assert (report.state, report.session, report.reasons) == (DeviceState.DISARMED, 9, Reason(0))
    for channel in range(CHANNELS):
        widths = [pulse.width_us for pulse in run.pulses_of(channel, greeted + 50_000)]
        assert len(widths) > 8
        assert max(widths) - min(widths) <= TOLERANCE_US


class Bench(Timeline):
    """An Uno with a button between A1 and ground."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "firmware.elf", folder / "bench_host")
        self.press(False)

    def press(self, down: bool) -> None:
        self._script.append(f"{self.now_us:.3f} pin 15 {int(not down)}")


def test_with_a_button_no_servo_has_a_pulse_before_it_is_pressed(tmp_path):
    header = tmp_path / "limber_motion.h"
    header.write_bytes(FORMATS["firmware"].make(motion(seconds=0.5), Settings(start_pin=15)))
    workbench.firmware(tmp_path, motion=header)
    workbench.bench(tmp_path)
    timeline = Bench(tmp_path)
    timeline.wait(4_000_000)
    timeline.press(True)
    pressed = timeline.now_us
    timeline.wait(100_000)
    timeline.press(False)
    timeline.wait(400_000)
    pulses = timeline.run().pulses
    assert {pulse.channel for pulse in pulses} == set(range(6))
    assert pressed < min(pulse.rise_us for pulse in pulses) < pressed + 50_000


@pytest.mark.parametrize(("name", "flags"), [("uno", ""), ("uno_pca9685", "-DLIMBER_PCA9685")])
def test_a_board_s_room_is_what_the_firmware_leaves(tmp_path, name, flags):
    """The motion for a full board must fit, with little unused memory."""
    header = tmp_path / "limber_motion.h"
    found = motion(seconds=0.5)
    header.write_bytes(FORMATS["firmware"].make(found, Settings()))
    taken = workbench.flash_taken(workbench.firmware(tmp_path, flags, header)) - len(
        _bytes(header.read_bytes())
    )
    print(f"{name}: the firmware and its player take {taken} bytes")
    assert taken <= BOARDS[name].firmware <= taken + 256
    assert BOARDS[name.replace("uno", "nano")].flash == NANO_FLASH
