"""How servos are set, and what they were told: what is asked of them before they are driven, and meanwhile. Knows no Blender."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Expected:
    """What a register holds if the servo still knows what was written to it.

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
    """A servo said how it is set: what it keeps without power, and Limber does not change.

    Attributes:
        servo: Which.
        refusal: Why it must not be driven, as a sentence about the servo; empty: it may be.
        bounds: Lowest and highest goal that it takes [units]; None: as far as the protocol goes.
    """

    servo: int
    refusal: str = ""
    bounds: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class LostSetting:
    """A servo does not hold what was written to it: it restarted, or never took it; `text` goes into a sentence about the servo."""

    servo: int
    text: str


@dataclass(frozen=True, slots=True)
class VolatileSettings:
    """What a servo was told, and forgets when its power fails.

    Attributes:
        torque: It has torque.
        speed: Its greatest speed [units/s]; None: not told, or not to be looked at.
        watchdog: Its watchdog's time [s]; None as above.
    """

    torque: bool = False
    speed: float | None = None
    watchdog: float | None = None
