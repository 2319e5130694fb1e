"""Tests armatures with a floating base, which goals place, as for a walking robot."""

import bpy
import numpy as np
import pytest

from tests.blender import mechanisms as those
from tests.blender.four_bars import boned
from tests.blender.rigs import select
from tests.blender.test_mechanism_messages import says
from tests.robots.test_closures import CLOSED, parallelogram

AWAY = (0.02, -0.03, 0.05)  # [m] offset of the goal
EQUAL = 1e-5  # [m] tolerance: Blender's numbers have single precision


def of_bones(tmp_path):
    rig, _ = boned()
    select(rig, "crank")
    rig.data.bones.active = rig.data.bones["crank"]
    bpy.ops.limber.add_motors()
    return rig


def of_a_file(tmp_path):
    (tmp_path / "robot.urdf").write_text(parallelogram(), encoding="utf-8")
    (tmp_path / "robot.yaml").write_text(CLOSED, encoding="utf-8")
    bpy.ops.limber.import_robot(filepath=str(tmp_path / "robot.urdf"), with_meshes=False, close_loops=False)
    bpy.ops.limber.import_closures(filepath=str(tmp_path / "robot.yaml"))
    return bpy.context.active_object


def placed(make, tmp_path):
    """A live armature with a floating base, whose first bone has a goal near its rest position; returns it,
    the bone and its target.
    """
    rig = make(tmp_path)
    settings = rig.limber.mechanism
    settings.floating_base = True
    bone = next(bone for bone in rig.pose.bones if bone.parent is None)
    bpy.ops.object.mode_set(mode="POSE")
    select(rig, bone.name)
    rig.data.bones.active = rig.data.bones[bone.name]
    bpy.ops.limber.add_mechanism_goal()
    target = settings.goals[0].target
    assert "Ground" not in says(rig)
    bpy.ops.limber.live()
    target.location += type(target.location)(AWAY)
    those.settle(rig)
    return rig, bone.name, target


def shown(rig, bone: str) -> np.ndarray:
    seen = rig.evaluated_get(those.update())
    return np.array(seen.matrix_world @ seen.pose.bones[bone].matrix)


@pytest.mark.every_blender
@pytest.mark.parametrize("make", [of_bones, of_a_file])
def test_a_floating_base_goes_where_its_goal_is_and_returns_when_live_ends(make, tmp_path):
    rig, bone, target = placed(make, tmp_path)
    assert those.session(rig).remark == ""
    assert np.abs(shown(rig, bone) - those.world(target)).max() < EQUAL
    bpy.ops.limber.end_live()
    assert np.linalg.norm(shown(rig, bone)[:3, 3] - those.world(target)[:3, 3]) == pytest.approx(
        np.linalg.norm(AWAY), abs=EQUAL
    )


@pytest.mark.parametrize("make", [of_bones, of_a_file])
def test_a_floating_base_is_baked_as_it_was_live(make, tmp_path):
    rig, bone, target = placed(make, tmp_path)
    rig.limber.mechanism.frame_start, rig.limber.mechanism.frame_end = 1, 3
    bpy.ops.limber.end_live()
    bpy.ops.limber.bake()
    bpy.context.scene.frame_set(3)
    assert np.abs(shown(rig, bone) - those.world(target)).max() < EQUAL


@pytest.mark.parametrize("make", [of_bones, of_a_file])
def test_without_a_floating_base_the_first_bone_stays_with_the_armature(make, tmp_path):
    rig = make(tmp_path)
    assert "the whole floats" not in says(rig)
    rig.limber.mechanism.floating_base = True
    assert "give each foot a goal" in says(rig)
