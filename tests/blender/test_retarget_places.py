"""Tests that limbs without known names are paired by their positions; if this is impossible, the report says
so.
"""

import bpy

from tests.blender.figures import CMU, XSENS, called, figure
from tests.blender.rigs import make_active

LIMBS = [
    f"{side} {part}"
    for side in ("left", "right")
    for part in ("upper_arm", "forearm", "thigh", "shin", "foot")
]


def paired(rig) -> dict[str, str]:
    return {pair.target: pair.source for pair in rig.limber.retarget.pairs}


def test_limbs_without_known_names_are_paired_by_their_places(capfd):
    source, rig = figure(CMU, "Source"), figure(XSENS, "Body")
    rig.limber.retarget.source = source
    numbered = {bone.name: f"Bone.{k:03d}" for k, bone in enumerate(rig.data.bones)}
    for bone in list(rig.data.bones):
        bone.name = numbered[bone.name]
    make_active(rig)
    bpy.ops.limber.pair_bones()
    assert {limb: paired(rig).get(numbered[called(XSENS, limb)]) for limb in LIMBS} == {
        limb: called(CMU, limb) for limb in LIMBS
    }
    assert "Paired and calibrated" in capfd.readouterr().out


def test_pairs_without_an_arm_or_leg_are_no_success(capfd):
    rig = figure(XSENS, "Body")
    data = bpy.data.armatures.new("Post")
    source = bpy.data.objects.new("Post", data)
    bpy.context.scene.collection.objects.link(source)
    make_active(source)
    bpy.ops.object.mode_set(mode="EDIT")
    bone = data.edit_bones.new("Hips")
    bone.head, bone.tail = (0, 0, 1), (0, 0, 1.2)
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.limber.retarget.source = source
    make_active(rig)
    bpy.ops.limber.pair_bones()
    said = capfd.readouterr().out
    assert "Warning: Only 1 bone of 'Body' could be paired, and no arm or leg among them" in said
    assert "Paired and calibrated" not in said
