"""Effects on top of a chain's posture, from its settings."""

from math import isfinite

from ...character.effects import PostureEffect
from ...character.life import Life


def effects(chain) -> tuple[PostureEffect, ...]:
    """The effects of a chain in this frame, in the order in which they are added."""
    return tuple(effect for effect in (_life(chain.life),) if effect is not None)


def _life(settings) -> Life | None:
    amount = settings.amount
    if not (amount > 0.0 and isfinite(amount)):
        return None
    return Life(amount * settings.breathing, amount * settings.sway, amount * settings.glances, settings.seed)
