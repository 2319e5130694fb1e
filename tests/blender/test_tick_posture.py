"""Tests switching a stored posture: the body moves smoothly from one to the other while the end continues to
look. The tick needs no scene.
"""

import math

import numpy as np
from limber.character.chain import tick as ticks
from limber.motion import MotionStyle
from limber.solvers.goals import GazeGoal, Point
from limber.solvers.kinematics.skeleton import Joint, Skeleton

IDENTITY = (1.0, 0.0, 0.0, 0.0)
X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
DT = 1 / 60


def lamp() -> Skeleton:
    axes = [Y, X, X, Y, X]
    joints = tuple(
        Joint(
            f"joint {k}",
            k - 1,
            IDENTITY,
            (0.0, 0.2 if k else 0.0, 0.0),
            axis,
            -2.5,
            2.5,
            velocity=math.pi,
            acceleration=5 * math.pi,
        )
        for k, axis in enumerate(axes)
    )
    return Skeleton(joints, IDENTITY, (0.0, 0.1, 0.0))


def goal(*posture: float) -> GazeGoal:
    return GazeGoal(Point((1.5, 0.6, 1.0)), np.array(posture), symmetric=False)


UPRIGHT, BENT = (0.1, 0.3, -0.2, 0.1, 0.6), (-0.2, -0.7, 1.4, -0.3, 0.5)


def switched(posture_jumps: bool) -> tuple[list, list]:
    model = ticks.make_model(lamp(), "erik_exact", "default", MotionStyle(), posture_jumps)
    outputs, state = ticks.tick(model, goal(*UPRIGHT), None, 0.0)
    rows, states = [outputs], [state]
    for _ in range(240):
        outputs, state = ticks.tick(model, goal(*BENT), state, DT)
        rows.append(outputs)
        states.append(state)
    return rows, states


def test_a_switched_posture_keeps_the_aim_better_than_a_jump():
    glided, jumped = (max(row.filtered_aim_error for row in switched(jumps)[0]) for jumps in (True, False))
    assert glided < math.radians(8)
    assert jumped > 1.5 * glided


def test_the_transition_ends_exactly_at_the_new_posture_and_comes_to_rest():
    rows, states = switched(True)
    assert tuple(states[-1].goal.posture) == BENT
    assert rows[-1].at_rest


def test_the_transition_keeps_to_its_share_of_the_joints_limits():
    _, states = switched(True)
    postures = np.array([[joint.position for joint in state.posture] for state in states])
    assert np.abs(np.diff(postures, axis=0)).max() / DT <= ticks.TRANSITION * math.pi * (1 + 1e-9)
    assert np.abs(np.diff(postures, axis=0)).max() / DT > 0.9 * ticks.TRANSITION * math.pi


def test_the_transition_moves_all_joints_on_a_straight_line():
    _, states = switched(True)
    postures = np.array([[joint.position for joint in state.posture] for state in states])
    share = (postures - UPRIGHT) / (np.array(BENT) - UPRIGHT)
    assert np.abs(share - share[:, :1]).max() < 1e-9


def test_an_animation_is_followed_as_it_is():
    _, states = switched(False)
    assert states[1].posture == ()
    assert tuple(states[1].goal.posture) == BENT


def test_a_tick_without_time_does_not_move_the_glide():
    model = ticks.make_model(lamp(), "erik_exact", "default", MotionStyle(), posture_jumps=True)
    _, state = ticks.tick(model, goal(*UPRIGHT), None, 0.0)
    _, state = ticks.tick(model, goal(*BENT), state, DT)
    again, same = ticks.tick(model, goal(*BENT), state, 0.0)
    assert same.posture == state.posture
    assert same.goal is state.goal
    assert (again.angles == [joint.position for joint in state.motion]).all()
