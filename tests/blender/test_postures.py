"""Tests stored postures as pose assets, which Blender's pose library applies as well: stored, renamed,
applied, removed, undone, saved.
"""

from math import degrees, radians

import bpy
import pytest

from tests.blender.posing import LEAN, REST, own_pose, pose, posed, same, stored
from tests.blender.rigs import UPRIGHT, build, looking_chain, make_active

pytestmark = pytest.mark.every_blender


@pytest.fixture
def chain():
    return looking_chain()[1]


# several per chain


def test_several_postures_each_apply_when_selected(rig, chain):
    nod = {**REST, "head": (0.5, 0, 0)}
    stored(rig, "Lean", LEAN)
    stored(rig, "Nod", nod)
    assert chain.shown_posture == 1
    for index, angles in ((0, LEAN), (1, nod), (0, LEAN)):
        chain.shown_posture = index
        bpy.ops.limber.apply_posture()
        assert same(posed(rig), angles)


def test_two_postures_of_one_name_are_two(rig, chain):
    stored(rig, "Lean")
    stored(rig, "Lean", REST)
    assert len({posture.action.name for posture in chain.postures}) == 2


def test_a_renamed_posture_is_the_same_posture(rig, chain):
    stored(rig).name = "Sorrow"
    pose(rig, REST)
    bpy.ops.limber.apply_posture()
    assert same(posed(rig), LEAN)
    assert chain.postures[0].action.name == "Sorrow"


def test_postures_belong_to_their_chain():
    rig = build({**UPRIGHT, "arm": "X", "hand": "XZ"}, parents={"arm": "base"})
    looking_chain(rig, "lower", "head")
    bpy.ops.limber.store_posture(name="Lean")
    looking_chain(rig, "arm", "hand", at=bpy.data.objects["Target"])
    assert [len(chain.postures) for chain in rig.limber.chains] == [1, 0]
    with pytest.raises(RuntimeError, match="press Store Posture"):
        bpy.ops.limber.apply_posture()


def test_a_blank_name_becomes_a_usual_one(rig):
    bpy.ops.limber.store_posture(name="  ")
    assert bpy.data.actions["Posture"].asset_data


# what is stored


def test_angles_beyond_half_a_turn_are_kept(rig, chain):
    turned = {**REST, "base": (0, radians(270), 0), "head": (0, radians(-400), 0)}
    stored(rig, angles=turned)
    pose(rig, REST)
    bpy.ops.limber.apply_posture()
    assert degrees(rig.pose.bones["base"].rotation_euler.y) == pytest.approx(270, abs=1e-3)
    assert degrees(rig.pose.bones["head"].rotation_euler.y) == pytest.approx(-400, abs=1e-3)


def test_storing_while_live_stores_what_is_authored(rig, chain):
    pose(rig, LEAN)
    bpy.ops.limber.live()
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["head"].matrix.copy()
    bpy.ops.limber.store_posture(name="Lean")
    bpy.ops.limber.end_live()
    authored = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["head"].matrix.copy()
    assert (
        max(abs(a - b) for p, q in zip(shown, authored, strict=True) for a, b in zip(p, q, strict=True))
        > 0.05
    ), "the pose was warped"
    pose(rig, REST)
    bpy.ops.limber.apply_posture()
    assert same(posed(rig), LEAN)


