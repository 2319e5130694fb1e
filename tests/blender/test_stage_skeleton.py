"""Tests that the solvers' skeleton agrees with the armature as Blender evaluates it."""

import random

import bpy
import numpy as np
import pytest
from limber.rig.blender.errors import RigError
from limber.rig.chains import chain as build_rig
from limber.rig.chains.joint_tree import MotionLimits, joint_tree
from limber.rig.chains.skeleton import ChainReader
from limber.rig.scene import goal
from limber.rig.scene.placement import Placement
from mathutils import Matrix, Quaternion, Vector

from tests.blender.random_rigs import move_object, random_chain, random_rig, vector
from tests.blender.rigs import UPRIGHT, build, looking_chain, select
from tests.blender.shown import depsgraph, evaluated, no_handler_raises  # noqa: F401

PLACE = 8e-6  # [m] tolerance of single precision over two metres of up to nine bones
TURN = 8e-6  # [rad] tolerance


def skeleton_of(rig, chain):
    """Skeleton that a tick makes of the rig as evaluated now."""
    reader = ChainReader(rig, chain)
    bones = evaluated(rig).pose.bones
    poses = reader.read(bones)
    motions = [MotionLimits(joint.lower, joint.upper, 1.0, 1.0, 1.0) for joint in chain.joints]
    skeleton = joint_tree(reader, reader.fixed(poses), motions, build_rig.tools(chain, reader))
    base = Matrix(Placement(depsgraph(), {}).root(rig, reader.names[0], poses[0].location))
    return reader, skeleton, base, reader.angles(poses)


def tool_in_armature(rig, chain) -> Matrix:
    """Frame of the end's tool, as Blender evaluates the rig."""
    turn, offset = goal.tool_frame(goal.ends_of(chain)[0], rig.data.bones[chain.end].length)
    return (
        evaluated(rig).pose.bones[chain.end].matrix
        @ Matrix.Translation(offset)
        @ Quaternion(turn).to_matrix().to_4x4()
    )


def difference(skeleton, angles, base: Matrix, tool: Matrix) -> tuple[float, float]:
    """Difference in position [m] and direction of forward kinematics from the tool shown by Blender, without
    scale.
    """
    told = skeleton.forward(list(angles))
    place = base @ Vector(told.tool_position)
    look, up = (
        base.to_3x3() @ (Quaternion(told.tool_rotation) @ Vector(axis)) for axis in ((0, 1, 0), (0, 0, 1))
    )
    real_look, real_up = tool.to_3x3() @ Vector((0, 1, 0)), tool.to_3x3() @ Vector((0, 0, 1))
    turns = max(
        (look.normalized() - real_look.normalized()).length, (up.normalized() - real_up.normalized()).length
    )
    return (place - tool.translation).length, turns


@pytest.mark.parametrize("seed", range(40))
def test_forward_kinematics_is_the_pose_that_blender_evaluates(seed):
    dice = random.Random(seed)
    rig = random_rig(dice, bones=dice.randint(1, 7), above=dice.randint(0, 2))
    end = [bone.name for bone in rig.pose.bones if bone.name[0] == "b"][-1]
    chain = random_chain(dice, rig, "b0", end)
    chain.forward_axis, chain.up = dice.choice([("+Y", "+Z"), ("-Z", "+X"), ("+X", "-Y"), ("-Y", "-X")])
    chain.eye = dice.choice([0.0, 0.5, 1.0])
    for _ in range(3):
        for joint in chain.joints:
            rig.pose.bones[joint.bone].rotation_euler["XYZ".index(joint.axis)] = dice.uniform(-3, 3)
        bpy.context.view_layer.update()
        _, skeleton, base, angles = skeleton_of(rig, chain)
        place, turn = difference(skeleton, angles, base, tool_in_armature(rig, chain))
        assert place < PLACE
        assert turn < TURN


