"""The link with the reference firmware on an emulated Arduino Uno: from Blender's side down to the pulses on the pins."""

import pytest
from limber.hardware.device import Device
from limber.hardware.link import Link
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


def show(uno: EmulatedUno, link: Link, pose=POSE) -> list[Pulse]:
    """The pulses once every channel has had some at `pose`, within the 8 us that the firmware promises."""
    wanted = Mixing(link.device).raw(pose)

    def shown(_) -> bool:
        newest = {pulse.channel: pulse.width_us for pulse in uno.pulses()}
        return all(abs(newest.get(channel, 0.0) - width) <= 8.0 for channel, width in enumerate(wanted))

    wait(link, shown, pose)
    return uno.pulses()


def count_until_still(uno: EmulatedUno) -> int:
    """How many pulses have come when, for half a second of the device's time, no more did."""
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
    for channel, width in enumerate(Mixing(link.device).raw(POSE)):  # started at the confirmed pose
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


def test_a_reset_in_motion_ends_disarmed_without_pulses(opened, uno):
    link = opened(device_on(uno))
    arm(link)
    show(uno, link)
    uno.reset()
    assert wait_for(link, State.FAULT).fault is Fault.DEVICE_RESET
    count_until_still(uno)
    link.clear_fault()
    arm(link)
    uno.forget_pulses()
    show(uno, link)


def test_a_cable_pulled_in_motion_is_noticed_and_plugging_in_connects_again(opened, uno):
    link = opened(device_on(uno))
    arm(link)
    uno.unplug()
    assert wait_for(link, State.FAULT).fault is Fault.UNPLUGGED
    link.clear_fault()
    assert wait(link, lambda status: status.fault is Fault.PORT_MISSING).state is State.FAULT
    uno.plug()
    link.clear_fault()
    arm(link)
    uno.forget_pulses()
    show(uno, link)


def test_a_processor_that_hangs_is_noticed(opened, uno):
    link = opened(device_on(uno))
    arm(link)
    uno.freeze()
    assert wait_for(link, State.FAULT).fault is Fault.SILENT
    uno.thaw()
    link.clear_fault()
    wait_for(link, State.DISARMED)


def test_noise_on_the_line_moves_nothing_and_ends_nothing(opened, uno):
    link = opened(device_on(uno))
    arm(link)
    show(uno, link)
    uno.forget_pulses()
    for _ in range(20):
        uno.noise(bytes(range(1, 60, 3)))
        link.send(POSE)
    uno.wait_for_pulses(lambda pulses: len(pulses) >= 30)
    assert wait_for(link, State.ARMED).state is State.ARMED
    for pulse in uno.pulses():
        assert pulse.width_us == pytest.approx(Mixing(link.device).raw(POSE)[pulse.channel], abs=8.0)
