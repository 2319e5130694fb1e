"""Tests that a chain whose bones are in transition to another branch is ticked until it arrives."""

import numpy as np
from limber.character.chain.tick import make_model, tick
from limber.motion import NO_FILTER, MotionStyle
from limber.solvers.expressive.options import ExpressiveOptions
from limber.solvers.goals import GazeGoal, Point
from limber.solvers.kinematics.rotations import IDENTITY, X, Y, Z
from limber.solvers.kinematics.skeleton import Joint, Skeleton

TICK = 1 / 60  # [s] interval of live motion while nothing plays


def lamp() -> Skeleton:
    """Four bones with three free joints each, of which the last one looks along +Y."""
    places = (0.0, 0.0, 0.0), (0.0, 0.0, 0.06), (0.0, -0.15, 0.32), (0.0, 0.25, 0.25)
    joints = [
        Joint("", 3 * bone + number - 1, IDENTITY, (0.0, 0.0, 0.0) if number else place, axis, -1e4, 1e4)
        for bone, place in enumerate(places)
        for number, axis in enumerate((Z, Y, X))
    ]
    return Skeleton(tuple(joints), tool_offset=(0.0, 0.2, -0.05))


def test_a_chain_in_transition_arrives_though_its_target_rests():
    skeleton = lamp()
    options = ExpressiveOptions(hold_body=True, measure="bones")
    model = make_model(skeleton, "expressive", NO_FILTER, MotionStyle(), posture_jumps=False, options=options)
    state, outputs = None, None
    for angle in np.linspace(0.0, 2.0 * np.pi, 360):
        spot = float(np.sin(angle)), 0.1 + float(np.cos(angle)), 0.6
        goal = GazeGoal(Point(spot, level=Z), np.zeros(len(skeleton)))
        outputs, state = tick(model, goal, state, TICK)
        if outputs.solution.is_on_its_way:
            break
    assert outputs is not None
    assert outputs.solution.is_on_its_way
    assert not outputs.at_rest
    for _ in range(240):
        outputs, state = tick(model, goal, state, TICK)
    assert outputs.at_rest
    assert outputs.solution.aim_error < 1e-6
