"""Registers of a servo: address, size and number format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..interface import ProtocolError

Order = Literal["little", "big"]


@dataclass(frozen=True, slots=True)
class Register:
    """A number in a servo's register table.

    Attributes:
        start: Address of its first byte.
        size: Number of bytes.
        signed: Whether it is in two's complement.
        sign_bit: Index of the sign bit, below which the bits are the magnitude (Feetech); None if there is no
            such bit.
        order: Byte order.
    """

    start: int
    size: int
    signed: bool = False
    sign_bit: int | None = None
    order: Order = "little"

    @property
    def end(self) -> int:
        """Address after the register's last byte."""
        return self.start + self.size

    @property
    def lowest(self) -> int:
        """Lowest number that the register can hold."""
        if self.sign_bit is not None:
            return 1 - (1 << self.sign_bit)
        return -(1 << (8 * self.size - 1)) if self.signed else 0

    @property
    def highest(self) -> int:
        """Highest number that the register can hold."""
        if self.sign_bit is not None:
            return (1 << self.sign_bit) - 1
        return (1 << (8 * self.size - self.signed)) - 1

    def pack(self, name: str, value: int) -> bytes:
        """The bytes of a number in the register.

        Raises:
            ProtocolError: The value does not fit; the message names the register `name`.
        """
        if not self.lowest <= value <= self.highest:
            raise ProtocolError(f"{name} is {value}; the servo takes {self.lowest} to {self.highest}")
        if self.sign_bit is not None and value < 0:
            return (-value | 1 << self.sign_bit).to_bytes(self.size, self.order)
        return value.to_bytes(self.size, self.order, signed=self.signed)

    def unpack(self, data: bytes) -> int:
        """The register's number from its bytes `data`."""
        value = int.from_bytes(data, self.order, signed=self.signed)
        if self.sign_bit is None:
            return value
        magnitude = value & ((1 << self.sign_bit) - 1)
        return -magnitude if value >> self.sign_bit & 1 else magnitude
