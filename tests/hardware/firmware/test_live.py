"""Tests the complete chain outside Blender: a link, its worker process, a serial port and the reference
firmware.

Its faults are in tests/hardware/faults.
"""

import pytest
import serial
from limber.hardware.mixing import Mixing
from limber.hardware.protocols import limber
from limber.hardware.safety import State

from tests.hardware.emulator import EmulatedUno, require_emulator
from tests.hardware.patience import POSE, arm, wait, wait_for, wait_until
from tests.hardware.simulation import make_device

require_emulator()

BOOT_MS = 300  # [ms] time of the bootloader, shorter than a real one's second to save time


@pytest.fixture
def uno():
    with EmulatedUno(boot_ms=BOOT_MS) as uno:
        yield uno


def armed_at_pose(opened, uno: EmulatedUno, **settings):
    """A link to the Uno, whose servos have their pulses for POSE."""
    link = opened(make_device(port=uno.port, **settings))
    arm(link)
    expected = Mixing(link.device).raw(POSE)
    wait(link, lambda _: last_widths(uno) == pytest.approx(expected, abs=1.0))
    return link


def last_widths(uno: EmulatedUno) -> list[float]:
    """Last width of each channel that had a pulse."""
    return list(
        {
            pulse.channel: pulse.width_us
            for pulse in sorted(uno.pulses(), key=lambda pulse: (pulse.channel, pulse.rise_us))
        }.values()
    )


def quiet_since_us(uno: EmulatedUno, since_us: float) -> bool:
    return not [pulse for pulse in uno.pulses() if pulse.rise_us > since_us]


def test_pyserial_talks_to_it(uno):
    decoder = limber.FrameDecoder()
    with serial.Serial(uno.port, limber.BAUDRATE, timeout=0.5) as port:

        def ask(message: limber.Message, sequence: int) -> limber.Message | limber.Unreadable:
            heard = {}

            def answered() -> bool:
                heard.update(
                    (frame.sequence, frame.message)
                    for frame in decoder.feed(port.read(max(1, port.in_waiting)))
                )
                return sequence in heard

            port.write(limber.encode(message, sequence))
            wait_until(answered)
            return heard[sequence]

        # it started when the port was opened, and reports this
        wait_until(lambda: decoder.feed(port.read(40)))
        assert ask(limber.Hello(5), 1).session == 5
        ask(limber.Configure(0, 500, 2500, 4000, limber.OnSilence.HOLD), 2)
        ask(limber.Arm(5), 3)
        for k in range(100):
            if (
                ask(limber.Move((1500.0 + k,)), 10 + k).result == limber.DeviceResult.NOT_ARMED
            ):  # 250 ms have passed on a busy machine: it holds
                ask(limber.Arm(5), 3)
                assert ask(limber.Move((1500.0 + k,)), 10 + k).result == limber.DeviceResult.ACCEPTED
        pulses = uno.wait_for_pulses(lambda pulses: pulses[-1].width_us > 1598)
    assert pulses[0].width_us == pytest.approx(1500, abs=5)  # some moves may arrive before the first pulse
    assert decoder.noise == 0


def test_connecting_moves_nothing_and_arming_asks_for_the_pose(opened, uno):
    link = opened(make_device(port=uno.port))
    wait_for(link, State.DISARMED)
    link.arm()
    assert "pose" in wait_for(link, State.CONFIRM_POSE).sentence
    assert uno.pulses() == []


def test_servos_get_the_pulses_of_blender_s_angles(opened, uno):
    link = armed_at_pose(opened, uno)
    assert {pulse.channel for pulse in uno.pulses()} == {0, 1, 2}
    link.disarm()
    wait_for(link, State.DISARMED)


def test_a_stop_reaches_the_servos(opened, uno):
    link = armed_at_pose(opened, uno, on_silence="detach")
    link.stop()
    wait_for(link, State.FAULT)
    wait_until(lambda: quiet_since_us(uno, uno.stats().now_us - 100_000))


def test_a_noisy_line_does_not_stop_the_robot(opened, uno):
    link = armed_at_pose(opened, uno)
    before = last_widths(uno)
    for k in range(20):
        uno.noise(bytes((0xA5, 60, 195)) + bytes((k * 7) % 256 for k in range(k)))
        sent = link.status().sent
        wait(link, lambda status, sent=sent: status.sent > sent + 5)
    wait_for(link, State.ARMED)
    assert last_widths(uno) == pytest.approx(before, abs=1.0)
