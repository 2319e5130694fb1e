"""Feet that stay where they are while the source's stand."""

import bpy
import pytest
from limber.rig import live
from mathutils import Vector

from tests.blender.figures import CMU, XSENS, called, crouch, figure
from tests.blender.rigs import apart, matrices

FRAMES = range(1, 25)


def place(rig, words, part: str) -> Vector:
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return (shown.matrix_world @ shown.pose.bones[called(words, part)].matrix).translation


@pytest.fixture
def body():
    """A body of other proportions than the crouching source, which it follows live."""
    source = figure(CMU, "Source")
    crouch(source, CMU)
    rig = figure(XSENS, "Body", knee=0.42)
    rig.limber.retarget.source = source
    bpy.ops.limber.pair_bones()
    return rig


def slid(rig, words, frames=FRAMES) -> float:
    """How far [m] the left foot goes at most from where it is in the second frame."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(place(rig, words, "left foot"))
    return max((spot - found[1]).length for spot in found[1:])


def plant(rig, is_planted: bool = True) -> None:
    for pair in rig.limber.retarget.pairs:
        pair.plant = is_planted and "Foot" in pair.target


def test_the_sources_feet_stand_and_those_of_a_body_of_other_proportions_slide(body):
    bpy.ops.limber.follow()
    assert slid(bpy.data.objects["Source"], CMU) < 1e-3
    assert slid(body, XSENS) > 5e-3


def test_planted_feet_stay(body):
    plant(body)
    bpy.ops.limber.follow()
    assert slid(body, XSENS) < 1e-5
    assert set(live.session(body, body.limber.retarget).outputs.planted) == {"LeftFoot", "RightFoot"}


def test_a_foot_that_the_source_lifts_is_let_go_and_stands_anew(body):
    plant(body)
    bpy.ops.limber.follow()
    source = bpy.data.objects["Source"]
    session = live.session(body, body.limber.retarget)
    source.animation_data_clear()
    for frame, height in ((1, 0.0), (8, 0.0), (12, 0.5), (16, 0.0), (24, 0.0)):
        hips = source.pose.bones["Hips"]
        hips.location = source.data.bones["Hips"].matrix_local.to_3x3().inverted() @ Vector((0.0, -height, 0.0))
        hips.keyframe_insert("location", frame=frame)
    stood = {}
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        stood[frame] = set(session.outputs.planted)
    assert stood[6] == {"LeftFoot", "RightFoot"}
    assert stood[10] == set(), "both are swept along"
    assert stood[23] == {"LeftFoot", "RightFoot"}


def test_a_bake_plants_as_live_does(body):
    plant(body)
    body.limber.retarget.frame_start, body.limber.retarget.frame_end = 1, 24
    bpy.ops.limber.follow()
    names = [bone.name for bone in body.pose.bones]
    shown = [matrix for frame in FRAMES for matrix in matrices(body, names, frame)]
    bpy.ops.limber.bake_follow()
    assert apart(shown, [matrix for frame in FRAMES for matrix in matrices(body, names, frame)]) < 2e-5
