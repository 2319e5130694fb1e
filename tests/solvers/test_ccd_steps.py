"""Tests CCD's parts: the step of a hinge and of a free joint, rotations within limits, sweeps."""

import itertools
import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.solvers.ccd import Ccd, CcdOptions
from limber.solvers.ccd.tasks import Range, pull_to_frame, pull_to_point, rotation_within
from limber.solvers.coordinate_descent import Pull, SweepStart, Tool, pull_of_frames, pull_of_vectors, sweep
from limber.solvers.goals import Direction, GazeGoal
from limber.solvers.kinematics.rotations import (
    IDENTITY,
    X,
    Y,
    Z,
    about,
    add,
    angle_between,
    between,
    dot,
    multiply,
    rotate,
    scale,
    subtract,
    twist_angle,
    unit,
    vector_angle,
)  # fmt: skip

from tests.solvers.chains import (
    any_direction,
    any_turn,
    posture_of,
    tree,
    unit_chain,
)

# The step of a hinge


@given(st.integers(0, 10**6))
def test_a_hinge_turns_as_if_all_turned_and_its_axis_were_put_back(seed):
    # Zalo's two steps as published: the quaternion between both vectors, then the shortest rotation back for
    # the axis.
    draw = random.Random(seed)
    axis, now, end_goal = (any_direction(draw) for _ in range(3))
    free = between(now, end_goal)
    kept = multiply(between(rotate(free, axis), axis), free)
    assert angle_between(
        kept, about(axis, pull_of_vectors(axis, now, end_goal).quaternion_rotation)
    ) == pytest.approx(0, abs=1e-6)


@given(st.integers(0, 10**6))
def test_a_hinge_never_turns_too_far_and_the_best_turn_is_the_best(seed):
    draw = random.Random(seed)
    axis = any_direction(draw)
    pairs = [(any_direction(draw), any_direction(draw), draw.uniform(0, 2)) for _ in range(3)]
    pull = Pull()
    for now, end_goal, weight in pairs:
        pull = pull.plus(pull_of_vectors(axis, now, end_goal).times(weight))

    def nearness(turn: float) -> float:
        return sum(weight * dot(rotate(about(axis, turn), now), end_goal) for now, end_goal, weight in pairs)

    gains = [nearness(share * pull.quaternion_rotation) for share in np.linspace(0, 1, 9)]
    assert all(b >= a - 1e-12 for a, b in itertools.pairwise(gains))
    assert (
        nearness(pull.best_rotation)
        >= max(nearness(turn) for turn in np.linspace(-math.pi, math.pi, 60)) - 1e-12
    )
    assert abs(pull.quaternion_rotation) <= abs(pull.best_rotation) + 1e-9
    assert pull.gain(0.7) - pull.gain(0.0) == pytest.approx(nearness(0.7) - nearness(0.0), abs=1e-12)


def test_opposite_vectors_turn_a_hinge_half_round_if_it_lies_across():
    assert abs(pull_of_vectors(Z, X, scale(X, -1.0)).quaternion_rotation) == pytest.approx(math.pi)
    assert (
        pull_of_vectors(X, X, scale(X, -1.0)).quaternion_rotation == 0.0
    )  # the hinge is along the vectors: no rotation reduces the error
    turned = rotate(
        about(Z, pull_of_vectors(Z, unit((1.0, 0.0, 0.5)), unit((-1.0, 0.0, -0.5))).quaternion_rotation),
        unit((1.0, 0.0, 0.5)),
    )
    assert turned[0] < -0.8


@given(st.integers(0, 10**6))
def test_a_whole_orientation_turns_a_hinge_by_its_twist(seed):
    draw = random.Random(seed)
    axis, now, end_goal = any_direction(draw), any_turn(draw), any_turn(draw)
    back = (now[0], -now[1], -now[2], -now[3])
    pull = pull_of_frames(axis, now, end_goal)
    assert math.remainder(
        pull.quaternion_rotation - twist_angle(multiply(end_goal, back), axis), math.tau
    ) == pytest.approx(0, abs=1e-9)
    assert math.remainder(pull.quaternion_rotation - pull.best_rotation, math.tau) == pytest.approx(
        0, abs=1e-9
    )


