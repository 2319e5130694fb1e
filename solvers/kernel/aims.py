"""Aims as the numbers of `struct limber_aim`.

The kernel supports the blocks of `solvers/aims/blocks.py`. A goal with a block of another class is solved by
the Python reference.
"""

from collections.abc import Sequence

from ..aims.blocks import OrientationBlock, PositionBlock, ResidualBlock, ViewBlock
from ..kinematics.rotations import ORIGIN, Vector, unit

# bits of the field `parts` of `struct limber_aim`
ORIENTATION, POSITION, DIRECTION, POINT, UPRIGHT, LEVEL = 1, 2, 4, 8, 16, 32
SIZE = 20  # number of doubles in an aim
NO_ORIENTATION = (0.0, 0.0, 0.0, 0.0)


def aim_numbers(
    end: int, blocks: Sequence[ResidualBlock], level: Vector | None, weight: float, symmetric: bool
) -> tuple[float, ...] | None:
    """The numbers (20,) of `struct limber_aim` for an end's aim; None if the kernel does not support one of
    its blocks. `weight` is relative to the largest weight of the goal.
    """
    parts, position, orientation, view, up = 0, ORIGIN, NO_ORIENTATION, ORIGIN, ORIGIN
    for block in blocks:
        if type(block) is OrientationBlock:
            parts, orientation = parts + ORIENTATION, block.wxyz
        elif type(block) is PositionBlock:
            parts, position = parts + POSITION, block.position
        elif type(block) is ViewBlock:
            parts, view = parts + (POINT if block.is_point else DIRECTION), block.goal
            if block.up is not None:
                parts, up = parts + UPRIGHT, block.up
        else:
            return None
    if level is not None:
        parts, level = parts + LEVEL, unit(level)
    return end, parts, weight, symmetric, *position, *orientation, *view, *up, *(level or ORIGIN)
