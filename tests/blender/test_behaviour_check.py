"""Tests that unusable parts of a behaviour are named, with the remedy, and are omitted in playing."""

from types import SimpleNamespace

import bpy
import pytest

from tests.blender.rigs import looking_chain
from tests.blender.test_behaviour import reacting, waving


def sentences() -> list[str]:
    from limber.rig.behaviour.authored import findings

    return [finding.sentence for finding in findings(bpy.context.scene)]


@pytest.fixture
def behaviour():
    reacting()
    assert sentences() == []
    return bpy.context.scene.limber_behaviour


def exported(tmp_path):
    from limber.character.file import reading

    path = tmp_path / "Scene.limber"
    assert bpy.ops.limber.export_character(filepath=str(path)) == {"FINISHED"}
    return reading.read(path)


def test_a_state_whose_posture_was_deleted_is_named_and_keeps_the_animation(behaviour, tmp_path):
    bpy.data.actions.remove(bpy.data.actions["High"])
    sentence = "State 'Eager' keeps a posture that was deleted: choose another, or remove it"
    assert sentences() == [sentence]
    character = exported(tmp_path)
    assert sentence in character.remarks
    assert character.behaviour.state("Eager").role(character.chains[0].name).weights is None


def test_a_posture_and_a_target_that_no_chain_has_any_more_are_named(behaviour):
    rig = bpy.context.active_object
    chain = rig.limber.chains[0]
    chain.postures.remove(1)
    chain.targets.remove(0)
    assert sentences() == [
        "State 'Eager' keeps 'High', which no chain has among its postures: choose another, or store it again",
        "State 'Eager' looks at 'Visitor', which no chain's own end has as target: choose another, or add it"
        " to a chain under Attention",
    ]


def test_a_transition_to_a_state_that_was_removed_is_named_and_left_out(behaviour, tmp_path):
    behaviour.active_state = 2
    assert bpy.ops.limber.remove_from_behaviour(items="states") == {"FINISHED"}
    assert sentences() == [
        "The transition from 'Eager' to 'Tired' names state 'Tired', which is not there: choose another, or"
        " remove it",
        "The transition from 'Tired' to 'Calm' names state 'Tired', which is not there: choose another, or"
        " remove it",
    ]
    assert len(exported(tmp_path).behaviour.transitions) == 1


def test_an_event_without_a_name_a_clip_that_is_not_there_and_a_lonely_state_are_named(behaviour):
    behaviour.transitions[0].event = ""
    behaviour.transitions[1].cause = "ended"
    behaviour.transitions[2].longest = 0.1
    behaviour.states.add().name = "Alone"
    assert sentences() == [
        "The transition from 'Calm' to 'Eager' waits for an event without a name: choose one, or another cause",
        "The transition from 'Tired' to 'Calm' has its longest time below its shortest: exchange them",
        "A transition to 'Tired' waits for a clip's end, but 'Eager' has no clip: choose a clip, or another"
        " cause",
        "Nothing leads to state 'Alone': add a transition, or enter it by its button or by a program",
    ]


def test_a_gesture_that_cannot_be_played_is_named_and_left_out(behaviour, tmp_path):
    assert bpy.ops.limber.add_to_behaviour(items="gestures") == {"FINISHED"}
    gesture = behaviour.gestures[0]
    assert sentences() == ["Gesture 'Gesture' has no action, or it was deleted: choose one"]
    gesture.action = bpy.data.actions["Low"]
    assert "moves no joint of chain 'head' over two frames or more" in sentences()[0]
    assert exported(tmp_path).behaviour.gestures == ()
    waving(bpy.context.active_object)
    gesture.action = bpy.data.actions["Nod"]
    assert sentences() == []
    gesture.chain = "NONE"
    assert sentences() == ["Gesture 'Gesture' has no chain: choose one"]


def test_transitions_follow_a_state_that_is_renamed_and_names_stay_unique(behaviour):
    behaviour.states["Eager"].name = "Keen"
    assert [(each.begin, each.end) for each in behaviour.transitions] == [
        ("Calm", "Keen"),
        ("Keen", "Tired"),
        ("Tired", "Calm"),
    ]
    behaviour.states["Keen"].name = "Calm"
    assert [state.name for state in behaviour.states] == ["Calm", "Calm.001", "Tired"]
    assert behaviour.transitions[0].end == "Calm.001"


def test_a_ready_set_is_added_once_and_uses_postures_that_are_called_as_a_state():
    rig, _ = looking_chain()
    bpy.ops.limber.store_posture(name="Asleep")
    behaviour = bpy.context.scene.limber_behaviour
    for _ in range(2):
        assert bpy.ops.limber.add_ready_set(name="ATTENTIVE") == {"FINISHED"}
        assert (len(behaviour.states), len(behaviour.transitions)) == (10, 42)
    assert [posture.action.name for posture in behaviour.states["Asleep"].postures] == ["Asleep"]
    assert sentences() == []
    assert rig is not None


