"""Tests that the skeleton's kinematics are consistent, and that its errors name the joint."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from limber.solvers.kinematics.rotations import (
    IDENTITY,
    X,
    Y,
    about,
    conjugate,
    logarithm,
    multiply,
    rotate,
    to_matrix,
    unit,
)
from limber.solvers.kinematics.skeleton import End, Joint, Skeleton, SkeletonError
from limber.solvers.kinematics.tree import FEW

from tests.solvers.chains import any_chain, any_direction, any_turn, posture_of


def with_a_slide(chain: Skeleton) -> Skeleton:
    joints = list(chain.joints)
    joints[1] = replace(joints[1], kind="prismatic")
    return replace(chain, joints=tuple(joints))


@pytest.mark.parametrize("seed", range(6))
def test_jacobians_agree_with_finite_differences(seed):
    draw = random.Random(seed)
    chain = with_a_slide(any_chain(draw, 5))
    angles = posture_of(draw, chain)
    angular, linear = chain.jacobian(angles)
    small = 1e-6
    for k in range(5):
        ahead, behind = angles.copy(), angles.copy()
        ahead[k] += small
        behind[k] -= small
        after, before = chain.forward(ahead), chain.forward(behind)
        turned = logarithm(multiply(after.tool_rotation, conjugate(before.tool_rotation)))
        assert angular[:, k] == pytest.approx(np.array(turned) / (2 * small), abs=1e-7)
        assert linear[:, k] == pytest.approx(
            (np.array(after.tool_position) - np.array(before.tool_position)) / (2 * small), abs=1e-7
        )


@pytest.mark.parametrize("count", [1, FEW, FEW + 1])
@pytest.mark.parametrize("seed", range(3))
def test_many_poses_at_once_are_the_same_as_each_alone(seed, count):
    draw = random.Random(seed)
    for skeleton in (with_a_slide(any_chain(draw, 6)), any_tree(draw, 6)):
        tree = skeleton.tree
        rows = np.array([posture_of(draw, skeleton) for _ in range(count)])
        frames = tree.forward(rows)
        for row, angles in enumerate(rows):
            pose = skeleton.forward(angles)
            assert frames.nodes[row, tree.held, :3, 3] == pytest.approx(np.array(pose.positions), abs=1e-12)
            assert frames.axes[row] == pytest.approx(np.array(skeleton.world_axes(pose)), abs=1e-12)
            for end in range(len(skeleton.ends)):
                rotation, position = skeleton.end_pose(pose, end)
                placed = tree.placed(frames, np.array([end]))[row, 0]
                assert placed[:3, 3] == pytest.approx(np.array(position), abs=1e-12)
                assert placed[:3, :3] == pytest.approx(np.array(to_matrix(rotation)), abs=1e-12)


def test_kinematics_go_offset_then_rest_then_turn():
    quarter = math.sqrt(0.5)
    chain = Skeleton(
        (
            # rest rotation: a quarter turn about Z
            Joint("root", -1, (quarter, 0, 0, quarter), (1.0, 0.0, 0.0), X, -2, 2),
            Joint("tip", 0, IDENTITY, (0.0, 1.0, 0.0), X, -2, 2),
        ),
        tool_offset=(0.0, 0.0, 1.0),
    )
    pose = chain.forward([math.pi / 2, 0.0])
    assert pose.positions[1] == pytest.approx((1.0, 0.0, 1.0))  # its own Y was the base's -X, then up
    assert pose.tool_position == pytest.approx((2.0, 0.0, 1.0))


def test_clamping_moves_each_angle_to_the_nearest_within_limits():
    chain = Skeleton(
        (Joint("a", -1, IDENTITY, (0, 0, 0), X, -1, 2), Joint("b", 0, IDENTITY, (0, 0, 0), Y, 0.5, 0.5))
    )
    assert chain.clamp([-3, 0]) == (-1, 0.5)
    assert chain.clamp(np.array([1.5, 1.0])) == (1.5, 0.5)


@pytest.mark.parametrize(
    ("change", "remedy"),
    [
        ({"lower": 2.0}, "exchange"),
        ({"axis": (1.0, 1.0, 0.0)}, "length 1"),
        ({"rest_rotation": (2.0, 0.0, 0.0, 0.0)}, "length 1"),
        ({"upper": math.nan}, "its upper limit is nan: give it a finite number"),
        ({"lower": -math.inf}, "its lower limit is -inf: give it a finite number"),
        ({"rest_offset": (0.0, math.nan, 0.0)}, "its rest offset .*nan.* 3 finite numbers"),
        ({"velocity": math.inf}, "the velocity limit must be above zero and finite, got inf"),
        ({"kind": "prismatic", "upper": 1e170}, "too far: narrow it"),
        ({"jerk": 0.0}, "jerk limit must be above zero"),
        ({"kind": "ball"}, "prismatic"),
    ],
)
def test_a_joint_that_cannot_be_is_named_with_its_remedy(change, remedy):
    good = Joint("neck", -1, IDENTITY, (0.0, 0.0, 0.0), X, -1.0, 1.0)
    with pytest.raises(SkeletonError, match=f"'neck'.*{remedy}"):
        replace(good, **change)


def test_a_skeleton_without_joints_or_with_a_child_before_its_parent_says_so():
    with pytest.raises(SkeletonError, match="at least one joint"):
        Skeleton(())
    joint = Joint("arm", -1, IDENTITY, (0.0, 0.0, 0.0), X, -1.0, 1.0)
    with pytest.raises(SkeletonError, match="'hand'"):
        Skeleton((joint, replace(joint, name="hand", parent=1)))
    with pytest.raises(SkeletonError, match="'grip' is carried by joint 4"):
        Skeleton((joint,), more_ends=(End(4, name="grip"),))


def any_tree(draw: random.Random, count: int) -> Skeleton:
    joints = list(any_chain(draw, count).joints)
    joints = [replace(joint, parent=draw.randint(-1, k - 1)) for k, joint in enumerate(joints)]
    joints[count // 2] = replace(joints[count // 2], kind="prismatic")
    ends = tuple(
        End(draw.randrange(count), any_turn(draw), any_direction(draw), f"end {e}") for e in range(2)
    )
    return Skeleton(tuple(joints), any_turn(draw), any_direction(draw), draw.randrange(count), ends)


@pytest.mark.parametrize("seed", range(8))
def test_jacobians_of_a_trees_ends_on_a_floating_base_agree_with_finite_differences(seed):
    draw = random.Random(seed)
    tree = any_tree(draw, 7)
    angles = posture_of(draw, tree)
    small = 1e-6

    def moved(speed, sign):
        """The pose after a small step, in which the base moved first."""
        base, turn = speed[:3] * small * sign, speed[3:6] * small * sign
        turned = about(unit(tuple(turn)), float(np.linalg.norm(turn))) if turn.any() else IDENTITY
        pose = tree.forward(angles + speed[6:] * small * sign)
        return [
            (multiply(turned, rotation), np.array(rotate(turned, position)) + base)
            for rotation, position in (tree.end_pose(pose, e) for e in range(3))
        ]

    for end in range(3):
        angular, linear = tree.jacobian(angles, end, floating=True)
        for k in range(6 + len(tree)):
            speed = np.eye(6 + len(tree))[k]
            (after, to), (before, since) = moved(speed, 1)[end], moved(speed, -1)[end]
            assert angular[:, k] == pytest.approx(
                np.array(logarithm(multiply(after, conjugate(before)))) / (2 * small), abs=1e-6
            )
            assert linear[:, k] == pytest.approx((to - since) / (2 * small), abs=1e-6)
        assert np.array_equal(angular[:, 6:], tree.jacobian(angles, end)[0])


def test_a_trees_branch_is_the_chain_to_its_end():
    draw = random.Random(3)
    tree = any_tree(draw, 7)
    angles = posture_of(draw, tree)
    for e in range(3):
        branch = tree.branch(e)
        assert branch.is_chain
        assert not tree.is_chain
        pose = branch.forward(angles[list(tree.path(e))])
        rotation, position = tree.end_pose(tree.forward(angles), e)
        assert pose.tool_position == pytest.approx(position, abs=1e-12)
        assert pose.tool_rotation == pytest.approx(rotation, abs=1e-12)
