"""Check: each thing that can be wrong with a set-up gets a sentence that names it and what mends it; a good set-up gets none."""

from math import nan, radians

import bpy
import pytest

from tests.blender.rigs import UPRIGHT, build, keyed, looking_chain, make_active, select, target


def findings(rig, chain):
    from limber.rig.check import check

    bpy.context.view_layer.update()
    return check(bpy.context, rig, chain)


def sentences(rig, chain) -> list[str]:
    return [finding.sentence for finding in findings(rig, chain)]


def only(rig, chain, *words: str, blocks: bool | None = None) -> str:
    """The one sentence there is, which has all these words."""
    found = findings(rig, chain)
    assert len(found) == 1, [finding.sentence for finding in found]
    for word in words:
        assert word in found[0].sentence
    if blocks is not None:
        assert found[0].blocks == blocks
    return found[0].sentence


def refuses_live(*words: str) -> None:
    with pytest.raises(RuntimeError) as error:
        bpy.ops.limber.live()
    for word in words:
        assert word in str(error.value)


@pytest.fixture
def chain():
    return looking_chain()[1]


@pytest.fixture
def rig(chain):
    return chain.id_data


def test_a_good_chain_is_in_order(rig, chain, capfd):
    assert sentences(rig, chain) == []
    bpy.ops.limber.check_chain()
    assert f"Chain '{chain.name}' is in order" in capfd.readouterr().out


def test_check_reports_every_sentence(rig, chain, capfd):
    chain.joints[1].lower, chain.joints[1].upper = 1.0, -1.0
    chain.target = None
    bpy.ops.limber.check_chain()
    said = capfd.readouterr().out
    assert "exchange them" in said
    assert "choose the object that it looks at" in said


# the path


def edit_bones(rig, change) -> None:
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    change(rig.data.edit_bones)
    bpy.ops.object.mode_set(mode="POSE")


def test_a_missing_end_is_named(rig, chain):
    edit_bones(rig, lambda bones: bones.remove(bones["head"]))
    found = sentences(rig, chain)
    assert "Bone 'head' is missing: give a bone that name again, or make the chain anew" in found
    refuses_live("'head'")


def test_a_path_that_branches_off_is_named(rig, chain):
    edit_bones(rig, lambda bones: setattr(bones["upper"], "parent", None))
    only(rig, chain, "'base'", "'head'", "No path", blocks=True)


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
    only(rig, chain, "'neck'", "Give Euler Order")
    bpy.ops.limber.give_euler_order()
    bpy.ops.limber.match_joints()
    assert sentences(rig, chain) == []


def test_a_bone_that_rotates_by_quaternion_again_is_named(rig, chain):
    rig.pose.bones["upper"].rotation_mode = "QUATERNION"
    only(rig, chain, "'upper'", "Give Euler Order", blocks=True)
    refuses_live("'upper'")


def test_a_bone_of_two_chains_is_named(rig, chain):
    other = rig.limber.chains.add()
    other.uid, other.root, other.end, other.name = "second", "middle", "middle", "second"
    joint = other.joints.add()
    joint.bone, joint.axis, joint.servo = "middle", "X", -1
    only(rig, chain, "'middle'", "'second'", blocks=True)


def test_a_bone_that_does_not_inherit_rotation_is_named(rig, chain):
    rig.data.bones["middle"].use_inherit_rotation = False
    only(rig, chain, "'middle'", "switch on Inherit Rotation", blocks=True)


# scaled and stretched bones


def test_a_scaled_bone_is_named(rig, chain):
    rig.pose.bones["upper"].scale.y = 1.2
    only(rig, chain, "'upper'", "clear its scale", blocks=False)


def test_a_stretched_bone_is_named(rig, chain):
    constraint = rig.pose.bones["middle"].constraints.new("STRETCH_TO")
    constraint.target = chain.target
    only(rig, chain, "'Stretch To'", "'middle'", "stretches", "mute it")


def test_a_bone_that_bends_is_named(rig, chain):
    rig.data.bones["lower"].bbone_segments = 4
    only(rig, chain, "'lower'", "set its segments to 1")


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


# constraints


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
    constraint.chain_count = 0
    only(rig, chain, "'middle'", blocks=True)
    constraint.influence = 0
    assert sentences(rig, chain) == []


