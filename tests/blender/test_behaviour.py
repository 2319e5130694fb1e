"""Tests that a behaviour authored in Blender and rehearsed live gives the same motion as the player."""

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.blender.behaviours import add_states, add_transition
from tests.blender.rigs import keyed, looking_chain, target

END = 60


def reacting(is_filtered: bool = True):
    """A chain with two states, calm in one posture, and eager in another posture and with another target; and
    a gesture.
    """
    rig, chain = looking_chain(at=keyed(target(), (1, END)))
    for name, angle in (("Low", 0.1), ("High", -0.4)):
        rig.pose.bones["middle"].rotation_euler.x = angle
        bpy.ops.limber.store_posture(name=name)
    rig.pose.bones["middle"].rotation_euler.x = 0.0
    chain.life.amount = 1.0
    if not is_filtered:
        chain.filter = "none"
    other = target((-0.4, -0.7, 0.6), "Visitor")
    chain.targets.add().target = other
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, END
    calm, eager, tired = add_states("Calm", "Eager", "Tired")
    calm.sets_influence, calm.influence, calm.life = True, 0.3, 0.5
    eager.seconds, eager.look_at = 0.4, other
    kept = eager.postures.add()
    kept.action, kept.weight = bpy.data.actions["High"], 0.75
    tired.sets_influence, tired.influence, tired.seconds = True, 0.0, 0.6
    tired.postures.add().action = bpy.data.actions["Low"]
    for begin, end, cause, event in (
        ("Calm", "Eager", "event", "arrive"),
        ("Eager", "Tired", "after", ""),
        ("Tired", "Calm", "random", ""),
    ):
        add_transition(begin, end, cause=cause, event=event, seconds=0.5, longest=0.9)
    scene.limber_behaviour.seed = 3
    return rig, chain


def rehearsed(rig, chain, events: dict[int, str], frames: int = END) -> np.ndarray:
    """Values (frames, n) of the chain's joints while the behaviour is rehearsed; events by their frames."""
    from limber.rig.live import live

    scene = bpy.context.scene
    scene.frame_set(frames // 2)
    assert bpy.ops.limber.live() == {"FINISHED"}
    assert bpy.ops.limber.rehearse() == {"FINISHED"}
    rows = []
    for frame in range(1, frames + 1):
        if frame in events:
            assert bpy.ops.limber.send_event(name=events[frame]) == {"FINISHED"}
        scene.frame_set(frame)
        rows.append(live.session(rig, chain).outputs.angles)
    return np.array(rows)


def played(path: Path, events: dict[int, str], seed: int, frames: int = END) -> dict:
    """Output of the command `limber play --script`."""
    from limber.player.command import main

    scene = bpy.context.scene
    rate = scene.render.fps / scene.render.fps_base
    script, out = path.with_suffix(".json"), path.with_suffix(".npz")
    listed = [{"at": (frame - 1) / rate, "event": name} for frame, name in events.items()]
    script.write_text(
        json.dumps({"seconds": (frames - 1) / rate, "rate": rate, "seed": seed, "events": listed})
    )
    assert main(["play", str(path), "--script", str(script), "--out", str(out)]) == 0
    return dict(np.load(out))


@pytest.mark.every_blender
@pytest.mark.parametrize("is_filtered", [True, False])
def test_what_is_rehearsed_in_blender_is_what_the_player_does(is_filtered: bool, tmp_path):
    rig, chain = reacting(is_filtered)
    events = {8: "arrive"}
    path = tmp_path / "Scene.limber"
    assert bpy.ops.limber.export_character(filepath=str(path)) == {"FINISHED"}
    rows = rehearsed(rig, chain, events)
    recording = played(path, events, bpy.context.scene.limber_behaviour.seed)
    assert list(dict.fromkeys(recording["state"].tolist())) == ["Calm", "Eager", "Tired"]
    assert recording["state"].tolist()[-1] == "Calm"
    assert np.abs(recording["commanded"] - rows).max() <= 1e-9
    assert np.ptp(rows, axis=0).max() > 0.3


def waving(rig) -> None:
    """Two short actions of the chain's bones: a nod of `middle`, and a dance of `middle` and `lower`."""
    for name, bones, angles in (
        ("Nod", ("middle",), (0.0, 0.4, 0.0)),
        ("Dance", ("middle", "lower"), (0.0, -0.3, 0.2)),
    ):
        rig.animation_data_create().action = bpy.data.actions.new(name)
        for bone in bones:
            for frame, angle in zip((1, 5, 9), angles, strict=True):
                rig.pose.bones[bone].rotation_euler.x = angle
                rig.pose.bones[bone].keyframe_insert("rotation_euler", frame=frame)
    rig.animation_data.action = None


def test_a_states_clip_and_a_gesture_over_it_are_the_same_in_both_hosts(tmp_path):
    rig, chain = reacting()
    waving(rig)
    behaviour = bpy.context.scene.limber_behaviour
    eager = behaviour.states["Eager"]
    eager.clip, eager.loops = bpy.data.actions["Dance"], False
    behaviour.transitions[1].cause = "ended"
    assert bpy.ops.limber.add_to_behaviour(items="gestures") == {"FINISHED"}
    gesture = behaviour.gestures[0]
    gesture.name, gesture.event, gesture.action = "Nod", "nod", bpy.data.actions["Nod"]
    events = {4: "nod", 8: "arrive", 12: "nod", 40: "nod"}
    path = tmp_path / "Scene.limber"
    assert bpy.ops.limber.export_character(filepath=str(path)) == {"FINISHED"}
    rows = rehearsed(rig, chain, events)
    recording = played(path, events, behaviour.seed)
    assert np.abs(recording["commanded"] - rows).max() <= 1e-9
    states = recording["state"].tolist()
    assert states.index("Tired") - states.index("Eager") == 8  # number of frames of the clip
    lines = [json.loads(line) for line in recording["decisions"]]
    assert [line["gesture"] for line in lines if line.get("gesture")] == ["Nod"] * 3


def test_a_gesture_leaves_joints_alone_that_its_mask_has_not():
    from limber.rig.behaviour.authored import behaviour as built
    from limber.rig.behaviour.authored import cast_of

    rig, chain = reacting()
    waving(rig)
    scene = bpy.context.scene
    assert bpy.ops.limber.add_to_behaviour(items="gestures") == {"FINISHED"}
    scene.limber_behaviour.gestures[0].action = bpy.data.actions["Dance"]
    label = next(joint.label for joint in chain.joints if joint.bone == "lower")
    moved = [np.isfinite(built(scene, cast_of([(rig, chain)])).gestures[0].rows[0])]
    assert bpy.ops.limber.mask_joint(joint=label) == {"FINISHED"}
    moved.append(np.isfinite(built(scene, cast_of([(rig, chain)])).gestures[0].rows[0]))
    assert moved[0].sum() == moved[1].sum() + 1
    assert bpy.ops.limber.mask_joint(joint=label) == {"FINISHED"}
    assert not scene.limber_behaviour.gestures[0].left_alone


def test_between_two_frames_a_transition_is_where_it_was_on_the_way_there():
    from limber.rig.live import live

    rig, chain = reacting(is_filtered=False)
    scene = bpy.context.scene
    rehearsed(rig, chain, {8: "arrive"}, 11)

    def between() -> list[float]:
        """Values shown between two frames during the transition."""
        scene.frame_set(11, subframe=0.5)
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        return [number for row in shown.pose.bones["head"].matrix for number in row]

    forward = between()
    scene.frame_set(12)
    assert live.session(rig, chain).outputs is not None
    assert between() == pytest.approx(forward, abs=1e-6)
