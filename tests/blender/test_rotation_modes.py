"""Tests bones in every rotation mode: read as hinges, shown as authored, with keyframes in their own mode,
and not changed by making chains.
"""

from itertools import pairwise
from math import degrees, pi
from random import Random

import bpy
import pytest
from limber.rig.blender import actions
from limber.rig.bones import rotation_modes
from limber.rig.chains.skeleton import ChainReader
from limber.rig.live.movers import mover_of
from limber.rig.robot import ghost, lookahead, values
from limber.rig.robot.device import Source
from limber.solvers.kinematics import rotations
from mathutils import Euler, Quaternion, Vector

from tests.blender.baking import begin, curves
from tests.blender.posing import own_pose
from tests.blender.rigs import apart, build, keyed, looking_chain, make_active, matrices, select, target
from tests.blender.shown import (
    as_good_as_unfiltered,
    choose,
    go_live,
    missed,
    no_handler_raises,  # noqa: F401
    session,
    settle,
    shown_basis,
)

ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
TOGETHER = ("QUATERNION", "AXIS_ANGLE")  # modes whose channels store all hinges together
MODES = (*TOGETHER, *ORDERS)
NEAR = 1e-6  # [rad] tolerance of single precision, also at gimbal lock
BONES = {"base": None, "neck": None, "head": None}
FRAMES = range(1, 21)


def turn(pose_bone) -> Quaternion:
    """The authored rotation, as Blender reads it from the channels."""
    return pose_bone.matrix_basis.to_quaternion()


def between(first, second) -> float:
    """Angle [rad] between two rotations, in double precision."""
    one, other = (rotations.normalized(tuple(rotation)) for rotation in (first, second))
    return rotations.angle_between(one, other)


def set_turn(pose_bone, rotation: Quaternion, size: float = 1.0) -> None:
    """Authors a rotation in the bone's mode; a quaternion or an axis gets the length `size`."""
    if pose_bone.rotation_mode == "QUATERNION":
        pose_bone.rotation_quaternion = size * rotation
    elif pose_bone.rotation_mode == "AXIS_ANGLE":
        axis, angle = rotation.to_axis_angle()
        pose_bone.rotation_axis_angle = (angle, *(size * axis))
    else:
        pose_bone.rotation_euler = rotation.to_euler(pose_bone.rotation_mode)


def channel(pose_bone) -> str:
    return {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        pose_bone.rotation_mode, "rotation_euler"
    )


def animate(rig, sway: float = 0.6) -> None:
    """Adds keyframes to all bones, in their own modes, with the signs that Blender's own keying gives."""
    for frame in FRAMES:
        for k, bone in enumerate(rig.pose.bones):
            share = (frame - FRAMES[0]) / (len(FRAMES) - 1)
            set_turn(bone, Euler((sway * share, 0.3 - sway * share, 0.2 * k)).to_quaternion())
            bone.keyframe_insert(channel(bone), frame=frame)
    bpy.context.scene.frame_set(1)


def moving(mode: str, bones=BONES):
    """A rig whose animated bones have a rotation mode, and its chain, whose target moves."""
    rig = build(bones, mode=mode)
    animate(rig)
    rig, chain = looking_chain(rig, "base", "head", at=target((0.3, -0.6, 0.3)))
    keyed(chain.target, (FRAMES[0], FRAMES[-1]))
    chain.frame_start, chain.frame_end = FRAMES[0], FRAMES[-1]
    as_good_as_unfiltered(chain)
    bpy.context.scene.frame_set(1)
    return rig, chain


def bake(chain):
    work = begin(chain)
    while work.step():
        pass
    made = work.finish()
    work.cancel()
    return made[0]


def channels_of(action) -> dict[tuple[str, int], list[tuple[float, float]]]:
    return {
        (curve.data_path, curve.array_index): [tuple(point.co) for point in curve.keyframe_points]
        for curve in actions.fcurves(action)
    }


# reading


