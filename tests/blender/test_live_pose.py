"""Tests that the shown pose has the filter's values, on rigs of every kind, and looks at the target."""

import random
from math import pi

import bpy
import pytest
from limber.rig.blender import actions
from limber.solvers.kinematics import rotations
from mathutils import Euler, Matrix

from tests.blender.random_rigs import ORDERS, move_object, random_chain, random_rig, vector
from tests.blender.rigs import build, keyed, looking_chain, target
from tests.blender.shown import (  # noqa: F401
    AXES,
    as_good_as_unfiltered,
    choose,
    depsgraph,
    evaluated,
    go_live,
    missed,
    no_handler_raises,
    session,
    settle,
    shown_basis,
)

SHOWN = 2e-6  # [rad] tolerance


def told_bases(rig, chain) -> dict:
    """Each bone's rotation by the filtered angles and the authored locked axes, in double precision."""
    now = session(rig, chain)
    told = dict(zip(now.reader.joint_keys, now.outputs.angles.tolist(), strict=True))
    bones = evaluated(rig).pose.bones
    turns = {}
    for name in {joint.bone for joint in chain.joints}:
        turn = rotations.IDENTITY
        for axis in bones[name].rotation_mode[::-1]:
            angle = told.get((name, axis), bones[name].rotation_euler["XYZ".index(axis)])
            turn = rotations.multiply(turn, rotations.about(tuple(AXES[axis]), angle))
        turns[name] = turn
    return turns


def apart_from_told(rig, chain) -> float:
    """Largest angle [rad] between a bone's shown rotation and the filter's."""
    return max(
        rotations.angle_between(turn, rotations.normalized(tuple(shown_basis(rig, name))))
        for name, turn in told_bases(rig, chain).items()
    )


@pytest.mark.parametrize("order", ORDERS)
def test_the_shown_pose_is_the_filtered_one_in_every_rotation_order(order):
    rig, chain = looking_chain(build({"base": "XYZ", "lower": "XZ", "upper": "Y", "head": "XYZ"}, mode=order))
    rig.pose.bones["lower"].rotation_euler = (0.2, 0.9, -0.3)  # Y is locked, and not at zero
    rig.pose.bones["upper"].rotation_euler = (-0.5, 0.1, 0.4)
    go_live(rig, chain)
    keyed(chain.target, (1, 30))
    for frame in range(1, 31):
        bpy.context.scene.frame_set(frame)
        assert session(rig, chain).problem == ""
        assert apart_from_told(rig, chain) < SHOWN


@pytest.mark.parametrize("seed", range(24))
def test_the_shown_pose_is_the_filtered_one_on_any_rig(seed):
    dice = random.Random(seed)
    rig = random_rig(dice, bones=dice.randint(2, 6), above=dice.randint(0, 2))
    move_object(dice, rig)
    chain = random_chain(dice, rig, "b0", [bone.name for bone in rig.pose.bones if bone.name[0] == "b"][-1])
    chain.target = keyed(target(tuple(rig.location + vector(dice, 4))), (1, 12))
    chain.roll = dice.choice(["FREE", "UPRIGHT", "POSTURE"])
    locked = next(
        (bone for bone in rig.pose.bones if bone.name[0] == "b" and bone.rotation_mode != "QUATERNION"), None
    )
    locked.keyframe_insert(
        "rotation_euler", frame=1
    )  # both free and locked axes: locked ones have an animation of their own
    locked.rotation_euler.x += 0.5
    locked.keyframe_insert("rotation_euler", frame=12)
    now = go_live(rig, chain)
    for frame in range(1, 13, 3):
        bpy.context.scene.frame_set(frame)
        assert now.problem == ""
        assert apart_from_told(rig, chain) < SHOWN


def pan_and_tilt_head(**options):
    """A robot that can look anywhere: a rotating base, bends, a head with yaw, pitch and roll."""
    return build({"base": "Y", "lower": "X", "upper": "XZ", "neck": "YX", "head": "XYZ"}, **options)


