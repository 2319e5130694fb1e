"""Tests the pulses of a PCA9685: its registers according to the data sheet, and the bytes that the emulated
Uno writes to it.
"""

import ctypes
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from limber.hardware.protocols.limber import Configure, DeviceState, Move, OnSilence, Poll, Reason

from tests.hardware.emulator import Timeline, require_emulator
from tests.hardware.firmware import workbench

require_emulator()

NOMINAL_HZ = 25_000_000
ADDRESS = 0x40
MODE1, MODE2, FIRST_OUTPUT, ALL_OFF_HIGH, PRE_SCALE = 0x00, 0x01, 0x06, 0xFD, 0xFE
SLEEPS, COUNTS_UP, FULL_OFF = 0x10, 0x20, 0x10
OUTPUTS = 16
STEPS = 4096


class Chip:
    """A PCA9685 simulated from its data sheet: it interprets the bytes written to its registers."""

    def __init__(self, oscillator_hz: float = NOMINAL_HZ) -> None:
        self.oscillator_hz = oscillator_hz
        self.registers = {MODE1: 0x11, MODE2: 0x04, PRE_SCALE: 0x1E}
        for output in range(OUTPUTS):
            self.registers.update(
                dict(
                    zip(
                        range(FIRST_OUTPUT + 4 * output, FIRST_OUTPUT + 4 * output + 4),
                        (0, 0, 0, 0x10),
                        strict=True,
                    )
                )
            )

    def write(self, data: bytes) -> None:
        register, *values = data
        assert len(values) == 1 or self.registers[MODE1] & COUNTS_UP, (
            "several registers at once, and it does not count up"
        )
        for position, value in enumerate(values, register):
            if position == PRE_SCALE:
                assert self.registers[MODE1] & SLEEPS, "its rate can be set only while it sleeps"
            if position == ALL_OFF_HIGH:
                for output in range(OUTPUTS):
                    self.registers[FIRST_OUTPUT + 4 * output + 3] = value
            self.registers[position] = value

    @property
    def tick_us(self) -> float:
        return 1e6 * (self.registers[PRE_SCALE] + 1) / self.oscillator_hz

    def pulse(self, output: int) -> float | None:
        """The width of an output's pulse [us]; None for none."""
        on_low, on_high, off_low, off_high = (self.registers[FIRST_OUTPUT + 4 * output + k] for k in range(4))
        if self.registers[MODE1] & SLEEPS or off_high & FULL_OFF:
            return None
        return ((off_low | off_high << 8) - (on_low | on_high << 8)) % STEPS * self.tick_us


# --- the chip's registers, without a bus
@pytest.fixture(scope="module")
def library(tmp_path_factory) -> ctypes.CDLL:
    found = workbench.library(tmp_path_factory.mktemp("pca9685"), "pca9685_shim.c", "pca9685.c")
    found.shim_begin.argtypes = [ctypes.c_uint8, ctypes.c_uint32, ctypes.c_int]
    found.shim_set.argtypes = [ctypes.c_uint8, ctypes.c_uint16]
    for name in ("shim_begin", "shim_set", "shim_prescale"):
        getattr(found, name).restype = ctypes.c_uint8
    found.shim_ticks.restype = ctypes.c_uint16
    return found


def written(library: ctypes.CDLL) -> Iterator[tuple[int, bytes]]:
    """Address and bytes of each write since the last call."""
    buffer = ctypes.create_string_buffer(4096)
    count = library.shim_log(buffer)
    data = buffer.raw[:count]
    while data:
        yield data[0], data[2 : 2 + data[1]]
        data = data[2 + data[1] :]


def begun(library: ctypes.CDLL, oscillator_hz: int = NOMINAL_HZ) -> Chip:
    assert library.shim_begin(ADDRESS, oscillator_hz, -1) == 0
    return heard(library, Chip(oscillator_hz))


def heard(library: ctypes.CDLL, chip: Chip) -> Chip:
    for address, data in written(library):
        assert address == ADDRESS
        chip.write(data)
    return chip


