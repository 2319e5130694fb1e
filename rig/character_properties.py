"""What Limber keeps of how a motion is shaped, and enums whose items come from a table."""

from zlib import crc32

from ..motion import FILTERS, Character
from .overridable import EnumProperty, FloatProperty


def choice(key: str, info) -> tuple[str, str, str, str, int]:
    """A table's line as an enum's item. Files keep its number, so that depends on the name alone, not on the place in the table."""
    return key, info.label, info.description, "NONE", crc32(key.encode()) >> 1


class LimberCharacter:
    """The filter of a motion. Not registered itself: chains and mechanisms have these properties."""

    filter: EnumProperty(
        name="Filter",
        description="How the motion is shaped within the joints' limits",
        items=[choice(key, info) for key, info in FILTERS.items()],
        default="default",
    )
    sigma: FloatProperty(
        name="Smoothness",
        description="Sigma: 0 is as quick as the limits allow, 1 the smoothest and slowest",
        default=0.0,
        min=0.0,
        max=1.0,
    )
    velocity_share: FloatProperty(
        name="Velocity",
        description="How much of the joints' velocity limits the motion uses: less for a heavier character",
        default=1.0,
        min=0.01,
        max=1.0,
        subtype="FACTOR",
    )
    acceleration_share: FloatProperty(
        name="Acceleration", description="The same of their acceleration limits", default=1.0, min=0.01, max=1.0, subtype="FACTOR"
    )
    jerk_share: FloatProperty(name="Jerk", description="The same of their jerk limits", default=1.0, min=0.01, max=1.0, subtype="FACTOR")
    rho: FloatProperty(name="Responsiveness", description="Rho: makes a smooth motion quicker again", default=0.0, min=0.0, max=0.99)


def character(kept) -> Character:
    """What a chain or a mechanism says of its motion, as filters take it."""
    return Character(kept.sigma, kept.rho, velocity=kept.velocity_share, acceleration=kept.acceleration_share, jerk=kept.jerk_share)
