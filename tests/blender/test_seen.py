"""Tests joint values of bones moved by constraints: those of the evaluated pose, as the viewport shows it."""

import json
from math import cos, pi, radians, sin
from random import Random

import bpy
import pytest
from limber.hardware.motion_files import FORMATS, Settings
from limber.rig.bones import channels, rotation_modes, shown_values
from limber.rig.live.movers import movers_of
from limber.rig.output.export import Export
from limber.rig.output.motion_check.check import result
from limber.rig.robot import device, ghost, lookahead, puppeteer, sending, values
from limber.solvers.kinematics import rotations
from mathutils import Matrix, Vector

from tests.blender.rigs import build, make_active, select, target
from tests.blender.test_chains_override import library  # noqa: F401

NEAR = radians(1e-4)  # [rad] tolerance
KINDS = ("COPY_ROTATION", "COPY_TRANSFORMS", "TRANSFORM", "LIMIT_ROTATION", "IK")
MODES = ("XYZ", "ZXY", "YZX", "QUATERNION", "AXIS_ANGLE")


def of(rig) -> dict:
    """Values [rad or m] of all joints of the rig's chains, as sent to the robot."""
    bpy.context.view_layer.update()
    return {key: value for mover in movers_of(rig) for key, value in mover.posed().items()}


def chain_of(rig, *bones: str):
    """A chain of these bones, with limits of half a turn."""
    select(rig, bones[0], bones[-1])
    bpy.ops.limber.new_chain()
    return rig.limber.chains[-1]


def rolled(chance: Random, free: str, mode: str, extent: int = 3):
    """An armature of bones with rest poses in all directions, and a parent outside any chain."""
    rig = build({"outside": None} | {f"bone {k}": free for k in range(extent)}, mode=mode)
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    head = Vector((0.0, 0.0, 0.0))
    for bone in rig.data.edit_bones:
        bone.head = head
        head = bone.tail = head + 0.3 * Vector(
            (chance.uniform(-1, 1), chance.uniform(-1, 1), chance.uniform(0.2, 1))
        )
        bone.roll = chance.uniform(-3, 3)
    bpy.ops.object.mode_set(mode="POSE")
    rig.pose.bones["outside"].rotation_mode = "XYZ"
    rig.pose.bones["outside"].rotation_euler = [chance.uniform(-1, 1) for _ in range(3)]
    rig.matrix_world = Matrix.LocRotScale(
        (1.0, 2.0, -3.0), Matrix.Rotation(0.7, 3, "X").to_euler(), (0.6,) * 3
    )
    return rig


def master(mode: str, angles):
    """An armature of one bone that is posed by hand, which others follow."""
    thing = build({"leader": None}, name="Master", mode="XYZ")
    bone = thing.pose.bones["leader"]
    bone.rotation_euler = angles
    bone.rotation_mode = mode
    return thing


def constrain(rig, bone, axis: str, angle: float, kind: str) -> None:
    """Makes a constraint rotate a bone about its axis X, Y or Z by an angle [rad]; its channels are
    unchanged.
    """
    index = "XYZ".index(axis)
    angles = [angle if k == index else 0.0 for k in range(3)]
    leader = master("XYZ", angles)
    if kind == "IK":
        place = posed_end(rig, bone, index, angle)
        held = bone.constraints.new("IK")
        held.target, held.chain_count, held.iterations = target(place, "Goal"), 1, 500
        for other in "xyz":
            setattr(bone, f"lock_ik_{other}", other != axis.lower())
        return
    held = bone.constraints.new(kind)
    if kind in ("COPY_ROTATION", "COPY_TRANSFORMS", "TRANSFORM"):
        held.target, held.subtarget, held.owner_space, held.target_space = leader, "leader", "LOCAL", "LOCAL"
    if kind == "TRANSFORM":
        held.map_from = held.map_to = "ROTATION"
        held.to_euler_order = "XYZ"
        for letter in "xyz":
            setattr(held, f"from_min_{letter}_rot", -2.0), setattr(held, f"from_max_{letter}_rot", 2.0)
            setattr(held, f"to_min_{letter}_rot", -2.0), setattr(held, f"to_max_{letter}_rot", 2.0)
        held.map_to_x_from, held.map_to_y_from, held.map_to_z_from = "X", "Y", "Z"
    if kind == "LIMIT_ROTATION":
        held.owner_space = "LOCAL"
        setattr(held, f"use_limit_{axis.lower()}", True)
        setattr(held, f"min_{axis.lower()}", angle), setattr(held, f"max_{axis.lower()}", angle + 1.0)


