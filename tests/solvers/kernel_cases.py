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
    """A random chain or tree; `slides` is the share of prismatic joints; the first joint is revolute."""
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


def character_of(
    draw: np.random.Generator, bones: int, limited: float = 0.3, slides: float = 0.1
) -> Skeleton:
    """A random tree of bones, each with one to three revolute joints at one position; three joints without
    limits are a ball. `limited` is the share of bones with limits, `slides` that of bones on a prismatic
    joint.
    """
    joints: list[Joint] = []
    tips = [-1]  # indices of joints that may carry a bone
    for bone in range(bones):
        parent = tips[-1] if draw.random() < 0.8 else int(draw.choice(tips))
        if draw.random() < slides:
            turn, offset, axis = unit(draw, 4), (0.1, 0.0, 0.2), unit(draw, 3)
            joints.append(Joint(f"slide {bone}", parent, turn, offset, axis, -0.3, 0.4, "prismatic"))
            parent = len(joints) - 1
        axes = np.linalg.qr(draw.normal(size=(3, 3)))[0]
        limit = float(draw.uniform(0.2, 2.0)) if draw.random() < limited else 1e4
        for number in range(int(draw.choice([1, 2, 3, 3, 3]))):
            turn, offset = ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
            if not number:
                turn, offset = unit(draw, 4), tuple((0.4 * draw.normal(size=3)).tolist())
            axis = tuple(axes[number].tolist())
            joints.append(Joint(f"bone {bone} {number}", parent, turn, offset, axis, -limit, limit))
            parent = len(joints) - 1
        tips.append(parent)
    more = (End(int(draw.choice(tips[1:])), unit(draw, 4), (0.1, 0.2, 0.0), "more"),)
    return Skeleton(
        tuple(joints), unit(draw, 4), (0.0, 0.3, 0.1), more_ends=more if draw.random() < 0.3 else ()
    )


def spine_of(draw: np.random.Generator, bones: int) -> Skeleton:
    """A sequence of bones, each a ball."""
    joints = [
        Joint(
            f"bone {k // 3} {k % 3}",
            k - 1,
            (1.0, 0.0, 0.0, 0.0),
            (0.0, 0.0 if k % 3 else 0.1 + float(draw.random()), 0.0),
            ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))[k % 3],
            -1e4,
            1e4,
        )
        for k in range(3 * bones)
    ]
    return Skeleton(tuple(joints), tool_offset=(0.0, 0.2, 0.0))


def aim_of(draw: np.random.Generator, kind: type, roll: str = "") -> Aim:
    """A random aim of a kind; `roll` is "up", "level", or "" for a free roll."""
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
    """A random goal; in a tree every end has an aim, of any kind."""
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
    )  # some angles at a limit
