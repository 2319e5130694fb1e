"""Tests the choice of the kept posture by its name: keyframes of it are constant, and mean the same posture
however the list changes.
"""

from functools import partial

import bpy
import pytest
from limber.rig.authoring.next_step import next_step
from limber.rig.blender import actions
from limber.rig.chains import kept_posture, postures

from tests.blender.drawing import drawn
from tests.blender.posing import REST, pose
from tests.blender.rigs import looking_chain
from tests.blender.shown import choose, go_live, no_handler_raises, session, settle  # noqa: F401

NAMES = ("Proud", "Curious", "Sad")


@pytest.fixture
def chain():
    """A chain with three postures that rotate bone 'lower' by .1, .2 and .3."""
    rig, chain = looking_chain()
    for place, name in enumerate(NAMES):
        pose(rig, {**REST, "lower": (0.1 * (place + 1), 0, 0)})
        bpy.ops.limber.store_posture(name=name)
    pose(rig, REST)
    chain.base = "POSTURE"
    return chain


def key(chain, **frames: int) -> None:
    """Adds keyframes of the choice of postures, given by their names."""
    names = [posture.action.name for posture in chain.postures]
    for name, frame in frames.items():
        kept_posture.choose(chain, names.index(name))
        chain.keyframe_insert("posture", frame=frame)


def kept(chain, frame: int) -> str:
    """Name of the posture that is kept at a frame; empty if it was removed."""
    bpy.context.scene.frame_set(frame)
    place = kept_posture.kept_index(chain)
    return "" if place is None else chain.postures[place].action.name


def test_the_postures_are_a_list_of_names_to_choose_from(chain):
    assert [item[1] for item in kept_posture.items(chain, bpy.context)] == list(NAMES)
    chain.posture = str(chain.postures[0].number)
    assert kept(chain, 1) == "Proud"
    assert chain.shown_posture == 0
    chain.shown_posture = 2
    assert kept(chain, 1) == "Sad"


def test_keys_from_proud_to_sad_never_play_curious(chain):
    key(chain, Proud=1, Sad=20)
    curves = actions.fcurves(*actions.playing(chain.id_data)[0])
    assert {point.interpolation for curve in curves for point in curve.keyframe_points} == {"CONSTANT"}
    for curve in curves:
        for point in curve.keyframe_points:
            point.interpolation = "BEZIER"  # as a user may set it for all keyframes
    assert {kept(chain, frame) for frame in range(1, 20)} == {"Proud"}
    assert kept(chain, 20) == "Sad"


def test_the_solver_gets_the_keyed_posture(chain):
    key(chain, Proud=1, Sad=20)
    bpy.context.scene.frame_set(1)
    now = go_live(chain.id_data, chain)
    at = now.reader.joint_keys.index(("lower", "X"))
    for frame, angle in ((10, 0.1), (20, 0.3)):
        bpy.context.scene.frame_set(frame)
        assert now.goal.posture[at] == pytest.approx(angle)


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("direction", ["UP", "DOWN"])
def test_keys_mean_the_same_posture_when_the_list_is_sorted_and_postures_are_renamed(
    chain, place: int, direction: str
):
    key(chain, Sad=1, Proud=10, Curious=20)
    bpy.context.scene.frame_set(30)
    chain.shown_posture = place
    bpy.ops.limber.move_posture(direction=direction)
    bpy.data.actions["Sad"].name = "Sorry"
    assert [kept(chain, frame) for frame in (5, 15, 25)] == ["Sorry", "Proud", "Curious"]


@pytest.mark.every_blender
def test_a_key_on_a_removed_posture_becomes_no_other_ones_and_live_says_so(chain):
    key(chain, Proud=1, Curious=10, Sad=20)
    bpy.context.scene.frame_set(12)
    bpy.ops.limber.remove_posture()
    pose(chain.id_data, {**REST, "lower": (0.9, 0, 0)})
    bpy.ops.limber.store_posture(name="New")
    assert [kept(chain, frame) for frame in (5, 15, 25)] == ["Proud", "", "Sad"]
    bpy.context.scene.frame_set(1)
    now = go_live(chain.id_data, chain)
    assert now.problem == ""
    bpy.context.scene.frame_set(15)
    assert (
        "a posture that was removed from its list: choose another Posture, or delete the key on it"
        in now.problem
    )
    assert "Removed" in [item[1] for item in kept_posture.items(chain, bpy.context)]
    with pytest.raises(RuntimeError, match="was removed: select another in the list"):
        bpy.ops.limber.remove_posture()
    bpy.context.scene.frame_set(25)
    assert now.problem == ""


def test_a_kept_posture_that_is_removed_gives_way_to_its_neighbour(chain):
    chain.shown_posture = 1
    bpy.ops.limber.remove_posture()
    assert kept(chain, 1) == "Sad"
    bpy.ops.limber.remove_posture()
    assert kept(chain, 1) == "Proud"


def as_older(chain) -> None:
    """Changes the chain to the state in files from before the numbers: the posture is chosen by its index in
    the list, here Sad.
    """
    for posture in chain.postures:
        posture.number = 0
    chain.last_posture = 0
    chain.property_unset("posture")
    chain.active_posture = 2


def test_in_an_older_file_the_place_in_the_list_counts(chain):
    as_older(chain)
    assert kept(chain, 1) == "Sad"
    kept_posture.modernise(chain.id_data)
    assert kept(chain, 1) == "Sad"
    chain.shown_posture = 0
    bpy.ops.limber.move_posture(direction="DOWN")
    assert kept(chain, 1) == "Proud"


