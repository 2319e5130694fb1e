"""Where a chain sees its target, by its dead zone, lag and changes of target."""

from math import isfinite

from mathutils import Matrix, Quaternion

from ...character.attention import Attention, Manner, attend, place, sight
from .goal import LOOKS, ChainEnd


def attention(now, end: ChainEnd, target_in_world: Matrix, base_in_world: Matrix, before: Attention | None, dt: float) -> Attention | None:
    """The chain's attention `dt` seconds later; None where it follows its target as it is.

    Args:
        now: The chain's settings at this moment (see `keyed`).
        end: Its own end.
        target_in_world, base_in_world: Where the target and the chain's base are.
        before: The attention of the last tick, if there was one.
        dt: [s] since then.
    """
    manner = Manner(max(now.lag, 0.0), now.dead_zone if now.goal in LOOKS else 0.0, now.change if now.targets else 0.0)
    if (manner == Manner() and (before is None or before.is_settled)) or not isfinite(sum(map(sum, target_in_world))):
        return None
    root = tuple(base_in_world.translation)
    target = sight(tuple(target_in_world.translation), tuple(target_in_world.to_3x3().normalized().to_quaternion()), root)
    return attend(before, target, end.target.session_uid, manner, dt)


def seen(attention: Attention, base_in_world: Matrix) -> Matrix:
    """World matrix of the target as the chain sees it."""
    matrix = Quaternion(attention.seen.turn).to_matrix().to_4x4()
    matrix.translation = place(attention.seen, tuple(base_in_world.translation))
    return matrix