def test_a_clock_of_25_mhz_is_divided_by_122_and_sends_no_pulse_yet(library):
    chip = begun(library)
    assert chip.registers[PRE_SCALE] == 121
    assert [chip.pulse(output) for output in range(OUTPUTS)] == [None] * OUTPUTS
    assert not chip.registers[MODE1] & SLEEPS


def test_all_pulses_end_before_anything_else_is_written(library):
    library.shim_begin(ADDRESS, NOMINAL_HZ, -1)
    assert next(written(library)) == (ADDRESS, bytes((ALL_OFF_HIGH, FULL_OFF)))


@pytest.mark.parametrize("oscillator_hz", [23_500_000, 25_000_000, 26_300_000, 27_100_000])
def test_with_the_clock_that_it_has_every_width_is_within_half_a_tick(library, oscillator_hz):
    chip = begun(library, oscillator_hz)
    assert STEPS * chip.tick_us == pytest.approx(20_000, rel=0.005)
    for units in range(500 * 8, 2500 * 8 + 1, 97):
        assert library.shim_set(3, units) == 0
        assert abs(heard(library, chip).pulse(3) - units / 8) <= 0.5 * chip.tick_us + 0.05


def test_a_clock_that_is_not_told_of_is_wrong_by_its_share(library):
    """Shows why the setting exists: a clock that is 5% faster gives pulses that are 5% shorter."""
    chip = begun(library)
    chip.oscillator_hz = 1.05 * NOMINAL_HZ
    library.shim_set(0, 1500 * 8)
    assert heard(library, chip).pulse(0) == pytest.approx(1500 / 1.05, abs=chip.tick_us)


def test_every_output_has_its_own_pulse_wherever_it_begins(library):
    chip = begun(library)
    for output in range(OUTPUTS):
        library.shim_set(output, (600 + 100 * output) * 8)
    heard(library, chip)
    assert [chip.pulse(output) for output in range(OUTPUTS)] == pytest.approx(
        [600 + 100 * k for k in range(OUTPUTS)], abs=chip.tick_us
    )


def test_a_pulse_ends_and_begins_again(library):
    chip = begun(library)
    library.shim_set(5, 1500 * 8)
    library.shim_set(5, 0)
    assert heard(library, chip).pulse(5) is None
    library.shim_set(5, 1500 * 8)
    assert heard(library, chip).pulse(5) == pytest.approx(1500, abs=chip.tick_us)


def test_what_the_chip_has_already_is_not_sent_again_and_what_it_did_not_take_is(library):
    begun(library)
    library.shim_set(2, 1500 * 8)
    assert len(list(written(library))) == 1
    library.shim_set(2, 1500 * 8)
    assert list(written(library)) == []
    library.shim_begin(ADDRESS, NOMINAL_HZ, 5)  # the first write after its settings fails
    assert library.shim_set(2, 1500 * 8) != 0
    assert library.shim_begin(ADDRESS, NOMINAL_HZ, 0) != 0


