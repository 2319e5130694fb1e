"""Stored and volatile settings of servos, as servos report them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Expected:
    """The number that a register must still hold, as written to the servo.

    Attributes:
        name: Name of the register in a sentence about the servo, such as "its speed limit".
        start: Address of the register.
        number: The number that was written.
    """

    name: str
    start: int
    number: int


@dataclass(frozen=True, slots=True)
class StoredSettings:
    """Report of a servo's stored settings, which it keeps without power, and which Limber does not change.

    Attributes:
        servo: Id of the servo.
        refusal: Why the servo must not be driven, as a sentence; empty if it may be driven.
        bounds: Lowest and highest accepted goal [units]; None for the protocol's range.
        homing_offset: Offset between the servo's actual and reported positions [units]; None if the servo has
            none.
    """

    servo: int
    refusal: str = ""
    bounds: tuple[int, int] | None = None
    homing_offset: int | None = None


@dataclass(frozen=True, slots=True)
class GoalMeaning:
    """Report of the stored settings that determine whether a goal is a position for a servo, and which one.

    Attributes:
        servo: Id of the servo.
        refusal: Why goals are not positions for it, as a sentence; empty if they are.
        homing_offset: As in `StoredSettings`.
    """

    servo: int
    refusal: str = ""
    homing_offset: int | None = None


@dataclass(frozen=True, slots=True)
class LostSetting:
    """Report that a servo has lost a setting that was written to it, as after a restart; `text` completes a
    sentence about the servo.
    """

    servo: int
    text: str


@dataclass(frozen=True, slots=True)
class VolatileSettings:
    """Settings written to a servo, which it loses when its power fails.

    Attributes:
        torque: Whether torque is on.
        speed: Maximum speed of the servo [units/s]; None if it was not written or cannot be verified.
        watchdog: Timeout of the servo's watchdog [s]; None if it was not written or cannot be verified.
    """

    torque: bool = False
    speed: float | None = None
    watchdog: float | None = None
