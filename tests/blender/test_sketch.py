"""Tests Pose from Points: empties or a curve pose a chain, which Store Posture then keeps."""

import bpy
import numpy as np
import pytest
from limber import api
from mathutils import Matrix

from tests.blender.rigs import build, looking_chain, make_active

HINGES = {"base": "X", "middle": "X", "head": "X"}
AWAY = Matrix.Translation((3.0, 1.0, 0.5)) @ Matrix.Scale(5.0, 4)


@pytest.fixture
def chain():
    rig, chain = looking_chain(build(HINGES), "base", "head")
    rig.location, rig.rotation_euler = (0.3, -0.2, 0.1), (0.0, 0.0, 0.8)
    make_active(rig)
    for name, angle in zip(HINGES, (0.4, -0.9, 0.6), strict=True):
        rig.pose.bones[name].rotation_euler.x = angle
    bpy.context.view_layer.update()
    return chain


def sketch(rig) -> list:
    """World positions of the bones' ends, at another position and larger; the rig is straight again."""
    bones = rig.pose.bones
    points = [
        AWAY @ rig.matrix_world @ place
        for place in (bones["base"].head, *(bones[name].tail for name in HINGES))
    ]
    for bone in bones:
        bone.rotation_euler.x = 0.0
    bpy.context.view_layer.update()
    return points


def angles(rig) -> list[float]:
    return [rig.pose.bones[name].rotation_euler.x for name in HINGES]


def empties(points) -> list:
    made = []
    for number, point in enumerate(points):
        empty = bpy.data.objects.new(f"Marker.{number:03}", None)
        bpy.context.scene.collection.objects.link(empty)
        empty.location = point
        made.append(empty)
    bpy.context.view_layer.update()
    return made


def press(rig, objects) -> set[str]:
    with bpy.context.temp_override(selected_objects=[rig, *objects]):
        return bpy.ops.limber.pose_from_points()


def test_empties_pose_the_chain_in_the_order_of_their_names(chain):
    rig = chain.id_data
    markers = empties(sketch(rig))
    assert press(rig, markers[::-1]) == {"FINISHED"}
    assert angles(rig) == pytest.approx([0.4, -0.9, 0.6], abs=1e-3)
    bpy.ops.limber.store_posture(name="Sketched")
    assert chain.postures[0].action.name == "Sketched"


@pytest.mark.every_blender
def test_a_curve_poses_the_chain(chain):
    rig = chain.id_data
    data = bpy.data.curves.new("Line", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    points = sketch(rig)
    spline.points.add(len(points) - 1)
    for place, point in zip(spline.points, points, strict=True):
        place.co = (*point, 1.0)
    line = bpy.data.objects.new("Line", data)
    bpy.context.scene.collection.objects.link(line)
    bpy.context.view_layer.update()
    assert press(rig, [line]) == {"FINISHED"}
    assert angles(rig) == pytest.approx([0.4, -0.9, 0.6], abs=1e-3)


def test_a_script_poses_a_chain_and_is_told_the_error(chain):
    rig = chain.id_data
    points = np.array(sketch(rig))
    assert api.pose_from_points(rig, chain, points) < 0.1
    assert angles(rig) == pytest.approx([0.4, -0.9, 0.6], abs=1e-3)
    chain.joints[1].lower = -0.5
    assert api.pose_from_points(rig, chain, points) > 5.0
    with pytest.raises(api.RigError, match="has no direction"):
        api.pose_from_points(rig, chain, points[:1])


def test_joints_without_limits_keep_to_a_full_turn(chain):
    rig = chain.id_data
    points = sketch(rig)
    chain.options.measure = "BONES"
    for joint in chain.joints:
        joint.lower, joint.upper = -np.pi, np.pi
    api.pose_from_points(rig, chain, points)
    assert np.abs(angles(rig)).max() <= np.pi


def test_without_points_the_button_says_what_to_select(chain):
    rig = chain.id_data
    with (
        bpy.context.temp_override(selected_objects=[rig]),
        pytest.raises(RuntimeError, match="Select empties along the chain"),
    ):
        bpy.ops.limber.pose_from_points()


@pytest.mark.every_blender
def test_an_active_empty_is_one_of_the_points(chain):
    rig = chain.id_data
    markers = empties(sketch(rig))
    make_active(rig)
    api.pose_from_points(rig, chain, np.array([marker.location for marker in markers]))
    expected = angles(rig)
    for bone in rig.pose.bones:
        bone.rotation_euler.x = 0.0
    bpy.context.view_layer.objects.active = markers[0]
    assert press(rig, markers) == {"FINISHED"}
    assert angles(rig) == pytest.approx(expected, abs=1e-5)
