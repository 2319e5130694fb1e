"""Tests that one click sets up torso, head and eyes: by names, by a selection, on characters and imported
robots.
"""

from math import atan2, cos, degrees, pi, radians, sin
from pathlib import Path

import bpy
import numpy as np
import pytest
from limber.rig.authoring.next_step import next_step
from limber.rig.bones.figure import Figure
from limber.rig.showing import chain_lines
from mathutils import Matrix, Vector

from tests.blender.baking import live_motion
from tests.blender.characters import WORDS, character
from tests.blender.makers_rigs import made
from tests.blender.rigs import build, make_active, select, target
from tests.blender.shown import (
    as_good_as_unfiltered,
    go_live,
    missed,
    no_handler_raises,  # noqa: F401
    settle,
    shown_basis,
)

HUMAN = Path(__file__).resolve().parents[3] / "shared" / "data" / "human-gazebo" / "humanSubject01_66dof.urdf"
LAMP = HUMAN.parents[1] / "lelamp" / "lelamp.urdf"


def spans(rig) -> dict[str, tuple[str, str]]:
    return {chain.name: (chain.root, chain.end) for chain in rig.limber.chains}


def named(rig, name: str):
    return rig.limber.chains[rig.limber.chains.find(name)]


@pytest.mark.parametrize(
    ("names", "torso", "head"),
    [
        ("Rigify", ("spine.001", "spine.003"), ("spine.004", "spine.006")),
        ("Mixamo", ("Spine", "Spine1"), ("Neck", "Head")),
        ("mannequin", ("spine_01", "spine_02"), ("neck_01", "head")),
        ("own", ("abdomen", "torso"), ("neck", "head")),
    ],
)
def test_bones_are_found_by_the_names_that_tools_give_them(names: str, torso: tuple, head: tuple):
    rig = character(names)
    bpy.ops.limber.eyes_head_torso()
    left, right = WORDS[names].split()[6:8]
    assert spans(rig) == {"Torso": torso, "Head": head, "Left Eye": (left, left), "Right Eye": (right, right)}
    assert [chain.share for chain in rig.limber.chains] == pytest.approx([0.2, 0.7, 1, 1])
    assert len({chain.target for chain in rig.limber.chains}) == 1


@pytest.mark.every_blender
@pytest.mark.parametrize("eye", ["Auge", "Ojo", "目"])
def test_eyelids_that_lie_where_the_eyes_do_are_no_eyes_where_a_name_in_any_known_language_tells(eye: str):
    rig, _ = made("Mixamo", names="numbers")
    left, right = ((0.03 * side, -0.09, 1.68) for side in (1, -1))
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    eyes = [min(bones, key=lambda bone: (bone.head - Vector(place)).length) for place in (left, right)]
    for bone, side in zip(eyes, "LR", strict=True):
        bone.name = f"{eye}.{side}"
        lid = bones.new(f"Lid.{side}")
        lid.parent, lid.head, lid.tail = bone.parent, bone.head, bone.tail
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.limber.eyes_head_torso()
    chains = spans(rig)
    assert (chains["Left Eye"][1], chains["Right Eye"][1]) == (f"{eye}.L", f"{eye}.R")


def test_what_is_set_up_looks_at_its_target_and_eyes_lead():
    rig = character()
    bpy.ops.limber.eyes_head_torso()
    at = named(rig, "Head").target
    assert tuple(at.matrix_world.translation) == pytest.approx((0, -2.58, 1.67), abs=1e-3), (
        "in front of the eyes"
    )
    as_good_as_unfiltered(*rig.limber.chains)
    at.keyframe_insert("location", frame=3)
    at.location.x = 2.5
    at.keyframe_insert("location", frame=5)
    chains = list(rig.limber.chains)
    motion = live_motion(rig, chains, range(1, 61))
    rows = np.array(list(motion.values()))
    parts = np.split(np.abs(rows - rows[0]), np.cumsum([len(chain.joints) for chain in chains])[:-1], axis=1)
    torso, head, eye, _ = (part.max(axis=1) for part in parts)
    assert eye[8] > 2 * head[8] > 2 * torso[8]
    assert parts[1][-1].sum() > 0.3 and torso[-1] > 0.02  # noqa: PT018 the neck and the head share the turn
    assert eye[-1] < 0.8 * eye.max(), "eyes come back as the head arrives"
    assert missed(rig, named(rig, "Left Eye")) < 0.1
    assert missed(rig, named(rig, "Right Eye")) < 0.1
    assert missed(rig, named(rig, "Head")) < 25
    assert np.degrees(parts[2][:, 1].max()) < 6, "an eye hardly rolls"


