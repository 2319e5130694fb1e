"""The list of ports and addresses that the user can choose."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from .device import VIRTUAL_HOBBY_PORT, VIRTUAL_PORT
from .protocols.table import capabilities_of, is_on_network


@dataclass(frozen=True, slots=True)
class Port:
    """A port to choose: `name` is the value for `Device.port`, `label` the text for the user."""

    name: str
    label: str


class Listing:
    """The list of ports for a protocol, made in a thread: some systems query each device, which can take
    seconds.

    Args:
        protocol: Name of the protocol; for one on a network, the list is that of `addresses`.

    Attributes:
        ports: The ports; None until they are listed.
    """

    def __init__(self, protocol: str = "") -> None:
        self.ports: tuple[Port, ...] | None = addresses(protocol) or None
        if self.ports is None:
            threading.Thread(target=self._list, daemon=True).start()

    def _list(self) -> None:
        self.ports = list_ports()


def addresses(protocol: str) -> tuple[Port, ...]:
    """The virtual robot, and default addresses of a robot on a network; empty for protocols of serial
    ports.
    """
    if not is_on_network(protocol):
        return ()
    usual = capabilities_of(protocol).address
    local = f"localhost:{usual.rpartition(':')[2]}"
    return (
        Port(VIRTUAL_PORT, "Virtual robot"),
        Port(usual, f"{usual}: a robot in this network"),
        Port(local, f"{local}: a daemon on this computer"),
    )


def serial_ports() -> list[str]:
    """Names of all serial ports of the system, without the virtual robots (may take seconds)."""
    return [port.name for port in list_ports() if port.name not in (VIRTUAL_PORT, VIRTUAL_HOBBY_PORT)]


def list_ports() -> tuple[Port, ...]:
    """The virtual robots and the system's serial ports; only the virtual robots if pyserial is missing or
    cannot list ports (may take seconds).
    """
    virtual = (
        Port(VIRTUAL_PORT, "Virtual robot"),
        Port(VIRTUAL_HOBBY_PORT, "Virtual robot with hobby servos (without position feedback)"),
    )
    try:
        from serial.tools.list_ports import comports

        labelled_ports = sorted((str(port.device), str(port.description or "")) for port in comports())
    except (ImportError, OSError):
        return virtual
    return virtual + tuple(
        Port(name, f"{name}: {label}" if label not in ("", "n/a", name) else name)
        for name, label in labelled_ports
    )
