"""User settings of protocols."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class ProtocolSettings:
    """Settings of a device's protocol; each protocol uses the ones that its table entry names.

    Attributes:
        multi_turn: Whether the servos' goals may exceed one revolution.
        channel_count: Number of channels of the controller.
        crc: Whether the controller expects a CRC after each command.
    """

    multi_turn: bool = False
    channel_count: int = 6
    crc: bool = False

    def changed(self) -> tuple[str, ...]:
        """Names of the settings that differ from their defaults."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name) != field.default)


DEFAULT = ProtocolSettings()