@pytest.mark.parametrize("order", ORDERS)
def test_hinges_give_any_rotation_back_also_near_the_gimbal(order):
    dice, middle = Random(1), "XYZ".index(order[1])
    for _ in range(500):
        angles = [dice.uniform(-pi, pi) for _ in range(3)]
        if dice.random() < 0.5:
            angles[middle] = dice.choice((-1, 1)) * (pi / 2 + dice.choice((0.0, 1e-8, 1e-7, 1e-6, 1e-4)))
        near = [angle + dice.uniform(-0.3, 0.3) + 2 * pi * dice.randint(-2, 2) for angle in angles]
        rotation = rotation_modes.quaternion("QUATERNION", Euler(angles, order).to_quaternion())
        found = rotation_modes.angles_of(rotation, order, near)
        assert between(rotation_modes.from_angles(found, order), rotation) < NEAR
        if (
            abs(abs(angles[middle]) - pi / 2) > 0.01
        ):  # nearer to gimbal lock, single precision leaves the other two undetermined
            blender = Quaternion(rotation).to_euler(order, Euler(near, order))
            far = [sum(abs(a - b) for a, b in zip(each, near, strict=True)) for each in (found, blender)]
            assert far[0] < far[1] + 1e-3, "no other angles of the same rotation are nearer"


@pytest.mark.parametrize("order", ORDERS)
def test_where_two_hinges_turn_about_one_axis_what_is_open_stays_as_it_was(order):
    for angles in ((0.5, -0.9, 2.0), (-2.0, 0.1, 4.0)):
        for quarter in (-pi / 2, pi / 2):
            at_gimbal = list(angles)
            at_gimbal["XYZ".index(order[1])] = quarter
            found = rotation_modes.angles_of(rotation_modes.from_angles(at_gimbal, order), order, at_gimbal)
            assert found == pytest.approx(at_gimbal, abs=NEAR)


@pytest.mark.parametrize(
    ("mode", "numbers"),
    [
        ("QUATERNION", (0.0, 0.0, 0.0, 0.0)),
        ("QUATERNION", (2.0, 1.0, -3.0, 0.5)),
        ("QUATERNION", (1e-12, 1e-12, 0.0, 0.0)),
        ("AXIS_ANGLE", (1.0, 0.0, 0.0, 0.0)),
        ("AXIS_ANGLE", (7.0, 0.0, 0.01, 0.02)),
        ("AXIS_ANGLE", (-1.0, 1e-10, 0.0, 0.0)),
        ("ZXY", (7.0, -2.0, 0.4)),
    ],
)
def test_a_rotation_is_read_as_blender_shows_it_whatever_its_length(mode, numbers):
    bone = build({"head": None}, mode=mode).pose.bones["head"]
    setattr(bone, channel(bone), numbers)
    bpy.context.view_layer.update()
    assert between(rotation_modes.quaternion(mode, rotation_modes.stored(bone)), turn(bone)) < NEAR


@pytest.mark.parametrize("mode", TOGETHER)
def test_a_bone_that_turns_round_and_round_has_angles_without_jumps(mode):
    rig = build({"head": None}, mode=mode)
    rig, chain = looking_chain(rig, "head")
    for joint in chain.joints:
        joint.lower, joint.upper = -20.0, 20.0
    reader, bone, poses, before = ChainReader(rig, chain), rig.pose.bones["head"], (), None
    for step in range(100):
        set_turn(
            bone,
            Quaternion((0, 0, 1), 0.1 * step)
            @ Quaternion((0, 1, 0), 1.3)
            @ Quaternion((1, 0, 0), -0.1 * step),
        )
        poses = reader.read(rig.pose.bones, before=poses)
        now = reader.angles(poses)
        assert before is None or abs(now - before).max() < 0.11
        before = now
    assert dict(zip(reader.joint_keys, before, strict=True))["head", "Z"] == pytest.approx(9.9, abs=1e-4)


@pytest.mark.every_blender
@pytest.mark.parametrize("mode", TOGETHER)
def test_of_the_angles_of_a_rotation_those_within_the_limits_count(mode):
    rig = build({"head": None}, mode=mode)
    rig, chain = looking_chain(rig, "head")
    for joint in chain.joints:
        joint.lower, joint.upper = (1.0, 5.0) if joint.axis == "Z" else (-1.0, 1.0)
    set_turn(rig.pose.bones["head"], Quaternion((0, 0, 1), 4.0))
    reader, mover = ChainReader(rig, chain), mover_of(rig, chain)
    wanted = [4.0, 0.0, 0.0]
    assert reader.angles(reader.read(rig.pose.bones)).tolist() == pytest.approx(wanted, abs=NEAR)
    assert list(mover.posed().values()) == pytest.approx(wanted, abs=NEAR), "the robot hears the same"
    bpy.ops.limber.store_posture(name="Round")
    assert list(mover.in_posture(bpy.data.actions["Round"]).values()) == pytest.approx(wanted, abs=NEAR)
    chain.joints[0].lower, chain.joints[0].upper = 3.0, 5.0
    mover.pose({("head", "X"): 0.3})
    assert list(mover.posed().values()) == pytest.approx([4.0, 0.0, 0.3], abs=NEAR)


