"""Tests the link with the reference firmware on an emulated Arduino Uno: from Blender's side to the pulses on
the pins.

Its faults are in tests/hardware/faults.
"""

import pytest
from limber.hardware.device import Device
from limber.hardware.link import WorkerLink
from limber.hardware.mixing import Mixing
from limber.hardware.safety import Fault, State

from tests.hardware.emulator import EmulatedUno, Pulse, require_emulator
from tests.hardware.patience import POSE, arm, wait, wait_for
from tests.hardware.simulation import make_device

require_emulator()


@pytest.fixture
def uno():
    with EmulatedUno() as uno:
        yield uno


def device_on(uno: EmulatedUno, **settings) -> Device:
    return make_device(port=uno.port, **settings)


def show(uno: EmulatedUno, link: WorkerLink, pose=POSE) -> list[Pulse]:
    """The pulses once every channel has had some at `pose`, within the firmware's accuracy of 8 us."""
    wanted = Mixing(link.device).raw(pose)

    def shown(_) -> bool:
        newest = {pulse.channel: pulse.width_us for pulse in uno.pulses()}
        return all(abs(newest.get(channel, 0.0) - width) <= 8.0 for channel, width in enumerate(wanted))

    wait(link, shown, pose)
    return uno.pulses()


def count_until_still(uno: EmulatedUno) -> int:
    """Number of pulses so far, when none has come for half a second of the device's time."""
    since, count = uno.stats().now_us, len(uno.pulses())
    while (now := uno.stats().now_us) - since < 500e3:
        if len(uno.pulses()) != count:
            since, count = now, len(uno.pulses())
    return count


def test_connecting_makes_no_pulse_and_the_armed_robot_shows_the_pose(opened, uno):
    link = opened(device_on(uno))
    wait_for(link, State.DISARMED)
    assert uno.pulses() == []
    arm(link)
    pulses = show(uno, link)
    first = {pulse.channel: pulse.width_us for pulse in reversed(pulses)}
    for channel, width in enumerate(Mixing(link.device).raw(POSE)):  # it started at the confirmed pose
        assert first[channel] == pytest.approx(width, abs=8.0)


def test_the_greeting_outlasts_the_boot_loader(opened):
    with EmulatedUno(boot_ms=1500) as uno:
        wait_for(opened(device_on(uno)), State.DISARMED)


def test_stop_ends_the_pulses_of_channels_that_detach(opened, uno):
    link = opened(device_on(uno, on_silence="detach"))
    arm(link)
    show(uno, link)
    link.stop()
    assert wait_for(link, State.FAULT).fault is Fault.STOPPED
    count = count_until_still(uno)
    link.clear_fault()
    wait_for(link, State.DISARMED)
    assert len(uno.pulses()) == count