def test_a_driver_on_the_unused_quaternion_is_named(rig, chain):
    rig.pose.bones["upper"].driver_add("rotation_quaternion", 1)
    only(rig, chain, "'upper'", "drive its Euler rotation")


# limits


def limited(rig, name, **settings):
    constraint = rig.pose.bones[name].constraints.new("LIMIT_ROTATION")
    constraint.owner_space = "LOCAL"
    for key, value in settings.items():
        setattr(constraint, key, value)
    return constraint


def test_limits_that_exclude_the_rest_pose_are_named(rig, chain):
    chain.joints[2].lower = radians(10)
    only(rig, chain, "Joint middle X", "exclude the rest pose", "0 degrees", blocks=False)


def test_a_smallest_angle_above_the_largest_is_named(rig, chain):
    chain.joints[2].lower, chain.joints[2].upper = 0.5, -0.5
    only(rig, chain, "Joint middle X", "exchange them", blocks=True)
    refuses_live("Joint middle X")


def test_a_joint_without_any_range_is_named(rig, chain):
    chain.joints[2].lower = chain.joints[2].upper = 0.0
    only(rig, chain, "Joint middle X", "widen them")


@pytest.mark.parametrize("word", ["velocity", "acceleration", "jerk"])
@pytest.mark.parametrize("value", [0.0, -1.0, nan])
def test_motion_limits_that_are_not_positive_are_named(rig, chain, word, value):
    setattr(chain.joints[3], word, value)
    only(rig, chain, "Joint upper X", word, "above 0", blocks=True)


def test_a_limit_that_is_not_a_number_is_named(rig, chain):
    chain.joints[0].upper = nan
    only(rig, chain, "Joint base Y", "enter", blocks=True)


def test_a_limit_rotation_that_is_narrower_than_the_joint_is_named(rig, chain):
    limited(rig, "middle", use_limit_x=True, min_x=-0.5, max_x=0.5)
    only(rig, chain, "'Limit Rotation'", "'middle'", "same limits", blocks=False)
    chain.joints[2].lower, chain.joints[2].upper = -0.5, 0.5
    assert sentences(rig, chain) == []


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [({"owner_space": "WORLD"}, "Local Space"), ({"influence": 0.5}, "set it to 1"), ({"euler_order": "ZYX"}, "Euler Order")],
)
def test_a_limit_rotation_that_limits_something_else_is_named(rig, chain, settings, remedy):
    limited(rig, "middle", use_limit_x=True, min_x=-0.5, max_x=0.5, **settings)
    only(rig, chain, "'Limit Rotation'", "'middle'", remedy)


# axes


def test_an_axis_locked_since_is_named(rig, chain):
    rig.pose.bones["upper"].lock_rotation[0] = True
    only(rig, chain, "Joint upper X", "locked", "unlock", "Match Joints")


def test_an_axis_unlocked_since_is_named(rig, chain):
    rig.pose.bones["upper"].lock_rotation[2] = False
    only(rig, chain, "'upper'", "about Z", "Match Joints")


def test_an_end_with_all_axes_locked_is_named():
    rig, chain = looking_chain(build({**UPRIGHT, "head": ""}))
    only(rig, chain, "'head'", "if that is a mistake", "unlock one")


def test_a_chain_that_bends_one_way_only_is_named():
    rig, chain = looking_chain(build({"base": "X", "middle": "X", "head": "X"}))
    only(rig, chain, f"'{chain.name}'", "one way only", "by mistake")
    rig, chain = looking_chain(build({"base": "Y", "head": "X"}, name="Turret"))
    assert sentences(rig, chain) == []


def test_a_chain_that_turns_about_its_own_view_alone_is_named():
    rig, chain = looking_chain(build({"base": "Y", "head": "Y"}))
    only(rig, chain, "one way only")
    chain.look, chain.up = "+Z", "+Y"
    only(rig, chain, "one way only")


# the target


def test_a_missing_target_is_named(rig, chain):
    chain.target = None
    only(rig, chain, f"'{chain.name}'", "choose the object", blocks=True)
    refuses_live("choose the object")


def test_a_target_that_hangs_on_the_chain_is_named(rig, chain):
    thing = chain.target
    thing.parent, thing.parent_type, thing.parent_bone = rig, "BONE", "upper"
    only(rig, chain, "'Target'", "'upper'", "choose another target", blocks=True)
    refuses_live("'Target'")


