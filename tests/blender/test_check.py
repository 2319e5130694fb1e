"""Tests that Check has a sentence for each possible fault of a chain's bones, which names it and the
remedy.
"""

import bpy
import pytest

from tests.blender.checking import only, refuses_live, sentences
from tests.blender.rigs import UPRIGHT, build, looking_chain, make_active


@pytest.fixture
def chain():
    return looking_chain()[1]


def test_a_good_chain_is_in_order(rig, chain, capfd):
    assert sentences(rig, chain) == []
    bpy.ops.limber.check_chain()
    assert f"Chain '{chain.name}' is in order" in capfd.readouterr().out


@pytest.mark.every_blender
def test_check_reports_every_sentence(rig, chain, capfd):
    chain.joints[1].lower, chain.joints[1].upper = 1.0, -1.0
    chain.target = None
    bpy.ops.limber.check_chain()
    said = capfd.readouterr().out
    assert "exchange them" in said
    assert "choose the object that it looks at" in said


@pytest.mark.every_blender
def test_going_live_says_what_check_would_say_first(rig, chain, capfd):
    chain.joints[2].lower = 0.1
    rig.pose.bones["upper"].scale = (1.2, 1.2, 1.2)
    bpy.ops.limber.live()
    said = capfd.readouterr().out
    assert "Warning: Joint middle X: its limits exclude the rest pose" in said
    assert "Press Check for 1 more" in said


def test_an_armature_that_shows_its_rest_pose_is_named(rig, chain):
    rig.data.pose_position = "REST"
    only(
        rig,
        chain,
        f"Armature '{rig.name}' is in Rest Position, so no pose shows: press Pose Position in its Data"
        " properties",
        blocks=False,
    )


# The path.


def edit_bones(rig, change) -> None:
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    change(rig.data.edit_bones)
    bpy.ops.object.mode_set(mode="POSE")


def test_a_missing_end_is_named(rig, chain):
    edit_bones(rig, lambda bones: bones.remove(bones["head"]))
    found = sentences(rig, chain)
    assert (
        "Bone 'head' is missing: give a bone that name again, or remove its chain (-), then press New Chain"
        in found
    )
    refuses_live("'head'")


def test_a_path_that_branches_off_is_named(rig, chain):
    edit_bones(rig, lambda bones: setattr(bones["upper"], "parent", None))
    only(rig, chain, "'base'", "'head'", "No path", blocks=True)


@pytest.mark.every_blender
def test_a_bone_that_came_between_is_asked_for_a_joint(rig, chain):
    def insert(bones):
        new = bones.new("neck")
        new.head, new.tail = bones["upper"].tail, bones["head"].head + bones["head"].vector / 2
        new.parent = bones["upper"]
        bones["head"].parent, bones["head"].use_connect = new, False

    edit_bones(rig, insert)
    rig.pose.bones["neck"].rotation_mode = "XYZ"
    only(rig, chain, "'neck'", "X", "press Match Joints", blocks=False)
    rig.pose.bones["neck"].rotation_mode = "QUATERNION"
    only(rig, chain, "'neck'", "X", "press Match Joints", blocks=False)
    bpy.ops.limber.match_joints()
    assert sentences(rig, chain) == []


def test_a_bone_of_two_chains_is_named(rig, chain):
    other = rig.limber.chains.add()
    other.uid, other.root, other.end, other.name = "second", "middle", "middle", "second"
    joint = other.joints.add()
    joint.bone, joint.axis, joint.servo = "middle", "X", -1
    only(rig, chain, "'middle'", "'second'", blocks=True)


@pytest.mark.every_blender
def test_a_bone_that_does_not_inherit_rotation_is_named(rig, chain):
    rig.data.bones["middle"].use_inherit_rotation = False
    only(rig, chain, "'middle'", "switch on Inherit Rotation", blocks=True)


# Scaled and stretched bones.


def test_a_scaled_bone_is_named_and_one_scaled_unevenly_keeps_the_chain_from_going_live(rig, chain):
    rig.pose.bones["upper"].scale = (1.2, 1.2, 1.2)
    only(rig, chain, "'upper'", "clear its scale", blocks=False)
    rig.pose.bones["upper"].scale.y = 1.3
    only(rig, chain, "'upper'", "clear its scale", blocks=True)


