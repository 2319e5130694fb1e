"""What Limber keeps of how a motion is shaped, and enums whose items come from a table."""

from zlib import crc32

from ..motion import FILTERS
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
    rho: FloatProperty(name="Responsiveness", description="Rho: makes a smooth motion quicker again", default=0.0, min=0.0, max=0.99)
