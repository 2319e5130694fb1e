"""Tests sources that lie because their up axis was lost on import: a sentence names this and the remedy."""

from math import radians

import bpy
import pytest
from limber.rig.bodies.upright import why_lying
from mathutils import Matrix

from tests.blender import figures
from tests.blender.rigs import make_active

LEGS = "".join(
    f"""JOINT {side}UpLeg {{ OFFSET {x} 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
 JOINT {side}Leg {{ OFFSET 0 -40 0 CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT {side}Foot {{ OFFSET 0 -40 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site {{ OFFSET 0 0 10 }} }} }} }}
"""
    for side, x in (("Left", 10), ("Right", -10))
)
ARMS = "".join(
    f"""JOINT {side}Arm {{ OFFSET {x} 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
 JOINT {side}ForeArm {{ OFFSET {x} 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT {side}Hand {{ OFFSET {x} 0 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site {{ OFFSET {x / 4} 0 0 }} }} }} }}
"""
    for side, x in (("Left", 25), ("Right", -25))
)
BVH = f"""HIERARCHY
ROOT Hips {{ OFFSET 0 90 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
JOINT Spine {{ OFFSET 0 20 0 CHANNELS 3 Zrotation Xrotation Yrotation
{ARMS}JOINT Head {{ OFFSET 0 40 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site {{ OFFSET 0 20 0 }} }} }}
{LEGS}}}
MOTION
Frames: 2
Frame Time: 0.04
"""


def clip(folder, **axes: str):
    """A clip with Y up in its file, imported with these axes."""
    rows = " ".join(["0 90 0", *["0 0 0"] * BVH.count("Zrotation")])
    path = folder / "clip.bvh"
    lines = BVH
    for word in ("{", "}", "OFFSET", "CHANNELS", "End Site"):
        lines = lines.replace(word, f"\n{word}" + ("\n" if word in "{}" else ""))
    path.write_text(
        "\n".join(line.strip() for line in (*lines.splitlines(), rows, rows) if line.strip()) + "\n"
    )
    bpy.ops.import_anim.bvh(filepath=str(path), global_scale=0.01, **axes)
    return bpy.context.active_object


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ({"axis_forward": "-Z", "axis_up": "Y"}, ""),
        ({"axis_forward": "Y", "axis_up": "Z"}, "press R X 90, then Calibrate"),
        ({"axis_forward": "Y", "axis_up": "X"}, "lies down"),
        ({"axis_forward": "Z", "axis_up": "-Y"}, "stands on its head in its rest pose"),
    ],
)
def test_a_clip_whose_up_axis_was_lost_is_told_from_one_that_stands(tmp_path, axes, said):
    source = clip(tmp_path, **axes)
    why = why_lying(source)
    assert (said in why) if said else not why


@pytest.mark.every_blender
@pytest.mark.parametrize("axes", [("Y", "Z"), ("-Z", "X"), ("Y", "X"), ("X", "-Z"), ("X", "Z"), ("Z", "-Y")])
def test_the_keys_that_are_named_raise_the_source(tmp_path, axes):
    source = clip(tmp_path, axis_forward=axes[0], axis_up=axes[1])
    _, axis, degrees = why_lying(source).partition("press ")[2].partition(",")[0].split()
    source.matrix_world = Matrix.Rotation(radians(float(degrees)), 4, axis) @ source.matrix_world
    bpy.context.view_layer.update()
    assert why_lying(source) == ""


def test_pairing_and_calibrating_tell_that_the_source_lies_down(tmp_path, capfd):
    source = clip(tmp_path, axis_forward="Y", axis_up="Z")
    rig = figures.figure(figures.XSENS, "Body")
    rig.limber.retarget.source = source
    make_active(rig)
    for operator in (bpy.ops.limber.pair_bones, bpy.ops.limber.calibrate_pairs):
        operator()
        assert (
            f"Source '{source.name}' lies down in its rest pose, so its up axis was lost"
            in capfd.readouterr().out
        )
    source.rotation_euler.x = 1.5707963
    bpy.context.view_layer.update()
    bpy.ops.limber.calibrate_pairs()
    assert "lies down" not in capfd.readouterr().out
