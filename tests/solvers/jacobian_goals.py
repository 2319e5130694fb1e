"""Goals for the Jacobian family, each of which can be met."""

import random
from dataclasses import replace

from hypothesis import settings
from limber.solvers.goals import Direction, Frame, GazeGoal, Orientation, Point, Position
from limber.solvers.kinematics.rotations import Y, Z, add, rotate, scale
from limber.solvers.kinematics.skeleton import Skeleton

from tests.solvers.chains import posture_of, shared_places

NAMES = ("transpose", "pseudoinverse", "dls", "dls_clamped", "sdls", "priorities")
often = settings(derandomize=True, deadline=None, max_examples=25)
MET = 1e-6  # [rad, or relative to the reach] tolerance


def long_chain() -> Skeleton:
    """Nine joints at three positions, .1 m apart, that reach every nearby position: redundant for every
    goal.
    """
    chain = shared_places(4, reach=1.2)
    return replace(chain, tool_offset=(0.0, 0.1, 0.05))


def goals_that_can_be_met(seed: int) -> list[GazeGoal]:
    """Goals of every kind, met by a pose within limits, with another pose as posture."""
    draw = random.Random(seed)
    chain = long_chain()
    pose = chain.forward([0.5 * angle for angle in posture_of(draw, chain)])
    posture = 0.3 * posture_of(draw, chain)
    rotation, position = pose.tool_rotation, pose.tool_position
    view = rotate(rotation, Y)
    far, up = add(position, scale(view, 2.0)), rotate(rotation, Z)
    aims = [
        Orientation(rotation),
        Direction(view),
        Direction(view, up),
        Point(far),
        Point(far, up),
        Position(position),
        Frame(position, rotation),
    ]
    return [GazeGoal(aim, posture) for aim in aims]