def posed_end(rig, bone, index: int, angle: float) -> Vector:
    """Position of a bone's tail [m, world] with another value of a hinge; the pose is restored."""
    mode, before = bone.rotation_mode, tuple(bone.rotation_euler)
    bone.rotation_mode = "XYZ"
    bone.rotation_euler[index] = angle
    bpy.context.view_layer.update()
    place = rig.matrix_world @ bone.tail
    bone.rotation_euler, bone.rotation_mode = before, mode
    bpy.context.view_layer.update()
    return place


def muted(rig) -> None:
    for bone in rig.pose.bones:
        for held in bone.constraints:
            held.mute = True


def matrices(rig) -> dict[str, Matrix]:
    bpy.context.view_layer.update()
    return {
        bone.name: bone.matrix.copy()
        for bone in rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    }


def apart(first: dict[str, Matrix], second: dict[str, Matrix]) -> float:
    """Largest angle [rad] between bones' rotations in two poses."""
    return max(
        (first[name].to_3x3().normalized().inverted() @ second[name].to_3x3().normalized())
        .to_quaternion()
        .angle
        for name in first
    )


@pytest.mark.every_blender
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("kind", "axis"),
    [
        (kind, axis) for kind in KINDS for axis in "XYZ" if (kind, axis) != ("IK", "Y")
    ],  # a bone's end is on its own length
)
def test_a_joint_that_a_constraint_moves_has_the_value_that_shows_the_same_pose(kind, axis, mode):
    chance = Random(f"{kind} {axis} {mode}")
    rig = rolled(chance, axis, mode)
    bone, angle = rig.pose.bones["bone 1"], chance.uniform(0.2, 1.2)
    chain_of(rig, "bone 0", "bone 2")
    constrain(rig, bone, axis, angle, kind)
    shown = matrices(rig)
    values = of(rig)
    assert values["bone 1", axis] == pytest.approx(angle, abs=1e-3 if kind == "IK" else NEAR)
    assert values["bone 0", axis] == values["bone 2", axis] == 0.0
    channels.pose(rig, values)
    muted(rig)
    assert apart(shown, matrices(rig)) < NEAR, "the same pose by channels alone"


@pytest.mark.every_blender
@pytest.mark.parametrize("mode", MODES)
def test_a_ball_joint_has_all_three_angles_of_what_is_seen(mode):
    rig = rolled(Random(mode), "XYZ", mode)
    chain_of(rig, "bone 0", "bone 2")
    held = rig.pose.bones["bone 1"].constraints.new("COPY_ROTATION")
    held.target, held.subtarget = master("XYZ", (0.4, -0.9, 0.7)), "leader"
    shown = matrices(rig)
    values = of(rig)
    channels.pose(rig, values)
    muted(rig)
    assert apart(shown, matrices(rig)) < NEAR


