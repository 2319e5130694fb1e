"""Register values that a servo must have before it may be driven, declared per servo family."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from ..servo_state import GoalMeaning, StoredSettings
from .registers import Register

EVERY_BIT = -1  # mask that compares all bits of a register


@dataclass(frozen=True, slots=True)
class Requirement:
    """A register that decides how a servo moves, and its allowed values.

    Attributes:
        register: The register.
        name: Name of the register in sentences, such as "operating mode".
        allowed: Numbers with which the servo can be driven to positions.
        must_be: The allowed numbers as text.
        numbers: Meaning of single numbers, for messages.
        mask: The bits that are compared.
    """

    register: Register
    name: str
    allowed: Container[int]
    must_be: str
    numbers: Mapping[int, str] = field(default_factory=dict)
    mask: int = EVERY_BIT

    def refusal(self, number: int) -> str:
        """Why a servo with `number` in this register must not be driven, as a sentence about the servo;
        empty if it may be driven.
        """
        if number & self.mask in self.allowed:
            return ""
        meaning = f" ({self.numbers[number & self.mask]})" if number & self.mask in self.numbers else ""
        return f"its {self.name} is {number}{meaning} and must be {self.must_be}"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Registers with the position limits that a servo applies to its goals.

    Attributes:
        lowest: Register of the lowest goal.
        highest: Register of the highest goal; if its value is not above the lowest there are no bounds.
        where: Register that decides whether the bounds apply, and the numbers with which they do; None if
            they always apply.
    """

    lowest: Register
    highest: Register
    where: tuple[Register, Container[int]] | None = None


@dataclass(frozen=True, slots=True)
class Requirements:
    """All registers that are checked before a servo is driven.

    Attributes:
        required: Required register values.
        bounds: Registers that bound the servo's goals; None if there are none.
        homing_offset: Register of the offset between actual and reported positions; None if there is none.
    """

    required: tuple[Requirement, ...]
    bounds: Bounds | None = None
    homing_offset: Register | None = None

    @property
    def span(self) -> tuple[int, int]:
        """(first address, size [bytes]) of the block that contains all these registers."""
        registers = [requirement.register for requirement in self.required]
        if self.bounds is not None:
            registers += [self.bounds.lowest, self.bounds.highest]
            registers += [] if self.bounds.where is None else [self.bounds.where[0]]
        registers += [] if self.homing_offset is None else [self.homing_offset]
        return span_of(registers)

    @property
    def meaning_span(self) -> tuple[int, int]:
        """(first address, size [bytes]) of the block that contains the registers of `meaning`."""
        registers = [requirement.register for requirement in self.required]
        return span_of(registers if self.homing_offset is None else [*registers, self.homing_offset])

    def meaning(self, servo: int, start: int, data: bytes) -> GoalMeaning:
        """Meaning of a goal for a servo with `data` in its registers from address `start` on."""

        def number(register: Register) -> int:
            return register.unpack(data[register.start - start :][: register.size])

        refusals = [requirement.refusal(number(requirement.register)) for requirement in self.required]
        offset = None if self.homing_offset is None else number(self.homing_offset)
        return GoalMeaning(servo, "; ".join(text for text in refusals if text), offset)

    def read(self, servo: int, data: bytes) -> StoredSettings:
        """The settings of a servo with `data` in its registers of `span`."""
        first, _ = self.span

        def number(register: Register) -> int:
            return register.unpack(data[register.start - first :][: register.size])

        meaning = self.meaning(servo, first, data)
        refusal, offset, bounds = meaning.refusal, meaning.homing_offset, self.bounds
        if bounds is None or (bounds.where is not None and number(bounds.where[0]) not in bounds.where[1]):
            return StoredSettings(servo, refusal, homing_offset=offset)
        lowest, highest = number(bounds.lowest), number(bounds.highest)
        return StoredSettings(servo, refusal, (lowest, highest) if lowest < highest else None, offset)


def span_of(registers: list[Register]) -> tuple[int, int]:
    """(first address, size [bytes]) of the smallest block that contains all given registers."""
    start = min(register.start for register in registers)
    return start, max(register.end for register in registers) - start
