"""A goal's aims in the form of `struct limber_aim`.

The kernel supports the blocks of `solvers/aims/blocks.py`. A goal with a block of another class is solved by
the Python reference.
"""

from collections.abc import Callable
from typing import Any

from ..aims.block import Block
from ..aims.blocks import OrientationBlock, PositionBlock, ViewBlock
from ..goals import GazeGoal
from ..kinematics.rotations import to_matrix, unit
from .library import KernelError

ORIENTATION, POSITION, DIRECTION, POINT, UPRIGHT, LEVEL = 1, 2, 4, 8, 16, 32
SIZE = 25  # numbers in an aim
# indices of the first number of each field
AT_POSITION, AT_ROTATION, AT_VIEW, AT_UP, AT_LEVEL = 4, 7, 16, 19, 22


def _orientation(block: OrientationBlock, aim: list[float]) -> int:
    x, y, z = to_matrix(block.wxyz)
    aim[AT_ROTATION:AT_VIEW] = x + y + z
    return ORIENTATION


def _position(block: PositionBlock, aim: list[float]) -> int:
    aim[AT_POSITION:AT_ROTATION] = block.position
    return POSITION


def _view(block: ViewBlock, aim: list[float]) -> int:
    aim[AT_VIEW:AT_UP] = block.goal
    part = POINT if block.is_point else DIRECTION
    if block.up is None:
        return part
    aim[AT_UP:AT_LEVEL] = block.up
    return part + UPRIGHT


# Each writer puts a block's numbers into those of its aim, and returns the flags of the aim's parts.
WRITERS: dict[type[Block], Callable[[Any, list[float]], int]] = {
    OrientationBlock: _orientation,
    PositionBlock: _position,
    ViewBlock: _view,
}


def is_known(goal: GazeGoal) -> bool:
    """Whether the kernel supports all aims of a goal."""
    return all(map(WRITERS.__contains__, map(type, goal.blocks)))


def aim_numbers(goal: GazeGoal) -> list[float]:
    """The numbers of all ends' aims, one aim after another.

    Raises:
        KernelError: The kernel does not support an aim.
    """
    numbers: list[float] = []
    for desired, weight in zip(goal.ends, goal.weights, strict=True):
        aim, parts, level = [0.0] * SIZE, 0, desired.aim.level
        for block in desired.blocks:
            write = WRITERS.get(type(block))
            if write is None:
                raise KernelError(f"the kernel cannot {goal.aim.words}")
            parts += write(block, aim)
        if level is not None:
            parts += LEVEL
            aim[AT_LEVEL:] = unit(level)
        aim[:AT_POSITION] = desired.end, parts, weight, desired.symmetric
        numbers += aim
    return numbers