@pytest.mark.parametrize("seed", range(12))
def test_the_end_looks_at_a_finite_point_within_a_tenth_of_a_degree(seed):
    dice = random.Random(seed)
    rig = pan_and_tilt_head()
    move_object(dice, rig)
    rig, chain = looking_chain(rig)
    chain.forward_axis, chain.up = dice.choice(
        [(a, b) for a in ("+X", "-X", "+Y", "-Y", "+Z", "-Z") for b in ("+X", "-Y", "+Z") if a[1] != b[1]]
    )
    chain.eye, chain.roll = dice.choice([0.0, 0.5, 1.0]), dice.choice(["FREE", "UPRIGHT"])
    for bone in rig.pose.bones:
        bone.rotation_euler = [
            0.0 if locked else angle
            for angle, locked in zip(vector(dice, 0.6), bone.lock_rotation, strict=True)
        ]
    go_live(rig, chain)
    reach = 0.5 * rig.scale.x
    found = 0
    for _ in range(4):
        chain.target.location = rig.location + vector(dice, 1).normalized() * reach * dice.uniform(2, 8)
        settle()
        now = session(rig, chain)
        assert now.problem == ""
        if now.outputs.solution.converged:
            found += 1
            assert missed(rig, chain) < 0.1
    assert found >= 3, "almost every place around it can be looked at"


@pytest.mark.parametrize("look", ["+X", "-X", "+Y", "-Y", "+Z", "-Z"])
@pytest.mark.parametrize("turned", [(0, 0, 0), (0.5, -0.3, 2.0)])
def test_an_upright_end_stays_upright_in_the_world(look, turned):
    rig, chain = looking_chain(pan_and_tilt_head())
    rig.rotation_euler = turned
    chain.forward_axis, chain.up, chain.roll = look, "+Z" if look[1] != "Z" else "-X", "UPRIGHT"
    chain.target.location = (1.5, -1.0, 0.8)
    bpy.context.view_layer.update()
    now = go_live(rig, chain)
    assert now.outputs.solution.converged
    assert missed(rig, chain) < 0.1
    matrix = evaluated(rig).matrix_world.to_3x3() @ evaluated(rig).pose.bones["head"].matrix.to_3x3()
    up = matrix @ (AXES[chain.up[1]] * (-1 if chain.up[0] == "-" else 1))
    side = (matrix @ (AXES[look[1]] * (-1 if look[0] == "-" else 1))).cross(up)
    assert abs(side.normalized().z) < 2e-3, "its side is level"
    assert up.z > 0


def test_a_posture_is_the_base_when_it_is_chosen_and_the_rigs_own_pose_otherwise():
    rig, chain = looking_chain()
    rig.pose.bones["lower"].rotation_euler.x, rig.pose.bones["upper"].rotation_euler.x = 0.9, -0.7
    bpy.ops.limber.store_posture(name="Crouch")
    rig.pose.bones["lower"].rotation_euler.x, rig.pose.bones["upper"].rotation_euler.x = -0.2, 0.1
    now = go_live(rig, chain)
    keys = now.reader.joint_keys
    assert now.goal.posture[keys.index(("lower", "X"))] == pytest.approx(-0.2)
    choose(chain, base="POSTURE")
    settle()
    assert now.goal.posture[keys.index(("lower", "X"))] == pytest.approx(0.9)
    assert now.goal.posture[keys.index(("upper", "X"))] == pytest.approx(-0.7)
    assert missed(rig, chain) < 0.1


def test_an_armature_parented_to_a_moving_object_still_looks_at_the_target():
    rig, chain = looking_chain(pan_and_tilt_head())
    cart = bpy.data.objects.new("Cart", None)
    bpy.context.scene.collection.objects.link(cart)
    rig.parent, rig.matrix_parent_inverse = cart, Matrix.Translation((0.1, 0.2, 0.3))
    cart.rotation_euler, cart.scale = Euler((0.3, 0.2, 1.0)), (2, 2, 2)
    keyed(cart, (1, 10), end=(1.0, 0.5, 0.2))
    chain.target.location = (4, 3, 2)
    as_good_as_unfiltered(chain)
    bpy.context.scene.frame_set(1)
    go_live(rig, chain)
    for frame in range(1, 11):
        bpy.context.scene.frame_set(frame)
        assert missed(rig, chain) < 0.1


def test_a_chain_under_an_animated_bone_starts_from_where_that_bone_is():
    rig = build({"torso": None, "neck": "YX", "head": "XZ"})
    rig.pose.bones["torso"].lock_rotation = (True, True, True)
    rig, chain = looking_chain(rig, "neck", "head")
    as_good_as_unfiltered(chain)
    keyed(rig.pose.bones["torso"], (1, 10), "rotation_euler", (0.5, 0.4, -0.6))
    rig.pose.bones["torso"].constraints.new("COPY_ROTATION").target = keyed(
        target((0, 0, 0), "Handle"), (1, 10), "rotation_euler", (0, 0.5, 0.3)
    )
    chain.target.location = (1.0, 2.0, 0.4)
    go_live(rig, chain)
    assert session(rig, chain).reader.names == ["neck", "head"]
    bpy.context.scene.frame_set(0)
    for frame in range(1, 11):
        bpy.context.scene.frame_set(frame)
        assert session(rig, chain).outputs.solution.converged
        assert missed(rig, chain) < 0.1