@pytest.mark.parametrize("free", ["X", "YZ", "XY", "XZ"])
@pytest.mark.parametrize("mode", MODES)
def test_joints_that_cannot_show_a_pose_have_the_values_that_come_nearest(mode, free):
    rig = rolled(Random(f"{mode} {free}"), free, mode)
    chain_of(rig, "bone 0", "bone 2")
    held = rig.pose.bones["bone 1"].constraints.new("COPY_ROTATION")
    leader, order = master("XYZ", (0.0, 0.0, 0.0)), mode if mode in rotation_modes.PLACES else "XYZ"
    held.target, held.subtarget, held.owner_space, held.target_space = leader, "leader", "LOCAL", "LOCAL"
    for angles in ((0.4, 1.5, 0.3), (0.003, 1.5698, -0.004), (-0.9, 0.8, 1.2), (1.567, -0.3, 0.005)):
        leader.pose.bones["leader"].rotation_euler = angles
        values, turn = of(rig), tuple(shown_values.basis(rig.pose.bones["bone 1"]).to_quaternion())

        def off(**changes: float) -> float:
            angles = [values.get(("bone 1", axis), 0.0) + changes.get(axis, 0.0) for axis in "XYZ"]  # noqa: B023
            return rotations.angle_between(
                rotations.normalized(turn),  # noqa: B023
                rotation_modes.from_angles(angles, order),
            )

        nearest = off()
        for first in (-0.01, 0.0, 0.01, 1.0):
            for second in (-0.01, 0.0, 0.01, 1.0):
                changes = dict(zip(free, (first, second), strict=False))
                assert off(**changes) > nearest - NEAR, (angles, changes)


def test_a_prismatic_joint_has_the_displacement_that_is_seen():
    rig = build({"rail": "X", "slide": "X"})
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["slide"].use_connect = False
    rig.data.edit_bones["slide"].roll = 0.8
    bpy.ops.object.mode_set(mode="POSE")
    bone = rig.pose.bones["slide"]
    bone.lock_location = (True, False, True)
    span = bone.constraints.new("LIMIT_LOCATION")
    span.owner_space = "LOCAL"
    span.use_min_y = span.use_max_y = True
    span.min_y, span.max_y = 0.0, 0.2
    chain_of(rig, "rail", "slide")
    copied = bone.constraints.new("COPY_LOCATION")
    leader = master("XYZ", (0, 0, 0))
    leader.pose.bones["leader"].location = (0.0, 0.13, 0.0)
    copied.target, copied.subtarget, copied.owner_space, copied.target_space = (
        leader,
        "leader",
        "LOCAL",
        "LOCAL",
    )
    bone.constraints.move(1, 0)
    assert of(rig)["slide", "LINEAR_Y"] == pytest.approx(0.13, abs=1e-6)
    leader.pose.bones["leader"].location = (0.0, 0.5, 0.0)
    assert of(rig)["slide", "LINEAR_Y"] == pytest.approx(0.2, abs=1e-6), "what limits it is seen too"


@pytest.mark.every_blender
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_influence_counts_and_a_muted_constraint_does_not(share):
    rig = build({"base": "X", "arm": "X"})
    chain_of(rig, "base", "arm")
    bone = rig.pose.bones["arm"]
    bone.rotation_euler.x = 0.2
    constrain(rig, bone, "X", 1.0, "COPY_ROTATION")
    bone.constraints[0].influence = share
    assert of(rig)["arm", "X"] == pytest.approx(0.2 + 0.8 * share, abs=1e-6)
    bone.constraints[0].mute = True
    assert of(rig)["arm", "X"] == bone.rotation_euler.x


def test_a_constraint_that_changes_nothing_leaves_the_channels_value_to_the_last_bit():
    rig = build({"base": "X", "arm": "X"})
    chain_of(rig, "base", "arm")
    bone = rig.pose.bones["arm"]
    bone.rotation_euler.x = 0.7
    constrain(rig, bone, "X", bone.rotation_euler.x, "COPY_ROTATION")
    assert of(rig)["arm", "X"] == bone.rotation_euler.x


