"""Random skeletons and goals for tests of the compiled kernel."""

import numpy as np
from limber.solvers.goals import (
    Aim,
    Direction,
    EndGoal,
    Frame,
    GazeGoal,
    Orientation,
    Point,
    Position,
    PositionAndDirection,
)
from limber.solvers.kinematics.skeleton import End, Joint, Skeleton

KINDS = (Orientation, Direction, Point, Position, Frame, PositionAndDirection)


def unit(draw: np.random.Generator, size: int) -> tuple[float, ...]:
    vector = draw.normal(size=size)
    return tuple((vector / np.linalg.norm(vector)).tolist())


def skeleton_of(
    draw: np.random.Generator, joints: int, is_tree: bool = False, slides: float = 0.0
) -> Skeleton:
    """A random chain or tree; `slides` is the share of prismatic joints, of which the first is none."""
    parents = [int(draw.integers(max(0, k - 3), k)) if is_tree and k else k - 1 for k in range(joints)]
    made = []
    for k, parent in enumerate(parents):
        lower, upper = sorted(draw.uniform(-3, 3, 2).tolist())
        offset = draw.normal(size=3) * (draw.random() > 0.2)
        made.append(
            Joint(
                f"j{k}",
                parent,
                unit(draw, 4),
                tuple(offset.tolist()),
                unit(draw, 3),
                lower,
                upper,
                "prismatic" if k and draw.random() < slides else "revolute",
            )
        )
    more = (
        tuple(
            End(int(draw.integers(joints)), unit(draw, 4), tuple(draw.normal(size=3).tolist()), "more")
            for _ in range(2)
        )
        if is_tree
        else ()
    )
    return Skeleton(tuple(made), unit(draw, 4), tuple(draw.normal(size=3).tolist()), more_ends=more)


def aim_of(draw: np.random.Generator, kind: type, roll: str = "") -> Aim:
    """A random aim of a kind; `roll` is "up", "level" or "": a free one."""
    vector, place = unit(draw, 3), tuple((3 * draw.normal(size=3)).tolist())
    rolls = {roll: unit(draw, 3)} if roll else {}
    if kind is Orientation:
        return Orientation(unit(draw, 4))
    if kind is Direction:
        return Direction(vector, **rolls)
    if kind is Point:
        return Point(place, **rolls)
    if kind is Position:
        return Position(place)
    if kind is Frame:
        return Frame(place, unit(draw, 4))
    return PositionAndDirection(vector=vector, position=place, **rolls)


def goal_of(draw: np.random.Generator, skeleton: Skeleton, kind: type, roll: str = "") -> GazeGoal:
    """A random goal: every end of a tree has one, of any kind."""
    others = tuple(
        EndGoal(
            aim_of(draw, KINDS[draw.integers(len(KINDS))], roll),
            end,
            float(draw.uniform(0.1, 2.0)),
            bool(draw.integers(2)),
        )
        for end in range(1, len(skeleton.ends))
    )
    return GazeGoal(
        aim_of(draw, kind, roll),
        angles_of(draw, skeleton, 1)[0],
        bool(draw.integers(2)),
        keep=float(draw.choice([1.0, 0.4])),
        others=others,
    )


def angles_of(draw: np.random.Generator, skeleton: Skeleton, count: int) -> np.ndarray:
    """Angles (count, n) within limits, some of them at a limit."""
    lower, upper = np.array(skeleton.lower), np.array(skeleton.upper)
    return np.clip(
        draw.uniform(lower - 0.2, upper + 0.2, (count, len(skeleton))), lower, upper
    )  # some at a limit