@pytest.mark.parametrize("mode", TOGETHER)
def test_a_live_joint_turns_on_where_its_bone_turns_round_and_round(mode):
    rig, chain = moving(mode)
    bone = rig.pose.bones["head"]
    for frame in FRAMES:
        set_turn(bone, Quaternion((0, 0, 1), 0.5 * frame))
        bone.keyframe_insert(channel(bone), frame=frame)
    for joint in chain.joints:
        joint.lower, joint.upper = -20.0, 20.0
    chain.influence = 0.0
    bpy.context.scene.frame_set(200)
    go_live(rig, chain, settled=False)
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        assert session(rig, chain).values()["head", "Z"] == pytest.approx(0.5 * frame, abs=1e-3)


# showing


@pytest.mark.parametrize("mode", MODES)
def test_without_influence_every_bone_is_shown_as_authored(mode):
    rig = build(BONES, mode=mode)
    rig, chain = looking_chain(rig, "base", "head")
    dice = Random(2)
    poses = [[Quaternion([dice.gauss(0, 1) for _ in range(4)]).normalized() for _ in BONES] for _ in range(6)]
    poses.append([Euler((0.4, sign * pi / 2, -0.9)).to_quaternion() for sign in (1, -1, 1)])
    chain.influence = 0.0
    go_live(rig, chain)
    for turns in poses:
        for bone, rotation, size in zip(rig.pose.bones, turns, (1.0, 0.2, 3.0), strict=True):
            set_turn(bone, rotation, size)
        settle()
        for bone in rig.pose.bones:
            assert (
                between(
                    tuple(proxy_turn(rig, bone.name)),
                    rotation_modes.quaternion(mode, rotation_modes.stored(bone)),
                )
                < NEAR
            )
            assert between(shown_basis(rig, bone.name), turn(bone)) < 3 * NEAR, (
                "through matrices of single precision"
            )


def proxy_turn(rig, name: str):
    """The rotation that a live bone copies."""
    from limber.rig.showing import proxy

    return proxy.find(rig).pose.bones[name].rotation_quaternion


@pytest.mark.parametrize("mode", TOGETHER)
def test_what_lies_off_the_free_axes_stays_authored(mode):
    rig = build({"base": "Y", "head": "X"}, mode=mode)
    authored = Euler((0.2, 0.3, -0.4))
    set_turn(rig.pose.bones["head"], authored.to_quaternion())
    rig, chain = looking_chain(rig, "base", "head")
    go_live(rig, chain)
    shown = shown_basis(rig, "head").to_euler("XYZ")
    assert tuple(shown)[1:] == pytest.approx(tuple(authored)[1:], abs=1e-5)
    assert abs(shown.x - authored.x) > 0.1, "it looks"


@pytest.mark.parametrize("mode", TOGETHER)
def test_the_head_looks_whatever_the_rotation_mode(mode):
    rig, chain = moving(mode)
    go_live(rig, chain)
    assert missed(rig, chain) < 0.1


# keys


@pytest.mark.parametrize("mode", MODES)
def test_a_bake_plays_what_live_shows_and_keys_the_bones_own_channels(mode):
    rig, chain = moving(mode)
    names = list(BONES)
    action = bake(chain)
    played = {frame: matrices(rig, names, frame) for frame in FRAMES}
    assert {path.rpartition(".")[2] for path, _ in channels_of(action)} == {channel(rig.pose.bones["head"])}
    actions.assign(
        rig,
        next(
            one
            for one in bpy.data.actions
            if one != action and channels_of(one).keys() == channels_of(action).keys()
        ),
    )
    bpy.context.scene.frame_set(200)
    go_live(rig, chain, settled=False)
    for frame in FRAMES:
        shown = matrices(rig, names, frame)
        assert (
            max(
                (a - b).magnitude
                for one, other in zip(shown, played[frame], strict=True)
                for a, b in zip(one, other, strict=True)
            )
            < 1e-5
        )


