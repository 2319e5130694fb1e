"""Tests a body that follows another armature limb by limb, whatever their rest poses, positions and scales
are.
"""

from math import degrees, radians

import bpy
import numpy as np
import pytest
from limber.rig.live import live
from mathutils import Vector

from tests.blender.figures import CMU, XSENS, bend, called, way
from tests.blender.following import BELOW, FRAMES, SIDES, follower, hips, limbs_apart, names_of
from tests.blender.rigs import apart, make_active, matrices


@pytest.mark.parametrize("mode", ["XYZ", "ZYX", "QUATERNION"])
@pytest.mark.parametrize("arms_out", [False, True])
def test_limbs_lie_along_the_sources_however_both_rest(mode: str, arms_out: bool):
    rig, source = follower(mode, arms_out=arms_out)
    bpy.ops.limber.live()
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        assert limbs_apart(rig, source) < 0.2, frame


@pytest.mark.parametrize("turn", [0.0, 90.0, 180.0])
def test_a_body_that_rests_facing_elsewhere_faces_as_the_source_does(turn: float):
    rig, source = follower()
    rig.rotation_euler.z = radians(turn)
    bpy.context.view_layer.update()
    bpy.ops.limber.calibrate_pairs()
    bpy.ops.limber.live()
    for frame in (1, 12, 24):
        bpy.context.scene.frame_set(frame)
        assert limbs_apart(rig, source) < 0.2
        toe = way(rig, XSENS, "left foot", "left toe").angle(way(source, CMU, "left foot", "left toe"))
        assert degrees(toe) < 0.5


def test_the_base_goes_as_far_as_its_legs_are_longer():
    rig, source = follower(size=1.5)
    retarget = rig.limber.retarget
    assert retarget.scale == pytest.approx(1.5, rel=1e-5)
    bpy.ops.limber.live()
    for frame in (1, 12, 24):
        bpy.context.scene.frame_set(frame)
        assert (hips(rig, XSENS) - 1.5 * hips(source, CMU)).length < 1e-3
    retarget.shift = (2.0, 0.0, 0.5)
    bpy.context.scene.frame_set(1)
    assert (hips(rig, XSENS) - 1.5 * hips(source, CMU) - Vector((2.0, 0.0, 0.5))).length < 1e-3


@pytest.mark.every_blender
@pytest.mark.parametrize("scale", [(0.01, 0.01, 0.01), (3.0, 3.0, 3.0), (1.0, 1.2, 0.9)])
def test_a_scaled_source_is_followed_by_the_body_in_its_own_size(scale: tuple):
    rig, source = follower()
    source.scale = scale
    bpy.context.view_layer.update()
    bpy.ops.limber.calibrate_pairs()
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(12)
    if len(set(scale)) == 1:
        assert limbs_apart(rig, source) < 0.2
        assert hips(rig, XSENS).z == pytest.approx(hips(source, CMU).z / scale[0], abs=2e-3)
    assert live.session(rig, rig.limber.retarget).problem == ""
    assert np.isfinite(
        [number for matrix in matrices(rig, names_of(rig), 12) for row in matrix for number in row]
    ).all()


@pytest.mark.every_blender
def test_calibration_from_poses_takes_both_as_they_stand():
    rig, _ = follower(arms_out=True)
    bend(rig, XSENS, left_upper_arm=(0, 0, -40))
    bpy.context.scene.frame_set(1)
    before = matrices(rig, names_of(rig), 1)
    rig.limber.retarget.calibrate_from = "POSE"
    bpy.ops.limber.calibrate_pairs()
    bpy.ops.limber.live()
    shown = matrices(rig, names_of(rig), 1)
    turns = [[matrix.to_3x3() for matrix in found] for found in (before, shown)]
    assert apart(*turns) < 2e-3, "in that pose the body stands as it was posed"


def test_a_body_whose_base_is_not_paired_stays_where_it_is_authored():
    rig, source = follower(arms_out=False)
    retarget = rig.limber.retarget
    for pair in retarget.pairs:
        pair.enabled = any(part in pair.target for part in ("Arm", "Shoulder", "Hand"))
    bpy.ops.limber.calibrate_pairs()
    before = hips(rig, XSENS)
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(12)
    assert (hips(rig, XSENS) - before).length < 1e-6
    arms = [
        (f"{side} {part}", f"{side} {BELOW[part]}") for side in SIDES for part in ("upper_arm", "forearm")
    ]
    assert max(degrees(way(rig, XSENS, *pair).angle(way(source, CMU, *pair))) for pair in arms) < 0.5


@pytest.mark.every_blender
def test_two_copies_of_one_armature_can_follow_each_other_in_line():
    rig, source = follower()
    copy = rig.copy()
    bpy.context.scene.collection.objects.link(copy)
    copy.animation_data_clear()
    assert called(XSENS, "head") in copy.pose.bones
    make_active(copy)
    copy.limber.retarget.source = source
    bpy.ops.limber.pair_bones()
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(12)
    assert limbs_apart(copy, source) < 0.2


def test_a_hand_with_a_position_weight_comes_to_the_sources_hand():
    rig, source = follower(size=0.8, arms_out=False)
    retarget = rig.limber.retarget
    pair = next(pair for pair in retarget.pairs if pair.target == called(XSENS, "left hand"))

    def away() -> float:
        """Distance [m] of the hand from the scaled source's hand, with the base at the source's base."""
        bpy.context.scene.frame_set(12)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        theirs, own = (thing.evaluated_get(depsgraph) for thing in (source, rig))
        wanted = theirs.matrix_world.translation + retarget.scale * (
            theirs.matrix_world @ theirs.pose.bones[pair.source].head - theirs.matrix_world.translation
        )
        return (own.matrix_world @ own.pose.bones[pair.target].head - wanted).length

    retarget.scale *= 1.1  # so that rotations alone do not bring the hand there
    bpy.ops.limber.live()
    free = away()
    pair.position_weight = 100.0
    bpy.context.scene.frame_set(11)
    assert away() < 0.2 * free
    pair.position_weight = type(pair).bl_rna.properties["position_weight"].soft_max
    bpy.context.scene.frame_set(11)
    assert pair.position_weight == 1000.0
    assert away() < 0.03 * free