@given(st.integers(0, 10**6))
def test_a_free_joint_brings_its_line_of_sight_onto_any_point_at_once(seed):
    # This holds however near the target is: the eye moves as the joint rotates, which the pull includes.
    draw = random.Random(seed)
    position, eye, view, target = (
        any_direction(draw),
        scale(any_direction(draw), 1.5),
        any_direction(draw),
        scale(any_direction(draw), 2.0),
    )
    vectors = []

    for axis in (X, Y, Z):
        pull = pull_to_point(axis, position, eye, view, target)
        if pull is None:
            return
        vectors.append(pull.across)
    # The three hinges see the components of one rotation, n sin; its direction is that of the free rotation.
    size = math.hypot(*vectors)
    if size < 1e-6:
        return
    arm, sight = subtract(target, position), subtract(eye, position)
    if math.hypot(*arm) < math.sqrt(max(0.0, dot(sight, sight) - dot(sight, view) ** 2)):
        return  # nearer to the joint than the line ever is
    for angle in (math.asin(min(1.0, size)), math.pi - math.asin(min(1.0, size))):
        turn = about(unit(tuple(vectors)), angle)
        moved, looks = add(rotate(turn, sight), position), rotate(turn, view)
        if vector_angle(looks, subtract(target, moved)) < 1e-6:
            return
    raise AssertionError("neither turn brings the sight onto the target")


def test_where_limits_block_a_turn_the_other_way_round_is_taken_or_the_better_end():
    pull = pull_of_vectors(Z, X, rotate(about(Z, 2.0), X))
    assert rotation_within(pull, 2.0, Range(-1.0, 3.0)) == 2.0
    assert rotation_within(pull, 2.0, Range(-6.0, 1.0)) == pytest.approx(2.0 - math.tau)
    assert rotation_within(pull, 2.0, Range(-1.0, 1.5)) == 1.5
    # past the opposite angle it comes nearer again
    assert rotation_within(pull, 2.0, Range(-3.0, 0.0)) == -3.0


def test_of_a_symmetric_ends_rolls_the_one_within_limits_is_taken():
    now, target = IDENTITY, about(Y, math.radians(80))
    free, blocked = Range(-2.0, 2.0), Range(-2.0, 0.1)
    assert pull_to_frame(Y, now, target, True, free).best_rotation == pytest.approx(math.radians(80))
    assert pull_to_frame(Y, now, target, True, blocked).best_rotation == pytest.approx(math.radians(-100))
    assert pull_to_frame(Y, now, target, False, blocked).best_rotation == pytest.approx(math.radians(80))


# Sweeps


@pytest.mark.parametrize("tip_first", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_a_sweep_carries_the_tools_as_the_joints_turn_and_slide(seed, tip_first):
    draw = random.Random(seed)
    bare = tree(draw)
    slide = replace(bare.joints[3], kind="prismatic", lower=-0.2, upper=0.3)
    skeleton = replace(bare, joints=(*bare.joints[:3], slide, *bare.joints[4:]))
    angles = list(posture_of(draw, skeleton))
    pose = skeleton.forward(angles)
    tools = [Tool(*skeleton.end_pose(pose, e)) for e in range(2)]
    seen = {}

    def move(k, axis, position):
        seen[k] = axis, position
        by = draw.uniform(-0.3, 0.3)
        before = skeleton.forward(angles)
        assert axis == pytest.approx(skeleton.world_axes(before)[k], abs=1e-9)
        if skeleton.joints[k].kind == "revolute":
            assert position == pytest.approx(before.positions[k], abs=1e-9)
        angles[k] += by
        return by

    slides = [joint.kind == "prismatic" for joint in skeleton.joints]
    carried = [[e for e in range(2) if k in skeleton.path(e)] for k in range(len(skeleton))]
    linkage = SweepStart(
        skeleton.world_axes(pose),
        pose.positions,
        [joint.parent for joint in skeleton.joints],
        slides,
        carried,
        tools,
    )
    sweep(linkage, move, tip_first)
    assert list(seen) == (list(range(len(skeleton)))[::-1] if tip_first else list(range(len(skeleton))))
    after = skeleton.forward(angles)
    for e, tool in enumerate(tools):
        rotation, position = skeleton.end_pose(after, e)
        assert tool.position == pytest.approx(position, abs=1e-9)
        assert angle_between(tool.rotation, rotation) == pytest.approx(0, abs=1e-7)


def test_the_joint_that_comes_first_turns_most():
    chain = unit_chain("XXXX", 1.5)
    goal = GazeGoal(Direction(rotate(about(X, 0.8), Y)), np.zeros(4))
    tip, base = (Ccd(chain, CcdOptions(order=order)).solve(goal).angles for order in ("tip", "base"))
    assert tip[3] == pytest.approx(0.8, abs=1e-5)
    assert base[0] == pytest.approx(0.8, abs=1e-5)
    assert np.abs(tip[:3]).max() < 1e-5
