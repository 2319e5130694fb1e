"""Tests recording live motion: every take is kept, it plays as it was shown, and undo is one step."""

import bpy
import pytest
from limber.rig.blender import actions

from tests.blender.rigs import angles_at, keyed, looking_chain

pytestmark = pytest.mark.every_blender


@pytest.fixture
def chain():
    _, chain = looking_chain()
    keyed(chain.target, (1, 30))
    return chain


def play(rig, chain, frames) -> dict[int, list[float]]:
    """Plays these frames; returns the angles shown live."""
    from limber.rig.live import live

    shown = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        shown[frame] = live.session(rig, chain).outputs.angles.tolist()
    return shown


def apart(one, other) -> float:
    return max(abs(a - b) for frame in one for a, b in zip(one[frame], other[frame], strict=True))


def test_what_is_recorded_plays_as_live_showed_it_and_what_was_there_is_kept(rig, chain):
    keyed(rig.pose.bones["lower"], (1, 30), "rotation_euler", (0.5, 0, 0))
    before = rig.animation_data.action
    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    shown = play(rig, chain, range(2, 25))
    bpy.ops.limber.keep_takes()
    assert not chain.live
    assert rig.animation_data.action != before
    assert before.use_fake_user
    assert apart(shown, angles_at(rig, chain, range(2, 25))) < 1e-6


def test_each_pass_over_the_frames_is_a_take_and_none_is_lost(rig, chain):
    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    first = play(rig, chain, range(2, 20))
    chain.target.animation_data_clear()
    chain.target.location = (-0.4, -0.7, 0.5)
    second = play(rig, chain, range(2, 12))
    bpy.ops.limber.keep_takes()
    names = ["Rig Take 1", "Rig Take 2"]
    assert sorted(action.name for action in bpy.data.actions if " Take " in action.name) == names
    assert rig.animation_data.action.name == names[1]
    assert apart(second, angles_at(rig, chain, range(2, 12))) < 1e-6
    actions.assign(rig, bpy.data.actions[names[0]])
    assert apart(first, angles_at(rig, chain, range(2, 20))) < 1e-6


def test_a_take_that_is_a_stub_is_kept_and_does_not_play(rig, chain):
    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    first = play(rig, chain, range(2, 20))
    play(rig, chain, range(1, 4))  # the scene restarted before Keep Takes was pressed
    bpy.ops.limber.keep_takes()
    assert sorted(action.name for action in bpy.data.actions if " Take " in action.name) == [
        "Rig Take 1",
        "Rig Take 2",
    ]
    assert rig.animation_data.action.name == "Rig Take 1"
    assert apart(first, angles_at(rig, chain, range(2, 20))) < 1e-6


def test_what_was_recorded_is_kept_where_live_ends_first(rig, chain):
    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    shown = play(rig, chain, range(2, 15))
    bpy.ops.limber.end_live()
    bpy.ops.limber.keep_takes()
    assert apart(shown, angles_at(rig, chain, range(2, 15))) < 1e-6


def test_undo_of_the_takes_is_one_step():
    rig, chain = looking_chain()
    keyed(chain.target, (1, 30))
    bpy.ops.limber.live()
    bpy.ops.ed.undo_push(message="Live")
    bpy.ops.limber.record_live()
    play(rig, chain, range(2, 15))
    bpy.ops.limber.keep_takes()
    bpy.ops.ed.undo_push(message="Keep Takes")
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    assert rig.limber.chains[0].live
    assert rig.animation_data is None or rig.animation_data.action is None
    assert not [action for action in bpy.data.actions if " Take " in action.name]
    bpy.ops.ed.redo()
    assert bpy.data.objects["Rig"].animation_data.action.name == "Rig Take 1"


def test_what_cannot_be_recorded_is_said(rig, chain):
    with pytest.raises(RuntimeError, match="press Start Live first"):
        bpy.ops.limber.record_live()
    with pytest.raises(RuntimeError, match="press Record Live first"):
        bpy.ops.limber.keep_takes()
    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    with pytest.raises(RuntimeError, match="let the scene play"):
        bpy.ops.limber.keep_takes()
    assert chain.live
    with pytest.raises(RuntimeError, match="press Keep Takes to end it"):
        bpy.ops.limber.record_live()
    play(rig, chain, range(2, 9))
    bpy.ops.limber.drop_takes()
    assert chain.live
    assert rig.animation_data is None or rig.animation_data.action is None


