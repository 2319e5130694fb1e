"""Fixtures with the device of `talking`, after a reset and armed."""

import pytest
from limber.hardware.protocols.limber import Move

from tests.hardware.emulator import Core
from tests.hardware.firmware.talking import CHANNELS, SESSION


@pytest.fixture
def core():
    with Core() as core:
        yield core


@pytest.fixture
def armed(core: Core) -> Core:
    """The device, armed, with both channels at 1500 us."""
    core.open_session(CHANNELS, SESSION)
    core.ask(Move((1500.0, 1500.0)))
    assert core.pulses()[:2] == (1500.0, 1500.0)
    return core