def test_a_target_that_follows_the_chain_by_a_constraint_is_named(rig, chain):
    constraint = chain.target.constraints.new("COPY_LOCATION")
    constraint.target, constraint.subtarget = rig, "head"
    only(rig, chain, "'Target'", "'Copy Location'", blocks=True)


def test_a_target_that_hangs_on_what_hangs_on_the_chain_is_named(rig, chain):
    hand = target(name="Hand")
    hand.parent, hand.parent_type, hand.parent_bone = rig, "BONE", "head"
    chain.target.parent = hand
    only(rig, chain, "'Target'", "choose another target", blocks=True)


def test_a_target_on_a_bone_above_the_chain_is_fine():
    rig, chain = looking_chain(build(UPRIGHT), "lower", "head")
    chain.target.parent, chain.target.parent_type, chain.target.parent_bone = rig, "BONE", "base"
    assert sentences(rig, chain) == []


def test_a_target_in_another_scene_is_named(rig, chain):
    thing = chain.target
    bpy.context.scene.collection.objects.unlink(thing)
    bpy.data.scenes.new("Other").collection.objects.link(thing)
    only(rig, chain, "'Target'", "link it there", blocks=True)


def test_a_target_that_is_disabled_in_viewports_is_named(rig, chain):
    chain.target.hide_viewport = True
    only(rig, chain, "'Target'", "Outliner", blocks=False)
    chain.target.hide_viewport = False
    chain.target.hide_set(True)
    assert sentences(rig, chain) == []


def test_a_target_whose_place_is_not_a_number_is_named(rig, chain):
    chain.target.location.x = nan
    only(rig, chain, "'Target'", "not a number", blocks=True)


def test_looking_along_up_is_named(rig, chain):
    chain.look, chain.up = "+Z", "-Z"
    only(rig, chain, f"'{chain.name}'", "choose another axis", blocks=True)


# postures


def test_a_posture_of_another_chain_is_named():
    rig = build({**UPRIGHT, "arm": "X", "hand": "XZ"}, parents={"arm": "base"})
    looking_chain(rig, "arm", "hand")
    bpy.ops.limber.store_posture(name="Wave")
    rig, chain = looking_chain(rig, "lower", "head", at=bpy.data.objects["Target"])
    chain.postures.add().action = bpy.data.actions["Wave"]
    only(rig, chain, "'Wave'", "another chain", blocks=False)
    chain.base = "POSTURE"
    only(rig, chain, "'Wave'", "another chain", blocks=True)


def test_a_deleted_pose_asset_is_named(rig, chain):
    bpy.ops.limber.store_posture(name="Lean")
    bpy.data.actions.remove(bpy.data.actions["Lean"])
    only(rig, chain, "was deleted", "remove the posture", blocks=False)
    chain.base = "POSTURE"
    only(rig, chain, "was deleted", blocks=True)
    bpy.ops.limber.remove_posture()
    only(rig, chain, "press Store Posture", blocks=True)


# servos, hiding, keying


def test_two_joints_on_one_servo_are_named(rig, chain):
    chain.joints[4].servo = chain.joints[1].servo
    only(rig, chain, "lower X", "head Y", "share servo 1", "its own number")
    chain.joints[4].servo = chain.joints[1].servo = -1
    assert sentences(rig, chain) == []


def test_two_chains_on_one_servo_hear_it_both():
    rig = build({**UPRIGHT, "arm": "X", "hand": "XZ"}, parents={"arm": "base"})
    _, first = looking_chain(rig, "lower", "head")
    _, second = looking_chain(rig, "arm", "hand", at=bpy.data.objects["Target"])
    first, second = rig.limber.chains
    second.joints[0].servo = first.joints[0].servo
    for chain in rig.limber.chains:
        only(rig, chain, "lower X", "arm X", "share servo 0")


def test_pulses_the_wrong_way_round_are_named(rig, chain):
    chain.joints[0].min_us, chain.joints[0].max_us = 2000, 1000
    only(rig, chain, "Joint base Y", "pulse", "exchange them")


def test_a_hidden_armature_is_named(rig, chain):
    make_active(rig)
    rig.hide_viewport = True
    only(rig, chain, "'Rig'", "show it", blocks=True)
    rig.hide_viewport = False
    rig.hide_set(True)
    assert sentences(rig, chain) == []


