"""Tests that chains of bones whose limits end a branch come to rest for a target at rest."""

import math

import numpy as np
import pytest
from limber.character.chain.tick import ChainOutputs, make_model, tick
from limber.motion import NO_FILTER, MotionStyle
from limber.solvers.expressive.options import ExpressiveOptions
from limber.solvers.goals import GazeGoal, Point
from limber.solvers.kinematics.rotations import IDENTITY, X, Y, Z
from limber.solvers.kinematics.skeleton import Joint, Skeleton

WALK, REST = 48, 400  # number of frames in which the target moves, and rests


def limited_chain(draw: np.random.Generator) -> Skeleton:
    """A chain of 2 to 8 hinges about random axes, or of as many bones with three of them, with limits."""
    bones, is_hinges = int(draw.integers(2, 9)), draw.random() < 0.5
    offsets = [(0.0, 0.0, 0.0), *map(tuple, (0.2 * draw.normal(size=(bones, 3))).tolist())]
    joints: list[Joint] = []
    for bone in range(bones):
        for number, axis in enumerate((Z, Y, X)):
            if is_hinges and number != bone % 3:
                continue
            offset = offsets[bone] if is_hinges or number == 0 else (0.0, 0.0, 0.0)
            widest = float(draw.uniform(0.2, 3.0))
            joints.append(Joint(str(len(joints)), len(joints) - 1, IDENTITY, offset, axis, -widest, widest))
    return Skeleton(tuple(joints), tool_offset=offsets[-1])


def played(seed: int, dt: float) -> list[ChainOutputs]:
    """Outputs of a limited chain whose target circles around one of its bones, and then rests."""
    draw = np.random.default_rng(seed)
    skeleton = limited_chain(draw)
    posture = 0.3 * draw.normal(size=len(skeleton))
    positions = skeleton.forward(posture.tolist()).positions
    centre = np.array(positions[int(draw.integers(0, len(positions)))])
    ways = skeleton.reach * float(draw.choice([0.1, 0.5, 1.5])) * draw.normal(size=(2, 3))
    options = ExpressiveOptions(hold_body=True, measure="bones")
    model = make_model(skeleton, "expressive", NO_FILTER, MotionStyle(), posture_jumps=False, options=options)
    goals = [
        GazeGoal(
            Point(tuple(map(float, centre + math.sin(a) * ways[0] + math.cos(a) * ways[1])), level=Z), posture
        )
        for a in np.linspace(0.0, 9.0, WALK)
    ]
    state, frames = None, []
    for goal in goals + [goals[-1]] * REST:
        outputs, state = tick(model, goal, state, dt)
        frames.append(outputs)
    return frames


@pytest.mark.parametrize("seed", [61, 184, 213, 242, 270, 311, 348, 392, 411, 587])
def test_a_limited_chain_rests_where_its_target_rests(seed: int) -> None:
    frames = played(seed, 1 / 12)
    assert frames[-1].at_rest
