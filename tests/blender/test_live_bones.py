"""Tests that bones of a live rig may be deleted, renamed, edited or constrained at any time: no handler
raises, and no data are left behind.
"""

import bpy
import limber
import pytest
from limber.rig.live import live
from limber.rig.showing import proxy

from tests.blender.rigs import make_active, target
from tests.blender.shown import (
    assert_looks,
    edit,
    no_handler_raises,  # noqa: F401
    seeing_rig,
    session,
    settle,
    traces,
)

pytestmark = pytest.mark.every_blender


@pytest.fixture
def seeing():
    return seeing_rig()


def test_a_bone_that_is_deleted_is_named_and_the_chain_goes_on_when_it_is_back(seeing):
    rig, chain = seeing
    edit(rig, lambda bones: bones.remove(bones["upper"]))
    settle()
    assert "Bone 'upper' is missing: give a bone that name again" in session(rig, chain).problem
    bpy.context.scene.frame_set(5)

    def mend(bones):
        bone = bones.new("upper")
        bone.head, bone.tail, bone.parent = bones["middle"].tail, bones["head"].head, bones["middle"]
        bones["head"].parent = bone

    edit(rig, mend)
    rig.pose.bones["upper"].rotation_mode = "XYZ"
    assert_looks(rig, chain)
    bpy.ops.limber.end_live()
    assert traces() == []


def test_all_bones_deleted_at_once(seeing):
    rig, chain = seeing
    edit(rig, lambda bones: [bones.remove(bone) for bone in list(bones)])
    settle()
    assert "is missing" in session(rig, chain).problem
    bpy.context.scene.frame_set(3)
    bpy.ops.limber.end_live()
    assert traces() == []


@pytest.mark.parametrize("mode", ["POSE", "EDIT"])
def test_bones_that_are_renamed_are_followed_on(seeing, mode):
    rig, chain = seeing
    if mode == "POSE":
        rig.data.bones["head"].name = "Skull"
    else:
        edit(rig, lambda bones: setattr(bones["head"], "name", "Skull"))
    bpy.context.view_layer.update()
    assert chain.end == "Skull"
    assert [joint.bone for joint in chain.joints][-1] == "Skull"
    chain.target.location.x -= 1
    assert_looks(rig, chain)


def test_bones_that_exchange_their_names_are_followed_on(seeing):
    rig, chain = seeing
    bones = rig.data.bones
    joints = [(joint.bone, joint.axis) for joint in chain.joints]
    bones["upper"].name, bones["middle"].name = "swap", "upper"
    bones["swap"].name = "middle"
    bpy.context.view_layer.update()
    exchanged = {"upper": "middle", "middle": "upper"}
    assert [(joint.bone, joint.axis) for joint in chain.joints] == [
        (exchanged.get(bone, bone), axis) for bone, axis in joints
    ]
    assert_looks(rig, chain)


def test_a_rest_pose_that_is_edited_is_looked_from_at_once(seeing):
    rig, chain = seeing

    def deed(bones):
        bones["upper"].tail.x += 0.2
        bones["upper"].roll += 0.3

    edit(rig, deed)
    assert_looks(rig, chain)


def test_posing_keeps_the_motion_going_where_the_rest_pose_is_the_same(seeing):
    rig, chain = seeing
    model = session(rig, chain).model
    rig.pose.bones["upper"].rotation_euler.x += 0.2
    settle()
    assert session(rig, chain).model is model


@pytest.mark.parametrize("mode", ["ZYX", "QUATERNION", "AXIS_ANGLE"])
def test_a_rotation_mode_that_changes_is_followed(seeing, mode):
    rig, chain = seeing
    for changed in (mode, "XYZ"):
        rig.pose.bones["head"].rotation_mode = changed
        assert_looks(rig, chain)
        assert not session(rig, chain).problem


def test_a_constraint_that_is_added_goes_before_ours(seeing):
    rig, chain = seeing
    held = rig.pose.bones["middle"].constraints.new("LIMIT_ROTATION")
    held.use_limit_x, held.min_x, held.max_x, held.owner_space = True, 0.4, 0.5, "LOCAL"
    bpy.context.view_layer.update()
    assert rig.pose.bones["middle"].constraints[-1].name == proxy.CONSTRAINT
    assert_looks(rig, chain)
    bpy.ops.limber.end_live()
    assert [held.name for held in rig.pose.bones["middle"].constraints] == ["Limit Rotation"]


def test_our_constraint_that_is_deleted_comes_back(seeing):
    rig, chain = seeing
    bones = rig.pose.bones
    bones["middle"].constraints.remove(bones["middle"].constraints[0])
    bpy.context.view_layer.update()
    assert_looks(rig, chain)


def test_constraints_copied_to_another_bone_leave_with_live(seeing):
    rig, chain = seeing
    rig.pose.bones["head"].constraints.copy(rig.pose.bones["middle"].constraints[0])
    bpy.context.view_layer.update()
    assert_looks(rig, chain)
    bpy.ops.limber.end_live()
    assert traces() == []


@pytest.mark.parametrize("deed", ["save", "end", "frame", "unregister", "add"])
def test_bones_renamed_in_edit_mode_keep_their_pose_whatever_happens_before_it_ends(seeing, deed, tmp_path):
    rig, chain = seeing
    rig.pose.bones["head"]["mine"] = 5
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["head"].name = "Skull"
    bpy.context.view_layer.update()
    if deed == "save":
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "editing.blend"))
    elif deed == "end":
        live.stop(rig, chain)
    elif deed == "frame":
        bpy.context.scene.frame_set(5)
        settle()
    elif deed == "add":
        target((1, 1, 1), "Other")
        settle()
    else:
        limber.unregister()
        limber.register()
    bpy.context.view_layer.update()
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.view_layer.update()
    assert rig.pose.bones["Skull"].rotation_mode == "XYZ"
    assert rig.pose.bones["Skull"]["mine"] == 5
    if deed == "end":
        assert traces() == []
    elif deed in {"frame", "add"}:
        assert_looks(rig, chain)


def test_a_path_that_gets_a_bone_without_joints_while_its_pose_is_no_number_raises_nothing(seeing):
    rig, chain = seeing

    def insert(bones):
        bone = bones.new("between")
        bone.head, bone.tail, bone.parent = bones["middle"].tail, (0, 0.05, 0.32), bones["middle"]
        bones["upper"].use_connect, bones["upper"].parent = False, bone

    rig.pose.bones["base"].rotation_euler.y = float("nan")
    edit(rig, insert)
    settle()
    assert "The pose of bone 'base' is not a number" in session(rig, chain).problem
    rig.pose.bones["base"].rotation_euler.y = 0.0
    assert_looks(rig, chain)
