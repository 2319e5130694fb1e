"""Tests pulses of boards without an emulator: compiled with stand-ins for the called functions, whose
arguments are checked.
"""

import ctypes

import pytest
from limber.hardware.protocols import limber
from limber.hardware.protocols.limber import Arm, Configure, Hello, Move, OnSilence

from tests.hardware.emulator import require_emulator
from tests.hardware.firmware import workbench

require_emulator()

CORE = ("frame.c", "channel.c", "device.c")
CHANNELS = 12
WIDTHS = tuple(600.0 + 150.0 * channel for channel in range(CHANNELS))
ESP32 = ("-DARDUINO_ARCH_ESP32", "-DCONFIG_IDF_TARGET_ESP32=1", f"-I{workbench.HERE / 'stubs' / 'esp32'}")
RP2040 = ("-DARDUINO_ARCH_RP2040", f"-I{workbench.HERE / 'stubs' / 'rp2040'}")
ESP32_PINS = (4, 13, 14, 18, 19, 21, 22, 23, 25, 26, 27, 32)
RP2040_PINS = tuple(range(2, 14))


def board(folder, source: str, *options: str) -> ctypes.CDLL:
    found = workbench.library(folder, "board_shim.cpp", source, *CORE, options=options)
    for name in ("shim_duty", "shim_bits", "shim_rate", "shim_divider", "shim_wrap", "shim_enabled"):
        getattr(found, name).restype = ctypes.c_uint32
    return found


@pytest.fixture(scope="module", params=[2, 3], ids=lambda version: f"core {version}")
def esp32(request, tmp_path_factory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp(f"esp32_{request.param}")
    return board(folder, "pulses_esp32.cpp", *ESP32, f"-DESP_ARDUINO_VERSION_MAJOR={request.param}")


@pytest.fixture(scope="module")
def rp2040(tmp_path_factory) -> ctypes.CDLL:
    return board(tmp_path_factory.mktemp("rp2040"), "pulses_rp2040.cpp", *RP2040)


def send(found: ctypes.CDLL, *messages: limber.Message) -> None:
    for message in messages:
        data = limber.encode(message, 1)
        found.shim_receive(data, len(data))


def armed(found: ctypes.CDLL, clock_hz: int = 125_000_000) -> None:
    found.shim_begin(clock_hz)
    channels = [Configure(k, 500.0, 2500.0, 65535, OnSilence.DETACH) for k in range(CHANNELS)]
    send(found, Hello(7), *channels, Arm(7))
    found.shim_period()


def test_an_esp32_sends_each_channel_s_width_on_its_pin(esp32):
    armed(esp32)
    assert [esp32.shim_duty(pin) for pin in ESP32_PINS] == [0] * CHANNELS
    send(esp32, Move(WIDTHS))
    esp32.shim_period()
    assert {esp32.shim_rate(pin) for pin in ESP32_PINS} == {50}
    ticks_us = [20_000 / 2 ** esp32.shim_bits(pin) for pin in ESP32_PINS]
    sent = [esp32.shim_duty(pin) * tick for pin, tick in zip(ESP32_PINS, ticks_us, strict=True)]
    assert sent == pytest.approx(WIDTHS, abs=0.5 * ticks_us[0])


def test_an_esp32_s_pulses_end_at_a_stop_where_channels_detach(esp32):
    armed(esp32)
    send(esp32, Move(WIDTHS))
    esp32.shim_period()
    send(esp32, limber.Stop())
    esp32.shim_period()
    assert [esp32.shim_duty(pin) for pin in ESP32_PINS] == [0] * CHANNELS


@pytest.mark.parametrize("clock_mhz", [125, 133, 150, 200])
def test_an_rp2040_sends_each_channel_s_width_on_its_pin_whatever_its_clock(rp2040, clock_mhz):
    armed(rp2040, clock_mhz * 1_000_000)
    send(rp2040, Move(WIDTHS))
    rp2040.shim_period()
    slices = {(pin >> 1) & 7 for pin in RP2040_PINS}
    ticks = {rp2040.shim_divider(one) / 16 / clock_mhz for one in slices}  # [us] duration of a tick
    assert len(ticks) == 1
    tick_us = ticks.pop()
    assert [(rp2040.shim_wrap(one) + 1) * tick_us for one in slices] == pytest.approx(
        [20_000] * len(slices), rel=1e-3
    )
    assert rp2040.shim_enabled() == sum(1 << one for one in slices)
    assert [rp2040.shim_duty(pin) * tick_us for pin in RP2040_PINS] == pytest.approx(
        WIDTHS, rel=1e-3, abs=0.5 * tick_us
    )


def test_an_rp2040_has_no_pulse_before_a_position_and_none_after_a_release(rp2040):
    armed(rp2040)
    assert [rp2040.shim_duty(pin) for pin in RP2040_PINS] == [0] * CHANNELS
    send(rp2040, Move(WIDTHS))
    rp2040.shim_period()
    send(rp2040, limber.Disarm(release=True))
    rp2040.shim_period()
    assert [rp2040.shim_duty(pin) for pin in RP2040_PINS] == [0] * CHANNELS
