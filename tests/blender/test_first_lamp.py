"""Tests the path of a new user: a click builds the lamp, and the interface always shows the next step."""

import itertools
from math import degrees

import bpy
import pytest


@pytest.fixture
def lamp():
    """The lamp's armature object, just added."""
    bpy.ops.limber.add_demo_lamp()
    return bpy.context.active_object


def place(thing, frame: int) -> tuple:
    bpy.context.scene.frame_set(frame)
    return tuple(thing.matrix_world.translation)


def test_one_click_builds_a_lamp_that_looks_at_its_ball_once_it_is_live(lamp):
    from limber.rig.live import live

    bpy.ops.limber.live()
    chain = lamp.limber.chains[0]
    for frame in range(1, 40):
        bpy.context.scene.frame_set(frame)
    assert degrees(live.session(lamp, chain).outputs.filtered_aim_error) < 0.5


def test_nothing_is_wrong_with_the_lamp(lamp):
    from limber.rig.chains.check import check

    assert check(bpy.context, lamp, lamp.limber.chains[0]) == []


def test_the_ball_moves_and_where_the_scene_begins_anew_it_does_not_jump(lamp):
    ball = lamp.limber.chains[0].target
    scene = bpy.context.scene
    first, middle, last, after = (
        place(ball, frame) for frame in (scene.frame_start, 60, scene.frame_end, scene.frame_end + 1)
    )
    assert max(abs(a - b) for a, b in zip(first, middle, strict=True)) > 0.1
    assert max(abs(a - b) for a, b in zip(first, after, strict=True)) < 1e-5
    assert max(abs(a - b) for a, b in zip(first, last, strict=True)) < 0.02


def test_the_lamp_stands_beside_what_is_there(lamp):
    assert tuple(lamp.location) == (0, 0, 0)
    bpy.ops.limber.add_demo_lamp()
    second = bpy.context.active_object
    assert second.location.x > 0.9
    assert second.limber.chains[0].target != lamp.limber.chains[0].target
    assert [posture.action.name for posture in second.limber.chains[0].postures] == [
        f"{posture.action.name}.001" for posture in lamp.limber.chains[0].postures
    ]


def test_the_states_of_the_ready_sets_look_different(lamp):
    from limber.rig.authoring.first_lamp.lamp import POSTURES

    bpy.ops.limber.add_demo_lamp()
    bpy.ops.limber.add_ready_set(name="ATTENTIVE")
    lamps = [lamp, bpy.context.active_object]
    shown = {}
    for state in bpy.context.scene.limber_behaviour.states:
        names = [posture.action.name for posture in state.postures]
        if names:
            assert names == [state.name, f"{state.name}.001"], "those of both lamps"
        owned = [posture.action for rig in lamps for posture in rig.limber.chains[0].postures]
        assert all(posture.action in owned for posture in state.postures)
        shown[state.name] = POSTURES[state.name if names else "Proud"], state.influence
    for first, second in itertools.combinations(shown, 2):
        bends = [abs(a - b) for a, b in zip(shown[first][0], shown[second][0], strict=True)]
        assert max(bends) >= 10 or abs(shown[first][1] - shown[second][1]) >= 0.25, (first, second)


def test_undo_takes_the_whole_lamp_away(undo_step):
    kinds = "objects", "armatures", "meshes", "materials", "actions", "collections"
    before = {kind: len(getattr(bpy.data, kind)) for kind in kinds}
    bpy.ops.limber.add_demo_lamp()
    undo_step("Add Demo Lamp")
    bpy.ops.ed.undo()
    assert {kind: len(getattr(bpy.data, kind)) for kind in kinds} == before


def test_in_another_mode_the_lamp_says_where_it_can_be_added(lamp):
    bpy.ops.object.mode_set(mode="POSE")
    with pytest.raises(RuntimeError, match="added in Object Mode"):
        bpy.ops.limber.add_demo_lamp()


def test_the_next_step_leads_from_an_empty_scene_to_a_lamp_that_follows():
    from limber.rig.authoring.next_step import next_step

    assert next_step(None, False).operator == "limber.add_demo_lamp"
    bpy.ops.limber.add_demo_lamp()
    lamp = bpy.context.active_object
    assert next_step(lamp, False).operator == "limber.live"
    bpy.ops.limber.live()
    assert next_step(lamp, False)[1:] == (
        "screen.animation_play",
        "PLAY",
        "",
        "Play",
    ), "the button has the name that the guide gives it"
    assert next_step(lamp, True).operator == "limber.connect"
    lamp.limber.chains[0].target.animation_data_clear()
    assert "Move with Mouse" in next_step(lamp, False).sentence
    lamp.limber.chains[0].target = None
    assert "Choose a Target" in next_step(lamp, False).sentence
    lamp.limber.chains.clear()
    assert next_step(lamp, False).operator == "limber.new_chain"