@pytest.mark.parametrize("seed", range(12))
def test_parents_that_are_scaled_or_inherit_in_their_own_way_only_move_the_base(seed):
    dice = random.Random(seed)
    rig = random_rig(dice, bones=4, above=2)
    chain = random_chain(dice, rig, "b0", "b3")
    rig.pose.bones["a1"].scale = [dice.uniform(0.5, 2)] * 3
    root = rig.data.bones["b0"]
    root.use_inherit_rotation = dice.random() < 0.5
    root.use_local_location = dice.random() < 0.5
    root.inherit_scale = dice.choice(["FULL", "NONE", "ALIGNED", "AVERAGE", "FIX_SHEAR"])
    bpy.context.view_layer.update()
    _, skeleton, base, angles = skeleton_of(rig, chain)
    place, turn = difference(skeleton, angles, base, tool_in_armature(rig, chain))
    assert place < PLACE * 4
    assert turn < TURN * 4


def test_a_bone_scaled_evenly_makes_what_hangs_on_it_larger():
    rig, chain = looking_chain()
    rig.pose.bones["lower"].scale = (1.5, 1.5, 1.5)
    rig.pose.bones["upper"].scale = (0.5, 0.5, 0.5)
    rig.pose.bones["head"].scale = (1.0, 2.0, 3.0)  # the last bone may have any scale
    rig.pose.bones["middle"].rotation_euler.x = 0.7
    rig.pose.bones["head"].rotation_euler = (0.4, -0.3, 0.0)
    bpy.context.view_layer.update()
    _, skeleton, base, angles = skeleton_of(rig, chain)
    place, turn = difference(skeleton, angles, base, tool_in_armature(rig, chain))
    assert place < PLACE
    assert turn < TURN


@pytest.mark.every_blender
@pytest.mark.parametrize("scale", [(1.0, 1.2, 1.0), (0.0, 0.0, 0.0), (-1.0, -1.0, -1.0)])
def test_a_bone_scaled_unevenly_is_refused_by_name(scale):
    rig, chain = looking_chain()
    rig.pose.bones["middle"].scale = scale
    bpy.context.view_layer.update()
    with pytest.raises(RigError, match="Bone 'middle' is scaled: clear its scale"):
        skeleton_of(rig, chain)


def test_a_scaled_bone_whose_child_does_not_inherit_it_is_refused():
    rig, chain = looking_chain()
    rig.data.bones["upper"].inherit_scale = "NONE"
    rig.pose.bones["middle"].scale = (1.5, 1.5, 1.5)
    bpy.context.view_layer.update()
    with pytest.raises(RigError, match="Bone 'middle' is scaled"):
        skeleton_of(rig, chain)


def test_a_bone_that_does_not_inherit_rotation_is_refused_inside_a_chain():
    rig, chain = looking_chain()
    rig.data.bones["upper"].use_inherit_rotation = False
    with pytest.raises(RigError, match="Bone 'upper' does not inherit rotation"):
        skeleton_of(rig, chain)


@pytest.mark.parametrize("channel", ["location", "rotation_euler", "scale"])
def test_a_pose_that_is_not_a_number_is_told_by_its_bone(channel):
    rig, chain = looking_chain()
    reader = ChainReader(rig, chain)
    getattr(rig.pose.bones["base"], channel)[1] = float("nan")
    with pytest.raises(RigError, match="The pose of bone 'base' is not a number"):
        reader.read(rig.pose.bones)


def test_noise_of_single_precision_in_fixed_parts_gives_the_same_skeleton():
    rig, chain = looking_chain()
    reader = ChainReader(rig, chain)
    rig.pose.bones["base"].rotation_euler.x = 0.25
    before = reader.fixed(reader.read(rig.pose.bones))
    rig.pose.bones["base"].rotation_euler.x += 3e-8
    assert rig.pose.bones["base"].rotation_euler.x != 0.25
    assert reader.fixed(reader.read(rig.pose.bones)) == before