def test_each_end_looks_to_the_front_whatever_its_bones_axes_are():
    for names, turned in (
        ("own", None),
        ("Mixamo", Matrix.Rotation(-pi / 2, 4, "X")),
        ("own", Matrix.Rotation(pi / 2, 4, "Z")),
    ):
        rig = character(names, turned=turned)
        target((0, -100, 1.67)).select_set(True)
        bpy.ops.limber.eyes_head_torso()
        for chain in rig.limber.chains:
            start, tip = chain_lines.forward(rig, chain)
            assert degrees((tip - start).angle(Vector((0, -1, 0)))) < 2, chain.name
        assert [chain.forward_axis for chain in rig.limber.chains][2:] == ["+Y", "+Y"]
        rig.limber.chains.clear()


@pytest.mark.parametrize("kind", ["Mixamo", "without eyes", "ghost", "horse", "bird", "large head"])
def test_nothing_moves_before_a_new_target_does(kind: str):
    rig, _ = made(kind)
    make_active(rig)
    bpy.ops.limber.eyes_head_torso()
    bpy.ops.limber.live_all()
    for frame in range(2, 30):
        bpy.context.scene.frame_set(frame)
    for bone in rig.pose.bones:
        assert degrees(shown_basis(rig, bone.name).angle) < 0.1, bone.name


def test_a_new_target_is_where_a_posed_head_looks():
    rig = character()
    select(rig, "head")
    rig.pose.bones["neck"].rotation_euler.y = radians(30)
    bpy.context.view_layer.update()
    bpy.ops.limber.eyes_head_torso(head="head", eye="Eyeball.L", other_eye="Eyeball.R")
    for chain in rig.limber.chains:
        assert missed(rig, chain) < 0.1, chain.name


def test_a_pose_at_the_press_is_not_straight_ahead_in_other_frames():
    facing = []
    for posed in (0, 30):
        rig = character()
        select(rig, "head")
        rig.pose.bones["neck"].rotation_euler.y = radians(posed)
        bpy.context.view_layer.update()
        bpy.ops.limber.eyes_head_torso(head="head", eye="Eyeball.L", other_eye="Eyeball.R")
        facing.append([(chain.forward_axis, *chain.forward_direction) for chain in rig.limber.chains])
        bpy.ops.object.mode_set(mode="OBJECT")
    assert facing[0] == facing[1]


def test_eyes_without_limits_do_not_turn_round_and_limits_of_the_rig_stay():
    rig = character()
    rig.pose.bones["Eyeball.R"].use_ik_limit_x = True
    rig.pose.bones["Eyeball.R"].ik_min_x, rig.pose.bones["Eyeball.R"].ik_max_x = radians(-20), radians(30)
    bpy.ops.limber.eyes_head_torso()
    spans_of = {
        (joint.bone, joint.axis): (degrees(joint.lower), degrees(joint.upper))
        for c in rig.limber.chains
        for joint in c.joints
    }
    assert spans_of["Eyeball.L", "X"] == pytest.approx((-45, 45))
    assert spans_of["Eyeball.L", "Y"] == pytest.approx((-5, 5)), "it looks along +Y"
    assert spans_of["Eyeball.R", "X"] == pytest.approx((-20, 30))
    assert spans_of["head", "X"] == pytest.approx((-180, 180))


def seen_from_skull(rig, eye: str, ahead: Vector):
    """(roll about the rest direction, angle away from it) [degrees] of an eye in its parent's frame, and its
    rotation relative to rest.

    `ahead`: direction of its view at rest, in the bone's frame.
    """
    turn = shown_basis(rig, eye)
    roll = 2 * degrees(atan2(Vector((turn.x, turn.y, turn.z)).dot(ahead), turn.w))
    return abs((roll + 180) % 360 - 180), degrees((turn @ ahead).angle(ahead)), turn


