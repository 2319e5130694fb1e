"""Tests mirrored postures: arms change sides by name, bones in the middle rotate in the opposite direction,
whatever their rolls are.
"""

from math import radians

import bpy
import pytest

from tests.blender.posing import LEAN, REST, pose, posed, same, stored
from tests.blender.rigs import build, looking_chain, make_active, select

ARMS = {"chest": "XYZ", "arm.L": "XYZ", "hand.L": "XYZ", "arm.R": "XYZ", "hand.R": "XYZ"}
HANGS = {"arm.L": "chest", "hand.L": "arm.L", "arm.R": "chest", "hand.R": "arm.R"}
TURNED = {"arm.L": (0.3, -0.5, 0.7), "hand.L": (-0.2, 0.4, 0.1)}


@pytest.fixture
def chain():
    return looking_chain()[1]


def with_arms(roll: float = 0.0, of_the_right: float = 0.0):
    """A rig with two arms stretched to the sides, symmetric except for the rolls of its bones."""
    rig = build(ARMS, parents=HANGS)
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    bones["chest"].head, bones["chest"].tail = (0, 0, 0), (0, 0, 0.3)
    for side, sign in (("L", 1), ("R", -1)):
        upper, lower = bones[f"arm.{side}"], bones[f"hand.{side}"]
        upper.use_connect = lower.use_connect = False
        upper.head, upper.tail = (sign * 0.1, 0, 0.3), (sign * 0.4, 0.1, 0.25)
        lower.head, lower.tail = (sign * 0.4, 0.1, 0.25), (sign * 0.7, -0.1, 0.3)
        for bone in (upper, lower):
            bone.roll = sign * roll + (of_the_right if sign < 0 else 0.0)
    bpy.ops.object.mode_set(mode="POSE")
    return rig


def places(rig, *names: str) -> list:
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    return [tuple(shown[name].tail) for name in names]


@pytest.mark.every_blender
@pytest.mark.parametrize(("roll", "of_the_right"), [(0.0, 0.0), (0.6, 0.0), (0.3, 1.1)])
def test_an_arms_posture_becomes_the_other_arms(roll, of_the_right):
    rig = with_arms(roll, of_the_right)
    looking_chain(rig, "arm.R", "hand.R")
    _, left = looking_chain(rig, "arm.L", "hand.L")
    stored(rig, "Wave.L", TURNED)
    rig.limber.active_chain = 1
    assert bpy.ops.limber.mirror_posture() == {"FINISHED"}
    right = rig.limber.chains[0]
    assert [posture.action.name for posture in right.postures] == ["Wave.R"]
    assert len(left.postures) == 1
    rig.limber.active_chain = 0
    bpy.ops.limber.apply_posture()
    bpy.context.view_layer.update()
    for (x, y, z), image in zip(places(rig, "arm.L", "hand.L"), places(rig, "arm.R", "hand.R"), strict=True):
        assert image == pytest.approx((-x, y, z), abs=1e-5)


def test_bones_in_the_middle_turn_the_other_way_also_beyond_half_a_turn(rig):
    turned = {**LEAN, "base": (0, radians(270), 0)}
    stored(rig, "Lean", turned)
    bpy.ops.limber.mirror_posture()
    pose(rig, REST)
    bpy.ops.limber.apply_posture()
    mirrored = posed(rig)
    assert bpy.data.actions["Lean Mirrored"].asset_data
    for name, (x, y, z) in turned.items():
        assert mirrored[name] == pytest.approx((x, -y, -z), abs=1e-6)


def test_the_mirror_image_of_the_mirror_image_is_the_posture_across_every_axis(rig, chain):
    for across in "XYZ":
        stored(rig, "Lean", LEAN)
        bpy.ops.limber.mirror_posture(across=across)
        bpy.ops.limber.mirror_posture(across=across)
        pose(rig, REST)
        bpy.ops.limber.apply_posture()
        assert same(posed(rig), LEAN), across
    assert len(chain.postures) == 9


def test_a_lamp_that_faces_along_x_is_mirrored_across_y(rig):
    stored(rig, "Bend", {**REST, "lower": (0.7, 0, 0)})
    shown = places(rig, "head")[0]
    bpy.ops.limber.mirror_posture(across="Y")
    bpy.ops.limber.apply_posture()
    bpy.context.view_layer.update()
    assert abs(shown[1]) > 0.1
    assert places(rig, "head")[0] == pytest.approx((shown[0], -shown[1], shown[2]), abs=1e-5)


@pytest.mark.every_blender
def test_an_arm_without_the_other_one_is_named():
    rig = with_arms()
    looking_chain(rig, "arm.L", "hand.L")
    stored(rig, "Wave", TURNED)
    before = len(bpy.data.actions)
    with pytest.raises(RuntimeError, match=r"No chain moves 'arm.R', 'hand.R'.*make a chain"):
        bpy.ops.limber.mirror_posture()
    rig.pose.bones["hand.R"].name = "paw"
    with pytest.raises(RuntimeError, match=r"'hand.L' has no counterpart.*'hand.R'.*rename"):
        bpy.ops.limber.mirror_posture()
    assert len(bpy.data.actions) == before


def test_without_a_posture_the_button_says_what_to_do(rig):
    select(rig)
    with pytest.raises(RuntimeError, match="press Store Posture"):
        bpy.ops.limber.mirror_posture()