def fail(*_):
    raise ZeroDivisionError("a defect")


def test_what_a_defect_stops_has_no_keys_meanwhile_and_the_frames_are_named(
    rig, chain, monkeypatch, capsys, defects_of_limber
):
    from limber.rig.live import live

    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    shown = play(rig, chain, range(2, 10))
    monkeypatch.setattr(live.session(rig, chain), "read", fail)
    play(rig, chain, range(10, 20))
    monkeypatch.undo()
    shown |= play(rig, chain, range(20, 25))
    capsys.readouterr()
    assert bpy.ops.limber.keep_takes() == {"FINISHED"}
    told = capsys.readouterr()
    sentence = "was stopped by a defect of Limber, so it has no keys in 10 frames from 10 to 19 of take 1:"
    assert sentence in str(told)
    keys = {
        round(key.co.x)
        for curve in actions.fcurves(rig.animation_data.action)
        for key in curve.keyframe_points
    }
    assert keys == set(shown)
    assert apart(shown, angles_at(rig, chain, shown)) < 1e-6
    defects_of_limber.clear()


def test_a_recording_of_a_mover_that_a_defect_stops_from_the_first_frame_on_has_no_take(
    rig, chain, monkeypatch, defects_of_limber
):
    from limber.rig.live import live

    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    monkeypatch.setattr(live.session(rig, chain), "show", fail)
    play(rig, chain, range(2, 5))
    with pytest.raises(RuntimeError, match="no keys in 3 frames from 2 to 4"):
        bpy.ops.limber.keep_takes()
    defects_of_limber.clear()


def test_a_defect_where_keys_are_collected_costs_frames_not_the_take(
    rig, chain, monkeypatch, capsys, defects_of_limber
):
    from limber.rig.live import live

    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    shown = play(rig, chain, range(2, 10))
    handlers = list(bpy.app.handlers.frame_change_post)
    with monkeypatch.context() as patch:
        patch.setattr(live.session(rig, chain), "keys", fail)
        play(rig, chain, range(10, 11))
    play(rig, chain, range(11, 12))  # the chain rests in this frame
    shown |= play(rig, chain, range(12, 20))
    assert list(bpy.app.handlers.frame_change_post) == handlers
    capsys.readouterr()
    assert bpy.ops.limber.keep_takes() == {"FINISHED"}
    assert "it has no keys in 2 frames from 10 to 11 of take 1:" in str(capsys.readouterr())
    assert apart(shown, angles_at(rig, chain, shown)) < 1e-6
    defects_of_limber.clear()


def test_passes_without_a_take_are_told_and_a_single_frame_is_named(
    rig, chain, monkeypatch, capsys, defects_of_limber
):
    from limber.rig.live import live

    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    with monkeypatch.context() as patch:
        patch.setattr(live.session(rig, chain), "read", fail)
        play(rig, chain, range(2, 8))
        play(rig, chain, range(2, 3))  # playback loops
    play(rig, chain, range(3, 12))
    capsys.readouterr()
    assert bpy.ops.limber.keep_takes() == {"FINISHED"}
    told = str(capsys.readouterr())
    assert "it has no keys in 6 frames from 2 to 7 of a take too short to keep:" in told
    assert "it has no keys in frame 2 of take 1:" in told
    defects_of_limber.clear()


def test_frames_whose_channels_are_all_deleted_cost_no_take(rig, chain):
    from limber.rig.bones.channels import Channel
    from limber.rig.output.take import RecordedTake

    there = Channel(rig.name, rig.session_uid, "lower", "rotation_euler", 0)
    gone = there._replace(bone="deleted bone")
    take = RecordedTake()
    take.add(1, {gone: 0.1})
    take.add(2, {gone: 0.2, there: 0.3})
    take.add(3, {there: 0.4})
    assert take.existing.frames == [2, 3]
    assert take.existing.rows == [{there: 0.3}, {there: 0.4}]
