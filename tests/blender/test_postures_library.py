"""Tests postures with Blender's own pose library: each reads the other's pose assets."""

from types import SimpleNamespace

import bpy
import pytest

from tests.blender.posing import LEAN, REST, own_pose, pose, posed, same, stored
from tests.blender.rigs import UPRIGHT, build, looking_chain, make_active, select, target

pytestmark = pytest.mark.every_blender


@pytest.fixture
def chain():
    return looking_chain()[1]


# a pose asset that Blender understands


def test_a_posture_is_a_pose_asset_that_stays_with_the_file(rig, chain):
    action = stored(rig)
    assert action.asset_data is not None
    assert action.use_fake_user
    assert tuple(action.frame_range) == (1, 1), "one frame: what Blender's pose library asks of a pose"
    assert chain.postures[0].action == action
    if hasattr(action, "slots"):
        assert [slot.target_id_type for slot in action.slots] == ["OBJECT"]


def test_blenders_own_way_of_applying_a_pose_applies_a_posture(rig):
    action = stored(rig)
    pose(rig, REST)
    select(rig)  # Blender poses the selected bones, or all
    rig.pose.apply_pose_from_action(action)
    assert same(posed(rig), LEAN)


def test_blenders_own_way_of_blending_poses_blends_a_posture(rig):
    action = stored(rig)
    pose(rig, REST)
    select(rig)
    rig.pose.blend_pose_from_action(action, blend_factor=0.5)
    assert same(posed(rig), {name: tuple(angle / 2 for angle in euler) for name, euler in LEAN.items()})


def test_bones_off_the_chain_are_left_alone_by_a_posture():
    rig = build({**UPRIGHT, "arm": "X"}, parents={"arm": "base"})
    rig, _ = looking_chain(rig, "base", "head")
    action = stored(rig)
    rig.pose.bones["arm"].rotation_euler.x = 0.9
    pose(rig, REST)
    select(rig)
    rig.pose.apply_pose_from_action(action)
    assert rig.pose.bones["arm"].rotation_euler.x == pytest.approx(0.9)
    bpy.ops.limber.apply_posture()
    assert rig.pose.bones["arm"].rotation_euler.x == pytest.approx(0.9)


# pose assets that were there before


def test_a_pose_of_the_pose_library_can_be_added_and_applied(rig, chain):
    own_pose(rig)
    pose(rig, REST)
    bpy.ops.limber.add_posture(name="Mine")
    bpy.ops.limber.apply_posture()
    assert same(posed(rig), LEAN, near=1e-5)


def test_an_added_pose_can_be_the_base_of_the_warp(rig, chain):
    from limber.rig.live import live

    own_pose(rig)
    pose(rig, REST)
    bpy.ops.limber.add_posture(name="Mine")
    chain.base = "POSTURE"
    bpy.ops.limber.live()
    session = live.session(rig, chain)
    wanted = [LEAN[bone]["XYZ".index(axis)] for bone, axis in session.reader.joint_keys]
    assert list(session.goal.posture) == pytest.approx(wanted, abs=1e-5)


def test_a_foreign_posture_chosen_while_live_is_told_and_live_goes_on_once_it_is_left(rig, chain):
    from limber.rig.live import live

    stored(rig)
    chain.base = "POSTURE"
    bpy.ops.limber.live()
    own_pose(build({"tail": None}, name="Dog"), "Wag", {"tail": (1, 0, 0)})
    chain.postures.add().action = bpy.data.actions["Wag"]
    chain.shown_posture = 1
    bpy.context.scene.frame_set(2)
    assert "'Wag' has no values" in live.session(rig, chain).problem
    chain.shown_posture = 0
    bpy.context.scene.frame_set(3)
    assert live.session(rig, chain).problem == ""


def test_the_pose_librarys_own_new_pose_can_be_added(rig, chain):
    pose(rig, LEAN)
    select(rig, *LEAN)
    operator = bpy.ops.poselib.create_pose_asset
    here = (
        {"asset_library_reference": "LOCAL"}
        if "asset_library_reference" in operator.get_rna_type().properties
        else {}
    )
    operator(pose_name="Mine", **here)
    pose(rig, REST)
    bpy.ops.limber.add_posture(name="Mine")
    bpy.ops.limber.apply_posture()
    assert same(posed(rig), LEAN, near=1e-5)


def test_an_added_pose_stays_an_asset_when_it_is_removed_from_the_list(rig):
    own_pose(rig)
    bpy.ops.limber.add_posture(name="Mine")
    bpy.ops.limber.remove_posture()
    assert bpy.data.actions["Mine"].asset_data


def test_what_cannot_be_added_is_told(rig, chain):
    stored(rig)
    bpy.data.actions.new("Walk")
    own_pose(build({"tail": None}, name="Dog"), "Wag", {"tail": (1, 0, 0)})
    make_active(rig)
    for name, why in (
        ("Nothing", "no pose asset"),
        ("Walk", "no pose asset"),
        ("Lean", "already"),
        ("Wag", "'Wag' has no values"),
    ):
        with pytest.raises(RuntimeError, match=why):
            bpy.ops.limber.add_posture(name=name)
    assert len(chain.postures) == 1


def test_adding_offers_the_pose_assets_that_are_not_in_the_list(rig):
    from limber.operators.authoring.postures import _pose_assets

    not_called_yet = SimpleNamespace(owner_uid=0, mover_path="")
    stored(rig)
    own_pose(rig)
    bpy.data.actions.new("Walk")
    assert _pose_assets(not_called_yet, bpy.context, "") == ["Mine"]
    assert _pose_assets(not_called_yet, bpy.context, "MI") == ["Mine"]
    assert _pose_assets(not_called_yet, bpy.context, "x") == []


# files


def test_a_posture_is_shared_with_another_file_as_an_asset(rig, tmp_path):
    path = tmp_path / "poses.blend"
    bpy.data.libraries.write(str(path), {stored(rig)})
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    rig, _ = looking_chain(at=target())
    with bpy.data.libraries.load(str(path), link=True, assets_only=True) as (source, wanted):
        assert source.actions == ["Lean"]
        wanted.actions = ["Lean"]
    bpy.ops.limber.add_posture(name="Lean")
    bpy.ops.limber.apply_posture()
    assert same(posed(rig), LEAN)
    bpy.ops.limber.remove_posture()
    assert bpy.data.actions["Lean"].asset_data
