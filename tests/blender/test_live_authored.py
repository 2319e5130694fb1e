"""Tests that authored and warped pose are stored separately: the user's data never change, and the warped
pose vanishes without remains.
"""

import subprocess
import sys

import bpy
import limber
import pytest
from limber.rig.blender import actions
from limber.rig.showing import proxy

from tests.blender.rigs import keyed, looking_chain
from tests.blender.shown import (  # noqa: F401
    authored,
    evaluated,
    farthest,
    go_live,
    missed,
    no_handler_raises,
    pose,
    session,
    settle,
    traces,
)

pytestmark = pytest.mark.every_blender

FRAMES = range(1, 21)


def frames(rig) -> list:
    """Shown pose at each frame."""
    rows = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        rows.append(pose(rig))
    return rows


def keys_on_all(rig):
    for bone in rig.pose.bones:
        keyed(bone, (1, 20), "rotation_euler", (0.3, -0.2, 0.1))


def keys_on_some(rig):
    rig.pose.bones["lower"].keyframe_insert("rotation_euler", index=0, frame=1)
    rig.pose.bones["lower"].rotation_euler.x = 0.8
    rig.pose.bones["lower"].keyframe_insert("rotation_euler", index=0, frame=20)
    rig.pose.bones["head"].keyframe_insert("rotation_euler", index=1, frame=5)
    rig.pose.bones["middle"].rotation_euler.x = -0.6  # without a keyframe


def nla_strip(rig):
    keys_on_some(rig)
    animation = rig.animation_data
    track = animation.nla_tracks.new()
    track.strips.new("Lean", 1, animation.action)
    animation.action = None


def drivers(rig):
    for bone, expression in (("lower", "sin(frame / 9)"), ("head", "frame / 40")):
        rig.pose.bones[bone].driver_add("rotation_euler", 0).driver.expression = expression


def constraints(rig):
    held = rig.pose.bones["middle"].constraints.new("LIMIT_ROTATION")
    held.use_limit_x, held.min_x, held.max_x, held.owner_space = True, -0.1, 0.1, "LOCAL"
    rig.pose.bones["middle"].rotation_euler.x = 0.5


def nothing(rig):
    pass


AUTHORING = (keys_on_all, keys_on_some, nla_strip, drivers, constraints, nothing)


@pytest.mark.parametrize("author", AUTHORING)
def test_whatever_moves_the_rig_live_changes_none_of_it_and_ends_without_a_trace(author):
    rig, chain = looking_chain()
    author(rig)
    bpy.context.view_layer.update()
    before, bones = frames(rig), authored(rig)
    evaluated_bones = authored(evaluated(rig))
    go_live(rig, chain)
    keyed(chain.target, (1, 20))
    live_frames = frames(rig)
    assert max(farthest(a, b) for a, b in zip(before, live_frames, strict=True)) > 0.05, "it does something"
    assert authored(rig) == bones
    assert authored(evaluated(rig)) == evaluated_bones
    bpy.ops.limber.end_live()
    assert traces() == []
    assert authored(rig) == bones
    assert [farthest(a, b) for a, b in zip(before, frames(rig), strict=True)] == [0.0] * len(before)


@pytest.mark.parametrize("author", [keys_on_all, keys_on_some, nla_strip, drivers])
def test_the_posture_that_is_kept_is_the_animation(author):
    rig, chain = looking_chain()
    author(rig)
    now = go_live(rig, chain)
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        bones = evaluated(rig).pose.bones
        told = [bones[bone].rotation_euler["XYZ".index(axis)] for bone, axis in now.reader.joint_keys]
        assert now.goal.posture.tolist() == told
    assert len({tuple(row) for row in [told]}) == 1
    assert any(abs(angle) > 0.05 for angle in told), "the animation says something"


def test_posing_by_hand_while_live_moves_the_authored_pose_by_just_that():
    rig, chain = looking_chain()
    rig.pose.bones["middle"].rotation_euler.x = 0.4
    now = go_live(rig, chain)
    shown, bones = pose(rig), authored(rig)
    rig.pose.bones["upper"].rotation_euler.x += 0.3
    settle()
    changed = [k for k, (a, b) in enumerate(zip(bones, authored(rig), strict=True)) if a != b]
    assert [rig.pose.bones[k].name for k in changed] == ["upper"]
    assert rig.pose.bones["upper"].rotation_euler.x == pytest.approx(0.3)
    assert now.goal.posture[now.reader.joint_keys.index(("upper", "X"))] == pytest.approx(0.3)
    assert farthest(shown, pose(rig)) > 1e-3, "the warp keeps the new posture"
    assert missed(rig, chain) < 0.1


