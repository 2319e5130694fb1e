"""Register table of a servo family, for `BusCodec` and `BusDecoder`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..interface import Identified, ProtocolError, Quantity, ReportedError
from ..servo_state import Expected, LostSetting
from .registers import Register
from .requirements import Requirements, span_of

EVERY_ERROR = 0xFF  # all bits of a status' error byte
TRIPPED = 0xFF  # value of a watchdog's register after it has stopped the servo
HEARD_NOTHING = "it heard nothing for too long and stopped by itself"


@dataclass(frozen=True, slots=True)
class RegisterTable:
    """Registers, models and error codes of a servo family.

    Attributes:
        torque: Register that switches torque on.
        goal: Register of the goal.
        speed: Register of the maximum speed.
        speed_unit: Raw positions per second in one unit of `speed`.
        servo_id: Register of the id.
        baudrate: Register of the baud rate; `baudrates` has its numbers.
        quantities: Registers of the readable quantities.
        requirements: Values that registers must hold before a servo is driven.
        models: Model names by number.
        baudrates: Register numbers by baud rate [bit/s].
        model: Register of the model number, read to identify a servo if the answer to a ping does not contain
            it.
        firmware: Register of the firmware's version.
        flags: Meaning of the bits of a status' error byte.
        codes: Meaning of the error codes in the bits beyond `flags`, with which a servo refuses a command.
        hardware_flags: Meaning of the bits of the hardware error register.
        hardware_errors: The hardware error register, if there is one.
        ping_tells: Whether the answer to a ping carries model and firmware.
        eeprom_lock: Register that locks the EEPROM, if there is one.
        watchdog: Register of the watchdog, if there is one.
        watchdog_unit: Unit of the watchdog register [s].
        firmware_parts: Number of parts of a version: 2 for "2.4", 1 for "46".
    """

    torque: Register
    goal: Register
    speed: Register
    speed_unit: float
    servo_id: Register
    baudrate: Register
    quantities: Mapping[Quantity, Register]
    requirements: Requirements
    models: dict[int, str]
    baudrates: Mapping[int, int]
    model: Register
    firmware: Register
    flags: Mapping[int, str]
    codes: Mapping[int, str] = field(default_factory=dict)
    hardware_flags: Mapping[int, str] = field(default_factory=dict)
    hardware_errors: Register | None = None
    ping_tells: bool = False
    eeprom_lock: Register | None = None
    watchdog: Register | None = None
    watchdog_unit: float = 0.0
    firmware_parts: Literal[1, 2] = 1

    def status_errors(self, error: int) -> list[str]:
        """Error messages for the bits and code in a status' error byte."""
        texts = [text for bit, text in self.flags.items() if error & bit]
        code = self._code(error)
        if code:
            texts.append(self.codes.get(code, f"it refused the order with the unknown error {code}"))
        return texts

    def refused(self, error: int) -> bool:
        """Whether an error byte in an answer says that the command was not executed."""
        return bool(self._code(error))

    @property
    def error_span(self) -> tuple[int, int] | None:
        """First address and size [bytes] of the registers that report errors; None if every answer reports
        errors.
        """
        registers = [register for register in (self.hardware_errors, self.watchdog) if register is not None]
        if not registers:
            return None
        return span_of(registers)

    def register_errors(self, data: bytes) -> list[str]:
        """Texts of the errors in the registers of `error_span`."""
        span = self.error_span
        if span is None or self.hardware_errors is None or self.watchdog is None:
            return []
        flags, watchdog_number = (
            register.unpack(data[register.start - span[0] :][: register.size])
            for register in (self.hardware_errors, self.watchdog)
        )
        texts = [text for bit, text in self.hardware_flags.items() if flags & bit]
        rest = flags & ~sum(self.hardware_flags)
        if rest:
            texts.append(f"it reports the unknown error {rest:#04x}")
        if watchdog_number == TRIPPED:
            texts.append(HEARD_NOTHING)
        return texts

    def lost_setting(
        self, servo: int, expected: Expected, start: int, data: bytes
    ) -> ReportedError | LostSetting | None:
        """The message about a register that does not hold the number that is `expected`; None if it does.
        `data`: bytes of the registers from address `start` on.
        """
        register = self.written[expected.start]
        stored_number = register.unpack(data[register.start - start :][: register.size])
        if register is self.watchdog and stored_number == TRIPPED:
            return ReportedError(servo, HEARD_NOTHING)
        return (
            None
            if stored_number == expected.number
            else LostSetting(servo, f"{expected.name} is {stored_number}, and {expected.number} was written")
        )

    @property
    def written(self) -> dict[int, Register]:
        """Registers that lose their content when the servo loses power, and whose content is verified, by
        address.
        """
        registers = (self.torque, self.speed, self.watchdog)
        return {register.start: register for register in registers if register is not None}

    @property
    def identity_span(self) -> tuple[int, int]:
        """First address and size [bytes] of model and firmware; the address is 0 if the answer to a ping
        contains them.
        """
        if self.ping_tells:
            return 0, self.model.size + self.firmware_parts
        first = min(self.model.start, self.firmware.start)
        return first, max(self.model.end, self.firmware.start + self.firmware_parts) - first

    def identity(self, servo: int, data: bytes) -> Identified:
        """Model and firmware of a servo from `data`: the answer to a ping, or the registers of
        `identity_span`.
        """
        first, _ = self.identity_span
        model_at = 0 if self.ping_tells else self.model.start - first
        firmware_at = self.model.size if self.ping_tells else self.firmware.start - first
        model = self.model.unpack(data[model_at : model_at + self.model.size])
        firmware = ".".join(str(part) for part in data[firmware_at : firmware_at + self.firmware_parts])
        return Identified(servo, model, self.models.get(model, f"unknown model {model}"), firmware)

    def baud_number(self, baudrate: int) -> int:
        """Register number of a baud rate [bit/s].

        Raises:
            ProtocolError: These servos do not support the baud rate.
        """
        if baudrate not in self.baudrates:
            known = ", ".join(str(rate) for rate in sorted(self.baudrates))
            raise ProtocolError(f"A baud rate of {baudrate}; these servos know {known}")
        return self.baudrates[baudrate]

    def _code(self, error: int) -> int:
        return error & ~sum(self.flags) & EVERY_ERROR
