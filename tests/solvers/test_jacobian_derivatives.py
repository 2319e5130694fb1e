"""Tests every analytic Jacobian and gradient against finite differences, on random chains, trees and floating
bases.
"""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.solvers.aim_residual import parts, residual
from limber.solvers.expressive.aims import BatchedAim
from limber.solvers.goals import Aim, Direction, EndGoal, Frame, GazeGoal, Orientation, Point, Position
from limber.solvers.jacobian.linear import Linearizer
from limber.solvers.jacobian.objectives import (
    KeepPosture,
    LeaveLimits,
    Manipulability,
    Objective,
    ObjectiveInputs,
)
from limber.solvers.kinematics.rotations import (
    X,
    Y,
    Z,
    about,
    add,
    conjugate,
    logarithm,
    multiply,
    rotate,
    scale,
)
from limber.solvers.kinematics.skeleton import Skeleton

from tests.solvers.chains import any_chain, any_direction, any_turn, posture_of
from tests.solvers.test_skeleton import any_tree

often = settings(derandomize=True, deadline=None, max_examples=60)
SMALL = 1e-5  # [rad or m] step of central differences: their error is about 1e-10
EXACT = 1e-6

seeds = st.integers(0, 10**6)


def any_skeleton(draw: random.Random) -> Skeleton:
    """A chain or a tree, with prismatic joints."""
    count = draw.randint(2, 9)
    if draw.random() < 0.5:
        return any_tree(draw, count)
    chain = any_chain(draw, count)
    prismatic = [draw.random() < 0.25 for _ in range(count)]
    joints = [
        replace(joint, kind="prismatic") if slide else joint
        for joint, slide in zip(chain.joints, prismatic, strict=True)
    ]
    return replace(chain, joints=tuple(joints))


def slopes(value, angles: np.ndarray) -> np.ndarray:
    """Central differences (n, ...) of a function of the angles."""
    rows = []
    for k in range(len(angles)):
        step = np.zeros(len(angles))
        step[k] = SMALL
        rows.append((np.asarray(value(angles + step)) - np.asarray(value(angles - step))) / (2 * SMALL))
    return np.array(rows)


@often
@given(seeds)
def test_each_ends_velocities_on_a_fixed_and_on_a_floating_base(seed):
    draw = random.Random(seed)
    skeleton = any_skeleton(draw)
    angles = posture_of(draw, skeleton)
    for end in range(len(skeleton.ends)):
        rotation, position = skeleton.end_pose(skeleton.forward(angles), end)

        def turned(moved, end=end, rotation=rotation):
            return logarithm(
                multiply(skeleton.end_pose(skeleton.forward(moved), end)[0], conjugate(rotation))
            )

        def placed(moved, end=end):
            return skeleton.end_pose(skeleton.forward(moved), end)[1]

        angular, linear = skeleton.jacobian(angles, end, floating=True)
        assert angular[:, 6:] == pytest.approx(slopes(turned, angles).T, abs=EXACT)
        assert linear[:, 6:] == pytest.approx(slopes(placed, angles).T, abs=EXACT)

        def base_moved(
            six, position=position
        ):  # the base has three translations, and three rotations about its own origin
            turn = about(X, 0.0)
            for axis, angle in zip((X, Y, Z), six[3:], strict=True):
                turn = multiply(about(axis, angle), turn)
            return add(rotate(turn, position), tuple(six[:3]))

        assert linear[:, :6] == pytest.approx(slopes(base_moved, np.zeros(6)).T, abs=EXACT)
        assert angular[:, :6] == pytest.approx(np.hstack([np.zeros((3, 3)), np.eye(3)]))


def aims_met(draw: random.Random, skeleton: Skeleton, angles: np.ndarray, end: int) -> list[Aim]:
    """Aims of every kind that the pose meets."""
    rotation, position = skeleton.end_pose(skeleton.forward(angles), end)
    view = rotate(rotation, Y)
    near = add(position, scale(view, draw.uniform(0.3, 3.0)))
    up = rotate(rotation, Z)
    return [
        Orientation(rotation),
        Direction(view),
        Direction(view, up),
        Point(near),
        Position(position),
        Frame(position, rotation),
    ]


@often
@given(seeds)
def test_the_stacked_rows_of_all_ends_and_kinds_where_the_goal_is_met(seed):
    draw = random.Random(seed)
    skeleton = any_skeleton(draw)
    angles = posture_of(draw, skeleton)
    ends = [
        EndGoal(draw.choice(aims_met(draw, skeleton, angles, end)), end, draw.choice([1.0, 0.3, 4.0]))
        for end in range(len(skeleton.ends))
    ]
    goal = GazeGoal(ends[0].aim, angles, weight=ends[0].weight, others=tuple(ends[1:]))
    linearizer = Linearizer(skeleton)
    no_wishes, kept = np.zeros(len(angles)), np.ones(len(angles), dtype=bool)

    def linear(moved):
        return linearizer.linear(goal, skeleton.forward(moved.tolist()), no_wishes, kept)

    here = linear(angles)
    assert here.jacobian / linearizer.units == pytest.approx(
        -slopes(lambda moved: linear(moved).error, angles).T, abs=EXACT
    )
    weights = {block.weight for block in here.blocks}
    assert max(weights) == 1.0
    stacked = np.array(residual(skeleton, goal, skeleton.forward(angles.tolist())).columns).T
    assert here.jacobian / linearizer.units == pytest.approx(stacked, abs=1e-12)


