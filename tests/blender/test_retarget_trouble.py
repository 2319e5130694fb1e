"""Tests that faults of a source, pairs and files are named, and never break the body."""

from math import nan

import bpy
import numpy as np
import pytest
from limber.rig.bodies import source as sources
from limber.rig.live import live
from limber.rig.showing.proxy import MARK, rigs

from tests.blender import following
from tests.blender.figures import CMU, XSENS, called, figure
from tests.blender.rigs import apart, build, make_active, matrices
from tests.blender.shown import settle


def follower(is_live: bool = True):
    rig, source = following.follower()
    if is_live:
        bpy.ops.limber.live()
    return rig, source


def the_body():
    return bpy.data.objects["Body"]


def problem() -> str:
    bpy.context.scene.frame_set(bpy.context.scene.frame_current + 1)
    return live.session(the_body(), the_body().limber.retarget).problem


def pair_of(rig, part: str):
    return next(pair for pair in rig.limber.retarget.pairs if pair.target == called(XSENS, part))


def test_a_source_that_is_deleted_before_a_jump_of_frames_is_named():
    _rig, source = follower()
    bpy.context.scene.frame_set(2)
    bpy.data.objects.remove(source)
    bpy.context.view_layer.update()
    settle()
    for frame in (60, 3, 61):
        bpy.context.scene.frame_set(frame)
        settle()
    session = live.session(the_body(), the_body().limber.retarget)
    assert "source" in session.problem.lower()
    assert "defect" not in session.problem


def test_start_live_without_any_target_says_so_and_names_no_link(capfd):
    _, source = follower(is_live=False)
    for bone in source.pose.bones:
        bone.scale = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    bpy.ops.limber.live()
    said = capfd.readouterr().out
    assert "No target is left in this frame" in said
    assert "largest error" not in said


def test_its_own_source_is_refused():
    rig = figure(XSENS, "Body")
    rig.limber.retarget.source = rig
    with pytest.raises(
        RuntimeError, match="'Body' is its own source: choose another armature, or a copy of it"
    ):
        bpy.ops.limber.pair_bones()


@pytest.mark.every_blender
def test_bodies_with_nothing_in_common_are_told_to_be_paired_by_hand():
    crane = build({"boom": None, "jib": None}, "Crane")
    rig = figure(XSENS, "Body")
    rig.limber.retarget.source = crane
    with pytest.raises(
        RuntimeError, match=r"No bone of 'Crane' is called like one of 'Body'.*pair them by hand \(\+\)"
    ):
        bpy.ops.limber.pair_bones()
    with pytest.raises(RuntimeError, match="No bones are paired: press Pair by Names"):
        bpy.ops.limber.live()
    for name in ("limber.calibrate_pairs", "limber.bake"):
        with pytest.raises(RuntimeError, match="No bones"):
            eval(f"bpy.ops.{name}()")


@pytest.mark.every_blender
def test_a_bone_that_is_paired_twice_is_named_with_both_sources():
    rig, _ = follower(is_live=False)
    pair_of(rig, "left hand").target = called(XSENS, "left foot")
    with pytest.raises(
        RuntimeError, match=r"Bone 'LeftFoot' is paired twice, with 'Left.*' and 'Left.*': remove one"
    ):
        bpy.ops.limber.live()


@pytest.mark.every_blender
def test_parent_and_child_crosswise_are_named():
    rig, _ = follower(is_live=False)
    thigh, shin = pair_of(rig, "left thigh"), pair_of(rig, "left shin")
    thigh.source, shin.source = shin.source, thigh.source
    with pytest.raises(
        RuntimeError,
        match=r"'LeftUpperLeg' follows 'LeftKnee' and 'LeftLowerLeg'.*'LeftHip'.*the two pairs cross",
    ):
        bpy.ops.limber.calibrate_pairs()


@pytest.mark.every_blender
def test_a_pair_that_was_changed_must_be_calibrated_anew():
    rig, _ = follower(is_live=False)
    pair_of(rig, "head").source = "Neck"
    with pytest.raises(
        RuntimeError, match="How 'Head' lie against their source bones is not known yet: press Calibrate"
    ):
        bpy.ops.limber.live()


