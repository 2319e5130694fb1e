"""Stored and volatile settings of servos, as servos report them. Knows no Blender."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Expected:
    """The number that a register must hold if the servo still has what was written to it.

    Attributes:
        name: Of the register, as it stands in a sentence about the servo: "its speed limit".
        start: Its address.
        number: That was written.
    """

    name: str
    start: int
    number: int


@dataclass(frozen=True, slots=True)
class StoredSettings:
    """A servo has reported the settings that it keeps without power, and that Limber does not change.

    Attributes:
        servo: Which.
        refusal: Why it must not be driven, as a sentence about the servo; empty: it may be.
        bounds: Lowest and highest accepted goal [units]; None: the protocol's range.
    """

    servo: int
    refusal: str = ""
    bounds: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class LostSetting:
    """A servo does not hold what was written to it, as after a restart; `text` completes a sentence about the servo."""

    servo: int
    text: str


@dataclass(frozen=True, slots=True)
class VolatileSettings:
    """Settings written to a servo, which it loses when its power fails.

    Attributes:
        torque: It has torque.
        speed: Its maximum speed [units/s]; None: not written, or not to be verified.
        watchdog: Its watchdog's time [s]; None as above.
    """

    torque: bool = False
    speed: float | None = None
    watchdog: float | None = None
