"""Tests bones for links: the joint's axis is an axis of the bone, no bone is too short, and records keep
every digit.
"""

import random
from dataclasses import replace

import pytest
from limber.robots.display import FOLDED, SHORTEST, bone_shapes
from limber.robots.meshes import find_mesh
from limber.robots.reading import read
from limber.robots.record import from_text, to_text
from limber.robots.tree import build_tree
from limber.solvers.kinematics.rotations import X, Y, Z, conjugate, dot, length, rotate, scale, subtract

from tests.robots.robots import ARM, PUBLIC, arbitrary, write

LETTERS = {"X": X, "Y": Y}


def drawn(path, root: str = ""):
    robot = read(path)
    tree = build_tree(robot, root)
    return tree, bone_shapes(robot, tree)


def index(tree, link: str) -> int:
    return [branch.link for branch in tree.branches].index(link)


@pytest.mark.parametrize("seed", range(8))
def test_a_joints_axis_is_an_axis_of_its_bone_and_the_bone_is_at_the_joint(tmp_path, seed):
    tree, shapes = drawn(write(tmp_path, arbitrary(random.Random(seed))), "link 3")
    resting = tree.frames({})
    for branch, shape in zip(tree.branches, shapes, strict=True):
        if not shape.axis:
            assert branch.joint is None or not branch.joint.is_movable
            continue
        joint_frame = resting[branch.parent].then(branch.before)
        axis = rotate(joint_frame.rotation, branch.axis)
        assert length(subtract(scale(rotate(shape.rotation, LETTERS[shape.axis]), shape.sign), axis)) < 1e-12
        assert shape.head == joint_frame.offset


@pytest.mark.parametrize("seed", range(8))
def test_bones_have_a_length_and_do_not_fold_back_on_their_parents(tmp_path, seed):
    tree, shapes = drawn(write(tmp_path, arbitrary(random.Random(seed))))
    size = max(length(subtract(a.head, b.head)) for a in shapes for b in shapes)
    for k, (branch, shape) in enumerate(zip(tree.branches, shapes, strict=True)):
        assert shape.length >= 0.5 * SHORTEST * size
        if k:
            above = rotate(shapes[branch.parent].rotation, Y)
            assert dot(rotate(shape.rotation, Y), above) >= FOLDED


def test_bones_point_to_the_next_joint(tmp_path):
    tree, shapes = drawn(write(tmp_path, ARM))
    upper, lower = shapes[index(tree, "upper")], shapes[index(tree, "lower")]
    assert (upper.axis, upper.sign, upper.length) == (
        "Y",
        1,
        pytest.approx(0.3),
    ), "a joint along its link twists it"
    assert (lower.axis, lower.length) == ("X", pytest.approx(0.25)), "a joint across its link is a hinge"
    assert rotate(lower.rotation, Y) == pytest.approx((0.0, 0.0, 1.0))


def test_a_twist_whose_axis_points_the_other_way_counts_backwards(tmp_path):
    tree, shapes = drawn(write(tmp_path, ARM.replace('axis xyz="0 0 2"', 'axis xyz="0 0 -2"')))
    upper = shapes[index(tree, "upper")]
    assert (upper.axis, upper.sign) == ("Y", -1)
    assert rotate(upper.rotation, Y) == pytest.approx((0.0, 0.0, 1.0))


@pytest.mark.parametrize("turned", ["1 2 3", "3.14159 0 0", "0 0 3.1", "1.5708 0 0"])
def test_a_last_link_that_no_joint_moves_has_the_links_own_axes(tmp_path, turned):
    eye = (
        '<link name="eye"/><joint name="e" type="fixed"><parent link="lower"/><child link="eye"/><origin'
        ' rpy="TURNED"/></joint>'
    )
    tree, shapes = drawn(write(tmp_path, ARM.replace("</robot>", eye.replace("TURNED", turned) + "</robot>")))
    bone, link = shapes[index(tree, "eye")].rotation, tree.frames({})[index(tree, "eye")].rotation
    for axis in (X, Y, Z):
        assert max(abs(part) for part in rotate(conjugate(link), rotate(bone, axis))) == pytest.approx(1.0)


def test_a_robot_of_one_link_is_drawn(tmp_path):
    _, shapes = drawn(write(tmp_path, '<robot name="r"><link name="a"/></robot>'))
    assert shapes[0].length > 0.0


@pytest.mark.parametrize("seed", range(4))
def test_records_keep_every_digit(tmp_path, seed):
    tree, shapes = drawn(write(tmp_path, arbitrary(random.Random(seed))), "link 4")
    for branch, shape in zip(tree.branches, shapes, strict=True):
        kept = from_text(to_text(branch, shape.axis, shape.sign))
        joint = branch.joint and replace(branch.joint, line=0, file="")
        assert kept.branch == replace(branch, parent=-1, joint=joint)
        assert (kept.axis, kept.sign) == (shape.axis, shape.sign)


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.parent.name + "/" + path.name)
def test_records_of_public_robots_keep_every_digit(path):
    tree, shapes = drawn(path)
    for branch, shape in zip(tree.branches, shapes, strict=True):
        assert from_text(to_text(branch, shape.axis, shape.sign)).branch.inertial == branch.inertial


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"link": 1}', "null"])
def test_a_text_that_is_no_record_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        from_text(text)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("package://my_robot/meshes/a.stl", "my_robot/meshes/a.stl"),
        ("package://my_robot/meshes/a.stl", "my_robot/urdf/meshes/a.stl"),
        ("package://renamed/meshes/a.stl", "my_robot/meshes/a.stl"),
        ("package:///a.stl", "my_robot/urdf/a.stl"),
        ("package://a.stl", "my_robot/urdf/a.stl"),
        ("package://assets/a.stl", "my_robot/urdf/assets/a.stl"),
        ("model://my_robot/a.stl", "my_robot/a.stl"),
        ("meshes/a.stl", "my_robot/urdf/meshes/a.stl"),
        ("../meshes/a.stl", "my_robot/meshes/a.stl"),
        ("meshes\\a.stl", "my_robot/urdf/meshes/a.stl"),
    ],
)
def test_meshes_are_found_from_the_files_folder(tmp_path, name, place):
    urdf = tmp_path / "my_robot" / "urdf" / "robot.urdf"
    urdf.parent.mkdir(parents=True)
    file = tmp_path / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("solid")
    found = find_mesh(name, str(urdf))
    assert found is not None
    assert found.samefile(file)


def test_a_meshs_whole_path_may_be_told(tmp_path):
    (tmp_path / "a b.stl").write_text("solid")
    assert find_mesh(str(tmp_path / "a b.stl"), "robot.urdf") == tmp_path / "a b.stl"
    assert find_mesh(f"file://{tmp_path}/a b.stl", "robot.urdf") == tmp_path / "a b.stl"
    assert find_mesh(f"file://{tmp_path}/a%20b.stl", "robot.urdf") == tmp_path / "a b.stl"


@pytest.mark.parametrize(
    "name", ["package://p/none.stl", "none.stl", "http://a/b.stl", "package://", "\x00.stl", "a" * 5000]
)
def test_a_mesh_that_is_not_there_is_none(tmp_path, name):
    assert find_mesh(name, str(tmp_path / "robot.urdf")) is None
