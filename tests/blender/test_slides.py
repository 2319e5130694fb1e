"""Tests prismatic joints and mimic joints: in a chain, in its postures, live, baked, and on the way to the
robot.
"""

import random

import bpy
import pytest
from limber.rig.authoring import chains
from limber.rig.authoring.robot_import import import_robot
from limber.rig.blender.errors import RigError
from limber.rig.bones.imported_robot import pose_joints, tree_of
from mathutils import Vector

from tests.blender.imported import joint_values, link_frames
from tests.blender.rigs import UPRIGHT, build, select, target
from tests.blender.shown import no_handler_raises  # noqa: F401 a fixture
from tests.robots.robots import write


def joint(name: str, kind: str, parent: str, child: str, axis: str, more: str) -> str:
    return (
        f'<link name="{child}"/><joint name="{name}" type="{kind}"><parent link="{parent}"/><child'
        f' link="{child}"/><origin xyz="0 0 0.2" rpy="0 0 0.4"/><axis xyz="{axis}"/>{more}</joint>'
    )


RANGE = '<limit lower="-1.2" upper="1.2" velocity="4"/>'
CRANE = (
    '<robot name="crane"><link name="foot"/>'
    + joint("lift", "prismatic", "foot", "mast", "0 0 1", '<limit lower="-0.1" upper="0.4" velocity="0.3"/>')
    + joint("pan", "continuous", "mast", "neck", "0 0 1", '<limit velocity="3"/>')
    + joint("tilt", "revolute", "neck", "head", "1 0 0", RANGE)
    + joint(
        "weight",
        "prismatic",
        "foot",
        "counterweight",
        "0 0 -1",
        '<mimic joint="lift" multiplier="0.5" offset="0.02"/>',
    )
    + joint(
        "ear",
        "revolute",
        "neck",
        "ear",
        "0 1 0",
        RANGE + '<mimic joint="tilt" multiplier="-0.5" offset="0.1"/>',
    )
    + joint("tip", "revolute", "ear", "tip", "1 0 0", RANGE + '<mimic joint="ear" multiplier="2"/>')
    + "</robot>"
)


@pytest.fixture
def rig(tmp_path):
    return import_robot(bpy.context, write(tmp_path, CRANE)).rig


def chain_on(rig, *names: str, at=None):
    select(rig, *names)
    assert bpy.ops.limber.new_chain() == {"FINISHED"}
    chain = rig.limber.chains[-1]
    chain.target = at
    return chain


def play(frames: int) -> None:
    for frame in range(1, frames + 1):
        bpy.context.scene.frame_set(frame)


def values_of(rig, chain) -> dict[str, float]:
    """The URDF's values of a shown live chain, with those of all its mimic joints."""
    from limber.rig.bones import axes
    from limber.rig.bones.imported_robot import motor
    from limber.rig.live import live

    session = live.session(rig, chain)
    found = {}
    for (bone, axis), value in zip(session.reader.joint_keys, session.outputs.angles.tolist(), strict=True):
        kept = motor(rig.pose.bones[bone], axis)
        assert axes.is_prismatic(axis) != kept.branch.joint.is_rotary
        found[kept.branch.joint.name] = kept.sign * value
    return tree_of(rig)[0].complete(found)


def assert_shown(rig, values: dict[str, float], within: float = 1e-5) -> None:
    """Asserts that every link is shown at its pose by the URDF for these values."""
    tree, _ = tree_of(rig)
    shown = link_frames(rig, bpy.context.evaluated_depsgraph_get())
    for branch, frame in zip(tree.branches, tree.frames(values), strict=True):
        assert shown[branch.link].offset == pytest.approx(frame.offset, abs=within), branch.link
        turned = abs(sum(a * b for a, b in zip(shown[branch.link].rotation, frame.rotation, strict=True)))
        assert turned == pytest.approx(1.0, abs=within), branch.link


def test_a_slide_has_the_files_limits_and_velocity_in_metres(rig):
    chain = chain_on(rig, "head")
    assert [(joint.bone, joint.axis[:6]) for joint in chain.joints] == [
        ("mast", "LINEAR"),
        ("neck", "Y"),
        ("head", "X"),
    ]
    lift = chain.joints[0]
    assert (lift.lower, lift.upper, lift.velocity) == pytest.approx((-0.1, 0.4, 0.3))
    assert (lift.linear_lower, lift.linear_upper, lift.linear_velocity) == pytest.approx((-0.1, 0.4, 0.3))
    lift.linear_upper = 0.25
    assert lift.upper == pytest.approx(0.25)
    assert {name: lift.bl_rna.properties[name].unit for name in ("lower", "linear_lower")} == {
        "lower": "ROTATION",
        "linear_lower": "LENGTH",
    }


