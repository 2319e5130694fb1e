"""Tests a bone as target of a chain's end: of an animated character, or of the chain's own armature."""

import bpy
import numpy as np
import pytest

from tests.blender.rigs import UPRIGHT, build, looking_chain
from tests.blender.test_behaviour import END, played

ARM = {
    "shoulder": (None, (0.5, -0.8, 0.2), (0.5, -0.8, 0.5)),
    "hand": ("shoulder", (0.5, -0.8, 0.5), (0.5, -0.8, 0.6)),
}


def visitor():
    """An armature whose hand is animated by the bone above it."""
    data = bpy.data.armatures.new("Visitor")
    rig = bpy.data.objects.new("Visitor", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (parent, head, tail) in ARM.items():
        bone = data.edit_bones.new(name)
        bone.head, bone.tail, bone.parent = head, tail, data.edit_bones.get(parent or "")
    bpy.ops.object.mode_set(mode="OBJECT")
    bone = rig.pose.bones["shoulder"]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.8), (END, -0.8)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    return rig


def watching(target_object, bone: str):
    rig, chain = looking_chain(at=target_object)
    chain.target_bone = bone
    return rig, chain


def miss(session, place) -> float:
    """Distance [m] between the target's position in the chain's session and a point in the world."""
    (inputs,) = session.aimed
    return (np.array(inputs.target)[:3, 3] - np.array(place)).max()


@pytest.mark.every_blender
def test_a_chain_looks_at_a_bone_of_an_animated_character_in_both_hosts(tmp_path):
    from limber.rig.live import live

    other = visitor()
    rig, chain = watching(other, "hand")
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, END
    scene.frame_set(1)
    assert bpy.ops.limber.live() == {"FINISHED"}
    rows, places = [], []
    for frame in range(1, END + 1):
        scene.frame_set(frame)
        session = live.session(rig, chain)
        hand = other.matrix_world @ other.pose.bones["hand"].head
        assert session.outputs.solution.aim_error < 1e-6
        assert abs(miss(session, hand)) < 1e-6
        rows.append(session.outputs.angles)
        places.append(hand.copy())
    assert (places[0] - places[-1]).length > 0.3
    assert bpy.ops.limber.end_live() == {"FINISHED"}
    path = tmp_path / "Scene.limber"
    assert bpy.ops.limber.export_character(filepath=str(path)) == {"FINISHED"}
    recording = played(path, {}, 0)
    assert np.abs(recording["commanded"] - rows).max() <= 1e-9


def test_a_chain_looks_at_a_bone_of_its_own_armature_that_it_does_not_move():
    from limber.rig.chains.check import check

    rig = build({**UPRIGHT, "palm": "X"}, parents={"palm": ""})
    rig, chain = looking_chain(rig, "head", at=rig)
    assert "palm" not in {joint.bone for joint in chain.joints}
    chain.target_bone = "head"
    assert "it is on a bone that the chain moves" in check(bpy.context, rig, chain)[0].sentence
    chain.target_bone = "gone"
    assert "has no bone 'gone'" in check(bpy.context, rig, chain)[0].sentence
    chain.target_bone = "palm"
    assert not [finding for finding in check(bpy.context, rig, chain) if finding.blocks]


def test_what_moves_a_target_refuses_a_bone_with_the_remedy():
    other = visitor()
    watching(other, "hand")
    from limber.operators.authoring.look_at import LIMBER_OT_move_with_mouse

    why = LIMBER_OT_move_with_mouse.why_not(bpy.context)
    assert why == (
        "Target 'Visitor/hand' is a bone, which its armature moves: pose it there, or choose an object as target"
    )


def test_a_stale_bone_means_nothing_beside_an_object():
    _, chain = looking_chain()
    chain.target_bone = "hand"
    from limber.rig.scene.goal import followed_target

    assert tuple(followed_target(chain)) == (chain.target, "")


def test_a_state_looks_at_one_of_several_bones_of_an_armature():
    from limber.rig.behaviour import choices
    from limber.rig.behaviour.authored import behaviour, cast_of, findings

    other = visitor()
    rig, chain = watching(other, "shoulder")
    further = chain.targets.add()
    further.target, further.target_bone = other, "hand"
    scene = bpy.context.scene
    state = scene.limber_behaviour.states.add()
    state.name, state.look_at = "Idle", other

    def target() -> str | None:
        return behaviour(scene, cast_of([(rig, chain)])).states[0].role("head").target

    assert choices.target_bones(state, bpy.context, "") == ["shoulder", "hand"]
    assert choices.target_bones(state, bpy.context, "HA") == ["hand"]
    assert target() == "Visitor/shoulder", "the first"
    state.look_at_bone = "hand"
    assert target() == "Visitor/hand"
    assert findings(scene) == []
    state.look_at_bone = "gone"
    assert target() is None
    assert "looks at 'Visitor/gone', which no chain's own end has as target" in findings(scene)[0].sentence


def test_a_state_looks_at_no_target_of_a_further_end():
    from limber.rig.behaviour import choices
    from limber.rig.behaviour.authored import findings

    _, chain = looking_chain(at=visitor())
    chain.target_bone = "hand"
    reached = bpy.data.objects.new("Reached", None)
    bpy.context.scene.collection.objects.link(reached)
    end = chain.ends.add()
    end.bone, end.target, end.enabled = "upper", reached, True
    assert not choices.is_target(reached)
    state = bpy.context.scene.limber_behaviour.states.add()
    state.name, state.look_at = "Idle", reached
    assert "which no chain's own end has as target" in findings(bpy.context.scene)[0].sentence
