"""Tests Retarget onto rigs that Rigify has generated: the controls follow, and so do the bones that deform
the mesh.
"""

from math import degrees

import bpy
import pytest

from tests.blender.figures import CMU, figure, walk, way
from tests.blender.generated import KINDS, generated
from tests.blender.rigs import apart, make_active

BELOW = {"upper_arm": "forearm", "forearm": "hand", "thigh": "shin", "shin": "foot"}
# [degrees] largest angle between limbs of two bodies without limits; the mesh's own bones have the angles of
# the controls within this tolerance
MOST = 0.1
FRAMES = range(1, 25)


@pytest.fixture(params=KINDS)
def rig(request):
    with generated(request.param) as made:
        source = figure(CMU, "Source")
        walk(source, CMU)
        make_active(made)
        made.limber.retarget.source = source
        yield made


def mesh_apart(rig) -> float:
    """The largest angle [degrees] between limbs of the mesh and those of the source."""
    shown, source = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()), rig.limber.retarget.source
    worst = 0.0
    for side, letter in (("left", "L"), ("right", "R")):
        for part, below in BELOW.items():
            first, second = (shown.pose.bones[f"DEF-{name}.{letter}"].head for name in (part, below))
            limb = shown.matrix_world.to_3x3() @ (second - first)
            worst = max(worst, degrees(limb.angle(way(source, CMU, f"{side} {part}", f"{side} {below}"))))
    return worst


def worst_over_frames(rig) -> float:
    worst = 0.0
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        worst = max(worst, mesh_apart(rig))
    return worst


def test_controls_are_paired_live_works_and_the_mesh_follows_live_and_baked(rig, capfd):
    before = worst_over_frames(rig)
    assert bpy.ops.limber.pair_bones() == {"FINISHED"}
    said = capfd.readouterr().out
    assert "IK_FK of 'upper_arm_parent.L' to 1" in said
    assert "head_follow of 'torso' to 1" in said
    pairs = {pair.target: pair.source for pair in rig.limber.retarget.pairs}
    assert {
        "torso": "Hips",
        "head": "Head",
        "neck": "Neck",
        "hand_fk.L": "LeftWrist",
        "thigh_fk.R": "RightHip",
    }.items() <= pairs.items()
    assert {"upper_arm_fk.L", "shoulder.R", "spine_fk.003", "toe_fk.L"} <= pairs.keys()
    assert not any(name.startswith(("DEF-", "ORG-", "MCH-")) for name in pairs)
    assert bpy.ops.limber.live.poll()
    assert bpy.ops.limber.live() == {"FINISHED"}
    live = worst_over_frames(rig)
    assert live < MOST < before
    bpy.ops.limber.end_live()
    rig.limber.retarget.frame_start, rig.limber.retarget.frame_end = FRAMES[0], FRAMES[-1]
    bpy.ops.limber.bake()
    keyed = {curve.data_path.split('"')[1] for curve in curves(rig)}
    assert keyed == set(pairs), "controls are keyed, and no helpers"
    assert worst_over_frames(rig) == pytest.approx(live, abs=1e-3)


def curves(rig):
    action = rig.animation_data.action
    return action.fcurves if hasattr(action, "fcurves") else action.layers[0].strips[0].channelbags[0].fcurves


@pytest.mark.every_blender
@pytest.mark.parametrize("rig", KINDS[:1], indirect=True)
def test_what_is_paired_alone_moves_and_further_controls_stay_as_they_are_posed(rig):
    bpy.ops.limber.pair_bones()
    assert rig.limber.retarget.paired_only
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(9)
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    for name in ("chest", "hips", "spine_fk", "spine_fk.001", "tweak_spine.003", "hand_ik.L"):
        resting = rig.data.bones[name]
        now = shown[name].parent.matrix.inverted() @ shown[name].matrix
        assert apart([now], [resting.parent.matrix_local.inverted() @ resting.matrix_local]) < 1e-4, name