def test_ik_from_another_bone_moves_all_joints_that_it_reaches_and_no_other():
    rig = build({"base": "X", "lower": "X", "upper": "X", "hand": "X"})
    chain_of(rig, "base", "hand")
    rig.pose.bones["lower"].rotation_euler.x = rig.pose.bones["upper"].rotation_euler.x = 0.3
    for bone in rig.pose.bones:
        bone.lock_ik_y = bone.lock_ik_z = True
    held = rig.pose.bones["hand"].constraints.new("IK")
    held.target, held.chain_count, held.use_tail = target((0.0, -0.12, 0.25), "Goal"), 2, False
    shown = matrices(rig)
    values = of(rig)
    assert values["base", "X"] == 0.0
    assert values["hand", "X"] == 0.0
    assert abs(values["lower", "X"] - 0.3) > 0.05
    channels.pose(rig, values)
    muted(rig)
    assert apart(shown, matrices(rig)) < NEAR


def test_spline_ik_moves_the_joints_along_its_curve():
    rig = build({"base": "X", "lower": "XZ", "upper": "XZ"})
    chain_of(rig, "base", "upper")
    data = bpy.data.curves.new("Path", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(2)
    for point, place in zip(
        spline.points, ((0, 0, 0.1, 1), (0.03, 0.05, 0.2, 1), (0.0, 0.12, 0.27, 1)), strict=True
    ):
        point.co = place
    curve = bpy.data.objects.new("Path", data)
    bpy.context.scene.collection.objects.link(curve)
    held = rig.pose.bones["upper"].constraints.new("SPLINE_IK")
    held.target, held.chain_count = curve, 2
    assert abs(of(rig)["lower", "X"]) > 0.1


def test_in_rest_position_the_joints_have_what_is_seen():
    rig = build({"base": "X", "arm": "X"})
    chain_of(rig, "base", "arm")
    rig.pose.bones["arm"].rotation_euler.x = 0.6
    rig.data.pose_position = "REST"
    assert of(rig)["arm", "X"] == pytest.approx(0.0, abs=1e-6)


def test_what_a_servo_cannot_do_is_said_with_the_bone_and_the_angle():
    rig = build({"base": "X", "arm": "X"})
    chain = chain_of(rig, "base", "arm")
    for number, joint in enumerate(chain.joints):
        joint.servo = number
    bone = rig.pose.bones["arm"]
    held = bone.constraints.new("COPY_ROTATION")
    leader = master("XYZ", (0.5, 0.0, radians(7.0)))
    held.target, held.subtarget, held.owner_space, held.target_space = leader, "leader", "LOCAL", "LOCAL"
    bpy.context.view_layer.update()
    (said,) = [one.sentence for one in values.deviations(rig, device.sources(rig))]
    assert said.startswith("Bone 'arm' is turned 7.0° off the axis of its joint (X) by constraints")
    leader.pose.bones["leader"].rotation_euler.z = radians(0.4)
    bpy.context.view_layer.update()
    assert values.deviations(rig, device.sources(rig)) == []


def test_a_bone_that_ik_stretches_is_named():
    rig = build({"base": "X", "arm": "X"})
    chain = chain_of(rig, "base", "arm")
    chain.joints[0].servo, chain.joints[1].servo = 0, 1
    for bone in rig.pose.bones:
        bone.ik_stretch = 0.5
    held = rig.pose.bones["arm"].constraints.new("IK")
    held.target, held.use_stretch = target((0.0, 0.05, 0.5), "Far"), True
    bpy.context.view_layer.update()
    assert any("scaled by" in one.sentence for one in values.deviations(rig, device.sources(rig)))


def test_a_bone_that_a_constraint_turns_below_an_unequal_scale_is_told_as_sheared():
    rig = build({"outside": None, "arm": "X"})
    chain_of(rig, "arm")
    goal = master("XYZ", (0.6, 0.0, 0.0))
    copied = rig.pose.bones["arm"].constraints.new("COPY_ROTATION")
    copied.target, copied.subtarget = goal, goal.pose.bones[0].name
    bpy.context.view_layer.update()
    assert not any("sheared" in left.sentence for left in values.deviations(rig, device.sources(rig)))
    rig.pose.bones["outside"].scale = (1.0, 1.5, 1.0)
    bpy.context.view_layer.update()
    (left,) = values.deviations(rig, device.sources(rig))
    assert left.shear > radians(5.0)
    assert f"sheared by {left.shear / radians(1.0):.1f}°" in left.sentence
    assert "scale the bones and objects above it equally" in left.sentence


def tracked(rig, bone: str, goal) -> None:
    """Makes a bone rotate about its X axis until its +Z points to a goal in the world."""
    held = rig.pose.bones[bone].constraints.new("LOCKED_TRACK")
    held.target, held.track_axis, held.lock_axis = goal, "TRACK_Z", "LOCK_X"


@pytest.fixture
def ear():
    """A live head whose target moves, and on it an ear with a servo that tracks a goal in the world."""
    rig = build({"base": "X", "head": "X", "ear": "X"})
    chain = chain_of(rig, "base", "head")
    chain.target = target((0.0, -0.5, 0.6))
    for frame in range(1, 42):
        chain.target.location = (0.0, -0.5 * cos(0.05 * frame), 0.6 + 0.3 * sin(0.2 * frame))
        chain.target.keyframe_insert("location", frame=frame)
    other = chain_of(rig, "ear", "ear")
    tracked(rig, "ear", target((0.0, 0.2, 1.5), "Goal"))
    for number, joint in enumerate((*chain.joints, *other.joints)):
        joint.servo, joint.lower, joint.upper = number, -pi, pi
        joint.velocity, joint.acceleration, joint.jerk = 50.0, 1e4, 1e6
    bpy.context.scene.render.fps = 25
    rig.limber.active_chain = 0
    bpy.ops.limber.live()
    return rig


def seen_angle(rig, name: str) -> float:
    """Angle [rad] about X of a bone in the evaluated pose, by Blender's own conversion of spaces."""
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    bone = shown.pose.bones[name]
    return (
        shown.convert_space(pose_bone=bone, matrix=bone.matrix, from_space="POSE", to_space="LOCAL")
        .to_euler("XYZ")
        .x
    )


def seen_over_time(rig, name: str, frames: range) -> list[float]:
    """Angles [rad] about X of a bone in frames that are played, after a jump, so that live motion begins at
    rest.
    """
    bpy.context.scene.frame_set(frames.stop + 10)
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(seen_angle(rig, name))
    return found


@pytest.mark.every_blender
def test_below_live_joints_the_robot_is_sent_what_this_frame_shows(ear, monkeypatch):
    sent: dict[int, float] = {}
    with_rates = values.with_rates

    def noted(*given):
        now = with_rates(*given)
        sent[bpy.context.scene.frame_current] = values.positions(now)[-1]
        return now

    monkeypatch.setattr(values, "with_rates", noted)
    bpy.ops.limber.connect()
    frames = range(1, 42)
    shown = seen_over_time(ear, "ear", frames)
    assert max(shown) - min(shown) > 0.2, "it moves"
    assert max(abs(sent[frame] - angle) for frame, angle in zip(frames, shown, strict=True)) < NEAR
    bpy.ops.limber.disconnect()


@pytest.mark.every_blender
def test_below_live_joints_the_file_has_what_each_frame_shows(ear):
    scene, frames = bpy.context.scene, range(1, 26)
    scene.frame_set(1)
    before = matrices(ear)
    work = Export(scene, ear, frames[0], frames[-1], 25, False, "csv", Settings())
    while work.step():
        pass
    work.cancel()
    assert apart(before, matrices(ear)) < NEAR, "live motion is shown again"
    shown = seen_over_time(ear, "ear", frames)
    assert max(abs(row[-1] - angle) for row, angle in zip(work.frames.rows, shown, strict=False)) < NEAR


@pytest.mark.every_blender
def test_a_constraint_s_corner_is_in_the_file_as_it_is_seen(tmp_path):
    rig = build({"base": "X", "arm": "X"})
    chain = chain_of(rig, "base", "arm")
    for number, joint in enumerate(chain.joints):
        joint.servo, joint.velocity, joint.acceleration, joint.jerk = number, 50.0, 1e4, 1e6
    bone = rig.pose.bones["arm"]
    for frame, angle in ((1, -0.4), (25, 0.8)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    limit = bone.constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_x, limit.min_x, limit.max_x = "LOCAL", True, -0.1, 0.3
    rate = bpy.context.scene.render.fps
    path = tmp_path / "motion.json"
    make_active(rig)
    bpy.ops.limber.export_motion(filepath=str(path), format="json", frame_start=1, frame_end=25, rate=rate)
    rows = [row[1] for row in json.loads(path.read_text())["values"]]
    shown = seen_over_time(rig, "arm", range(1, 26))
    assert (min(shown), max(shown)) == pytest.approx((-0.1, 0.3), abs=NEAR)
    assert rows[1:-1] == pytest.approx(shown, abs=NEAR)


def test_where_nothing_is_constrained_no_frame_is_evaluated_again(ear, monkeypatch):
    muted(ear)
    ear.pose.bones["head"].constraints[-1].mute = ear.pose.bones["base"].constraints[-1].mute = False
    again: list = []
    monkeypatch.setattr(sending, "evaluate", again.append)
    bpy.ops.limber.connect()
    seen_over_time(ear, "ear", range(1, 6))
    assert not again
    bpy.ops.limber.disconnect()


@pytest.mark.every_blender
def test_after_a_bake_constraints_do_not_move_the_baked_joints_again(ear):
    constrain(ear, ear.pose.bones["head"], "X", 0.4, "COPY_ROTATION")
    bpy.context.view_layer.update()
    frames = range(1, 42)
    shown = {name: seen_over_time(ear, name, frames) for name in ("base", "head", "ear")}
    chain = ear.limber.chains[0]
    chain.frame_start, chain.frame_end = 1, 41
    make_active(ear)
    bpy.ops.limber.bake()
    for name, angles in shown.items():
        assert seen_over_time(ear, name, frames) == pytest.approx(angles, abs=NEAR), name
    assert ear.pose.bones["head"].constraints["Copy Rotation"].mute
    assert not ear.pose.bones["ear"].constraints[0].mute, "it moves a joint that has no keys"


def test_move_by_hand_names_the_constraint_that_holds_a_bone():
    rig = build({"base": "X", "arm": "X"})
    chain = chain_of(rig, "base", "arm")
    chain.joints[0].servo, chain.joints[1].servo = 0, 1
    held = rig.pose.bones["arm"].constraints.new("IK")
    held.target, held.chain_count = target((0.0, 0.05, 0.15), "Goal"), 2
    assert (
        puppeteer.why_not(rig)
        == "Constraint 'IK' of bone 'arm' moves bone 'base', which then would not show how the robot is moved: mute it first"
        or puppeteer.why_not(rig).startswith("Constraint 'IK' of bone 'arm' moves bone 'arm'")
    )
    held.mute = True
    assert puppeteer.why_not(rig) == ""


def test_keys_of_a_joint_that_a_constraint_moves_are_not_sent_early():
    rig = build({"base": "X", "arm": "X"})
    chain = chain_of(rig, "base", "arm")
    chain.joints[0].servo, chain.joints[1].servo = 0, 1
    for bone in rig.pose.bones:
        bone.keyframe_insert("rotation_euler", index=0, frame=1)
    constrain(rig, rig.pose.bones["arm"], "X", 0.5, "COPY_ROTATION")
    assert lookahead.values_at(rig, device.sources(rig), 1.0) == [0.0, None]


def check_motion(first: int, last: int):
    """Findings of Motion Check over frames."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = first, last
    make_active(bpy.data.objects["Rig"])
    bpy.ops.limber.check_motion()
    return result(bpy.data.objects["Rig"])


@pytest.mark.every_blender
def test_motion_check_looks_at_what_is_seen_below_live_joints(ear):
    for joint in ear.limber.chains[1].joints:
        joint.velocity = 0.2
    checked = check_motion(1, 41)
    take = next(take for take in checked.takes if take.chain == ear.limber.chains[1].name)
    shown = seen_over_time(ear, "ear", range(1, 42))
    assert [row[0] for row in take.desired] == pytest.approx(shown, abs=NEAR)
    assert any(finding.kind == "VELOCITY" and finding.joint == "ear X" for finding in checked.findings)


def test_motion_check_of_a_chain_that_constraints_alone_move_needs_no_target():
    rig = build({"base": "X", "arm": "X"})
    chain_of(rig, "base", "arm")
    held = rig.pose.bones["arm"].constraints.new("COPY_ROTATION")
    leader = master("XYZ", (0.0, 0.0, 0.0))
    held.target, held.subtarget, held.owner_space, held.target_space = leader, "leader", "LOCAL", "LOCAL"
    bone = leader.pose.bones["leader"]
    bone.keyframe_insert("rotation_euler", frame=1)
    bone.rotation_euler = (1.0, 0.0, radians(12.0))
    bone.keyframe_insert("rotation_euler", frame=5)
    checked = check_motion(1, 5)
    kinds = {finding.kind for finding in checked.findings}
    assert {"VELOCITY", "AXIS"} <= kinds
    assert any(
        "12.0° off the axis" in finding.sentence or "off the axis" in finding.sentence
        for finding in checked.findings
    )


def test_the_ghost_has_bones_without_a_servo_where_they_are_seen():
    rig = build({"base": "X", "arm": "X", "hand": "X"})
    chain = chain_of(rig, "base", "base")
    constrain(rig, rig.pose.bones["arm"], "X", 0.8, "COPY_ROTATION")
    bpy.context.view_layer.update()
    lines = ghost.posed(rig, (device.Source(chain.uid, "base", "X"),), [0.0])
    shown = [tuple(end) for bone in rig.pose.bones for end in (bone.head, bone.tail)]
    assert [place for line in lines for place in line] == [pytest.approx(place, abs=1e-6) for place in shown]


@pytest.mark.every_blender
def test_a_joint_with_a_wide_range_goes_on_beyond_half_a_turn_as_a_constraint_turns_it(tmp_path):
    rig = build({"base": "X", "wheel": "X"})
    chain = chain_of(rig, "base", "wheel")
    for number, joint in enumerate(chain.joints):
        joint.servo, joint.lower, joint.upper = number, -7.0, 7.0
    constrain(rig, rig.pose.bones["wheel"], "X", 0.0, "COPY_ROTATION")
    leader = bpy.data.objects["Master"].pose.bones["leader"]
    frames = range(1, 42)
    for frame in frames:
        leader.rotation_euler.x = 0.15 * (frame - 1)
        leader.keyframe_insert("rotation_euler", frame=frame)
    work = Export(bpy.context.scene, rig, frames[0], frames[-1], 24, False, "csv", Settings())
    while work.step():
        pass
    work.cancel()
    assert [row[1] for row in work.frames.rows[:41]] == pytest.approx(
        [0.15 * (frame - 1) for frame in frames], abs=1e-5
    )
    sources, sent = device.sources(rig), [0.0, 0.0]
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        sent = values.positions(values.with_rates(rig, sources, sent))
        assert sent[1] == pytest.approx(0.15 * (frame - 1), abs=1e-5)


@pytest.mark.every_blender
def test_what_drives_or_keys_a_constraints_influence_counts_in_each_frame():
    rig = build({"base": "X", "arm": "X"})
    chain = chain_of(rig, "base", "arm")
    for number, joint in enumerate(chain.joints):
        joint.servo = number
    bone = rig.pose.bones["arm"]
    constrain(rig, bone, "X", 0.8, "COPY_ROTATION")
    rig["share"] = 0.0
    rig.keyframe_insert('["share"]', frame=1)
    rig["share"] = 1.0
    rig.keyframe_insert('["share"]', frame=11)
    curve = bone.constraints[0].driver_add("influence")
    variable = curve.driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = rig, '["share"]'
    curve.driver.expression = variable.name
    work = Export(bpy.context.scene, rig, 1, 11, 24, False, "csv", Settings())
    while work.step():
        pass
    work.cancel()
    shown = seen_over_time(rig, "arm", range(1, 12))
    assert shown[0] == 0.0
    assert shown[-1] == pytest.approx(0.8, abs=1e-6)
    assert [row[1] for row in work.frames.rows[:11]] == pytest.approx(shown, abs=NEAR)


@pytest.mark.every_blender
def test_between_frames_and_in_nla_strips_the_file_has_what_is_seen():
    rig = build({"base": "X", "arm": "X"})
    chain = chain_of(rig, "base", "arm")
    for number, joint in enumerate(chain.joints):
        joint.servo = number
    constrain(rig, rig.pose.bones["arm"], "X", 0.0, "COPY_ROTATION")
    master_rig = bpy.data.objects["Master"]
    leader = master_rig.pose.bones["leader"]
    for frame, angle in ((1, 0.0), (5, 0.9), (9, -0.4)):
        leader.rotation_euler.x = angle
        leader.keyframe_insert("rotation_euler", frame=frame)
    animation = master_rig.animation_data
    strip = animation.nla_tracks.new().strips.new("strip", 1, animation.action)
    animation.action = None
    strip.scale = 1.5
    scene = bpy.context.scene
    scene.render.fps = 24
    work = Export(
        scene,
        rig,
        1,
        9,
        50,
        False,
        next(name for name, form in FORMATS.items() if form.has_frames and not form.poses),
        Settings(),
    )
    while work.step():
        pass
    work.cancel()
    for number, row in enumerate(work.frames.rows[: work.total]):
        frame = 1 + number * work.stride
        scene.frame_set(int(frame), subframe=frame % 1)
        assert row[1] == pytest.approx(seen_angle(rig, "arm"), abs=NEAR)


@pytest.mark.every_blender
def test_a_linked_armature_with_an_override_is_read_as_it_is_seen(library):  # noqa: F811
    library.save(with_chain=True)
    rig = library.override()
    make_active(rig)
    bone = rig.pose.bones[rig.limber.chains[0].joints[-1].bone]
    axis = rig.limber.chains[0].joints[-1].axis
    constrain(rig, bone, axis, 0.6, "COPY_ROTATION")
    assert of(rig)[bone.name, axis] == pytest.approx(0.6, abs=1e-6)


@pytest.mark.every_blender
def test_a_bake_mutes_ik_from_outside_and_keeps_limits_that_hold():
    rig = build({"base": "X", "head": "X", "hand": "X"})
    chain = chain_of(rig, "base", "head")
    chain.target = target((0.0, -0.5, 0.6))
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 5
    limit = rig.pose.bones["head"].constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_x, limit.min_x, limit.max_x = "LOCAL", True, -3.0, 3.0
    held = rig.pose.bones["hand"].constraints.new("IK")
    held.target = target((0.0, 0.2, 0.15), "Goal")
    make_active(rig)
    bpy.ops.limber.bake()
    assert held.mute
    assert not limit.mute
    for frame in range(1, 6):
        bpy.context.scene.frame_set(frame)
        for name in ("base", "head"):
            assert seen_angle(rig, name) == pytest.approx(rig.pose.bones[name].rotation_euler.x, abs=1e-6)


def test_a_constraint_without_its_target_moves_nothing():
    rig = build({"base": "X", "arm": "X"})
    chain = chain_of(rig, "base", "arm")
    chain.joints[0].servo, chain.joints[1].servo = 0, 1
    rig.pose.bones["arm"].constraints.new("IK")
    assert shown_values.moved_bones(rig, {"base", "arm"}) == []
    assert puppeteer.why_not(rig) == ""
    rig.pose.bones["arm"].constraints.new("PIVOT")
    assert shown_values.moved_bones(rig, {"base", "arm"}) == ["arm"], "it needs none"