@pytest.mark.parametrize("offset", [(0.0, 0.0, 0.0, 0.0), (nan, 0.0, 0.0, 0.0)])
def test_a_pair_whose_offset_is_no_rotation_must_be_calibrated_anew(offset: tuple[float, ...]):
    rig, _ = follower()
    pair = pair_of(rig, "head")
    known, pair.offset = tuple(pair.offset), offset
    assert problem() == "How 'Head' lie against their source bones is not known yet: press Calibrate"
    pair.offset = known
    assert problem() == ""


@pytest.mark.every_blender
@pytest.mark.parametrize("side", ["target", "source"])
def test_a_bone_that_is_missing_is_named(side: str):
    rig, _ = follower(is_live=False)
    setattr(pair_of(rig, "head"), side, "Trunk")
    with pytest.raises(RuntimeError, match=f"{side.title()} bone 'Trunk' is missing in"):
        bpy.ops.limber.calibrate_pairs()
    setattr(rig.limber.retarget.pairs[-1], side, "")
    with pytest.raises(RuntimeError, match=r"missing in|lacks its other bone"):
        bpy.ops.limber.calibrate_pairs()


@pytest.mark.every_blender
def test_a_source_that_the_body_carries_is_refused_while_live():
    rig, source = follower()
    source.parent, source.parent_type, source.parent_bone = rig, "BONE", called(XSENS, "head")
    assert "'Body' moves its own source 'Source'" in problem()


def test_a_source_that_is_deleted_leaves_the_body_at_rest_where_it_was():
    rig, source = follower()
    bpy.context.scene.frame_set(12)
    names = [bone.name for bone in rig.pose.bones]
    before = matrices(rig, names, 12)
    bpy.data.objects.remove(source)
    assert problem() == "Armature 'Body' has no source: choose the armature whose motion it follows"
    assert apart(matrices(rig, names, bpy.context.scene.frame_current), before) < 0.1
    bpy.ops.limber.end_live()


def test_a_source_outside_the_scene_or_hidden_is_named():
    _, source = follower()
    bpy.context.scene.collection.objects.unlink(source)
    assert problem() == "Source 'Source' was deleted: choose another source"
    bpy.data.scenes.new("Elsewhere").collection.objects.link(source)
    assert problem() == "Source 'Source' is not in scene 'Scene': link it there, or choose another source"


def test_a_source_bone_that_is_not_a_number_sets_its_link_free_until_it_comes_back():
    rig, source = follower()
    bpy.context.scene.frame_set(4)
    bone = source.pose.bones[called(CMU, "left hand")]
    bone.scale = (0.0, 0.0, 0.0)
    assert "'LeftHand' have no target in this frame" in problem()
    assert len(live.session(rig, rig.limber.retarget).outputs.lost) == 1
    bone.scale = (1.0, 1.0, 1.0)
    assert problem() == ""
    bone.location = (nan, 0.0, 0.0)
    problem()
    assert all(number == number for matrix in matrices(rig, ["Head"], 8) for row in matrix for number in row)


def test_a_body_that_may_only_move_slowly_arrives_where_its_source_has_stopped():
    rig, source = follower(is_live=False)
    source.animation_data_clear()
    rig.limber.retarget.velocity = 0.1
    bpy.ops.limber.live()
    settle()
    source.pose.bones["LeftElbow"].rotation_euler.x += 1.0
    bpy.context.view_layer.update()
    settle()
    assert np.nanmax(live.session(rig, rig.limber.retarget).outputs.missed) < 0.02


@pytest.mark.every_blender
def test_a_scaled_bone_of_the_body_is_named():
    rig, _ = follower()
    rig.pose.bones["Head"].scale = (2.0, 2.0, 2.0)
    assert problem() == "Bone 'Head' is scaled: clear its scale (Alt S); joints cannot stretch"
    rig.pose.bones["Head"].scale = (1.0, 1.0, 1.0)
    assert problem() == ""


@pytest.mark.every_blender
def test_bones_renamed_while_live_keep_their_pairs():
    rig, _ = follower()
    rig.data.bones["Head"].name = "Skull"
    live.sync()
    assert problem() == ""
    assert "Skull" in [pair.target for pair in rig.limber.retarget.pairs]