@pytest.mark.parametrize("mode", TOGETHER)
def test_baked_rotations_are_of_unit_length_and_their_signs_do_not_jump(mode):
    rig, chain = moving(mode)
    # they rotate by more than one turn, and the signs of their keyframes are Blender's
    for bone in rig.pose.bones:
        for frame in FRAMES:
            set_turn(bone, Quaternion((0, 1, 0), 0.4 * frame))
            bone.keyframe_insert(channel(bone), frame=frame)
    for joint in chain.joints:
        joint.lower, joint.upper = -20.0, 20.0
    bake(chain)
    for bone in rig.pose.bones:
        path = bone.path_from_id(channel(bone))
        found = [actions.find(curves(rig), path, index) for index in range(4)]
        rows = [[curve.evaluate(frame) for curve in found] for frame in FRAMES]
        axes = [Vector(row if mode == "QUATERNION" else row[1:]) for row in rows]
        assert [axis.length for axis in axes] == pytest.approx([1.0] * len(rows), abs=NEAR)
        assert min(one.dot(other) for one, other in pairwise(axes)) > 0.0
        if mode == "AXIS_ANGLE":
            assert max(abs(one[0] - other[0]) for one, other in pairwise(rows)) < 1.0


@pytest.mark.every_blender
@pytest.mark.parametrize("mode", TOGETHER)
def test_a_baked_rotation_begins_with_the_sign_of_the_keys_before_it(mode):
    rig, chain = moving(mode)
    for bone in rig.pose.bones:
        for frame in FRAMES:
            bpy.context.scene.frame_set(frame)
            setattr(bone, channel(bone), [-part for part in getattr(bone, channel(bone))])
            bone.keyframe_insert(channel(bone), frame=frame)
    chain.frame_start = 5
    bake(chain)
    for bone in rig.pose.bones:
        found = [actions.find(curves(rig), bone.path_from_id(channel(bone)), index) for index in range(4)]
        before, first = ([curve.evaluate(frame) for curve in found] for frame in (4, 5))
        assert Vector(before).dot(Vector(first)) > 0.0


@pytest.mark.parametrize("mode", TOGETHER)
def test_a_take_plays_what_live_showed(mode):
    rig, chain = moving(mode)
    go_live(rig, chain)
    bpy.ops.limber.record_live()
    shown = {frame: matrices(rig, ["head"], frame) for frame in FRAMES[1:]}
    bpy.ops.limber.keep_takes()
    for frame in shown:
        assert apart(shown[frame], matrices(rig, ["head"], frame)) < 1e-5


@pytest.mark.parametrize("mode", TOGETHER)
def test_without_influence_a_bake_is_the_animation(mode):
    rig, chain = moving(mode)
    chain.influence = 0.0
    rows = {}
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        rows[frame] = [
            rotation_modes.quaternion(mode, rotation_modes.stored(bone)) for bone in rig.pose.bones
        ]
    bake(chain)
    for frame, row in rows.items():
        bpy.context.scene.frame_set(frame)
        found = [rotation_modes.quaternion(mode, rotation_modes.stored(bone)) for bone in rig.pose.bones]
        assert max(between(one, other) for one, other in zip(found, row, strict=True)) < 3 * NEAR, (
            "a filter of high limits is still there"
        )


# Making chains changes nothing else.


@pytest.mark.parametrize("mode", MODES)
def test_new_chain_leaves_modes_poses_keys_pose_assets_and_other_actions_as_they_are(mode):
    rig = build(BONES, mode="XYZ")
    own_pose(rig, "Asset", dict.fromkeys(BONES, (0.1, 0.2, 0.0)))
    for bone in rig.pose.bones:
        bone.rotation_mode = mode
    animate(rig)
    other = rig.animation_data.action.copy()
    other.name, other.use_fake_user = "Not in use", True

    def everything() -> list:
        bones = [
            (bone.rotation_mode, rotation_modes.stored(bone), tuple(bone.rotation_quaternion))
            for bone in rig.pose.bones
        ]
        return [bones, {action.name: channels_of(action) for action in bpy.data.actions}]

    before = everything()
    select(rig, "base", "head")
    assert bpy.ops.limber.new_chain("INVOKE_DEFAULT") == {"FINISHED"}
    assert everything() == before


def test_undo_of_new_chain_leaves_quaternion_bones_as_they_were(undo_step):
    rig = build(BONES, mode="QUATERNION")
    animate(rig)
    undo_step("rig")
    select(rig, "base", "head")
    bpy.ops.limber.new_chain()
    undo_step("New Chain")
    rig.limber.chains[0].target = target()
    bpy.ops.limber.live()
    undo_step("Live")
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    assert not rig.limber.chains
    assert {bone.rotation_mode for bone in rig.pose.bones} == {"QUATERNION"}
    assert len(curves(rig)) == 4 * len(BONES)


