"""Raw positions as servo pulses, for formats that store these."""

from __future__ import annotations

from ..device import Device
from ..errors import ExportError
from ..protocols.table import FILE, capabilities_of
from .motion import Motion

OWN_PROTOCOL = "limber"  # Limber's protocol, whose raw positions are pulses [us]


def check_pulses(device: Device, what: str) -> None:
    """Raise unless the robot's raw positions are servo pulses.

    Raises:
        ExportError: The format, named `what` in the message, is for hobby servos only.
    """
    if device.protocol == OWN_PROTOCOL:
        return
    if device.protocol.startswith(FILE):
        raise ExportError(
            f"{what}: it is not known whether the robot's own protocol has servo pulses; export CSV or JSON"
        )
    units = capabilities_of(device.protocol).units
    if units.microsecond is None:
        raise ExportError(
            f"{what} is for servos that take pulses, and the robot's take {units.name}; export CSV or JSON"
        )


def rounded(motion: Motion, units_per_us: int) -> list[tuple[int, ...]]:
    """Positions (samples, channels) as integers in units of 1 / `units_per_us` [us], rounded as in the robot
    link.
    """
    return [tuple(round(pulse * units_per_us) for pulse in row) for row in motion.positions]