@pytest.mark.every_blender
def test_an_older_files_keys_on_the_place_become_keys_on_the_posture(chain, reopen):
    as_older(chain)
    rig, action = chain.id_data, bpy.data.actions.new("Older")
    curves = actions.writable_fcurves(action, rig)
    actions.put_keys(curves, f"{chain.path_from_id()}.active_posture", 0, "", (1, 10, 20), (0, 2, 1))
    actions.assign(rig, action)
    reopen()
    chain = bpy.data.objects["Rig"].limber.chains[0]
    assert [kept(chain, frame) for frame in (1, 5, 9, 10, 15, 19, 20)] == ["Proud"] * 3 + ["Sad"] * 3 + [
        "Curious"
    ]
    assert [
        curve.data_path.rpartition(".")[2] for curve in actions.fcurves(*actions.playing(chain.id_data)[0])
    ] == ["posture"]


def older_keys(chain) -> bpy.types.Action:
    """An action with an older file's keyframes of the index in the list: Proud, then Sad from frame 10 on."""
    action = bpy.data.actions.new("Older")
    curves = actions.writable_fcurves(action, chain.id_data)
    actions.put_keys(curves, f"{chain.path_from_id()}.active_posture", 0, "", (1, 9, 10), (0, 0, 2))
    return action


def test_an_older_files_keys_that_are_in_another_file_go_on_counting(chain, tmp_path, reopen):
    as_older(chain)
    path = tmp_path / "keys.blend"
    action = older_keys(chain)
    bpy.data.libraries.write(str(path), {action})
    bpy.data.actions.remove(action)
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.actions = ["Older"]
    actions.assign(chain.id_data, wanted.actions[0])
    reopen()
    chain = bpy.data.objects["Rig"].limber.chains[0]
    assert [kept(chain, frame) for frame in (1, 9, 10)] == ["Proud", "Proud", "Sad"]


def test_an_older_files_driver_on_the_place_goes_on_counting(chain, reopen):
    as_older(chain)
    chain.driver_add("active_posture").driver.expression = "2 if frame > 9 else 0"
    reopen()
    chain = bpy.data.objects["Rig"].limber.chains[0]
    assert [kept(chain, frame) for frame in (1, 9, 10)] == ["Proud", "Proud", "Sad"]


def test_postures_of_an_older_file_that_was_appended_stay_what_they_are_when_one_is_removed_or_moved(chain):
    for change in (partial(postures.move, chain, 0, 1), partial(postures.remove, chain, 0)):
        as_older(chain)
        chain.active_posture = 1
        name = kept(chain, 1)
        change()
        assert kept(chain, 1) == name


def test_a_posture_stored_in_an_older_file_leaves_the_others_what_they_are(chain):
    as_older(chain)
    chain.posture = str(kept_posture.numbers(chain)[1])
    bpy.ops.limber.store_posture(name="New")
    assert [posture.number for posture in chain.postures] == [1, 2, 3, 4]
    assert kept(chain, 1) == "New"


@pytest.mark.every_blender
def test_posing_a_live_chain_that_keeps_a_stored_posture_says_why_nothing_shows_and_one_click_changes_that():
    bpy.ops.limber.add_demo_lamp()
    lamp = bpy.context.active_object
    (chain,) = lamp.limber.chains
    bpy.ops.limber.live()
    bpy.ops.object.mode_set(mode="POSE")
    step = next_step(lamp, False)
    assert step.operator == "limber.use_pose"
    assert "it keeps posture 'Proud'" in step.sentence
    before = session(lamp, chain).goal.posture.copy()
    lamp.pose.bones["Lower Arm"].rotation_euler.x += 0.3
    settle()
    assert session(lamp, chain).goal.posture == pytest.approx(before)
    assert bpy.ops.limber.use_pose() == {"FINISHED"}
    settle()
    at = session(lamp, chain).reader.joint_keys.index(("Lower Arm", "X"))
    assert session(lamp, chain).goal.posture[at] == pytest.approx(before[at] + 0.3, abs=1e-5)
    assert next_step(lamp, False).operator == "screen.animation_play"


def test_a_click_on_a_posture_that_is_not_kept_says_why_nothing_shows_and_one_click_keeps_it(chain):
    from limber.panels.authoring.postures import LIMBER_PT_postures

    rig = chain.id_data
    chain.base = "RIG"
    chain.shown_posture = 1
    go_live(rig, chain)
    shown = drawn(LIMBER_PT_postures)
    assert "A click on a posture shows nothing: chain 'head' keeps its own pose" in shown.said
    assert shown.operators.count("limber.use_posture") == 1
    assert bpy.ops.limber.use_posture() == {"FINISHED"}
    assert (chain.base, chain.shown_posture) == ("POSTURE", 1)
    shown = drawn(LIMBER_PT_postures)
    assert "A click on a posture" not in shown.said
    assert "limber.use_posture" not in shown.operators


def test_what_is_posed_says_nothing_where_it_shows(chain):
    rig = chain.id_data
    chain.base = "RIG"
    go_live(rig, chain)
    bpy.ops.object.mode_set(mode="POSE")
    assert next_step(rig, False).operator != "limber.use_pose"
    choose(chain, base="POSTURE")
    assert next_step(rig, False).operator == "limber.use_pose"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert next_step(rig, False).operator != "limber.use_pose"
