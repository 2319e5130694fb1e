"""Boards that play motion from their flash memory, and their free memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

UNO_FLASH = 32_256  # [bytes] 32 kB minus the boot loader's 512 bytes
# [bytes] the Nano's flash memory with the older boot loader of 2 kB, which most Nanos have
NANO_FLASH = 30_720
# [bytes] size of the firmware with its player (avr-size: text and data); a test builds it and compares
UNO_FIRMWARE = 8_800
PCA9685_FIRMWARE = 10_600  # [bytes] size of the firmware for a PCA9685, with Arduino's Wire
# [bytes] flash memory to assume for ESP32 and RP2040, which have 2 MB or more; the firmware with Arduino's
# core takes up to 0.4 MB
LARGE_FLASH = 1_000_000
# pins for a start button, which have no servo; 13 has an LED, 15 to 19 are A1 to A5
UNO_PINS = (13, 15, 16, 17, 18, 19)
UNO_PCA9685_PINS = (*range(2, 18),)  # all pins except those of the serial line (0, 1) and of I2C (A4, A5)


@dataclass(frozen=True, slots=True)
class Board:
    """A board with Limber's firmware.

    Attributes:
        label: Name for the user.
        flash: Flash memory for programs [bytes].
        firmware: Flash memory of the firmware with its player [bytes].
        servos: Number of servo outputs.
        button_pins: Pins for a start button; None: see the board's own documentation.
    """

    label: str
    flash: int
    firmware: int
    servos: int
    button_pins: tuple[int, ...] | None = None

    @property
    def room(self) -> int:
        """Flash memory that is free for a motion [bytes]."""
        return self.flash - self.firmware


BOARDS: Mapping[str, Board] = MappingProxyType(
    {
        "uno": Board("Arduino Uno", UNO_FLASH, UNO_FIRMWARE, 12, UNO_PINS),
        "nano": Board("Arduino Nano", NANO_FLASH, UNO_FIRMWARE, 12, UNO_PINS),
        "uno_pca9685": Board("PCA9685 on Uno", UNO_FLASH, PCA9685_FIRMWARE, 16, UNO_PCA9685_PINS),
        "nano_pca9685": Board("PCA9685 on Nano", NANO_FLASH, PCA9685_FIRMWARE, 16, UNO_PCA9685_PINS),
        "large": Board("ESP32 or RP2040", LARGE_FLASH, 400_000, 12),
        "large_pca9685": Board("PCA9685 on ESP32 or RP2040", LARGE_FLASH, 400_000, 16),
    }
)
