"""Addresses of robots on a network. Opens no connection, so that Blender's side may import it."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address

from .errors import DeviceError


@dataclass(frozen=True, slots=True)
class Address:
    """Host and port of a robot's service."""

    host: str
    port: int

    @property
    def authority(self) -> str:
        """Host and port as text, as in a URL."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether this is certainly this computer, known without a name server."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:  # a host name
            return self.host.lower() == "localhost"


LONGEST_PORT = 5  # number of digits of the longest port number


def address_of(text: str, port: int = 8000) -> Address:
    """The address written as "host", "host:port" or "[IPv6]:port"; `port` is used if the text has none.

    Raises:
        DeviceError: The text is no address; the message shows the format.
    """
    host, number = text.strip(), ""
    # an IPv6 address has colons itself, so that a port needs brackets around it, as in a URL
    if host.startswith("["):
        host, closed, number = host[1:].partition("]")
        is_valid = bool(closed) and (not number or number.startswith(":"))
        number = number.removeprefix(":")
    else:
        host, colon, number = host.partition(":")
        is_valid = not colon or bool(number)
    if not (is_valid and _is_host(host) and (not number or _is_port(number))):
        raise DeviceError(
            f"'{text.strip()}' is no address of a robot: write host and port, such as"
            f" reachy-mini.local:{port}"
        )
    return Address(host, int(number) if number else port)


def _is_host(text: str) -> bool:
    return bool(text) and all(character.isprintable() and character not in " /\\@" for character in text)


def _is_port(text: str) -> bool:
    is_number = text.isascii() and text.isdecimal() and len(text) <= LONGEST_PORT
    return is_number and 0 < int(text) < 65536
