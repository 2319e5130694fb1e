"""What Limber keeps of how a motion is shaped."""

from ...motion import FILTERS, Character
from .enum_items import choice
from .overridable import EnumProperty, FactorProperty, FloatProperty


class LimberSmoothness:
    """How soft a motion is. Not registered itself: whatever has a filter has these properties."""

    sigma: FloatProperty(
        name="Smoothness",
        description="Sigma: 0 is as fast as the limits allow, 1 the smoothest and slowest",
        default=0.0,
        min=0.0,
        max=1.0,
    )
    rho: FloatProperty(name="Responsiveness", description="Rho: makes a smooth motion faster again", default=0.0, min=0.0, max=0.99)


class LimberCharacter(LimberSmoothness):
    """The filter of a motion. Not registered itself: chains and mechanisms have these properties."""

    filter: EnumProperty(
        name="Filter",
        description="Filter that shapes the motion within the limits of joints or motors",
        items=[choice(key, info) for key, info in FILTERS.items()],
        default="default",
    )
    velocity_share: FactorProperty(
        name="Velocity",
        description="Share of the joints' or motors' velocity limits that the motion uses; lower for a heavier character",
        default=1.0,
        min=0.01,
    )
    acceleration_share: FactorProperty(
        name="Acceleration", description="Share of the acceleration limits that the motion uses", default=1.0, min=0.01
    )
    jerk_share: FactorProperty(name="Jerk", description="Share of the jerk limits that the motion uses", default=1.0, min=0.01)


def character(kept) -> Character:
    """What a chain or a mechanism says of its motion, as filters take it."""
    return Character(kept.sigma, kept.rho, velocity=kept.velocity_share, acceleration=kept.acceleration_share, jerk=kept.jerk_share)