def test_a_place_is_reached_by_the_slide_and_what_mimics_it_is_shown_where_the_file_has_it(rig):
    place = target((0.0, -0.02, 0.93))
    chain = chain_on(rig, "head", at=place)
    chain.goal, chain.eye = "POSITION", 1.0
    bpy.ops.limber.live()
    play(120)
    values = values_of(rig, chain)
    assert values["lift"] > 0.1, "the slide moves"
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["head"]
    assert (shown.tail - Vector(place.location)).length < 1e-3
    assert_shown(rig, values)
    assert joint_values(rig)["lift"] == 0.0, "what is authored stays"
    bpy.ops.limber.end_live()
    bpy.context.view_layer.update()
    assert_shown(rig, joint_values(rig))


def test_a_bake_keys_the_slide_and_plays_what_was_live_with_all_that_mimics_it(rig):
    at = target((0.4, -0.5, 0.9))
    at.keyframe_insert("location", frame=1)
    at.location = (-0.5, -0.3, 0.5)
    at.keyframe_insert("location", frame=20)
    chain = chain_on(rig, "head", at=at)
    chain.goal = "POSITION"
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(200)
    live_values = {}
    for frame in range(1, 21):
        bpy.context.scene.frame_set(frame)
        live_values[frame] = values_of(rig, chain)
        assert_shown(rig, live_values[frame])
    chain.frame_start, chain.frame_end = 1, 20
    assert bpy.ops.limber.bake() == {"FINISHED"}
    for frame in (20, 1, 11):
        bpy.context.scene.frame_set(frame)
        assert joint_values(rig) == pytest.approx(live_values[frame], abs=1e-6)
        assert_shown(rig, live_values[frame])
    assert live_values[1]["lift"] != pytest.approx(live_values[20]["lift"], abs=0.01)


@pytest.mark.every_blender
def test_postures_have_slides(rig):
    chain = chain_on(rig, "head", at=target((0.3, -0.6, 0.9)))
    pose_joints(rig, {"lift": 0.3, "tilt": -0.4})
    assert bpy.ops.limber.store_posture(name="Up") == {"FINISHED"}
    pose_joints(rig, {"lift": 0.0, "tilt": 0.0})
    chain.base = "POSTURE"
    from limber.rig.live import live

    bpy.ops.limber.live()
    assert live.session(rig, chain).goal.posture == pytest.approx([0.3, 0.0, -0.4], abs=1e-6)
    bpy.ops.limber.end_live()
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    assert bpy.ops.limber.apply_posture() == {"FINISHED"}
    assert joint_values(rig)["lift"] == pytest.approx(0.3)
    from limber.rig.blender import actions

    keyed = {
        (curve.data_path.rsplit(".", 1)[1], curve.array_index)
        for curve in actions.fcurves(*actions.playing(rig)[0])
    }
    lift = rig.limber.chains[0].joints[0]
    assert ("location", "XYZ".index(lift.axis[-1])) in keyed
    assert sum(path == "location" for path, _ in keyed) == 1, "of the location nothing else"


@pytest.mark.every_blender
def test_a_chain_with_a_mimic_joint_and_what_it_follows_is_refused_with_the_remedy(tmp_path):
    text = CRANE.replace('<parent link="ear"/>', '<parent link="head"/>').replace("</robot>", "") + (
        joint("beak", "revolute", "tip", "beak", "0 1 0", RANGE) + "</robot>"
    )
    text = text.replace('<mimic joint="ear" multiplier="2"/>', '<mimic joint="tilt" multiplier="2"/>')
    rig = import_robot(bpy.context, write(tmp_path, text)).rig
    select(rig, "beak")
    with pytest.raises(RuntimeError) as said:
        bpy.ops.limber.new_chain()
    assert "Bone 'tip' follows joint 'tilt' of the same chain" in str(said.value)
    assert "Match Joints" in str(said.value)
    assert not rig.limber.chains
    chain = chain_on(rig, "head", at=target())
    with pytest.raises(RigError, match="Bone 'tip' follows joint 'tilt'"):
        chains.add_end(rig, chain, "beak")
    assert len(chain.joints) == 3