def test_storing_on_a_keyed_rig_stores_the_pose_of_the_frame(rig):
    bone = rig.pose.bones["middle"]
    for frame, angle in ((1, 0.0), (11, 1.0)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    for curve in all_curves(rig.animation_data.action):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    bpy.context.scene.frame_set(6)
    bpy.ops.limber.store_posture(name="Half")
    bpy.context.scene.frame_set(1)
    bpy.ops.limber.apply_posture()
    assert bone.rotation_euler.x == pytest.approx(0.5, abs=1e-6)


def all_curves(action):
    from limber.rig.blender import actions

    return actions.fcurves(action)


def test_the_base_of_the_warp_can_be_a_stored_posture(rig, chain):
    from limber.rig.live import live

    stored(rig)
    pose(rig, REST)
    chain.base = "POSTURE"
    bpy.ops.limber.live()
    session = live.session(rig, chain)
    wanted = [LEAN[bone]["XYZ".index(axis)] for bone, axis in session.reader.joint_keys]
    assert list(session.goal.posture) == pytest.approx(wanted, abs=1e-6)
    assert same(posed(rig), REST), "the rig's own pose stays"


# applying


def test_applying_with_auto_keying_keys_what_it_poses(rig):
    stored(rig)
    pose(rig, REST)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    bpy.context.scene.frame_set(7)
    bpy.ops.limber.apply_posture()
    assert rig.animation_data.action
    bpy.context.scene.frame_set(20)
    assert same(posed(rig), LEAN)


def test_applying_without_auto_keying_keys_nothing(rig):
    stored(rig)
    bpy.ops.limber.apply_posture()
    assert not rig.animation_data or not rig.animation_data.action


def test_a_posture_stored_by_euler_angles_poses_quaternion_bones_and_back(rig, chain):
    stored(rig)
    for name in LEAN:
        rig.pose.bones[name].rotation_mode = "QUATERNION"
        rig.pose.bones[name].rotation_quaternion = (1, 0, 0, 0)
    bpy.ops.limber.apply_posture()
    for name, euler in LEAN.items():
        rig.pose.bones[name].rotation_mode = "XYZ"
        assert tuple(rig.pose.bones[name].rotation_euler) == pytest.approx(euler, abs=1e-5)


def test_a_posture_of_another_chain_is_refused_by_name(rig, chain):
    other = build({"tail": "X"}, name="Dog")
    looking_chain(other, "tail", at=chain.target)
    bpy.ops.limber.store_posture(name="Wag")
    make_active(rig)
    chain.postures.add().action = bpy.data.actions["Wag"]
    with pytest.raises(RuntimeError, match="'Wag' has no values"):
        bpy.ops.limber.apply_posture()


def test_a_deleted_pose_asset_is_told_and_can_be_taken_from_the_list(rig, chain):
    bpy.data.actions.remove(stored(rig))
    with pytest.raises(RuntimeError, match="was deleted"):
        bpy.ops.limber.apply_posture()
    bpy.ops.limber.remove_posture()
    assert len(chain.postures) == 0


def test_a_missing_bone_is_told_when_storing(rig, chain):
    chain.end = "nose"
    with pytest.raises(RuntimeError, match="'nose' is missing"):
        bpy.ops.limber.store_posture()
    assert len(bpy.data.actions) == 0


# removing


def test_removing_a_posture_removes_its_asset(rig, chain):
    stored(rig)
    bpy.ops.limber.remove_posture()
    assert len(chain.postures) == 0
    assert len(bpy.data.actions) == 0


def test_removing_keeps_an_action_that_an_nla_strip_plays(rig, chain):
    action = stored(rig)
    rig.animation_data_create().nla_tracks.new().strips.new("lean", 1, action)
    bpy.ops.limber.remove_posture()
    assert bpy.data.actions["Lean"].asset_data is None
    assert not bpy.data.actions["Lean"].use_fake_user


def test_removing_keeps_an_asset_that_another_chain_has(rig, chain):
    stored(rig)
    make_active(rig)
    bpy.ops.object.duplicate()
    assert bpy.context.object != rig
    bpy.ops.limber.remove_posture()
    assert bpy.data.actions["Lean"].asset_data
    make_active(rig)
    bpy.ops.limber.apply_posture()
    bpy.ops.limber.remove_posture()
    assert len(bpy.data.actions) == 0


def test_removing_takes_the_selected_posture_and_selects_one_that_exists(rig, chain):
    for name in ("One", "Two", "Three"):
        stored(rig, name)
    chain.shown_posture = 1
    bpy.ops.limber.remove_posture()
    assert [posture.action.name for posture in chain.postures] == ["One", "Three"]
    bpy.ops.limber.remove_posture()
    assert chain.shown_posture == 0
    assert chain.postures[0].action.name == "One"


def test_removing_the_chain_keeps_its_pose_assets(rig):
    stored(rig)
    bpy.ops.limber.remove_chain()
    assert bpy.data.actions["Lean"].asset_data


# undo and files


def test_storing_applying_and_removing_can_each_be_undone(undo_step):
    rig, _ = looking_chain()
    undo_step("chain")
    stored(rig)
    undo_step("Store Posture")
    pose(bpy.data.objects["Rig"], REST)
    undo_step("Pose")
    bpy.ops.limber.apply_posture()
    undo_step("Apply Posture")
    bpy.ops.limber.remove_posture()
    undo_step("Remove Posture")
    assert len(bpy.data.actions) == 0

    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    assert rig.limber.chains[0].postures[0].action == bpy.data.actions["Lean"]
    assert bpy.data.actions["Lean"].asset_data
    assert same(posed(rig), LEAN)
    bpy.ops.ed.undo()
    assert same(posed(bpy.data.objects["Rig"]), REST)
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    assert len(bpy.data.objects["Rig"].limber.chains[0].postures) == 0
    assert "Lean" not in bpy.data.actions


def test_postures_come_back_with_the_file(rig, chain, reopen):
    stored(rig)
    own_pose(rig)
    bpy.ops.limber.add_posture(name="Mine")
    reopen()
    rig = bpy.data.objects["Rig"]
    chain = rig.limber.chains[0]
    assert [posture.action.name for posture in chain.postures] == ["Lean", "Mine"]
    assert [posture.adopted for posture in chain.postures] == [False, True]
    pose(rig, REST)
    chain.shown_posture = 0
    bpy.ops.limber.apply_posture()
    assert same(posed(rig), LEAN)