EYE_LIMITS = {
    "without": (),
    "narrow": ((-30, 30), (-10, 10), (-20, 20)),
    "wide roll": ((-40, 30), (-90, 90), (-40, 40)),
}


@pytest.mark.parametrize(
    ("limits", "mode", "axes"),
    [
        ("without", "XYZ", "along"),
        ("wide roll", "ZYX", "along"),
        ("narrow", "QUATERNION", "up"),
        ("without", "YXZ", "aslant"),
        ("narrow", "XYZ", "aslant"),
    ],
)
def test_eyes_stay_in_their_range_and_never_spin_while_their_target_walks_round(
    limits: str, mode: str, axes: str
):
    rig, _ = made("Mixamo", "own", "along" if axes == "aslant" else axes)
    if axes == "aslant":
        slant(rig)
    for side in "LR":
        bone = rig.pose.bones[f"eye.{side}"]
        bone.rotation_mode = mode
        for axis, (low, high) in zip("xyz", EYE_LIMITS[limits], strict=False):
            setattr(bone, f"use_ik_limit_{axis}", True)
            setattr(bone, f"ik_min_{axis}", radians(low))
            setattr(bone, f"ik_max_{axis}", radians(high))
    at = target()
    at.select_set(True)
    bpy.ops.limber.eyes_head_torso()
    eyes = {
        name: rig.data.bones[name].matrix_local.to_3x3().inverted() @ Vector((0, -1, 0))
        for name in ("eye.L", "eye.R")
    }
    for frame in range(1, 98):
        angle = 2 * pi * frame / 96
        at.location = (3 * sin(angle), -3 * cos(angle), 2.6)
        at.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    bpy.ops.limber.live_all()
    before = {}
    for frame in range(2, 98):
        bpy.context.scene.frame_set(frame)
        for name, ahead in eyes.items():
            roll, away, turn = seen_from_skull(rig, name, ahead)
            assert roll < 15, frame
            assert away < 46, frame
            assert degrees(turn.rotation_difference(before.get(name, turn)).angle) < 20, frame
            before[name] = turn


def slant(rig) -> None:
    """Rotates the bones of the eyes such that none of their axes points forward."""
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    for side, sign in (("L", 1), ("R", -1)):
        bone = rig.data.edit_bones[f"eye.{side}"]
        bone.tail = bone.head + Vector((0.01 * sign, -0.02, 0.02))
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.every_blender
def test_a_selected_object_is_the_target():
    rig = character()
    at = target()
    at.select_set(True)
    bpy.ops.limber.eyes_head_torso()
    assert {chain.target for chain in rig.limber.chains} == {at}


@pytest.mark.every_blender
def test_a_selection_tells_which_bones_they_are():
    rig = build({"a": "Z", "b": "XZ", "c": "XZ", "d": "XZ", "e": "XZ"})
    select(rig, "b", "d", "e")
    bpy.ops.limber.eyes_head_torso()
    assert spans(rig) == {"Torso": ("a", "b"), "Head": ("c", "d"), "Eyes": ("e", "e")}


@pytest.mark.every_blender
def test_two_selected_bones_are_torso_and_head():
    rig = build({"a": "Z", "b": "XZ", "c": "XZ"})
    select(rig, "a", "c")
    bpy.ops.limber.eyes_head_torso()
    assert spans(rig) == {"Torso": ("a", "a"), "Head": ("b", "c")}


@pytest.mark.every_blender
def test_the_control_of_eyes_that_point_at_its_children_goes_to_the_target(capfd):
    rig = character()
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    for name, parent in (("gaze", "head"), ("gaze.L", "gaze"), ("gaze.R", "gaze")):
        bone = bones.new(name)
        bone.head, bone.tail = (0, -1, 1), (0, -1, 1.1)
        bone.parent = bones[parent]
    bpy.ops.object.mode_set(mode="POSE")
    for side in "LR":
        tracking = rig.pose.bones[f"Eyeball.{side}"].constraints.new("DAMPED_TRACK")
        tracking.target, tracking.subtarget = rig, f"gaze.{side}"
    select(rig, "head", "Eyeball.L", "Eyeball.R")
    bpy.ops.limber.eyes_head_torso()
    goal = rig.limber.chains["Head"].target
    assert f"The eyes point at 'gaze', which goes to '{goal.name}'" in capfd.readouterr().out
    assert rig.pose.bones["gaze"].constraints["Limber Gaze"].target == goal