def test_an_armature_in_a_disabled_collection_is_named(rig, chain):
    collection = bpy.data.collections.new("Robot")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(rig)
    bpy.context.scene.collection.objects.unlink(rig)
    assert sentences(rig, chain) == []
    collection.hide_viewport = True
    assert "show it in the Outliner" in sentences(rig, chain)[0]
    collection.hide_viewport = False
    bpy.context.view_layer.layer_collection.children["Robot"].exclude = True
    assert "show it in the Outliner" in sentences(rig, chain)[0]


def test_visual_keying_is_named(rig, chain):
    bpy.context.preferences.edit.use_visual_keying = True
    try:
        only(rig, chain, "Visual Keying", "Preferences", blocks=False)
    finally:
        bpy.context.preferences.edit.use_visual_keying = False


# no false alarms


def test_a_live_chain_is_still_in_order(rig, chain):
    bpy.ops.limber.live()
    assert sentences(rig, chain) == []


def test_a_keyed_driven_and_posed_rig_is_in_order(rig, chain):
    keyed(chain.target, (1, 40))
    bone = rig.pose.bones["middle"]
    bone.rotation_euler.x = 0.4
    bone.keyframe_insert("rotation_euler", frame=1)
    rig.pose.bones["upper"].driver_add("rotation_euler", 0).driver.expression = "0.1 * frame / 40"
    bpy.context.scene.frame_set(20)
    assert sentences(rig, chain) == []


def test_a_character_rig_with_controls_that_follow_the_chain_is_in_order():
    """As generated rigs are: deforming bones copy the controls, limbs switch between two ways, custom shapes, drivers, locks."""
    spine = {"root": "", "torso": None, "chest": None, "neck": None, "head": None}
    rig = build(
        {**spine, "def_chest": None, "thigh": None, "shin": None, "foot_control": None}, parents={"def_chest": "root", "thigh": "root"}
    )
    bones = rig.pose.bones
    edit_bones(rig, lambda edit: setattr(edit["foot_control"], "parent", edit["root"]))
    for source in ("def_chest",):
        constraint = bones[source].constraints.new("COPY_TRANSFORMS")
        constraint.target, constraint.subtarget = rig, "chest"
    ik = bones["shin"].constraints.new("IK")
    ik.target, ik.subtarget, ik.chain_count = rig, "foot_control", 2
    switch = bones["neck"].constraints.new("COPY_ROTATION")
    switch.target, switch.subtarget, switch.influence = rig, "root", 0
    rig["follow"] = 0.0
    driver = switch.driver_add("influence").driver
    variable = driver.variables.new()
    variable.name, variable.targets[0].id, variable.targets[0].data_path = "follow", rig, '["follow"]'
    driver.expression = "follow"
    rig.data.bones["def_chest"].bbone_segments = 8
    bones["head"].custom_shape = target(name="Shape")
    bones["chest"].lock_scale = (True, True, True)
    rig, chain = looking_chain(rig, "torso", "head")
    assert sentences(rig, chain) == []


BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Spine
  {
    OFFSET 0 10 1
    CHANNELS 3 Zrotation Yrotation Xrotation
    JOINT Head
    {
      OFFSET 0 20 2
      CHANNELS 3 Zrotation Yrotation Xrotation
      End Site
      {
        OFFSET 0 8 0
      }
    }
  }
  JOINT Leg
  {
    OFFSET 4 -2 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 -40 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.033
0 90 0 0 0 0 0 10 0 0 5 0 0 0 20
1 90 2 0 5 0 0 12 1 0 8 0 0 0 10
2 90 4 0 9 0 0 14 2 0 9 0 0 0 0
"""


@pytest.mark.parametrize("mode", ["NATIVE", "QUATERNION"])
def test_an_armature_from_motion_capture_is_in_order(tmp_path, mode):
    clip = tmp_path / "walk.bvh"
    clip.write_text(BVH)
    bpy.ops.preferences.addon_enable(module="io_anim_bvh")
    bpy.ops.import_anim.bvh(filepath=str(clip), rotate_mode=mode, global_scale=0.01)
    rig = bpy.context.object
    select(rig, "Head")
    bpy.ops.limber.new_chain(change_rotation_mode=True)
    chain = rig.limber.chains[0]
    chain.target = target()
    assert len(chain.joints) == 9
    for frame in (1, 3):
        bpy.context.scene.frame_set(frame)
        assert sentences(rig, chain) == []