def test_quaternion_bones_of_a_library_override_look_and_are_baked(tmp_path):
    path = tmp_path / "library.blend"
    rig = build(BONES, mode="QUATERNION")
    collection = bpy.data.collections.new("Robot")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(rig)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.collections = ["Robot"]
    bpy.context.scene.collection.children.link(bpy.data.collections["Robot"])
    bpy.data.collections["Robot"].override_hierarchy_create(
        bpy.context.scene, bpy.context.view_layer, do_fully_editable=True
    )
    rig = next(thing for thing in bpy.data.objects if thing.override_library and thing.type == "ARMATURE")
    rig, chain = looking_chain(rig, "base", "head")
    assert {bone.rotation_mode for bone in rig.pose.bones} == {"QUATERNION"}
    chain.frame_start, chain.frame_end = 1, 3
    go_live(rig, chain)
    assert missed(rig, chain) < 0.1
    bake(chain)
    assert {curve.data_path.rpartition(".")[2] for curve in curves(rig)} == {"rotation_quaternion"}


# postures

LEAN = {"base": (0.1, 0.5, -0.2), "neck": (0.3, 0.2, 0.1), "head": (0.1, -0.4, 0.6)}


def lean(rig, turns=LEAN) -> None:
    for name, angles in turns.items():
        set_turn(rig.pose.bones[name], Euler(angles).to_quaternion())


def turned(rig) -> dict[str, Quaternion]:
    return {bone.name: turn(bone) for bone in rig.pose.bones}


def farthest(first, second) -> float:
    return max(between(rotation, second[name]) for name, rotation in first.items())


@pytest.mark.every_blender
@pytest.mark.parametrize("mode", TOGETHER)
def test_a_posture_is_stored_in_the_bones_own_mode_and_comes_back(mode):
    rig = build(BONES, mode=mode)
    rig, chain = looking_chain(rig, "base", "head")
    lean(rig)
    wanted = turned(rig)
    bpy.ops.limber.store_posture(name="Lean")
    assert {path.rpartition(".")[2] for path, _ in channels_of(bpy.data.actions["Lean"])} == {
        channel(rig.pose.bones["head"])
    }
    lean(rig, dict.fromkeys(LEAN, (0, 0, 0)))
    bpy.ops.limber.apply_posture()
    bpy.context.view_layer.update()
    assert farthest(turned(rig), wanted) < NEAR
    lean(rig, dict.fromkeys(LEAN, (0, 0, 0)))
    chain.influence, chain.base = 0.0, "POSTURE"
    go_live(rig, chain)
    assert farthest({name: shown_basis(rig, name) for name in LEAN}, wanted) < 3 * NEAR


@pytest.mark.every_blender
@pytest.mark.parametrize("mode", TOGETHER)
@pytest.mark.parametrize("other", MODES)
def test_a_posture_stored_in_another_mode_is_the_same_posture(mode, other):
    rig = build(BONES, mode=other)
    rig, _ = looking_chain(rig, "base", "head")
    lean(rig)
    wanted = turned(rig)
    bpy.ops.limber.store_posture(name="Lean")
    for bone in rig.pose.bones:
        bone.rotation_mode = mode
    lean(rig, dict.fromkeys(LEAN, (0, 0, 0)))
    bpy.ops.limber.apply_posture()
    bpy.context.view_layer.update()
    if other in ("XYZ", *TOGETHER):  # a pose asset does not store the order of its angles
        assert farthest(turned(rig), wanted) < 3 * NEAR


@pytest.mark.every_blender
@pytest.mark.parametrize("mode", TOGETHER)
def test_a_posture_of_quaternion_bones_is_mirrored_in_their_mode(mode):
    rig = build(BONES, mode=mode)
    rig, chain = looking_chain(rig, "base", "head")
    lean(rig)
    wanted = turned(rig)
    tips = [tuple(bone.tail) for bone in evaluated_bones(rig)]
    bpy.ops.limber.store_posture(name="Lean")
    bpy.ops.limber.mirror_posture()
    bpy.ops.limber.apply_posture()
    for tip, image in zip(tips, evaluated_bones(rig), strict=True):
        assert tuple(image.tail) == pytest.approx((-tip[0], *tip[1:]), abs=1e-5)
    bpy.ops.limber.mirror_posture()
    bpy.ops.limber.apply_posture()
    bpy.context.view_layer.update()
    assert farthest(turned(rig), wanted) < 3 * NEAR
    for action in (posture.action for posture in chain.postures):
        assert {path.rpartition(".")[2] for path, _ in channels_of(action)} == {
            channel(rig.pose.bones["head"])
        }


