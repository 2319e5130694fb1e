"""Tests small humanoids with joints of single hinges that follow a person: NAO's upper arms, and Pepper,
whose file begins at the torso.
"""

from math import degrees

import bpy
import pytest

from tests.blender import nao
from tests.blender.figures import CMU, figure, way
from tests.blender.following import in_the_air
from tests.blender.shown import settle


def robot_and_source(path, pepper: bool = False, **options):
    """The imported robot, active, and a person as its source."""
    source = figure(CMU, "Source")
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.limber.import_robot(filepath=str(nao.write(path, pepper)), **options)
    rig = bpy.context.active_object
    rig.limber.retarget.source = source
    return rig, source


def arm(rig, side: str):
    """Direction of the robot's upper arm in the world, as shown."""
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    upper, elbow = (shown.matrix_world @ shown.pose.bones[side + name].head for name in ("Bicep", "ForeArm"))
    return elbow - upper


# [rad] rotation of both arms, to the back and to the front
@pytest.mark.parametrize("swing", [0.0, 0.9, -0.9])
def test_naos_upper_arms_go_where_the_persons_do(tmp_path, swing):
    rig, source = robot_and_source(tmp_path / "nao.urdf")
    bpy.ops.limber.pair_bones()
    pairs = {pair.target: pair.source for pair in rig.limber.retarget.pairs}
    assert (pairs["LBicep"], pairs["LForeArm"], pairs["l_wrist"]) == (
        "LeftShoulder",
        "LeftElbow",
        "LeftWrist",
    )
    assert not {"LShoulder", "RShoulder"} & set(pairs), "they carry one hinge of the shoulder's two"
    in_the_air(rig)
    for side in ("Left", "Right"):
        source.pose.bones[f"{side}Shoulder"].rotation_euler.x = swing
    bpy.context.view_layer.update()
    bpy.ops.limber.live()
    settle()
    for side in ("left", "right"):
        apart = degrees(
            arm(rig, side[0].upper()).angle(way(source, CMU, f"{side} upper_arm", f"{side} forearm"))
        )
        assert apart < 15, "seven degrees are the elbow's own offset"


@pytest.mark.every_blender
def test_pepper_whose_file_begins_at_the_torso_is_to_be_imported_by_another_root_link(tmp_path):
    rig, source = robot_and_source(tmp_path / "pepper.urdf", pepper=True)
    bpy.ops.limber.pair_bones()
    with pytest.raises(
        RuntimeError, match="the two pairs cross, import the robot again with 'Hip' as its Root Link"
    ):
        bpy.ops.limber.calibrate_pairs()
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.limber.import_robot(filepath=str(tmp_path / "pepper.urdf"), root="Hip")
    again = bpy.context.active_object
    assert again != rig
    again.limber.retarget.source = source
    bpy.ops.limber.pair_bones()
    assert bpy.ops.limber.calibrate_pairs() == {"FINISHED"}
