"""Tests what the documents say of Blender's Pose > Apply: while live it applies the solved pose, after End
Live the authored one.
"""

from pathlib import Path

import bpy
import numpy as np
import pytest
from limber.panels.live.live import NEW_REST_POSE, LIMBER_PT_live

from tests.blender.characters import character
from tests.blender.drawing import drawn
from tests.blender.shown import go_live, no_handler_raises  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]


def rest(rig) -> np.ndarray:
    """Rest matrices (n, 4, 4) of all bones."""
    return np.array([bone.matrix_local for bone in rig.data.bones])


@pytest.mark.parametrize("is_ended", [True, False], ids=["after End Live", "while live"])
def test_apply_pose_as_rest_pose_has_the_look_in_it_only_while_live_as_the_guide_says(is_ended: bool):
    rig = character()
    bpy.ops.limber.eyes_head_torso()
    head = rig.limber.chains["Head"]
    head.target.location.x += 3.0
    go_live(rig, head)
    if is_ended:
        bpy.ops.limber.end_live()
    before = rest(rig)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.armature_apply()
    change = np.abs(rest(rig) - before).max()
    assert change < 1e-5 if is_ended else change > 0.1


def test_the_panel_says_that_the_rest_pose_has_changed_while_live_and_what_to_do(undo_step):
    rig = character()
    bpy.ops.limber.eyes_head_torso()
    rig.limber.chains["Head"].target.location.x += 3.0
    go_live(rig, rig.limber.chains["Head"])
    bpy.ops.object.mode_set(mode="POSE")
    undo_step("live")
    assert NEW_REST_POSE not in drawn(LIMBER_PT_live).said
    bpy.ops.pose.armature_apply()
    undo_step("applied")
    bpy.context.scene.frame_set(2)
    assert NEW_REST_POSE in drawn(LIMBER_PT_live).said
    bpy.ops.ed.undo()
    bpy.context.scene.frame_set(3)
    assert NEW_REST_POSE not in drawn(LIMBER_PT_live).said
    bpy.ops.pose.armature_apply()
    bpy.ops.limber.end_live()
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(4)
    assert NEW_REST_POSE not in drawn(LIMBER_PT_live).said


def test_apply_visual_transform_writes_the_look_to_the_pose():
    rig = character()
    bpy.ops.limber.eyes_head_torso()
    head = rig.limber.chains["Head"]
    head.target.location.x += 3.0
    go_live(rig, head)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="SELECT")
    bpy.ops.pose.visual_transform_apply()
    assert np.abs(np.array(rig.pose.bones["head"].matrix_basis) - np.eye(4)).max() > 0.1


@pytest.mark.parametrize("page", ["README.md", "docs/guide/your_own_rig.md", "docs/troubleshooting.md"])
def test_the_documents_tell_to_end_live_before_a_pose_is_applied(page: str):
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    assert any("Apply" in line and "rest pose" in line.lower() and "End Live" in line for line in lines)