@pytest.mark.parametrize("auto_key", [False, True])
def test_turning_a_bone_with_blenders_own_tool_while_live_turns_the_authored_pose(auto_key):
    rig, chain = looking_chain()
    go_live(rig, chain)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = auto_key
    if auto_key:  # into existing curves: newer versions create none by themselves without a window
        rig.pose.bones["upper"].keyframe_insert("rotation_euler", frame=1)
        bpy.context.scene.frame_set(2)
    bones = rig.pose.bones
    for bone in bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name == "upper"
    before = [tuple(bone.rotation_euler) for bone in bones]
    bpy.ops.transform.rotate(value=0.25, orient_axis="X", orient_type="LOCAL")
    turned = [
        abs(a - b)
        for bone, was in zip(bones, before, strict=True)
        for a, b in zip(bone.rotation_euler, was, strict=True)
    ]
    moved = [k for k, angle in enumerate(turned) if angle > 1e-5]
    assert moved == [3 * list(bones).index(bones["upper"])]
    assert turned[moved[0]] == pytest.approx(0.25, abs=1e-4)
    if auto_key:
        curves = actions.fcurves(rig.animation_data.action)
        assert {curve.data_path for curve in curves} == {'pose.bones["upper"].rotation_euler'}
        for curve in curves:
            assert curve.evaluate(2) == pytest.approx(
                bones["upper"].rotation_euler[curve.array_index], abs=1e-6
            )
        assert [point.co.x for point in actions.find(curves, curves[0].data_path, 0).keyframe_points] == [
            1,
            2,
        ]


def test_a_key_inserted_while_live_holds_the_authored_value():
    rig, chain = looking_chain()
    rig.pose.bones["lower"].rotation_euler.x = 0.35
    go_live(rig, chain)
    shown = evaluated(rig).pose.bones["lower"].matrix.copy()
    rig.pose.bones["lower"].keyframe_insert("rotation_euler", frame=7)
    bpy.context.scene.frame_set(7)
    assert rig.pose.bones["lower"].rotation_euler.x == pytest.approx(0.35)
    assert evaluated(rig).pose.bones["lower"].rotation_euler.x == pytest.approx(0.35)
    assert farthest([shown], [rig.pose.bones["lower"].matrix_basis]) > 1e-3


def test_a_posture_stored_or_applied_while_live_is_the_authored_pose():
    rig, chain = looking_chain()
    rig.pose.bones["lower"].rotation_euler.x = 0.35
    go_live(rig, chain)
    bpy.ops.limber.store_posture(name="Lean")
    rig.pose.bones["lower"].rotation_euler.x = 0.0
    bpy.ops.limber.apply_posture()
    assert rig.pose.bones["lower"].rotation_euler.x == pytest.approx(0.35)
    assert rig.pose.bones["upper"].rotation_euler.x == 0.0


READ = """
import bpy, sys
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
rig = bpy.data.objects["Rig"]
print("OBJECTS", sorted(thing.name for thing in bpy.data.objects))
print("ARMATURES", sorted(data.name for data in bpy.data.armatures))
print("SCENES", len(bpy.data.scenes))
print("CONSTRAINTS", [held.name for bone in rig.pose.bones for held in bone.constraints])
print("ANGLE", round(rig.pose.bones["lower"].rotation_euler.x, 4), round(rig.pose.bones["lower"].matrix_basis.to_euler().x, 4))
shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["lower"]
print("SHOWN", round(shown.matrix.to_euler().x - shown.bone.matrix_local.to_euler().x, 4))
sys.stdout.flush()
import os; os._exit(0)
"""


def read_without_limber(path) -> dict[str, str]:
    """Content that a Blender without Limber finds in a file."""
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, timeout=200, check=True
    )
    return dict(line.split(" ", 1) for line in done.stdout.splitlines() if line.split(" ")[0].isupper())


