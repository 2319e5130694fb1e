"""Tests a robot in the solvers' form: the same kinematics, every end, joint values by name."""

import random

import numpy as np
import pytest
from limber.robots.model import MAX_ANGLE, MAX_TRAVEL
from limber.robots.reading import read
from limber.robots.skeleton import robot_skeleton
from limber.robots.tree import build_tree
from limber.solvers.kinematics.rotations import to_matrix
from limber.solvers.kinematics.skeleton import SkeletonError

from tests.robots.robots import ARM, apart, arbitrary, frames, write


@pytest.mark.parametrize("seed", range(8))
def test_every_end_is_where_its_link_is(tmp_path, seed):
    draw = random.Random(seed)
    path = write(tmp_path, arbitrary(draw))
    tree = build_tree(read(path), draw.choice(["", "link 5"]))
    made = robot_skeleton(tree)
    assert made.names == tuple(joint.name for joint in tree.joints)
    angles = made.complete([draw.uniform(-3, 3) for _ in made.names])
    wanted, pose = frames(path, made.values(angles)), made.skeleton.forward(angles)
    base = np.linalg.inv(wanted[tree.root])
    for number, end in enumerate(made.ends):
        rotation, place = made.skeleton.end_pose(pose, number)
        assert max(apart(base @ wanted[end], np.array(to_matrix(rotation)), place)) < 1e-13


def test_ends_are_the_links_that_are_asked_for_or_all_last_ones(tmp_path):
    tree = build_tree(read(write(tmp_path, ARM)))
    assert robot_skeleton(tree).ends == ("left", "right")
    assert robot_skeleton(tree, ["hand", "upper"]).ends == ("hand", "upper")
    with pytest.raises(KeyError, match="foot"):
        robot_skeleton(tree, ["foot"])
    with pytest.raises(SkeletonError, match="no joint moves link 'base'"):
        robot_skeleton(tree, ["base"])


def test_values_by_name_and_angles_are_the_same_numbers(tmp_path):
    made = robot_skeleton(build_tree(read(write(tmp_path, ARM))))
    values = {"shoulder": 0.1 + 0.2, "elbow": -1 / 3, "grip": 0.02, "counter_grip": 0.011}
    assert made.values(made.angles(values)) == values
    assert made.angles({}) == (0.0, 0.0, 0.0, 0.001)
    with pytest.raises(KeyError, match="knee"):
        made.angles({"knee": 0.0})


@pytest.mark.parametrize("seed", range(8))
def test_mimic_joints_are_linear_relations_to_joints_that_lead(tmp_path, seed):
    draw = random.Random(seed)
    tree = build_tree(read(write(tmp_path, arbitrary(draw, 20))))
    made = robot_skeleton(tree)
    followers = {relation.joint for relation in made.relations}
    assert followers == {k for k, joint in enumerate(tree.joints) if joint.mimic}
    assert followers.isdisjoint(relation.leader for relation in made.relations)
    values = {joint.name: draw.uniform(-2, 2) for joint in tree.joints if joint.mimic is None}
    assert made.values(made.angles(values)) == pytest.approx(tree.complete(values), abs=1e-12)


def test_limits_and_velocities_come_along_and_what_is_unlimited_gets_room(tmp_path):
    text = ARM.replace(
        'type="revolute">\n    <parent link="upper"/>', 'type="continuous">\n    <parent link="upper"/>'
    )
    shoulder, elbow, grip, _ = robot_skeleton(build_tree(read(write(tmp_path, text)))).skeleton.joints
    assert (shoulder.lower, shoulder.upper, shoulder.velocity) == (-2.0, 1.5, 3.0)
    assert (elbow.lower, elbow.upper) == (-MAX_ANGLE, MAX_ANGLE)
    assert (grip.kind, grip.upper) == ("prismatic", 0.03)
    slide = text.replace('<limit lower="0" upper="0.03"/>', "")
    assert robot_skeleton(build_tree(read(write(tmp_path, slide)))).skeleton.joints[3].upper == MAX_TRAVEL


def test_a_robot_that_cannot_move_has_no_skeleton(tmp_path):
    with pytest.raises(SkeletonError, match="at least one joint"):
        robot_skeleton(build_tree(read(write(tmp_path, '<robot name="r"><link name="a"/></robot>'))))