def test_undo_takes_live_away_and_redo_brings_it_back(undo_step):
    follower(is_live=False)
    undo_step("paired")
    bpy.ops.limber.live()
    undo_step("live")
    bpy.context.scene.frame_set(5)
    bpy.ops.ed.undo()
    assert not the_body().limber.retarget.live
    assert not [thing for thing in bpy.data.objects if MARK in thing]
    bpy.ops.ed.redo()
    assert the_body().limber.retarget.live
    assert problem() == ""
    assert live.session(the_body(), the_body().limber.retarget).outputs is not None


def test_a_file_that_was_saved_live_goes_on_and_holds_the_authored_pose_alone(reopen):
    rig, _ = follower()
    bpy.context.scene.frame_set(7)
    names = [bone.name for bone in rig.pose.bones]
    before = matrices(rig, names, 7)
    reopen()
    assert len(rigs()) == 2
    assert the_body().limber.retarget.live
    assert apart(matrices(the_body(), names, 7), before) < 1e-3
    assert not any(
        bone.rotation_euler[0] or bone.rotation_euler[1] or bone.rotation_euler[2]
        for bone in the_body().pose.bones
    )


def test_a_deleted_body_is_no_trouble():
    rig, _ = follower()
    make_active(bpy.data.objects["Source"])
    bpy.data.objects.remove(rig)
    bpy.context.scene.frame_set(9)
    assert live.live_movers() == []


def test_a_bake_over_an_empty_range_is_refused():
    rig, _ = follower(is_live=False)
    rig.limber.retarget.frame_start, rig.limber.retarget.frame_end = 10, 1
    with pytest.raises(RuntimeError, match="ends at frame 1, before it starts at 10"):
        bpy.ops.limber.bake()


def test_pairs_can_be_added_and_removed():
    rig, _ = follower(is_live=False)
    pairs = rig.limber.retarget.pairs
    count = len(pairs)
    rig.data.bones.active = rig.data.bones["Head"]
    bpy.ops.limber.add_pair()
    assert (len(pairs), pairs[-1].target) == (count + 1, "Head")
    bpy.ops.limber.remove_pair()
    assert len(pairs) == count
    assert bpy.ops.limber.live() == {"FINISHED"}


def test_a_body_goes_on_from_an_earlier_frame_whose_outputs_are_gone():
    rig, _ = follower()
    assert problem() == ""
    now = live.session(rig, rig.limber.retarget)
    before, (model, inputs) = now.record.snapshot(), now.record.ticked
    # as where its bones have changed since, and a render goes on from the frame before
    now.record.outputs = None
    now.record = now.record.restored(before)
    now.record.tick(model, inputs, 1 / 24)
    assert now.motion().keys() == set(now.reader.joint_keys)


def test_a_body_has_no_acceleration_after_a_jump():
    rig, _ = follower()
    scene, session = bpy.context.scene, live.session(rig, rig.limber.retarget)
    for frame in range(1, 6):
        scene.frame_set(frame)
    assert any(joint.acceleration for joint in session.motion().values())
    scene.frame_set(20)
    assert not any(joint.acceleration for joint in session.motion().values())


def test_a_body_that_is_scaled_to_nothing_is_told_and_goes_on_with_its_size():
    rig, _ = follower()
    assert problem() == ""
    rig.scale = (0.0, 1.0, 1.0)
    assert problem() == "Armature 'Body' is scaled to nothing: clear its scale (Alt S)"
    rig.scale = (1.0, 1.0, 1.0)
    assert problem() == ""


def test_a_defect_of_limber_is_told_as_one(monkeypatch, capfd, defects_of_limber):
    follower()
    assert problem() == ""

    def defect(*_):
        raise ValueError("zip() argument 2 is shorter than argument 1")

    monkeypatch.setattr(sources, "posed", defect)
    assert problem().startswith("Body of 'Body' is stopped by a defect of Limber")
    assert "ValueError: zip() argument 2 is shorter" in "".join(capfd.readouterr())
    defects_of_limber.clear()
