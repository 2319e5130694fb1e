"""The reference firmware in an AVR emulator: `Timeline` in simulated time, `EmulatedUno` behind a serial
port.

from tests.hardware.emulator import EmulatedUno, require_emulator

require_emulator()  # skips the test, naming the missing Debian packages
with EmulatedUno() as uno:
    link = serial.Serial(uno.port, 115200)
    ...
    uno.wait_for_pulses(lambda pulses: len(pulses) > 10)
    uno.unplug()
"""

import pytest

from .build import missing_packages
from .core import Core
from .live import EmulatedUno, EmulatorError, Stats
from .timeline import Answer, Pulse, Run, Timeline

__all__ = [
    "Answer",
    "Core",
    "EmulatedUno",
    "EmulatorError",
    "Pulse",
    "Run",
    "Stats",
    "Timeline",
    "missing_packages",
    "require_emulator",
]


def require_emulator() -> None:
    """Skips the calling test, or a whole module, if the emulator cannot be built."""
    missing = missing_packages()
    if missing:
        pytest.skip(f"no AVR emulator here: apt-get install {' '.join(missing)}", allow_module_level=True)
