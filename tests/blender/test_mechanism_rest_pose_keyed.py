"""Tests a mechanism's rest pose if ground, driven bodies, parents and joints have their own keyframes, or
have lost them.
"""

from math import degrees, radians

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.blender import mechanisms as those
from tests.blender.four_bars import four_bar, owned
from tests.blender.rest_poses import (
    CLOSED,
    NEAR,
    SAYS,
    angle,
    bake,
    baked,
    gap,
    go_live,
    key_motor,
    made,
    said,
    set_rest_pose,
)
from tests.blender.rigs import build

pytestmark = pytest.mark.every_blender


def test_a_ground_that_is_keyed_takes_everything_along_and_nothing_else_changes():
    owner = made()
    ground = bpy.data.objects["ground"]
    ground.keyframe_insert("location", frame=1)
    ground.location = (1.0, 0.5, 0.2)
    ground.keyframe_insert("location", frame=25)
    go_live(owner, 25)
    assert those.session(owner).problem == ""
    assert those.session(owner).outputs.values[0] == pytest.approx(0.0, abs=NEAR)
    assert np.abs(those.world(bpy.data.objects["rocker"])[:3, 3] - (1.2, 0.5, 0.2)).max() < 1e-5
    assert gap() < CLOSED


@pytest.mark.parametrize("is_before", [True, False])
def test_joints_on_a_driven_body_with_keys_are_where_the_rest_pose_has_them(is_before):
    def key() -> None:
        rocker.keyframe_insert("rotation_euler", frame=1)
        rocker.rotation_euler.y = -0.2
        rocker.keyframe_insert("rotation_euler", frame=25)
        bpy.context.scene.frame_set(1)

    four_bar(those.joint, "revolute", bodies="")
    rocker = bpy.data.objects["rocker"]
    rocker.limber.part.role = "DRIVEN"
    if is_before:
        key()
    owner = owned()
    if not is_before:
        key()
    go_live(owner, 25)
    assert gap() < CLOSED
    at_once = angle()
    assert angle("rocker") == pytest.approx(-0.2, abs=NEAR)
    bpy.context.scene.frame_set(1)
    assert abs(angle()) < 1e-4, "the rest pose is a pose of it"
    for frame in range(2, 26):
        bpy.context.scene.frame_set(frame)
    those.settle(owner)
    assert angle() == pytest.approx(at_once, abs=1e-3)
    assert SAYS not in said(owner)


def test_bodies_that_were_keyed_by_hand_where_joints_do_not_hold_begin_at_rest():
    owner = made()
    coupler = bpy.data.objects["coupler"]
    coupler.keyframe_insert("location", frame=1)
    coupler.location.x += 0.03
    coupler.keyframe_insert("location", frame=25)
    owner.limber.mechanism.motors[0].value = 0.4
    go_live(owner, 25)
    assert angle() == pytest.approx(0.4, abs=NEAR)
    assert gap() < CLOSED


def test_bodies_that_were_keyed_by_hand_near_another_assembly_begin_in_that_of_the_rest_pose():
    owner = made()
    for name, turn in (("coupler", 1.3), ("rocker", -2.0)):  # beyond the line through their outer pins
        thing = bpy.data.objects[name]
        thing.keyframe_insert("rotation_euler", frame=1)
        thing.rotation_euler.y = turn
        thing.keyframe_insert("rotation_euler", frame=25)
    go_live(owner, 25)
    assert abs(angle("rocker")) < 1e-3


def test_a_body_on_a_bone_is_where_the_rest_pose_has_it():
    four_bar(those.joint, "revolute", bodies="")
    rocker, pin, rig = bpy.data.objects["rocker"], bpy.data.objects["pin D"], build({"neck": "X"})
    rig.location = (0.3, 0.2, 0.1)
    those.update()
    world = rocker.matrix_world.copy()
    rocker.parent, rocker.parent_type, rocker.parent_bone = rig, "BONE", "neck"
    those.update()
    rocker.matrix_world = world
    rocker.limber.part.role = "DRIVEN"
    owner = owned()
    rocker.matrix_world = Matrix.Translation((0.02, 0.0, 0.0)) @ world
    pin.location.x += 0.02
    set_rest_pose(owner)
    bone = rig.pose.bones["neck"]
    bone.rotation_mode = "XYZ"
    for frame, turn in ((1, 0.0), (25, 0.1)):
        bone.rotation_euler.x = turn
        bone.keyframe_insert("rotation_euler", frame=frame)
    go_live(owner, 25)
    joint = those.session(owner).reading.mechanism.joint["pin D"]
    assert np.abs(joint.in_child.position).max() < 1e-6
    assert SAYS not in said(owner), "a driven body goes where its parent takes it"


def test_a_body_that_lost_its_keys_is_named_at_the_frames_in_which_it_no_longer_fits():
    owner = baked()
    bpy.context.scene.frame_set(25)
    bpy.data.objects["coupler"].animation_data_clear()
    assert SAYS not in said(owner)
    bpy.context.scene.frame_set(1)
    assert f"do not meet at joint 'pin B': {SAYS}" in said(owner)
    for frame in (1, 25):
        go_live(owner, frame)
        assert gap() < CLOSED
        bpy.ops.limber.end_live()