def test_a_file_saved_while_live_holds_the_authored_pose_alone(tmp_path):
    rig, chain = looking_chain()
    rig.pose.bones["lower"].rotation_euler.x = 0.35
    go_live(rig, chain)
    shown = pose(rig)
    path = tmp_path / "live.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    found = read_without_limber(path)
    assert found["OBJECTS"] == "['Rig', 'Target']"
    assert found["ARMATURES"] == "['Rig']"
    assert found["SCENES"] == "1"
    assert found["CONSTRAINTS"] == "[]"
    assert found["ANGLE"] == "0.35 0.35"
    assert found["SHOWN"] == "0.35"
    assert farthest(shown, pose(rig)) < 1e-6, "live is seen on after the save"
    chain.target.location.x *= -1
    settle()
    assert farthest(shown, pose(rig)) > 1e-2
    assert missed(rig, chain) < 0.1


@pytest.mark.parametrize("mode", ["OBJECT", "POSE", "EDIT"])
def test_saving_leaves_the_users_mode_and_selection_alone(tmp_path, mode):
    rig, chain = looking_chain()
    go_live(rig, chain)
    bpy.ops.object.mode_set(mode=mode)
    bpy.context.view_layer.objects.active.select_set(True)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "live.blend"))
    assert rig.mode == mode
    assert bpy.context.view_layer.objects.active == rig
    assert bpy.context.selected_objects == [rig]
    bpy.ops.object.mode_set(mode="POSE")
    settle()
    assert missed(rig, chain) < 0.1


def test_a_save_that_fails_leaves_live_as_it_was(tmp_path):
    rig, chain = looking_chain()
    go_live(rig, chain)
    shown = pose(rig)
    with pytest.raises(RuntimeError):
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "no such folder" / "live.blend"))
    assert farthest(shown, pose(rig)) < 1e-6
    assert missed(rig, chain) < 0.1


@pytest.mark.parametrize("mode", ["OBJECT", "POSE", "EDIT"])
def test_a_file_saved_live_opens_live(reopen, mode):
    rig, chain = looking_chain()
    rig.pose.bones["lower"].rotation_euler.x = 0.35
    go_live(rig, chain)
    shown = pose(rig)
    bpy.ops.object.mode_set(mode=mode)
    reopen()
    rig = bpy.data.objects["Rig"]
    chain = rig.limber.chains[0]
    bpy.context.view_layer.objects.active = rig
    assert rig.mode in {mode, "OBJECT"}
    bpy.ops.object.mode_set(mode="POSE")
    settle()
    assert chain.live
    assert session(rig, chain).problem == ""
    assert farthest(shown, pose(rig)) < 1e-4
    assert rig.pose.bones["lower"].rotation_euler.x == pytest.approx(0.35)
    chain.target.location.x *= -1
    settle()
    assert missed(rig, chain) < 0.1
    bpy.ops.limber.end_live()
    assert traces() == []


def test_a_recovered_session_that_was_saved_without_hooks_is_healed(tmp_path):
    rig, chain = looking_chain()
    rig.pose.bones["lower"].rotation_euler.x = 0.35
    go_live(rig, chain)
    proxy.find(rig).use_fake_user = True  # as in memory saved by a crash: with the twin and the constraints
    path = tmp_path / "recovered.blend"
    for name in ("save_pre", "save_post"):
        getattr(bpy.app.handlers, name).clear()
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    limber.unregister()
    limber.register()
    found = read_without_limber(path)
    assert "Limber" in found["CONSTRAINTS"], "the file is ill"
    assert "Limber" in found["OBJECTS"]
    bpy.ops.wm.open_mainfile(filepath=str(path))
    rig = bpy.data.objects["Rig"]
    chain = rig.limber.chains[0]
    settle()
    assert len([thing for thing in bpy.data.objects if proxy.MARK in thing]) == 1
    assert len([data for data in bpy.data.armatures if proxy.MARK in data]) == 1
    assert missed(rig, chain) < 0.1
    bpy.context.view_layer.objects.active = rig
    bpy.ops.limber.end_live()
    assert traces() == []
    assert rig.pose.bones["lower"].rotation_euler.x == pytest.approx(0.35)


def test_a_recovered_session_in_which_no_chain_is_live_any_more_is_healed(tmp_path):
    rig, chain = looking_chain()
    go_live(rig, chain)
    proxy.find(rig).use_fake_user = True
    for name in ("save_pre", "save_post"):
        getattr(bpy.app.handlers, name).clear()
    chain.live = False
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "recovered.blend"))
    limber.unregister()
    limber.register()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "recovered.blend"))
    assert traces() == []
