"""A goal's aims as the numbers of `struct limber_aim`."""

from ..goals import Direction, GazeGoal, Point, orientation_of, position_of
from ..kinematics.rotations import ORIGIN, normalized, to_matrix, unit

ORIENTATION, POSITION, DIRECTION, POINT, UPRIGHT, LEVEL = 1, 2, 4, 8, 16, 32
NO_ROTATION = (0.0,) * 9
SIZE = 25  # numbers of an aim


def aim_numbers(goal: GazeGoal) -> list[float]:
    """The numbers of all ends' aims, one aim after the other."""
    numbers: list[float] = []
    for desired, weight in zip(goal.ends, goal.weights, strict=True):
        aim, parts, view, up, level = desired.aim, 0, ORIGIN, ORIGIN, ORIGIN
        wxyz, position = orientation_of(aim), position_of(aim)
        if wxyz is not None:
            parts |= ORIENTATION
        if position is not None:
            parts |= POSITION
        if isinstance(aim, Direction):
            parts, view = parts | DIRECTION, unit(aim.vector)
        elif isinstance(aim, Point):
            parts, view = parts | POINT, aim.position
        if isinstance(aim, Direction | Point):
            if aim.up is not None:
                parts, up = parts | UPRIGHT, unit(aim.up)
            if aim.level is not None:
                parts, level = parts | LEVEL, unit(aim.level)
        rotation = (
            NO_ROTATION if wxyz is None else [each for row in to_matrix(normalized(wxyz)) for each in row]
        )
        numbers += (desired.end, parts, weight, desired.symmetric)
        numbers += position or ORIGIN
        numbers += rotation
        numbers += view
        numbers += up
        numbers += level
    return numbers