def test_a_locked_axis_that_is_keyed_is_solved_where_it_is():
    rig, chain = looking_chain(pan_and_tilt_head())
    upper = rig.pose.bones["upper"]
    upper.lock_rotation[1] = True
    as_good_as_unfiltered(chain)
    upper.keyframe_insert("rotation_euler", index=1, frame=1)
    upper.rotation_euler.y = 1.0
    upper.keyframe_insert("rotation_euler", index=1, frame=10)
    chain.target.location = (1.0, 2.0, 0.4)
    bpy.context.scene.frame_set(1)
    go_live(rig, chain)
    for frame in range(1, 11):
        bpy.context.scene.frame_set(frame)
        assert missed(rig, chain) < 0.1
        assert apart_from_told(rig, chain) < SHOWN
    assert upper.rotation_euler.y == pytest.approx(1.0)


@pytest.mark.parametrize("how", ["disabled", "hidden", "excluded"])
def test_a_target_that_is_not_seen_is_followed_on(how):
    rig, chain = looking_chain(pan_and_tilt_head())
    keyed(chain.target, (1, 20), end=(-1.0, 0.4, 0.6))
    as_good_as_unfiltered(chain)
    places = {}
    for frame in (5, 12, 17):
        bpy.context.scene.frame_set(frame)
        places[frame] = evaluated(chain.target).matrix_world.translation.copy()
    go_live(rig, chain)
    if how == "disabled":
        chain.target.hide_viewport = True
    elif how == "hidden":
        chain.target.hide_set(True)
    else:
        collection = bpy.data.collections.new("Targets")
        bpy.context.scene.collection.children.link(collection)
        collection.objects.link(chain.target)
        bpy.context.scene.collection.objects.unlink(chain.target)
        bpy.context.view_layer.layer_collection.children["Targets"].exclude = True
    for frame, place in places.items():
        bpy.context.scene.frame_set(frame)
        assert (evaluated(chain.target).matrix_world.translation - place).length < 1e-6
        assert session(rig, chain).problem == ""
        assert missed(rig, chain) < 0.1


def test_a_far_turned_posture_keeps_its_whole_turns_out_of_the_shown_pose():
    rig, chain = looking_chain(pan_and_tilt_head())
    rig.pose.bones["base"].rotation_euler.y = 2 * pi + 0.3
    go_live(rig, chain)
    assert session(rig, chain).problem == ""
    assert apart_from_told(rig, chain) < SHOWN


def test_a_stored_posture_that_is_edited_renamed_or_replaced_is_kept_at_once():
    rig, chain = looking_chain()
    for name, angle in (("Low", 0.9), ("High", -0.4)):
        rig.pose.bones["lower"].rotation_euler.x = angle
        bpy.ops.limber.store_posture(name=name)
    rig.pose.bones["lower"].rotation_euler.x = 0.0
    choose(chain, base="POSTURE", shown_posture=0)
    now = go_live(rig, chain)
    at = now.reader.joint_keys.index(("lower", "X"))
    assert now.goal.posture[at] == pytest.approx(0.9)
    action = chain.postures[0].action
    curve = actions.find(actions.fcurves(action), 'pose.bones["lower"].rotation_euler', 0)
    curve.keyframe_points[0].co.y = 0.6
    action.update_tag()
    settle()
    assert now.goal.posture[at] == pytest.approx(0.6)
    action.name = "Lower"
    choose(chain, shown_posture=1)
    settle()
    assert now.goal.posture[at] == pytest.approx(-0.4)
    curves = actions.fcurves(chain.postures[1].action)
    curves.remove(actions.find(curves, 'pose.bones["lower"].rotation_euler', 0))
    chain.postures[1].action.update_tag()
    rig.pose.bones["lower"].rotation_euler.x = 0.25
    settle()
    assert now.goal.posture[at] == pytest.approx(0.25), "what the posture does not say is the rig's own"
    bpy.data.actions.remove(chain.postures[1].action)
    settle()
    rig.update_tag()
    settle()
    assert "was deleted" in now.problem
