"""Tests that Check has no sentence for a correct set-up, also on rigs of characters and of motion capture."""

import bpy
import pytest

from tests.blender.checking import sentences
from tests.blender.rigs import build, keyed, looking_chain, make_active, select, target


@pytest.fixture
def chain():
    return looking_chain()[1]


def edit_bones(rig, change) -> None:
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    change(rig.data.edit_bones)
    bpy.ops.object.mode_set(mode="POSE")


def test_a_live_chain_is_still_in_order(rig, chain):
    bpy.ops.limber.live()
    assert sentences(rig, chain) == []


def test_a_keyed_driven_and_posed_rig_is_in_order(rig, chain):
    keyed(chain.target, (1, 40))
    bone = rig.pose.bones["middle"]
    bone.rotation_euler.x = 0.4
    bone.keyframe_insert("rotation_euler", frame=1)
    rig.pose.bones["upper"].driver_add("rotation_euler", 0).driver.expression = "0.1 * frame / 40"
    bpy.context.scene.frame_set(20)
    assert sentences(rig, chain) == []


def test_a_character_rig_with_controls_that_follow_the_chain_is_in_order():
    """As in generated rigs: deforming bones copy the controls, limbs switch between FK and IK, with custom
    shapes, drivers, and locks.
    """
    spine = {"root": "", "torso": None, "chest": None, "neck": None, "head": None}
    rig = build(
        {**spine, "def_chest": None, "thigh": None, "shin": None, "foot_control": None},
        parents={"def_chest": "root", "thigh": "root"},
    )
    bones = rig.pose.bones
    edit_bones(rig, lambda edit: setattr(edit["foot_control"], "parent", edit["root"]))
    for source in ("def_chest",):
        constraint = bones[source].constraints.new("COPY_TRANSFORMS")
        constraint.target, constraint.subtarget = rig, "chest"
    ik = bones["shin"].constraints.new("IK")
    ik.target, ik.subtarget, ik.chain_count = rig, "foot_control", 2
    switch = bones["neck"].constraints.new("COPY_ROTATION")
    switch.target, switch.subtarget, switch.influence = rig, "root", 0
    rig["follow"] = 0.0
    driver = switch.driver_add("influence").driver
    variable = driver.variables.new()
    variable.name, variable.targets[0].id, variable.targets[0].data_path = "follow", rig, '["follow"]'
    driver.expression = "follow"
    rig.data.bones["def_chest"].bbone_segments = 8
    bones["head"].custom_shape = target(name="Shape")
    bones["chest"].lock_scale = (True, True, True)
    rig, chain = looking_chain(rig, "torso", "head")
    assert sentences(rig, chain) == []


BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Spine
  {
    OFFSET 0 10 1
    CHANNELS 3 Zrotation Yrotation Xrotation
    JOINT Head
    {
      OFFSET 0 20 2
      CHANNELS 3 Zrotation Yrotation Xrotation
      End Site
      {
        OFFSET 0 8 0
      }
    }
  }
  JOINT Leg
  {
    OFFSET 4 -2 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 -40 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.033
0 90 0 0 0 0 0 10 0 0 5 0 0 0 20
1 90 2 0 5 0 0 12 1 0 8 0 0 0 10
2 90 4 0 9 0 0 14 2 0 9 0 0 0 0
"""


@pytest.mark.every_blender
@pytest.mark.parametrize("mode", ["NATIVE", "QUATERNION"])
def test_an_armature_from_motion_capture_is_in_order(tmp_path, mode):
    clip = tmp_path / "walk.bvh"
    clip.write_text(BVH)
    bpy.ops.preferences.addon_enable(module="io_anim_bvh")
    bpy.ops.import_anim.bvh(filepath=str(clip), rotate_mode=mode, global_scale=0.01)
    rig = bpy.context.object
    select(rig, "Hips", "Head")
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[0]
    chain.target = target()
    assert len(chain.joints) == 9
    for frame in (1, 3):
        bpy.context.scene.frame_set(frame)
        assert sentences(rig, chain) == []
