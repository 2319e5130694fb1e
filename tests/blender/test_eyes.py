"""Tests eyes live: lids as bones or as a value of the robot, in live motion, bake and player."""

import bpy
import numpy as np
import pytest

from tests.blender.baking import begin
from tests.blender.rigs import UPRIGHT, build, keyed, looking_chain, target
from tests.blender.test_behaviour import played, rehearsed

END = 120


def blinking():
    """A chain whose target has keyframes, with a lid on its head and eyes that blink and look away."""
    rig = build({**UPRIGHT, "lid": None})
    rig, chain = looking_chain(rig, "base", "lower", "middle", "upper", "head", at=keyed(target(), (1, END)))
    assert "lid" not in {joint.bone for joint in chain.joints}
    assert bpy.ops.limber.add_lid(bone="lid") == {"FINISHED"}
    chain.eyes.aversion, chain.eyes.blinks, chain.eyes.follow = 1.0, 3.0, 0.2
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, END
    return rig, chain


def shown_lid(rig) -> float:
    """Shown rotation [rad] of the lid about X relative to its parent."""
    evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    lid, head = (evaluated.pose.bones[name].matrix for name in ("lid", "head"))
    rest = rig.data.bones["head"].matrix_local.inverted() @ rig.data.bones["lid"].matrix_local
    return (rest.inverted() @ head.inverted() @ lid).to_euler().x


def live_lids(rig, chain) -> np.ndarray:
    """Rotations of the lid, and the session's values, at every frame."""
    from limber.rig.live import live

    scene = bpy.context.scene
    scene.frame_set(END // 2)
    assert bpy.ops.limber.live() == {"FINISHED"}
    rows = []
    for frame in range(1, END + 1):
        scene.frame_set(frame)
        outputs = live.session(rig, chain).outputs
        assert chain.eyes.lid == pytest.approx(outputs.lid)
        rows.append((shown_lid(rig), outputs.lid, *outputs.angles))
    assert bpy.ops.limber.end_live() == {"FINISHED"}
    return np.array(rows)


@pytest.mark.every_blender
def test_a_lid_shows_blinks_and_follows_the_gaze_and_a_bake_keys_the_same():
    rig, chain = blinking()
    rows = live_lids(rig, chain)
    assert np.abs(rows[:, 0] - rows[:, 1] * chain.eyes.lids[0].closed).max() < 1e-5
    assert rows[:, 1].max() > 0.9, "it blinked"
    assert chain.eyes.lid == 0.0, "not live"
    chain.frame_start, chain.frame_end = 1, END
    work = begin(chain)
    while work.step():
        pass
    work.finish()
    baked = []
    for frame in range(1, END + 1):
        bpy.context.scene.frame_set(frame)
        baked.append(shown_lid(rig))
    assert np.abs(np.array(baked) - rows[:, 0]).max() < 1e-5


def test_the_lids_are_a_value_of_the_robot_that_the_player_has_too(tmp_path):
    rig, chain = blinking()
    assert bpy.ops.limber.add_lid_value() == {"FINISHED"}
    assert not bpy.ops.limber.add_lid_value.poll()
    (value,) = rig.limber.device.auxiliaries
    path = tmp_path / "Scene.limber"
    assert bpy.ops.limber.export_character(filepath=str(path)) == {"FINISHED"}
    rows = live_lids(rig, chain)
    recording = played(path, {}, 0, END)
    assert recording["value_names"].tolist() == [value.name]
    assert np.abs(recording["values"][:, 0] - rows[:, 1]).max() <= 1e-9
    assert np.abs(recording["commanded"] - rows[:, 2:]).max() <= 1e-9


def test_a_state_without_looks_away_has_none_and_closes_the_lids(tmp_path):
    rig, chain = blinking()
    assert bpy.ops.limber.add_lid_value() == {"FINISHED"}
    assert bpy.ops.limber.add_ready_set(name="ATTENTIVE") == {"FINISHED"}
    path, events = tmp_path / "Scene.limber", {20: "sleep"}
    assert bpy.ops.limber.export_character(filepath=str(path)) == {"FINISHED"}
    rows = rehearsed(rig, chain, events, END)
    recording = played(path, events, 0, END)
    assert np.abs(recording["commanded"] - rows).max() <= 1e-9
    assert recording["state"].tolist()[-1] == "Asleep"
    assert recording["values"][-1, 0] == pytest.approx(1.0)


def test_a_bone_with_a_joint_is_no_lid(capfd):
    blinking()
    with pytest.raises(RuntimeError, match="Bone 'head' has a joint of chain"):
        bpy.ops.limber.add_lid(bone="head")


def test_lids_have_names_of_their_own_and_a_bone_is_a_lid_once():
    rig = build({**UPRIGHT, "left": None, "right": None})
    rig, chain = looking_chain(rig, "base", "lower", "middle", "upper", "head")
    for bone in ("left", "right"):
        assert bpy.ops.limber.add_lid(bone=bone) == {"FINISHED"}
    chain.eyes.active_lid = 0
    assert bpy.ops.limber.remove_lid() == {"FINISHED"}
    with pytest.raises(RuntimeError, match="Bone 'right' is a lid of chain 'head' already: choose another"):
        bpy.ops.limber.add_lid(bone="right")
    assert bpy.ops.limber.add_lid(bone="left") == {"FINISHED"}
    assert len({lid.name for lid in chain.eyes.lids}) == 2