@pytest.mark.every_blender
def test_a_chain_on_a_link_that_another_chain_moves_by_mimicry_aims_from_where_it_is_shown(tmp_path):
    text = CRANE.replace("</robot>", "") + joint("beak", "revolute", "tip", "beak", "0 1 0", RANGE)
    text += joint("nod", "revolute", "beak", "nib", "1 0 0", RANGE) + "</robot>"
    rig = import_robot(bpy.context, write(tmp_path, text)).rig
    high, near = target((0.4, -0.5, 1.2)), target((0.3, 0.4, 1.4), "Near")
    head = chain_on(rig, "mast", "head", at=high)
    nib = chain_on(rig, "tip", "nib", at=near)
    for index in range(2):
        rig.limber.active_chain = index
        bpy.ops.limber.live()
    play(80)
    from limber.rig.live import live

    assert values_of(rig, head)["tip"] != pytest.approx(joint_values(rig)["tip"], abs=0.1), (
        "the mimic joint is elsewhere than authored"
    )
    assert live.session(rig, nib).problem == ""
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["nib"]
    expected = live.session(rig, nib).outputs.filtered_aim_error
    assert shown.y_axis.angle(near.matrix_world.translation - shown.tail) == pytest.approx(expected, abs=1e-4)


def limit_location(bone, letter: str, lower: float, upper: float):
    bone.lock_location["xyz".index(letter)] = False
    constraint = bone.constraints.new("LIMIT_LOCATION")
    constraint.owner_space = "LOCAL"
    for end, value in (("min", lower), ("max", upper)):
        setattr(constraint, f"use_{end}_{letter}", True)
        setattr(constraint, f"{end}_{letter}", value)
    return constraint


def loose(rig) -> None:
    """Disconnects bones, so that Blender lets them be moved."""
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in rig.data.edit_bones:
        bone.use_connect = False
    bpy.ops.object.mode_set(mode="POSE")


def test_bones_that_may_be_moved_slide_only_where_a_constraint_says_how_far():
    rig = build(UPRIGHT)
    select(rig, rig.pose.bones[-1].name)
    loose(rig)
    second = rig.pose.bones[1]
    constraint = limit_location(second, "z", -0.05, 0.1)
    chain = chain_on(rig, rig.pose.bones[-1].name, at=target())
    slides = [joint for joint in chain.joints if joint.axis.startswith("LINEAR")]
    assert [(joint.bone, joint.axis) for joint in slides] == [(second.name, "LINEAR_Z")]
    assert (slides[0].lower, slides[0].upper) == pytest.approx((-0.05, 0.1))
    second.constraints.remove(constraint)
    bpy.ops.limber.match_joints()
    assert not [joint for joint in chain.joints if joint.axis.startswith("LINEAR")]


@pytest.mark.parametrize("seed", range(3))
def test_the_skeleton_of_bones_that_slide_and_turn_is_where_blender_has_them(seed):
    from limber.rig.bones import axes
    from limber.rig.chains.chain import skeleton_now
    from limber.rig.chains.skeleton import ChainReader

    draw = random.Random(seed)
    rig = build(UPRIGHT)
    select(rig, rig.pose.bones[-1].name)
    loose(rig)
    for bone in rig.pose.bones:
        bone.rotation_mode = draw.choice(["XYZ", "ZXY", "YZX"])
        bone.location = [draw.uniform(-0.1, 0.1) for _ in range(3)]
        for letter in draw.sample("xyz", 2):
            limit_location(bone, letter, -1.0, 1.0)
    chain = chain_on(rig, rig.pose.bones[0].name, rig.pose.bones[-1].name, at=target())
    for place in chain.joints:
        getattr(rig.pose.bones[place.bone], axes.channel(place.axis))[axes.index(place.axis)] = draw.uniform(
            -0.4, 0.4
        )
    bpy.context.view_layer.update()
    reader = ChainReader(rig, chain)
    poses = reader.read(rig.pose.bones)
    pose = skeleton_now(rig, chain).forward(reader.angles(poses).tolist())
    base = rig.data.bones[chain.root].matrix_local
    base = base @ base.Translation(Vector(reader.base_location(poses)))
    tip = base @ Vector(pose.tool_position)
    assert tuple(tip) == pytest.approx(tuple(rig.pose.bones[chain.end].tail), abs=1e-5)


def test_check_names_a_slides_limits_in_metres(rig):
    chain = chain_on(rig, "head", at=target())
    chain.joints[0].upper = 0.9
    from limber.rig.chains.check import check

    said = [finding.sentence for finding in check(bpy.context, rig, chain)]
    assert any("allows -0.1 to 0.4 m along Y, less than the joint" in sentence for sentence in said), said


def test_a_slide_goes_to_the_robot_in_metres_over_the_whole_range_of_its_servo(rig):
    from limber.rig.robot import links

    chain_on(rig, "head", at=target())
    device = links.describe(rig)
    lift, servo = device.joints[0], device.channels[0]
    assert (lift.name, lift.unit) == ("mast linear Y", "m")
    assert (lift.limits.lower, lift.limits.upper, lift.limits.velocity) == pytest.approx((-0.1, 0.4, 0.3))
    ends = [servo.zero + servo.per_radian * servo.shares[0].gear * value for value in (-0.1, 0.4)]
    assert ends == pytest.approx([servo.lowest, servo.highest], abs=0.01)