def evaluated_bones(rig) -> list:
    bpy.context.view_layer.update()
    return list(rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones)


# robots and files


@pytest.mark.every_blender
@pytest.mark.parametrize("mode", TOGETHER)
def test_imported_motion_is_keyed_in_the_bones_own_mode(mode, tmp_path):
    rig = build({"base": "Y", "head": None}, mode=mode)
    rig, _ = looking_chain(rig, "base", "head")
    table = tmp_path / "wave.csv"
    rows = [f"{k / 24},{10 * k},{5 * k},{-3 * k}" for k in range(11)]
    table.write_text("\n".join(["seconds,base [deg],head X [deg],head Z [deg]", *rows]))
    set_turn(rig.pose.bones["head"], Quaternion((0, 1, 0), 0.3))
    make_active(rig)
    assert bpy.ops.limber.import_motion(filepath=str(table), frame_start=1) == {"FINISHED"}
    for k in range(11):
        bpy.context.scene.frame_set(1 + k)
        base, head = (turn(rig.pose.bones[name]).to_euler("XYZ") for name in ("base", "head"))
        assert (
            degrees(base.y) % 360 == pytest.approx(10 * k, abs=1e-3) or k == 10
        )  # 100 degrees for the middle angle has other angles too
        assert [degrees(head.x), degrees(head.z), head.y] == pytest.approx([5 * k, -3 * k, 0.3], abs=1e-3)
    assert {curve.data_path.rpartition(".")[2] for curve in curves(rig)} == {channel(rig.pose.bones["head"])}


@pytest.mark.every_blender
@pytest.mark.parametrize("mode", TOGETHER)
def test_the_robots_values_pose_the_bones_and_are_read_from_them_their_postures_and_their_keys(mode):
    rig, chain = moving(mode)
    followed = tuple(Source(chain.uid, joint.bone, joint.axis) for joint in chain.joints)
    given = [0.1 * k - 0.4 for k in range(len(followed))]
    ghost_lines = ghost.posed(rig, followed, given)
    assert values.pose(rig, followed, given)
    assert not values.pose(rig, followed, given), "they are posed so already"
    bpy.context.view_layer.update()
    for (head, tail), bone in zip(ghost_lines, rig.pose.bones, strict=True):
        assert (*head, *tail) == pytest.approx((*bone.head, *bone.tail), abs=1e-5)
    assert values.newest(rig, followed, [0.0] * len(given)) == pytest.approx(given, abs=NEAR)
    park = values.store_posture(rig, followed, "Park")
    assert values.in_posture(rig, park, followed, [0.0] * len(given)) == pytest.approx(given, abs=NEAR)
    bpy.context.scene.frame_set(7)
    keyed_there = values.newest(rig, followed, given)
    bpy.context.scene.frame_set(3)
    assert lookahead.values_at(rig, followed, 7) == pytest.approx(keyed_there, abs=NEAR)


@pytest.mark.every_blender
@pytest.mark.parametrize("mode", TOGETHER)
def test_a_body_that_follows_keeps_what_lies_off_the_free_axes(mode):
    from limber.rig.bodies.body_reader import BodyReader

    rig = build({"base": None, "arm": "X", "hand": "X"}, mode=mode)
    authored = Euler((0.2, 0.3, -0.4))
    set_turn(rig.pose.bones["arm"], authored.to_quaternion())
    reader = BodyReader(rig, "base", ["arm", "hand"])
    held = reader.held(rig.pose.bones)
    assert held[reader.names.index("arm")].rotation == pytest.approx([0.0, authored.y, authored.z], abs=1e-5)
    assert reader.posture(rig.pose.bones)[0] == pytest.approx(authored.x, abs=1e-5)


@pytest.mark.parametrize("mode", TOGETHER)
def test_a_live_bone_keeps_its_look_where_the_target_is_dragged_and_its_joints_are_told(mode):
    rig, chain = moving(mode)
    go_live(rig, chain)
    chain.target.animation_data_clear()
    for place in ((0.5, -0.3, 0.2), (-0.4, -0.4, 0.6)):
        chain.target.location = place
        choose(chain)
        settle()
        assert missed(rig, chain) < 0.1
        joints, angles = session(rig, chain).values(), [0.0, 0.0, 0.0]
        for index, axis in enumerate("XYZ"):
            angles[index] = joints["head", axis]
        assert between(rotation_modes.from_angles(angles, "XYZ"), shown_basis(rig, "head")) < 3 * NEAR
