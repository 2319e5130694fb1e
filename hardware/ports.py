"""Which ports there are, for the user to choose from. Knows no Blender."""

from __future__ import annotations

from dataclasses import dataclass

from .device import VIRTUAL_HOBBY_PORT, VIRTUAL_PORT


@dataclass(frozen=True, slots=True)
class Port:
    """A port to choose: `name` goes into `Device.port`, `label` says what hangs on it."""

    name: str
    label: str


def list_ports() -> tuple[Port, ...]:
    """The virtual robots, then the serial ports that the system lists; no error where it lists none or pyserial is missing."""
    virtual = (
        Port(VIRTUAL_PORT, "Virtual robot"),
        Port(VIRTUAL_HOBBY_PORT, "Virtual robot with hobby servos (cannot tell where they are)"),
    )
    try:
        from serial.tools.list_ports import comports

        found = sorted((str(port.device), str(port.description or "")) for port in comports())
    except (ImportError, OSError):
        return virtual
    return virtual + tuple(Port(name, f"{name}: {label}" if label not in ("", "n/a", name) else name) for name, label in found)