@pytest.mark.every_blender
def test_two_tips_of_a_selection_are_eyes():
    rig = character()
    select(rig, "head", "Eyeball.L", "Eyeball.R")
    bpy.ops.limber.eyes_head_torso()
    assert spans(rig) == {
        "Head": ("neck", "head"),
        "Left Eye": ("Eyeball.L",) * 2,
        "Right Eye": ("Eyeball.R",) * 2,
    }


def test_with_everything_selected_names_count():
    rig = character()
    select(rig, *rig.data.bones.keys())
    bpy.ops.limber.eyes_head_torso()
    assert spans(rig)["Torso"] == ("abdomen", "torso")


def test_bones_can_be_said():
    rig = character()
    bpy.ops.limber.eyes_head_torso(head="head", eye="Eyeball.L")
    assert spans(rig) == {"Head": ("neck", "head"), "Eyes": ("Eyeball.L", "Eyeball.L")}


def test_undo_takes_all_of_it_away_in_one_step(undo_step):
    character()
    undo_step("character")
    bpy.ops.limber.eyes_head_torso()
    undo_step("Eyes, Head and Torso")
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Character"]
    assert not rig.limber.chains
    assert "Character Gaze" not in bpy.data.objects


def test_bones_that_rotate_by_quaternion_stay_so():
    rig = character("Rigify", mode="QUATERNION")
    bpy.ops.limber.eyes_head_torso()
    assert len(rig.limber.chains) == 4
    assert {bone.rotation_mode for bone in rig.pose.bones} == {"QUATERNION"}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"head": "nose"}, "Bone 'nose' is missing"),
        ({"head": "nose", "eye": "eye.L"}, "Bone 'nose' is missing"),
        ({"head": "head", "eye": "nose"}, "Bone 'nose' is missing"),
        ({"torso": "torso"}, "No head was found: select the torso's last bone"),
        ({"head": "abdomen", "torso": "torso"}, "Head 'abdomen' is not below torso 'torso'"),
        ({"head": "head", "eye": "shoulder.L"}, "Eye 'shoulder.L' is not below head 'head'"),
    ],
)
def test_what_is_missing_is_named_and_nothing_is_made(said: dict, words: str):
    rig = character()
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.limber.eyes_head_torso(**said)
    assert not rig.limber.chains


def test_what_was_not_found_is_told_and_the_rest_is_made(capfd):
    rig = build({"chest": "YX", "head": "XZ"}, "Bust")
    bpy.ops.limber.eyes_head_torso(torso="chest", head="head")
    assert "Info: No eyes were found, so the head looks all the way" in capfd.readouterr().out
    assert [chain.share for chain in rig.limber.chains] == pytest.approx([0.2, 1.0])
    rig = build({"head": "XZ", "eye.L": "XZ", "eye.R": "XZ"}, "Mask", parents={"eye.R": "head"})
    bpy.ops.limber.eyes_head_torso()
    output = capfd.readouterr().out
    assert (
        "Info: No torso was found, so head and eyes take the whole look; if there is one, choose it" in output
    )
    assert "Warning" not in output
    assert len(rig.limber.chains) == 3


@pytest.mark.every_blender
@pytest.mark.parametrize("beside", [True, False], ids=["beside a figure", "alone"])
def test_a_head_without_a_parent_that_is_selected_takes_the_whole_look(beside: bool, capfd):
    bones = {"neck": "XZ", "head": "XZ", "ball": "XZ"} if beside else {"ball": "XZ"}
    rig = build(bones, "Droid", parents={"ball": ""})
    select(rig, "ball")
    bpy.ops.limber.eyes_head_torso()
    assert spans(rig) == {"Head": ("ball", "ball")}
    assert named(rig, "Head").share == 1.0
    output = capfd.readouterr().out
    assert "Info: No torso and no eyes were found, so the head takes the whole look" in output
    assert "Warning" not in output


def test_a_second_click_says_which_chain_has_the_bones():
    rig = character()
    bpy.ops.limber.eyes_head_torso()
    with pytest.raises(RuntimeError, match="already moves in chain 'Torso'"):
        bpy.ops.limber.eyes_head_torso()
    assert len(rig.limber.chains) == 4


