"""Random, mostly difficult skeletons with goals, each made by a recipe, for `fuzz` and for the tests of all
solvers.
"""

import math
import random
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from limber.solvers.goals import Aim, Direction, EndGoal, Frame, GazeGoal, Orientation, Point, Position
from limber.solvers.kinematics.rotations import (
    IDENTITY,
    Quaternion,
    Vector,
    X,
    Y,
    Z,
    about,
    add,
    multiply,
    normalized,
    rotate,
    scale,
    unit,
)
from limber.solvers.kinematics.skeleton import End, Joint, Skeleton

MOST_JOINTS = 40  # largest number of joints of a chain

LINKS = ("any", "some without length", "none has length", "straight")
AXES = ("any", "coordinate", "along the links")
LIMITS = ("any", "wide", "several turns", "narrow", "some fixed", "all fixed")
SLIDES = (0.0, 0.0, 0.2, 1.0)  # shares of prismatic joints, one of which is drawn for a case
KINDS = ("orientation", "direction", "direction up", "point", "point up", "position", "frame")
WHERE = (
    "met by a pose",
    "anywhere",
    "behind",
    "at the end",
    "at the root",
    "far",
    "near",
    "along the first axis",
    "where it is",
)
UPS = ("anywhere", "along the view", "against the view", "nearly along the view")
WEIGHTS = (1.0, 1.0, 1.0, 0.0, 1e-3, 30.0)  # weights of goals, one of which is drawn for each goal
POSTURES = ("within limits", "outside limits", "zero", "at limits")
# values of Keep Posture (0 not at all, 1 as far as possible), one of which is drawn for a case
KEEPS = (1.0, 1.0, 0.0, 0.5)


@dataclass(frozen=True)
class Recipe:
    """Properties of a case; the rest is drawn randomly from the seed."""

    seed: int
    joints: int = 5
    ends: int = 1  # number of ends; above one the skeleton is a tree
    links: str = LINKS[0]
    axes: str = AXES[0]
    limits: str = LIMITS[0]
    slides: float = 0.0  # share of prismatic joints
    kinds: tuple[str, ...] = KINDS[:1]  # kind of each goal; goals of the same end contradict each other
    where: str = WHERE[0]
    up: str = UPS[0]
    weights: tuple[float, ...] = WEIGHTS[:1]  # weights of the goals, used in turn
    posture: str = POSTURES[0]
    keep: float = 1.0
    symmetric: bool = True
    size: float = 1.0  # [m] approximate length of a link


class Case(NamedTuple):
    """A skeleton with goals for a solver."""

    skeleton: Skeleton
    goal: GazeGoal
    moved: GazeGoal  # the goal a little later, when the target of its first end has moved


def any_recipe(draw: random.Random) -> Recipe:
    """A random recipe."""
    ends = draw.choice((1, 1, 1, 2, 3))
    return Recipe(
        seed=draw.randrange(2**32),
        joints=draw.choice(
            (
                1,
                2,
                3,
                draw.randint(1, 8),
                draw.randint(1, 8),
                draw.randint(1, 8),
                draw.randint(1, MOST_JOINTS),
            )
        ),
        ends=ends,
        links=draw.choice(LINKS),
        axes=draw.choice(AXES),
        limits=draw.choice(LIMITS),
        slides=draw.choice(SLIDES),
        kinds=tuple(draw.choice(KINDS) for _ in range(draw.choice((1, 1, ends, ends + 1)))),
        where=draw.choice(WHERE),
        up=draw.choice(UPS),
        weights=tuple(draw.choice(WEIGHTS) for _ in range(2)),
        posture=draw.choice(POSTURES),
        keep=draw.choice(KEEPS),
        symmetric=draw.random() < 0.7,
        size=draw.choice((1.0, 1.0, 1e-3, 1e3)),
    )


def make(recipe: Recipe) -> Case:
    """The case of a recipe; the same recipe always gives the same case."""
    draw = random.Random(recipe.seed)
    skeleton = _skeleton(recipe, draw)
    posture = np.array([_angle(recipe.posture, joint, draw) for joint in skeleton.joints])
    goals = [
        EndGoal(
            _aim(recipe, kind, skeleton, e % len(skeleton.ends), posture, draw),
            e % len(skeleton.ends),
            recipe.weights[e % len(recipe.weights)],
            recipe.symmetric,
        )
        for e, kind in enumerate(recipe.kinds)
    ]
    first = goals[0]
    goal = GazeGoal(first.aim, posture, first.symmetric, first.weight, recipe.keep, tuple(goals[1:]))
    return Case(skeleton, goal, replace(goal, aim=_moved(first.aim, draw, recipe.size)))


def direction(draw: random.Random) -> Vector:
    return unit((draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1)))


def random_rotation(draw: random.Random) -> Quaternion:
    return normalized((draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1)))


def _skeleton(recipe: Recipe, draw: random.Random) -> Skeleton:
    ends = min(recipe.ends, recipe.joints)
    joints: list[Joint] = []
    for k in range(recipe.joints):
        parent = k - 1 if ends == 1 or draw.random() < 0.8 else draw.randrange(-1, k)
        slides = draw.random() < recipe.slides
        lower, upper = _limits(recipe.limits, draw)
        if slides:
            lower, upper = 0.3 * recipe.size * lower, 0.3 * recipe.size * upper
        joints.append(
            Joint(
                f"joint {k}",
                parent,
                _rest(recipe, draw),
                _offset(recipe, draw),
                _axis(recipe, draw),
                lower,
                upper,
                _kind(slides),
            )
        )
    tips = [recipe.joints - 1, *draw.sample(range(recipe.joints), ends)][:ends]
    tools = [End(tip, _rest(recipe, draw), _offset(recipe, draw), f"end {e}") for e, tip in enumerate(tips)]
    return Skeleton(tuple(joints), tools[0].rotation, tools[0].offset, tools[0].joint, tuple(tools[1:]))


