"""Tests that an imported robot has its file's pose, its bones rotate as its joints do, and its joint values
are read back unchanged.
"""

import random

import bpy
import numpy as np
import pytest
from limber.rig.authoring.robot_import import import_robot
from limber.rig.blender.errors import RigError
from limber.rig.bones.imported_robot import pose_joints, record_of, tree_of
from limber.solvers.kinematics.rotations import to_matrix

from tests.blender.imported import joint_values, link_frames
from tests.robots.robots import ARM, NO_PUBLIC, PUBLIC, apart, arbitrary, frames, write

NEAR = 1e-5  # [m, rad] tolerance
POSES = 100


def bring(path, root: str = ""):
    return import_robot(bpy.context, path, root).rig


def farthest(path, rig, values) -> tuple[float, float]:
    """Largest difference of links from the file in position [m] and rotation [rad]."""
    bpy.context.view_layer.update()
    wanted, tree = frames(path, values), tree_of(rig)[0]
    base = np.linalg.inv(wanted[tree.root])
    shown = link_frames(rig, bpy.context.evaluated_depsgraph_get())
    assert set(shown) == set(wanted)
    errors = [
        apart(base @ wanted[link], np.array(to_matrix(frame.rotation)), frame.offset)
        for link, frame in shown.items()
    ]
    return max(error[0] for error in errors), max(error[1] for error in errors)


def leading(tree) -> list:
    return [joint for joint in tree.joints if joint.mimic is None]


def check_poses(path, rig, draw: random.Random, poses: int = POSES) -> None:
    tree = tree_of(rig)[0]
    for _ in range(poses):
        values = {
            joint.name: float(np.float32(draw.uniform(*joint.finite_limits))) for joint in leading(tree)
        }
        pose_joints(rig, values)
        back = joint_values(rig)
        assert {name: back[name] for name in values} == values, (
            "channels are the joints' values to the last bit"
        )
        assert max(farthest(path, rig, values)) < NEAR


@pytest.mark.parametrize(
    "path",
    PUBLIC or [pytest.param(None, marks=pytest.mark.skip(reason=NO_PUBLIC))],
    ids=lambda path: str(path)[-40:],
)
def test_public_robots_are_where_their_files_say(path):
    check_poses(path, bring(path), random.Random(1))


@pytest.mark.parametrize("seed", range(10))
def test_arbitrary_robots_are_where_their_files_say_from_any_root(tmp_path, seed):
    draw = random.Random(seed)
    path = write(tmp_path, arbitrary(draw, 16))
    rig = bring(path, draw.choice(["", "link 4", "link 9"]))
    check_poses(path, rig, draw, 20)


def test_a_lamp_that_is_rooted_at_its_elbow_can_stand_on_its_foot():
    path = next((path for path in PUBLIC if path.name == "lelamp.urdf"), None)
    if path is None:
        pytest.skip(NO_PUBLIC)
    rig = bring(path, "scs215_v5")
    assert [bone.name for bone in rig.data.bones if bone.parent is None] == ["scs215_v5"]
    assert [bone.name for bone in rig.data.bones["diffuser"].parent_recursive][-1] == "scs215_v5"
    check_poses(path, rig, random.Random(2))


def test_each_link_has_a_bone_that_can_move_as_its_joint_does_and_in_no_other_way(tmp_path):
    rig = bring(write(tmp_path, ARM))
    free = {}
    for bone in rig.pose.bones:
        turns = {axis for axis, locked in zip("XYZ", bone.lock_rotation, strict=True) if not locked}
        slides = {axis for axis, locked in zip("XYZ", bone.lock_location, strict=True) if not locked}
        assert all(bone.lock_scale)
        free[bone.name] = (turns, slides)
    kept = {bone.name: record_of(bone) for bone in rig.data.bones}
    assert free["upper"] == ({kept["upper"].axis}, set())
    assert free["lower"] == ({kept["lower"].axis}, set())
    assert free["left"] == (set(), {kept["left"].axis})
    nothing = (set(), set())
    assert free["base"] == free["hand"] == free["right"] == nothing, (
        "fixed links stay, and what mimics moves by itself"
    )


def test_turning_a_bone_by_hand_turns_the_joint(tmp_path):
    path = write(tmp_path, ARM)
    rig = bring(path)
    rig.pose.bones["lower"].rotation_euler["XYZ".index(record_of(rig.data.bones["lower"]).axis)] = 0.7
    assert joint_values(rig)["elbow"] == pytest.approx(0.7)
    assert max(farthest(path, rig, {"elbow": 0.7})) < NEAR