def test_readers_are_equal_as_long_as_bones_joints_and_rest_poses_are():
    rig, chain = looking_chain(build(UPRIGHT))
    reader = ChainReader(rig, chain)
    rig.pose.bones["middle"].rotation_euler.x = 1.0
    assert ChainReader(rig, chain) == reader
    select(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["middle"].roll += 0.1
    bpy.ops.object.mode_set(mode="POSE")
    assert ChainReader(rig, chain) != reader


@pytest.mark.parametrize("seed", range(10))
def test_what_hangs_on_moved_bones_is_placed_where_blender_will_evaluate_it(seed):
    dice = random.Random(seed)
    rig = random_rig(dice, bones=4, above=1)
    move_object(dice, rig)
    other = random_rig(dice, bones=2, above=0)
    other.parent, other.parent_type, other.parent_bone = rig, "BONE", "c0"
    rig.data.bones["c0"].use_relative_parent = dice.random() < 0.5
    other.matrix_parent_inverse = Matrix.LocRotScale(
        vector(dice, 1), Quaternion((1, 0.2, 0.1, 0)).normalized(), None
    )
    move_object(dice, other)
    seen = bpy.data.objects.new("Seen", None)
    bpy.context.scene.collection.objects.link(seen)
    seen.parent, seen.parent_type, seen.parent_bone, seen.location = other, "BONE", "b1", vector(dice, 1)
    bpy.context.view_layer.update()

    moved = {rig.session_uid: {}}
    for name in ("b1", "b2"):  # as if a chain had rotated them: Blender's evaluation is older
        turn = Quaternion([dice.gauss(0, 1) for _ in range(4)]).normalized()
        location = (
            (0.0, 0.0, 0.0) if rig.data.bones[name].use_connect else tuple(rig.pose.bones[name].location)
        )
        moved[rig.session_uid][name] = (tuple(turn), location, tuple(rig.pose.bones[name].scale))
    placement = Placement(depsgraph(), moved)
    told = [placement.object(seen).copy(), placement.object(other).copy(), placement.bone(rig, "c0").copy()]
    for name, (turn, _, _) in moved[rig.session_uid].items():
        bone = rig.pose.bones[name]
        bone.rotation_mode, bone.rotation_quaternion = "QUATERNION", turn
    bpy.context.view_layer.update()
    real = [
        evaluated(seen).matrix_world,
        evaluated(other).matrix_world,
        evaluated(rig).pose.bones["c0"].matrix,
    ]
    for mine, blenders in zip(told, real, strict=True):
        assert np.abs(np.array(mine) - np.array(blenders)).max() < 2e-5


@pytest.mark.parametrize("influence", [1.0, 0.4, 0.0])
@pytest.mark.parametrize("parented", [False, True])
def test_what_follows_moved_bones_by_child_of_is_placed_where_blender_will_evaluate_it(parented, influence):
    dice = random.Random(5)
    rig = random_rig(dice, bones=3, above=0)
    move_object(dice, rig)
    cart = bpy.data.objects.new("Cart", None)
    seen = bpy.data.objects.new("Seen", None)
    for thing in (cart, seen):
        bpy.context.scene.collection.objects.link(thing)
        thing.location, thing.rotation_euler = vector(dice, 1), vector(dice, 1)
    if parented:
        seen.parent = cart
    held = seen.constraints.new("CHILD_OF")
    held.target, held.subtarget, held.inverse_matrix, held.influence = (
        rig,
        "b2",
        Matrix.Translation(vector(dice, 1)),
        influence,
    )
    bpy.context.view_layer.update()
    bone = rig.pose.bones["b1"]
    location = (0.0, 0.0, 0.0) if bone.bone.use_connect else tuple(bone.location)
    turn = Quaternion([dice.gauss(0, 1) for _ in range(4)]).normalized()
    told = (
        Placement(depsgraph(), {rig.session_uid: {"b1": (tuple(turn), location, tuple(bone.scale))}})
        .object(seen)
        .copy()
    )
    bone.rotation_mode, bone.rotation_quaternion = "QUATERNION", turn
    bpy.context.view_layer.update()
    assert np.abs(np.array(told) - np.array(evaluated(seen).matrix_world)).max() < 2e-5