@often
@given(seeds)
def test_the_rows_of_many_poses_at_once_where_the_goal_is_met(seed):
    draw = random.Random(seed)
    skeleton = any_skeleton(draw)
    angles, tree = posture_of(draw, skeleton), skeleton.tree
    ends = [
        EndGoal(draw.choice(aims_met(draw, skeleton, angles, end)), end, draw.choice([1.0, 0.3]))
        for end in range(len(skeleton.ends))
    ]
    batched = BatchedAim(
        skeleton, GazeGoal(ends[0].aim, angles, weight=ends[0].weight, others=tuple(ends[1:]))
    )
    here = batched.evaluate(tree.forward(angles[None]))
    steps = SMALL * np.eye(len(angles))
    ahead, behind = (
        batched.evaluate(tree.forward(moved)).error for moved in (angles + steps, angles - steps)
    )
    assert here.size[0] == pytest.approx(0.0, abs=EXACT)
    assert here.columns[0] == pytest.approx((behind - ahead) / (2 * SMALL), abs=EXACT)


@often
@given(seeds)
def test_how_the_angle_missed_changes_anywhere(seed):
    draw = random.Random(seed)
    skeleton = any_chain(draw, draw.randint(1, 7))
    angles = posture_of(draw, skeleton)
    position = scale(any_direction(draw), 2.0)
    for aim in (
        Orientation(any_turn(draw)),
        Direction(any_direction(draw)),
        Point(position),
        Position(position),
    ):
        goal = GazeGoal(aim, angles, symmetric=False)

        def error_size(moved, goal=goal):
            return residual(skeleton, goal, skeleton.forward(moved)).size

        here = residual(skeleton, goal, skeleton.forward(angles))
        if not 0.1 < here.size < 3.0:
            continue  # at an error of 0 or half a turn the angle has no derivative
        assert np.array(here.columns) @ here.error / here.size == pytest.approx(
            -slopes(error_size, angles), abs=EXACT
        )


@often
@given(seeds)
def test_the_alternate_jacobian_is_that_of_targets_fixed_to_the_links_that_carry_the_ends(seed):
    draw = random.Random(seed)
    skeleton = any_skeleton(draw)
    angles = posture_of(draw, skeleton)
    position = scale(any_direction(draw), 2.0)
    goal = GazeGoal(Position(position), angles)
    pose = skeleton.forward(angles)
    rotation, end_place = pose.tool_rotation, pose.tool_position
    in_link = rotate(conjugate(rotation), add(position, scale(end_place, -1.0)))

    def carried(moved):
        now = skeleton.forward(moved)
        return add(now.tool_position, rotate(now.tool_rotation, in_link))

    (part,) = parts(skeleton, goal, pose, at_targets=True)
    reach = skeleton.reach
    assert reach * np.array(part.residual.columns) == pytest.approx(slopes(carried, angles), abs=EXACT)
    (usual,) = parts(skeleton, goal, pose)
    assert part.residual.error == usual.residual.error


OBJECTIVES = [KeepPosture(0.7), LeaveLimits(2.0), Manipulability(3.0)]


@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda objective: type(objective).__name__)
@often
@given(seeds)
def test_what_joints_would_like_is_downhill(objective: Objective, seed: int):
    draw = random.Random(seed)
    skeleton = any_skeleton(draw)
    angles, posture = posture_of(draw, skeleton), posture_of(draw, skeleton)
    end = draw.randrange(len(skeleton.ends))
    aim = draw.choice([Position((1.0, 2.0, 0.0)), Direction(Y), Frame((0.0, 1.0, 0.0), any_turn(draw))])
    goal = GazeGoal(aim, posture, keep=0.6, others=(EndGoal(aim, end),))
    units = Linearizer(skeleton).units
    kept = np.array([draw.random() < 0.7 for _ in angles])

    def state(moved):
        return ObjectiveInputs(skeleton, units, goal, posture, kept, moved, skeleton.forward(moved.tolist()))

    if isinstance(objective, Manipulability) and abs(objective.value(state(angles))) < 1e-3:
        # singular in every pose, or nearly: the product of singular values is not differentiable at zero
        return
    downhill = objective.downhill(state(angles))
    assert downhill == pytest.approx(
        -slopes(lambda moved: objective.value(state(moved)), angles) * units, abs=1e-5
    )


def test_manipulability_is_yoshikawas():
    draw = random.Random(4)
    chain = any_chain(draw, 6)
    angles = posture_of(draw, chain)
    goal = GazeGoal(Position((0.0, 0.0, 0.0)), angles)
    _, linear = chain.jacobian(angles)
    jacobian = linear / chain.reach
    state = ObjectiveInputs(
        chain, np.ones(6), goal, angles, np.ones(6, dtype=bool), angles, chain.forward(angles)
    )
    assert -Manipulability().value(state) == pytest.approx(
        math.sqrt(np.linalg.det(jacobian @ jacobian.T)), rel=1e-9
    )