@pytest.mark.every_blender
def test_a_behaviour_is_undone_and_kept_in_the_file(tmp_path):
    looking_chain()
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.limber.add_ready_set(name="CALM")
    bpy.ops.ed.undo_push(message="added")
    bpy.ops.ed.undo()
    assert not bpy.context.scene.limber_behaviour.states
    bpy.ops.ed.redo()
    assert len(bpy.context.scene.limber_behaviour.states) == 4
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    assert [state.name for state in bpy.context.scene.limber_behaviour.states] == [
        "Idle",
        "Attending",
        "Searching",
        "Asleep",
    ]


def test_what_cannot_be_pressed_says_why():
    looking_chain()
    from limber.operators.live.rehearse import LIMBER_OT_rehearse, LIMBER_OT_send_event

    assert LIMBER_OT_rehearse.why_not(bpy.context).startswith("The behaviour has no state")
    bpy.ops.limber.add_ready_set(name="CALM")
    assert LIMBER_OT_rehearse.why_not(bpy.context) == "Nothing is live: press Start Live on a chain first"
    bpy.ops.limber.live()
    assert LIMBER_OT_send_event.why_not(bpy.context).startswith("The behaviour is not rehearsed")
    assert bpy.ops.limber.rehearse() == {"FINISHED"}
    with pytest.raises(RuntimeError, match="Nothing waits for event 'dance': there is 'arrive', 'leave'"):
        bpy.ops.limber.send_event(name="dance")
    with pytest.raises(RuntimeError, match="there is no state 'Dancing': there is 'Idle'"):
        bpy.ops.limber.enter_state(name="Dancing")
    assert bpy.ops.limber.enter_state(name="Attending") == {"FINISHED"}
    bpy.ops.limber.end_live()
    assert LIMBER_OT_send_event.why_not(bpy.context) == "Nothing is live: press Start Live on a chain first"
    assert not bpy.context.scene.limber_behaviour.rehearse, "what is live next begins plainly"


def test_a_rehearsal_ends_with_the_last_state_and_gestures_have_names_of_their_own(behaviour):
    bpy.ops.limber.live()
    bpy.ops.limber.rehearse()
    assert behaviour.rehearse
    for _ in range(3):
        bpy.ops.limber.remove_from_behaviour(items="states")
    assert not behaviour.rehearse
    bpy.ops.limber.add_to_behaviour(items="states")
    assert not behaviour.rehearse, "a state that is added does not direct the chains unasked"
    for _ in range(2):
        bpy.ops.limber.add_to_behaviour(items="gestures")
    assert [(each.name, each.event) for each in behaviour.gestures] == [
        ("Gesture", "gesture"),
        ("Gesture.001", "gesture.001"),
    ]
    behaviour.gestures[1].name = "Gesture"
    assert behaviour.gestures[1].name == "Gesture.001"


def test_a_transition_that_is_added_can_be_used_without_typing(behaviour):
    behaviour.active_state = 2
    assert bpy.ops.limber.add_to_behaviour(items="transitions") == {"FINISHED"}
    added = behaviour.transitions[-1]
    assert (added.begin, added.end, added.cause, added.event) == ("Tired", "Calm", "event", "calm")
    assert sentences() == []


def test_the_button_of_each_ready_set_says_what_is_in_it():
    from limber.operators.authoring.behaviour import READY_SETS, LIMBER_OT_add_ready_set

    for name, (_, _, states) in READY_SETS.items():
        properties = SimpleNamespace(name=name)
        assert LIMBER_OT_add_ready_set.description(bpy.context, properties).startswith(states)


def linked_action(name: str, folder):
    """An action of this name from another file, in addition to one of this file."""
    other = bpy.data.actions[name].copy()
    bpy.data.actions[name].name = "Own"
    other.name = name
    path = folder / "library.blend"
    bpy.data.libraries.write(str(path), {other})
    bpy.data.actions.remove(other)
    bpy.data.actions["Own"].name = name
    with bpy.data.libraries.load(str(path), link=True) as (_, data):
        data.actions = [name]
    return data.actions[0]


def test_a_posture_and_one_of_its_name_from_another_file_are_two(behaviour, tmp_path):
    rig = bpy.context.active_object
    own, linked = bpy.data.actions["High"], linked_action("High", tmp_path)
    assert own != linked
    assert own.name == linked.name
    posture = rig.limber.chains[0].postures.add()
    posture.action = linked
    character = exported(tmp_path)
    (weighted,) = character.behaviour.state("Eager").role(character.chains[0].name).weights
    assert weighted == ("High", 0.75)
    names = [posture.name for posture in character.chains[0].postures]
    assert names == ["Low", "High", linked.name_full]
    behaviour.states["Eager"].postures[0].action = linked
    (weighted,) = exported(tmp_path).behaviour.state("Eager").role(character.chains[0].name).weights
    assert weighted == (linked.name_full, 0.75)


def test_a_ready_set_keeps_the_posture_of_every_character_that_has_one_of_its_name(tmp_path):
    _, chain = looking_chain()
    bpy.ops.limber.store_posture(name="Asleep")
    linked = linked_action("Asleep", tmp_path)
    _, other = looking_chain()
    other.postures.add().action = linked
    assert bpy.ops.limber.add_ready_set(name="CALM") == {"FINISHED"}
    asleep = bpy.context.scene.limber_behaviour.states["Asleep"]
    assert {posture.action for posture in asleep.postures} == {chain.postures[0].action, linked}
