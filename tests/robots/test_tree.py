"""Tests the frames of links against independent forward kinematics, from every link as the root."""

import random

import numpy as np
import pytest
from limber.robots.errors import UnknownNameError
from limber.robots.reading import read
from limber.robots.tree import build_tree
from limber.solvers.kinematics.rotations import to_matrix

from tests.robots.robots import ARM, NO_PUBLIC, PUBLIC, apart, arbitrary, frames, write

EXACT = 1e-13  # [m, rad] tolerance: rounding of doubles over some dozen links


def some_values(draw: random.Random, tree) -> dict[str, float]:
    return tree.complete(
        {joint.name: draw.uniform(-3.0, 3.0) for joint in tree.joints if joint.mimic is None}
    )


def farthest(path, tree, values) -> float:
    wanted = frames(path, values)
    base = np.linalg.inv(wanted[tree.root])
    found = zip(tree.branches, tree.frames(values), strict=True)
    return max(
        max(apart(base @ wanted[branch.link], np.array(to_matrix(frame.rotation)), frame.offset))
        for branch, frame in found
    )


@pytest.mark.parametrize("seed", range(12))
def test_links_are_where_the_file_says_from_any_root(tmp_path, seed):
    draw = random.Random(seed)
    path = write(tmp_path, arbitrary(draw))
    robot = read(path)
    for root in ["", *draw.sample([link.name for link in robot.links], 5)]:
        tree = build_tree(robot, root)
        assert tree.root == (root or "link 0")
        assert len(tree.branches) == len(robot.links)
        for _ in range(3):
            assert farthest(path, tree, some_values(draw, tree)) < EXACT


@pytest.mark.parametrize(
    "path", PUBLIC or [pytest.param(None, marks=pytest.mark.skip(reason=NO_PUBLIC))], ids=str
)
def test_links_of_public_robots_are_where_their_files_say_from_any_root(path):
    draw = random.Random(1)
    robot = read(path)
    for root in ["", *draw.sample([link.name for link in robot.links], 3)]:
        tree = build_tree(robot, root)
        assert farthest(path, tree, some_values(draw, tree)) < EXACT


def test_parents_come_before_their_children(tmp_path):
    tree = build_tree(read(write(tmp_path, arbitrary(random.Random(3)))), "link 7")
    assert all(branch.parent < k for k, branch in enumerate(tree.branches))
    assert [k for k, branch in enumerate(tree.branches) if branch.parent < 0] == [0]


def test_an_unknown_root_is_an_error_that_names_the_links(tmp_path):
    with pytest.raises(UnknownNameError, match=r"no link 'foot'.*base, upper"):
        build_tree(read(write(tmp_path, ARM)), "foot")


def test_mimic_joints_follow_and_unknown_ones_are_refused(tmp_path):
    tree = build_tree(read(write(tmp_path, ARM)))
    assert tree.complete({"grip": 0.02})["counter_grip"] == 0.5 * 0.02 + 0.001
    with pytest.raises(KeyError, match="no joint 'knee'"):
        tree.complete({"knee": 1.0})


def test_a_robot_rests_at_zero_or_the_nearest_that_its_limits_allow(tmp_path):
    text = ARM.replace('lower="-1" upper="2"', 'lower="0.2" upper="2"').replace(
        'lower="-2" upper="1.5"', 'lower="-2" upper="-1.5"'
    )
    assert build_tree(read(write(tmp_path, text))).resting() == {
        "shoulder": -1.5,
        "elbow": 0.2,
        "grip": 0.0,
        "counter_grip": 0.001,
    }
