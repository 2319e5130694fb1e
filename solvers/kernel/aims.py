"""A goal's aims as the numbers of `struct limber_aim`.

The kernel knows the blocks of `solvers/aims/blocks.py`. A goal with a block of another class is solved by the
Python reference.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..aims.block import Block
from ..aims.blocks import OrientationBlock, PositionBlock, ViewBlock
from ..goals import GazeGoal
from ..kinematics.rotations import to_matrix, unit
from .library import KernelError

ORIENTATION, POSITION, DIRECTION, POINT, UPRIGHT, LEVEL = 1, 2, 4, 8, 16, 32
SIZE = 25  # numbers of an aim
AT_POSITION, AT_ROTATION, AT_VIEW, AT_UP, AT_LEVEL = 4, 7, 16, 19, 22  # indices of its first numbers


class _Part(NamedTuple):
    """One part of an aim, with its numbers and the index of the first one."""

    part: int
    start: int
    numbers: tuple[float, ...]


def _orientation(block: OrientationBlock) -> tuple[_Part, ...]:
    rows = to_matrix(block.wxyz)
    return (_Part(ORIENTATION, AT_ROTATION, tuple(number for row in rows for number in row)),)


def _position(block: PositionBlock) -> tuple[_Part, ...]:
    return (_Part(POSITION, AT_POSITION, block.position),)


def _view(block: ViewBlock) -> tuple[_Part, ...]:
    view = _Part(POINT if block.is_point else DIRECTION, AT_VIEW, block.goal)
    return (view,) if block.up is None else (view, _Part(UPRIGHT, AT_UP, block.up))


PARTS: dict[type[Block], Callable[[Any], tuple[_Part, ...]]] = {
    OrientationBlock: _orientation,
    PositionBlock: _position,
    ViewBlock: _view,
}


def is_known(goal: GazeGoal) -> bool:
    """Whether the kernel knows all aims of a goal."""
    return all(type(block) in PARTS for end_goal in goal.ends for block in end_goal.blocks)


def aim_numbers(goal: GazeGoal) -> list[float]:
    """The numbers of all ends' aims, one aim after the other.

    Raises:
        KernelError: The kernel does not know an aim.
    """
    if not is_known(goal):
        raise KernelError(f"the kernel cannot {goal.aim.words}")
    numbers: list[float] = []
    for desired, weight in zip(goal.ends, goal.weights, strict=True):
        aim = [0.0] * SIZE
        parts = [part for block in desired.blocks for part in PARTS[type(block)](block)]
        if desired.aim.level is not None:
            parts.append(_Part(LEVEL, AT_LEVEL, unit(desired.aim.level)))
        for _, start, values in parts:
            aim[start : start + len(values)] = values
        aim[:AT_POSITION] = desired.end, sum(part for part, *_ in parts), weight, desired.symmetric
        numbers += aim
    return numbers
