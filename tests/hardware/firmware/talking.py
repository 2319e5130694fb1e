"""The device of the tests of the firmware's core: two channels, and their limits."""

from limber.hardware.protocols import limber
from limber.hardware.protocols.limber import Configure, DeviceReport, DeviceResult, OnSilence

from tests.hardware.emulator import Core

HOLDS, DETACHES = 0, 1  # indices of the channels
RANGE_US = (700.0, 2300.0)
SPEED = 4000  # [us/s] speed limit: 80 us from pulse to pulse
PER_PULSE_US = SPEED * 0.02
CHANNELS = [
    Configure(HOLDS, *RANGE_US, SPEED, OnSilence.HOLD),
    Configure(DETACHES, *RANGE_US, SPEED, OnSilence.DETACH),
]
SESSION = 7


def refused(core: Core, message: limber.Message) -> DeviceResult:
    """The result with which the device refuses `message`; checks that nothing has changed."""
    before = core.state, [core.pulse(channel) for channel in range(2)]
    report = core.ask(message)
    assert isinstance(report, DeviceReport)
    assert report.result != DeviceResult.ACCEPTED
    assert (core.state, [core.pulse(channel) for channel in range(2)]) == before
    return DeviceResult(report.result)
