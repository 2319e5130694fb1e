"""Tests that Check has a sentence for each possible fault of limits, axes, target, postures and servos, which
names it and the remedy.
"""

from math import nan, radians

import bpy
import pytest
from limber import api

from tests.blender.checking import only, refuses_live, sentences
from tests.blender.rigs import UPRIGHT, build, looking_chain, make_active, target


@pytest.fixture
def chain():
    return looking_chain()[1]


# Limits.


def limited(rig, name, **settings):
    constraint = rig.pose.bones[name].constraints.new("LIMIT_ROTATION")
    constraint.owner_space = "LOCAL"
    for key, value in settings.items():
        setattr(constraint, key, value)
    return constraint


def test_limits_that_exclude_the_rest_pose_are_named(rig, chain):
    chain.joints[2].lower = radians(10)
    only(rig, chain, "Joint middle X", "exclude the rest pose", "0 degrees", blocks=False)


def test_a_motors_limits_are_what_it_can_do_wherever_the_rest_pose_is(tmp_path):
    joint = '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower=".3" upper="1" velocity="2"/>'
    robot = f'<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute">{joint}</joint></robot>'
    (tmp_path / "r.urdf").write_text(robot)
    bpy.ops.limber.import_robot(filepath=str(tmp_path / "r.urdf"))
    rig = bpy.context.object
    chain = api.new_chain(rig, "b", target=target((0.0, -1.0, 0.5)))
    assert chain.joints[0].lower == pytest.approx(0.3)
    assert not [finding for finding in api.check(rig, chain) if "rest pose" in finding.sentence]


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


@pytest.mark.every_blender
def test_a_limit_rotation_that_is_narrower_than_the_joint_is_named(rig, chain):
    limited(rig, "middle", use_limit_x=True, min_x=-0.5, max_x=0.5)
    only(rig, chain, "'Limit Rotation'", "'middle'", "same limits", blocks=False)
    chain.joints[2].lower, chain.joints[2].upper = -0.5, 0.5
    assert sentences(rig, chain) == []


@pytest.mark.every_blender
@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        ({"owner_space": "WORLD"}, "Local Space"),
        ({"influence": 0.5}, "set it to 1"),
        ({"euler_order": "ZYX"}, "Euler Order"),
    ],
)
def test_a_limit_rotation_that_limits_something_else_is_named(rig, chain, settings, remedy):
    limited(rig, "middle", use_limit_x=True, min_x=-0.5, max_x=0.5, **settings)
    only(rig, chain, "'Limit Rotation'", "'middle'", remedy)


# Axes.


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
    only(rig, chain, f"'{chain.name}'", "in one direction only", "by mistake")
    rig, chain = looking_chain(build({"base": "Y", "head": "X"}, name="Turret"))
    assert sentences(rig, chain) == []


def test_a_chain_that_turns_about_its_own_view_alone_is_named():
    rig, chain = looking_chain(build({"base": "Y", "head": "Y"}))
    only(rig, chain, "in one direction only")
    chain.forward_axis, chain.up = "+Z", "+Y"
    only(rig, chain, "in one direction only")


# The target.


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


@pytest.mark.every_blender
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


@pytest.mark.every_blender
def test_a_target_that_is_disabled_in_viewports_is_named_where_a_constraint_moves_it(rig, chain):
    chain.target.hide_viewport = True
    assert sentences(rig, chain) == [], "live keeps it evaluated"
    chain.target.constraints.new("COPY_ROTATION")
    only(rig, chain, "'Target'", "Outliner", blocks=False)
    chain.target.hide_viewport = False
    chain.target.hide_set(True)
    assert sentences(rig, chain) == []


def test_a_target_whose_place_is_not_a_number_is_named(rig, chain):
    chain.target.location.x = nan
    only(rig, chain, "'Target'", "not a number", blocks=True)


def test_looking_along_up_is_named(rig, chain):
    chain.forward_axis, chain.up = "+Z", "-Z"
    only(rig, chain, f"'{chain.name}'", "choose another axis", blocks=True)


# Postures.


def test_a_posture_of_another_chain_is_named():
    rig = build({**UPRIGHT, "arm": "X", "hand": "XZ"}, parents={"arm": "base"})
    looking_chain(rig, "arm", "hand")
    bpy.ops.limber.store_posture(name="Wave")
    rig, chain = looking_chain(rig, "lower", "head", at=bpy.data.objects["Target"])
    chain.postures.add().action = bpy.data.actions["Wave"]
    only(rig, chain, "'Wave'", "another chain", blocks=False)
    chain.base = "POSTURE"
    only(rig, chain, "'Wave'", "another chain", blocks=True)


@pytest.mark.every_blender
def test_a_deleted_pose_asset_is_named(rig, chain):
    bpy.ops.limber.store_posture(name="Lean")
    bpy.data.actions.remove(bpy.data.actions["Lean"])
    only(rig, chain, "was deleted", "remove the posture", blocks=False)
    chain.base = "POSTURE"
    only(rig, chain, "was deleted", blocks=True)
    bpy.ops.limber.remove_posture()
    only(rig, chain, "press Store Posture", blocks=True)


# Servos, hiding, keyframes.


@pytest.mark.every_blender
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


@pytest.mark.every_blender
def test_a_hidden_armature_is_named(rig, chain):
    make_active(rig)
    rig.hide_viewport = True
    only(rig, chain, "'Rig' is disabled in viewports", "show it", blocks=True)
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
    only(rig, chain, "'Rig' is in collection 'Robot', which is disabled in viewports", "monitor", blocks=True)
    collection.hide_viewport = False
    bpy.context.view_layer.layer_collection.children["Robot"].exclude = True
    only(rig, chain, "'Rig' is in collection 'Robot', which is excluded", "check box", blocks=True)


@pytest.mark.every_blender
def test_an_armature_in_a_collection_of_a_disabled_collection_is_named_with_that(rig, chain):
    outer, inner = (bpy.data.collections.new(name) for name in ("Robots", "Robot"))
    bpy.context.scene.collection.children.link(outer)
    outer.children.link(inner)
    inner.objects.link(rig)
    bpy.context.scene.collection.objects.unlink(rig)
    outer.hide_viewport = True
    only(rig, chain, "'Rig' is in collection 'Robots', which is disabled in viewports", blocks=True)
    outer.hide_viewport = False
    bpy.context.view_layer.layer_collection.children["Robots"].exclude = True
    only(rig, chain, "'Rig' is in collection 'Robots', which is excluded", blocks=True)
    bpy.context.scene.collection.objects.link(rig)
    assert sentences(rig, chain) == [], "it is in a shown collection, too"


def test_visual_keying_is_named(rig, chain):
    bpy.context.preferences.edit.use_visual_keying = True
    try:
        only(rig, chain, "Visual Keying", "Preferences", blocks=False)
    finally:
        bpy.context.preferences.edit.use_visual_keying = False
