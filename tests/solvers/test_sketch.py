"""Tests a pose from a sketch: the links take the directions between its points, whatever its size and
position.
"""

import math
import random
from itertools import pairwise

import numpy as np
import pytest
from limber.solvers.goals import GazeError
from limber.solvers.kinematics.rotations import X, Z
from limber.solvers.kinematics.skeleton import Joint, Skeleton
from limber.solvers.sketch import places, pose_from_points

from tests.solvers.chains import lamp, posture_of, skeleton_of, unit_chain


def shown(chain: Skeleton, angles) -> np.ndarray:
    """Positions (m, 3) of the points that a sketch of the chain shows, in a pose."""
    pose = chain.forward(tuple(angles))
    return np.array(
        [
            pose.tool_position if end is chain.ends[0] else pose.positions[end.joint]
            for end in places(chain, angles)
        ]
    )


@pytest.mark.parametrize("chain", [lamp(), *(skeleton_of(name) for name in "CEG")], ids=["lamp", *"CEG"])
def test_points_of_a_pose_give_its_shape_whatever_their_size_and_place(chain):
    draw = random.Random(1)
    chain = Skeleton(chain.joints, chain.tool_rotation, (0.0, 0.4, 0.0))
    for _ in range(12):
        posture = posture_of(draw, chain)
        points = shown(chain, posture)
        sketched = pose_from_points(chain, 7.0 * points + 3.0, np.zeros(len(chain)))
        assert math.degrees(sketched.error) < 0.1
        assert shown(chain, sketched.angles) == pytest.approx(points, abs=1e-3)


def test_any_number_of_points_is_a_line_along_which_joints_are_spread():
    chain = Skeleton(unit_chain("XXXX", 2.0).joints, tool_offset=(0.0, 1.0, 0.0))
    posture = np.array([0.3, 0.4, -0.2, 0.5])
    corners = shown(chain, posture)
    dense = np.concatenate([np.linspace(a, b, 9)[:-1] for a, b in pairwise(corners)] + [corners[-1:]])
    assert pose_from_points(chain, dense, np.zeros(4)).angles == pytest.approx(posture, abs=1e-3)


def test_limits_hold_and_the_rest_is_told():
    chain = Skeleton(unit_chain("XX", 0.2).joints, tool_offset=(0.0, 1.0, 0.0))
    sketched = pose_from_points(
        chain, np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0]]), np.zeros(2)
    )
    assert np.abs(sketched.angles).max() <= 0.2
    assert math.degrees(sketched.error) > 40.0


def test_joints_that_the_sketch_does_not_determine_stay():
    pan = Joint("pan", -1, (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), X, -1.0, 1.0)
    bend = Joint("bend", 0, (1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0), Z, -1.0, 1.0)
    chain = Skeleton((pan, bend), tool_offset=(1.0, 0.0, 0.0))
    sketched = pose_from_points(
        chain, np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]), np.array([0.4, 0.1])
    )
    assert sketched.angles == pytest.approx([0.4, 0.0], abs=1e-4)


@pytest.mark.parametrize(
    "points", [np.zeros((0, 3)), np.zeros((1, 3)), np.ones((4, 3)), np.full((3, 3), np.nan)]
)
def test_points_without_a_direction_are_refused(points):
    with pytest.raises(GazeError, match="has no direction"):
        pose_from_points(lamp(), points, np.zeros(5))