def test_a_mechanism_whose_owner_is_keyed_has_its_rest_pose():
    owner = those.add("four_bar", place=(0.0, 0.0, 0.0))
    kept = owner.limber.mechanism
    kept.frame_start, kept.frame_end = 1, 25
    key_motor(owner, (1, 0.0), (25, 1.0))
    for frame, place in ((1, 0.0), (25, 1.0)):
        owner.location, owner.rotation_euler.z = (place, place, 0.0), place
        owner.keyframe_insert("location", frame=frame)
        owner.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    bake(owner)
    bpy.context.scene.frame_set(25)
    poses, value = those.shown(owner), kept.motors[0].value
    go_live(owner, 25)
    assert those.session(owner).outputs.values[0] == pytest.approx(value, abs=NEAR)
    assert those.furthest(poses, those.shown(owner)) < 1e-4
    assert SAYS not in said(owner)


def test_an_override_of_a_baked_mechanism_has_its_rest_pose(tmp_path):
    owner = baked(those.add("four_bar", place=(0.0, 0.0, 0.0)))
    kept = owner.limber.mechanism
    bpy.context.scene.frame_set(25)
    value, name = kept.motors[0].value, owner.users_collection[0].name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.collections = [name]
    linked = wanted.collections[0]
    bpy.context.scene.collection.children.link(linked)
    made = linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    copy = next(thing for thing in made.all_objects if thing.limber.mechanism.uid)
    go_live(copy, 25)
    assert those.session(copy).outputs.values[0] == pytest.approx(value, abs=NEAR)
    bpy.ops.limber.end_live()
    bpy.ops.limber.set_rest_pose()
    path = tmp_path / "override.blend"
    name = copy.name
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    copy = next(thing for thing in bpy.data.objects if thing.override_library and thing.name == name)
    copy.limber.mechanism.drive = "TARGETS"
    those.with_idle_goal(copy)
    go_live(copy, 1)
    assert those.session(copy).outputs.values[0] == pytest.approx(-value, abs=1e-3), (
        "its own rest pose was saved with the override"
    )


@pytest.mark.parametrize("is_parented", [True, False])
def test_joints_on_baked_bodies_hold_wherever_their_empties_hang(is_parented):
    owner = made()
    if is_parented:
        for pin, body in (("A", "crank"), ("B", "crank"), ("C", "coupler"), ("D", "ground")):
            thing, above = bpy.data.objects[f"pin {pin}"], bpy.data.objects[body]
            thing.parent, thing.matrix_parent_inverse = above, above.matrix_world.inverted()
        those.update()
    baked(owner)
    go_live(owner, 25)
    assert degrees(those.session(owner).outputs.values[0]) == pytest.approx(60.0, abs=0.01)
    assert gap() < CLOSED


def test_a_joint_on_a_baked_body_is_moved_on_it_by_setting_the_rest_pose_where_motors_are_at_zero():
    owner = made()
    pin, coupler = bpy.data.objects["pin C"], bpy.data.objects["coupler"]
    pin.parent, pin.matrix_parent_inverse = coupler, coupler.matrix_world.inverted()
    those.update()
    baked(owner)
    bpy.context.scene.frame_set(1)
    pin.location.z += 0.01
    those.update()
    assert f"Joint object 'pin C' of 'Mechanism' is not where the rest pose has it: {SAYS}" in said(owner)
    set_rest_pose(owner)
    assert SAYS not in said(owner)
    go_live(owner, 25)
    joint = those.session(owner).reading.mechanism.joint["pin C"]
    assert np.abs(np.subtract(joint.in_parent.position, (0.17, 0.0, 0.1))).max() < 1e-5


def test_a_joint_that_is_moved_alone_is_named_at_every_frame():
    owner = baked()
    bpy.data.objects["pin D"].location.y += 0.01  # along its axis
    for frame in (1, 13, 25):
        bpy.context.scene.frame_set(frame)
        assert "'pin D' of 'Mechanism' is not where the rest pose has it" in said(owner)
    go_live(owner, 25)
    assert those.session(owner).reading.mechanism.joint["pin D"].in_parent.position[1] == pytest.approx(
        0.0, abs=1e-6
    )
    assert degrees(those.session(owner).outputs.values[0]) == pytest.approx(60.0, abs=0.01)


@pytest.mark.parametrize(
    "moved", [("ground",), ("ground", "pin A", "pin D")], ids=["alone", "with its joints"]
)
def test_a_ground_that_is_moved_under_keyed_bodies_takes_the_rest_pose_along(moved):
    owner = baked()
    bpy.context.scene.frame_set(25)
    for name in moved:
        bpy.data.objects[name].location.x += 1.0
    those.update()
    assert SAYS in said(owner)
    owner.animation_data_clear()
    owner.limber.mechanism.motors[0].value = radians(60.0)
    go_live(owner, 25)
    assert gap() < CLOSED
    assert degrees(angle()) == pytest.approx(60.0, abs=0.01)
    assert those.world(bpy.data.objects["rocker"])[0, 3] == pytest.approx(1.2, abs=1e-5)