def test_a_mimic_joint_follows_in_the_pose(tmp_path):
    path = write(tmp_path, ARM)
    rig = bring(path)
    for grip in (0.0, 0.02):
        pose_joints(rig, {"grip": grip, "counter_grip": 7.0})
        assert joint_values(rig)["counter_grip"] == pytest.approx(0.5 * grip + 0.001)
        assert max(farthest(path, rig, {"grip": grip})) < NEAR


def test_limits_hold_posing_by_hand_and_what_excludes_zero_stands_inside(tmp_path):
    path = write(tmp_path, ARM.replace('lower="-2" upper="1.5"', 'lower="0.5" upper="1.5"'))
    came = import_robot(bpy.context, path)
    assert joint_values(came.rig)["shoulder"] == 0.5
    assert "'shoulder'" in came.sentence
    for wanted, shown in ((2.5, 1.5), (-1.0, 0.5)):
        pose_joints(came.rig, {"shoulder": wanted})
        assert max(farthest(path, came.rig, {"shoulder": shown})) < NEAR
    assert all(
        constraint.use_transform_limit for bone in came.rig.pose.bones for constraint in bone.constraints
    )


def test_a_joint_that_turns_half_round_and_more_has_no_constraint_that_would_misread_it(tmp_path):
    rig = bring(write(tmp_path, ARM.replace('lower="-2" upper="1.5"', 'lower="-5" upper="5"')))
    assert not rig.pose.bones["upper"].constraints


def test_the_files_numbers_stay_beside_the_bones_to_the_last_digit(tmp_path, reopen):
    from limber.robots.reading import read
    from limber.robots.tree import build_tree

    path = write(tmp_path, ARM)
    bring(path)
    before = build_tree(read(path))
    reopen()
    tree, bones = tree_of(bpy.data.objects["arm"])
    assert tree.frames({"shoulder": 0.3, "elbow": 1 / 3}) == before.frames({"shoulder": 0.3, "elbow": 1 / 3})
    assert tree.branches[1].inertial == before.branches[1].inertial
    assert tree.joints[0].effort == 4.0
    assert bones[0] == "base"


def test_bones_may_be_renamed_and_the_armature_copied(tmp_path):
    path = write(tmp_path, ARM)
    rig = bring(path)
    rig.data.bones["lower"].name = "forearm"
    copy = rig.copy()
    copy.data = rig.data.copy()
    bpy.context.scene.collection.objects.link(copy)
    pose_joints(copy, {"elbow": 0.5})
    assert joint_values(copy)["elbow"] == 0.5
    assert max(farthest(path, copy, {"elbow": 0.5})) < NEAR


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE"])
def test_a_joint_is_read_and_posed_whatever_its_bones_rotation_mode(tmp_path, mode):
    rig = bring(write(tmp_path, ARM))
    pose_joints(rig, {"elbow": 0.5})
    bone = rig.pose.bones["lower"]
    bone.rotation_mode = mode
    assert joint_values(rig)["elbow"] == pytest.approx(0.5, abs=1e-6)
    pose_joints(rig, {"elbow": 0.1})
    assert joint_values(rig)["elbow"] == pytest.approx(0.1, abs=1e-6)
    assert bone.rotation_mode == mode


@pytest.mark.every_blender
def test_an_unknown_joint_and_a_rig_of_other_origin_are_refused(tmp_path):
    rig = bring(write(tmp_path, ARM))
    with pytest.raises(RigError, match="no joint 'knee': its joints are shoulder, elbow"):
        pose_joints(rig, {"knee": 1.0})
    data = bpy.data.armatures.new("Other")
    with pytest.raises(RigError, match="was not imported"):
        joint_values(bpy.data.objects.new("Other", data))


@pytest.mark.every_blender
def test_a_record_that_somebody_changed_is_refused_with_its_bone(tmp_path):
    rig = bring(write(tmp_path, ARM))
    rig.data.bones["lower"]["limber_urdf"] = "{}"
    with pytest.raises(RigError, match="Bone 'lower'"):
        joint_values(rig)


@pytest.mark.parametrize("scale", [0.001, 100.0])
def test_small_and_large_robots_are_as_precise_for_their_size(tmp_path, scale):
    import re

    def sized(found) -> str:
        return 'xyz="' + " ".join(repr(scale * float(word)) for word in found[1].split()) + '"'

    text = re.sub(r'(?<=<origin )xyz="([^"]*)"', sized, ARM)
    path = write(tmp_path, text)
    rig = bring(path)
    values = {"shoulder": 1.0, "elbow": 1.5}
    pose_joints(rig, values)
    far, turned = farthest(path, rig, values)
    assert far < NEAR * max(scale, 0.1)
    assert turned < NEAR