def test_a_stretched_bone_is_named(rig, chain):
    constraint = rig.pose.bones["middle"].constraints.new("STRETCH_TO")
    constraint.target = chain.target
    only(rig, chain, "'Stretch To'", "'middle'", "stretches", "mute it")


def test_a_bone_that_bends_is_named(rig, chain):
    rig.data.bones["lower"].bbone_segments = 4
    only(rig, chain, "'lower'", "set its segments to 1")


@pytest.mark.every_blender
def test_an_unevenly_scaled_or_mirrored_armature_is_named(rig, chain):
    rig.scale = (1, 1, 1.5)
    only(rig, chain, "'Rig'", "unevenly", "apply its scale")
    rig.scale = (-1, 1, 1)
    only(rig, chain, "'Rig'", "mirrored", "apply its scale")
    rig.scale = (0.01, 0.01, 0.01)
    assert sentences(rig, chain) == []


def test_an_unevenly_scaled_bone_above_the_chain_is_named():
    rig, chain = looking_chain(build(UPRIGHT), "lower", "head")
    rig.pose.bones["base"].scale.x = 2
    only(rig, chain, "'base'", "clear its scale")


# Constraints.

FIGHTING = ["COPY_ROTATION", "COPY_TRANSFORMS", "DAMPED_TRACK", "TRACK_TO", "CHILD_OF", "LOCKED_TRACK"]


@pytest.mark.parametrize("kind", FIGHTING)
def test_a_constraint_that_fights_is_named(rig, chain, kind):
    constraint = rig.pose.bones["middle"].constraints.new(kind)
    constraint.target = chain.target
    only(rig, chain, f"'{constraint.name}'", "'middle'", "mute it")
    constraint.mute = True
    assert sentences(rig, chain) == []


def test_constraints_that_do_nothing_are_left_alone(rig, chain):
    bone = rig.pose.bones["middle"]
    bone.constraints.new("COPY_ROTATION")  # no target
    bone.constraints.new("LIMIT_SCALE")
    bone.constraints.new("COPY_SCALE").target = chain.target
    bone.constraints.new("LIMIT_LOCATION")
    bone.constraints.new("ARMATURE")
    idle = bone.constraints.new("DAMPED_TRACK")
    idle.target, idle.influence = chain.target, 0
    assert sentences(rig, chain) == []


def test_inverse_kinematics_on_the_chain_keep_it_from_going_live(rig, chain):
    constraint = rig.pose.bones["head"].constraints.new("IK")
    constraint.target = chain.target
    only(rig, chain, "'IK'", "'head'", "mute it", blocks=True)
    refuses_live("'IK'")


@pytest.mark.every_blender
def test_inverse_kinematics_that_reach_into_the_chain_are_named_and_others_are_not():
    rig = build({**UPRIGHT, "arm": "X", "hand": "X"}, parents={"arm": "middle"})
    rig, chain = looking_chain(rig, "base", "head")
    constraint = rig.pose.bones["hand"].constraints.new("IK")
    constraint.target = chain.target
    constraint.chain_count = 2
    assert sentences(rig, chain) == []
    constraint.chain_count = 3
    only(rig, chain, "'IK'", "'hand'", "'middle'", "Chain Length", blocks=True)
    constraint.use_tail, constraint.chain_count = False, 1
    assert sentences(rig, chain) == []
    constraint.chain_count = 2
    only(rig, chain, "'middle'", blocks=True)
    constraint.chain_count = 0
    only(rig, chain, "'middle'", blocks=True)
    constraint.influence = 0
    assert sentences(rig, chain) == []


def test_a_driver_on_a_rotation_that_the_bones_mode_does_not_use_is_named(rig, chain):
    rig.pose.bones["upper"].driver_add("rotation_quaternion", 1)
    only(rig, chain, "'upper'", "drive its Euler angles")
    rig.pose.bones["upper"].rotation_mode = "QUATERNION"
    assert sentences(rig, chain) == []
    rig.pose.bones["upper"].rotation_mode = "AXIS_ANGLE"
    only(rig, chain, "'upper'", "drive its axis and angle")