def _kind(slides: bool) -> str:
    return "prismatic" if slides else "revolute"


def _rest(recipe: Recipe, draw: random.Random) -> Quaternion:
    return IDENTITY if recipe.links == "straight" or draw.random() < 0.3 else random_rotation(draw)


def _offset(recipe: Recipe, draw: random.Random) -> Vector:
    if recipe.links == "none has length" or (recipe.links == "some without length" and draw.random() < 0.5):
        return (0.0, 0.0, 0.0)
    return scale(Y if recipe.links == "straight" else direction(draw), recipe.size * draw.uniform(0.1, 1.0))


def _axis(recipe: Recipe, draw: random.Random) -> Vector:
    if recipe.axes == "along the links":
        return Y
    return direction(draw) if recipe.axes == "any" else draw.choice((X, Y, Z))


def _limits(kind: str, draw: random.Random) -> tuple[float, float]:
    fixed = kind == "all fixed" or (kind == "some fixed" and draw.random() < 0.4)
    middle = draw.uniform(-1.0, 1.0)
    if fixed:
        return middle, middle
    if kind == "wide":
        return -math.pi, math.pi
    half = {"several turns": draw.uniform(3.0, 20.0), "narrow": draw.uniform(0.0, 0.1)}.get(
        kind, draw.uniform(0.05, 2.5)
    )
    return middle - half, middle + half


def _angle(kind: str, joint: Joint, draw: random.Random) -> float:
    span = joint.upper - joint.lower
    return {
        "within limits": joint.lower + draw.random() * span,
        "outside limits": joint.lower + draw.uniform(-2.0, 3.0) * (span + 0.1),
        "zero": 0.0,
        "at limits": draw.choice((joint.lower, joint.upper)),
    }[kind]


def _aim(
    recipe: Recipe, kind: str, skeleton: Skeleton, end: int, posture: np.ndarray, draw: random.Random
) -> Aim:
    start = skeleton.forward(skeleton.clamp(posture))
    rotation, position = skeleton.end_pose(start, end)
    other = skeleton.forward(
        [draw.uniform(lower, upper) for lower, upper in zip(skeleton.lower, skeleton.upper, strict=True)]
    )
    orientation, at = skeleton.end_pose(other, end)
    reach = max(skeleton.reach, 0.1 * recipe.size)
    view = rotate(orientation, Y)
    ahead, back = rotate(rotation, Y), scale(rotate(rotation, Y), -1.0)
    first, root = skeleton.world_axes(start)[0], start.rotations[0]

    def away(size: float) -> Vector:
        return scale(direction(draw), size)

    # kind of target -> orientation, view, position to reach, and position to look at
    spots: dict[str, tuple[Quaternion, Vector, Vector, Vector]] = {
        "met by a pose": (orientation, view, at, add(at, scale(view, draw.uniform(0.1, 3.0) * reach))),
        "anywhere": (
            random_rotation(draw),
            away(1.0),
            away(draw.uniform(0.0, 1.5) * reach),
            away(2.0 * reach),
        ),
        "behind": (
            multiply(about(Z, math.pi), rotation),
            back,
            add(position, scale(back, 0.5 * reach)),
            add(position, scale(back, reach)),
        ),
        "at the end": (rotation, ahead, position, position),
        "at the root": (root, rotate(root, Y), start.positions[0], start.positions[0]),
        "far": (random_rotation(draw), away(1e6), away(1e4 * reach), away(1e6 * reach)),
        "near": (rotation, away(1e-6), add(position, away(1e-3 * reach)), add(position, away(1e-3 * reach))),
        "along the first axis": (IDENTITY, first, scale(first, reach), scale(first, 3.0 * reach)),
        "where it is": (rotation, ahead, position, add(position, scale(ahead, reach))),
    }
    target_orientation, along, reached, seen = spots[recipe.where]
    if kind == "orientation":
        return Orientation(target_orientation)
    if kind == "position":
        return Position(reached)
    if kind == "frame":
        return Frame(reached, target_orientation)
    if kind.startswith("direction"):
        return Direction(along, _up(recipe.up, unit(along), draw) if kind.endswith("up") else None)
    return Point(
        seen,
        _up(recipe.up, unit(add(seen, scale(direction(draw), 1e-9))), draw) if kind.endswith("up") else None,
    )


def _up(kind: str, view: Vector, draw: random.Random) -> Vector:
    return {
        "anywhere": direction(draw),
        "along the view": view,
        "against the view": scale(view, -2.0),
        "nearly along the view": add(view, scale(direction(draw), 1e-5)),
    }[kind]


def _moved(aim: Aim, draw: random.Random, size: float) -> Aim:
    small = about(direction(draw), 0.02)
    if isinstance(aim, Orientation):
        return Orientation(multiply(small, aim.wxyz))
    if isinstance(aim, Direction):
        return replace(aim, vector=rotate(small, aim.vector))
    position = add(aim.position, scale(direction(draw), 0.02 * size))
    return (
        replace(aim, position=position, wxyz=multiply(small, aim.wxyz))
        if isinstance(aim, Frame)
        else replace(aim, position=position)
    )
