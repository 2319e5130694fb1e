"""Shared by the tests of the exact aim: goals that can be met, and the required accuracy."""

import random

from limber.solvers.goals import GazeGoal
from limber.solvers.kinematics.skeleton import Skeleton
from limber.solvers.table import make_solver

from tests.solvers.chains import (
    aim_that_can_be_met,
    posture_of,
)

KINDS = ["orientation", "direction", "point"]
EXACT = 2e-6  # [rad] tolerance: about a ten-thousandth of a degree


def goals(draw: random.Random, chain: Skeleton, count: int, up=None) -> list[GazeGoal]:
    """`count` goals of each kind that the chain can meet; those of a direction or a point get `up`."""
    return [
        GazeGoal(
            aim_that_can_be_met(draw, chain, kind, up if kind != "orientation" else None),
            posture_of(draw, chain),
        )
        for kind in KINDS
        for _ in range(count)
    ]


def solve(chain: Skeleton, goal: GazeGoal):
    """The exact aim's solution from scratch."""
    return make_solver("erik_exact", chain).solve(goal)