# --- the emulated Uno with a chip on its I2C lines
class Bench(Timeline):
    """The Uno with PCA9685 pulses."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "firmware.elf", folder / "bench_host")

    def chip(self, is_there: bool, restarted: bool = False) -> None:
        self._script.append(f"{self.now_us:.3f} chip {2 if restarted else int(is_there)}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("uno")
    workbench.firmware(folder, "-DLIMBER_PCA9685")
    workbench.bench(folder)
    return folder


def writes(lines: list[list[str]]) -> list[tuple[float, bytes]]:
    """Times and bytes of the writes to the chip at the usual address, without reads, which write only a
    register's number.
    """
    found = [(float(words[1]), words[2], bytes.fromhex(words[3])) for words in lines if words[0] == "I"]
    assert {address for _, address, _ in found} <= {f"{ADDRESS:02x}"}
    return [(at, data) for at, _, data in found if len(data) > 1]


def configured() -> list[Configure]:
    return [
        Configure(channel, 500.0, 2500.0, 65535, OnSilence.DETACH if channel % 2 else OnSilence.HOLD)
        for channel in range(OUTPUTS)
    ]


def test_a_moved_uno_writes_every_width_to_the_chip(folder):
    timeline = Bench(folder)
    timeline.open_session(configured())
    wanted = tuple(700.0 + 100.0 * channel for channel in range(OUTPUTS))
    for _ in range(10):
        timeline.send(Move(wanted))
        timeline.wait(10_000)
    chip = Chip()
    for _, data in writes(timeline.play()):
        chip.write(data)
    assert [chip.pulse(channel) for channel in range(OUTPUTS)] == pytest.approx(
        wanted, abs=0.5 * chip.tick_us + 0.05
    )


def test_a_new_width_is_written_within_a_period_and_one_at_a_time_on_the_bus(folder):
    timeline = Bench(folder)
    timeline.open_session(configured())
    sent = []
    for k in range(30):
        sent.append(timeline.now_us)
        timeline.send(Move((1000.0 + 20.0 * k,)))
        timeline.wait(40_000)
    times = [at for at, data in writes(timeline.play()) if data[0] == FIRST_OUTPUT and at > sent[0]]
    assert len(times) == len(sent)
    assert (
        max(at - begun_at for at, begun_at in zip(times, sent, strict=True)) < 20_000 + 4_000
    )  # a period, and 1.4 ms on the line
    assert min(later - sooner for sooner, later in pairwise(times)) > 15_000


def test_silence_ends_the_pulses_of_what_detaches_and_leaves_the_others(folder):
    timeline = Bench(folder)
    timeline.open_session(configured())
    timeline.send(Move((1500.0, 1600.0)))
    timeline.wait(500_000)
    chip = Chip()
    for _, data in writes(timeline.play()):
        chip.write(data)
    assert chip.pulse(0) == pytest.approx(1500.0, abs=chip.tick_us)
    assert chip.pulse(1) is None


def test_before_a_position_is_given_the_chip_has_no_pulse(folder):
    timeline = Bench(folder)
    timeline.open_session(configured())
    timeline.wait(200_000)
    chip = Chip()
    for _, data in writes(timeline.play()):
        chip.write(data)
        assert [chip.pulse(channel) for channel in range(OUTPUTS)] == [None] * OUTPUTS


def test_a_chip_that_does_not_answer_is_told_to_the_computer_and_begun_anew_when_it_does(folder):
    timeline = Bench(folder)
    timeline.open_session(configured())
    timeline.send(Move((1500.0,)))
    timeline.wait(100_000)
    timeline.chip(False)
    timeline.send(Move((1600.0,)))
    timeline.wait(100_000)
    gone = timeline.send(Poll())
    timeline.wait(50_000)
    timeline.chip(True)
    back_at = timeline.now_us
    timeline.wait(100_000)
    back = timeline.send(Poll())
    timeline.wait(50_000)
    run = timeline.run()
    assert run.answer_to(gone).reasons & Reason.HARDWARE
    assert not run.answer_to(back).reasons & Reason.HARDWARE
    assert run.answer_to(back).state in (DeviceState.ARMED, DeviceState.HOLDING)
    again = [data for at, data in writes(timeline.play()) if at > back_at]
    assert again[0] == bytes((ALL_OFF_HIGH, FULL_OFF))


def test_a_chip_that_lost_its_supply_for_a_moment_is_told_to_the_computer_and_begun_anew(folder):
    timeline = Bench(folder)
    timeline.open_session(configured())
    restarted_at = timeline.now_us + 300_000
    for _ in range(100):
        if timeline.now_us >= restarted_at > timeline.now_us - 10_000:
            timeline.chip(is_there=True, restarted=True)
        timeline.send(Move((1500.0, 1600.0)))
        timeline.wait(10_000)
    run, lines = timeline.run(), writes(timeline.play())
    told = [
        answer.at_us
        for answer in run.answers
        if Reason.HARDWARE in getattr(answer.message, "reasons", Reason(0))
    ]
    assert restarted_at < told[0] < restarted_at + 600_000
    assert max(told) < told[0] + 50_000
    chip = Chip()
    for _, data in (one for one in lines if one[0] > restarted_at):
        chip.write(data)
    assert (chip.pulse(0), chip.pulse(1)) == pytest.approx((1500.0, 1600.0), abs=0.5 * chip.tick_us + 0.05)