def test_where_it_cannot_be_done_the_button_says_why():
    character()
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Leave Edit Mode first"):
        bpy.ops.limber.eyes_head_torso()
    bpy.ops.object.mode_set(mode="OBJECT")
    frame = target()
    frame.limber.mechanism.uid = "of a mechanism"
    make_active(frame)
    with pytest.raises(RuntimeError, match="is no armature: click the character's armature"):
        bpy.ops.limber.eyes_head_torso()


@pytest.mark.every_blender
@pytest.mark.skipif(not HUMAN.exists(), reason=f"no {HUMAN}")
@pytest.mark.parametrize("axis", range(3))
def test_an_armature_scaled_to_nothing_says_so(axis: int):
    rig = character()
    rig.scale[axis] = 0.0
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="is scaled to 0 along an axis: give it a scale other than 0"):
        bpy.ops.limber.eyes_head_torso()
    assert not rig.limber.chains


def test_the_symmetry_of_a_figure_is_found_once_for_one_press(monkeypatch):
    rig, _ = made("Mixamo")
    make_active(rig)
    found, candidates = [], Figure._candidates
    monkeypatch.setattr(Figure, "_candidates", lambda figure: found.append(1) or candidates(figure))
    bpy.ops.limber.eyes_head_torso()
    assert len(rig.limber.chains) == 4
    assert len(found) == 1


def test_an_imported_human_without_eyes_gets_torso_and_head_that_face_as_robots_do():
    bpy.ops.limber.import_robot(filepath=str(HUMAN))
    rig = bpy.context.active_object
    bpy.ops.limber.eyes_head_torso()
    assert [chain.name for chain in rig.limber.chains] == ["Torso", "Head"]
    torso, head = rig.limber.chains
    assert (torso.end, head.end) == ("T8", "Head")
    assert torso.root.startswith("L5")
    assert head.target.matrix_world.translation.x > 1, "the robot faces +X"
    go_live(rig, torso)
    go_live(rig, head)
    before = missed(rig, head)
    head.target.location.y = 1.0
    settle()
    assert before < 1
    assert missed(rig, head) < 25


@pytest.mark.every_blender
@pytest.mark.skipif(not LAMP.exists(), reason=f"no {LAMP}")
def test_a_robot_without_a_head_says_what_to_select():
    bpy.ops.limber.import_robot(filepath=str(LAMP))
    with pytest.raises(RuntimeError, match="No head was found"):
        bpy.ops.limber.eyes_head_torso()
    assert not bpy.context.active_object.limber.chains


@pytest.mark.every_blender
def test_all_chains_go_live_and_leave_with_a_click_each_and_what_cannot_is_named(capsys):
    rig = character()
    bpy.ops.limber.eyes_head_torso()
    assert next_step(rig, False).operator == "limber.live_all"
    named(rig, "Left Eye").target = None
    assert bpy.ops.limber.live_all() == {"FINISHED"}
    assert [chain.live for chain in rig.limber.chains] == [True, True, False, True]
    assert "Chain 'Left Eye' has no target" in capsys.readouterr().out
    assert bpy.ops.limber.live_all() == {"CANCELLED"}
    named(rig, "Left Eye").target = named(rig, "Head").target
    bpy.ops.limber.live_all()
    settle()
    assert missed(rig, named(rig, "Left Eye")) < 0.1
    with pytest.raises(RuntimeError, match="All is live already"):
        bpy.ops.limber.live_all()
    bpy.ops.limber.end_live_all()
    assert not any(chain.live for chain in rig.limber.chains)
    with pytest.raises(RuntimeError, match="Nothing is live"):
        bpy.ops.limber.end_live_all()
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Leave this mode first"):
        bpy.ops.limber.live_all()


@pytest.mark.parametrize("names", ["Rigify", "Mixamo", "mannequin", "own"])
def test_the_head_looks_from_the_height_of_its_eyes_however_its_neck_is_turned(names):
    rig = character(names)
    bpy.ops.limber.eyes_head_torso()
    head = next(chain for chain in rig.limber.chains if chain.end.lower() in ("head", "spine.006"))
    bone = rig.data.bones[head.end]
    assert bone.head_local.z + head.eye * bone.length == pytest.approx(
        1.67, abs=1e-3
    )  # positions of the eyes in PLACES
