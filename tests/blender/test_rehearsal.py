"""Tests that a rehearsal continues from frame to frame in any evaluation, also in renders and bakes, and ends
with live motion.
"""

import bpy
import numpy as np
import pytest

from tests.blender.baking import begin as bake_of
from tests.blender.filming import film, render_all
from tests.blender.rigs import looking_chain, make_active
from tests.blender.test_behaviour import reacting, rehearsed, waving

FRAMES = range(1, 25)


def by_itself(is_filtered: bool = False):
    """A chain with a behaviour that needs no event: calm, eager, tired, and calm again."""
    rig, chain = reacting(is_filtered)
    transition = bpy.context.scene.limber_behaviour.transitions[0]
    transition.cause, transition.seconds = "after", 0.2
    return rig, chain


def rehearse_again(frame: int) -> None:
    """Restarts the rehearsal in a frame."""
    assert bpy.ops.limber.rehearse() == {"FINISHED"}
    bpy.context.scene.frame_set(frame)


def rendered(rig, chain, folder) -> np.ndarray:
    """Values (frames, n) of the chain's joints in the frames of a rendered animation."""
    from limber.rig.live.runtime import current

    rows = {}

    def note(scene, depsgraph) -> None:
        if depsgraph.mode == "RENDER":
            rows[scene.frame_current] = current().shown.session(rig, chain).outputs.angles

    bpy.app.handlers.frame_change_post.append(note)
    try:
        render_all(folder)
    finally:
        bpy.app.handlers.frame_change_post.remove(note)
    return np.array([rows[frame] for frame in FRAMES])


@pytest.mark.every_blender
@pytest.mark.parametrize("frame", [1, 40], ids=["from_the_first_frame", "from_afar"])
def test_a_rendered_animation_shows_the_behaviour_as_it_plays(frame: int, tmp_path):
    rig, chain = by_itself()
    film((2, 0, 0.25), (np.pi / 2, 0, np.pi / 2), FRAMES)
    rows = rehearsed(rig, chain, {}, len(FRAMES))
    assert np.ptp(rows, axis=0).max() > 0.2
    bpy.context.scene.frame_set(40)
    rehearse_again(frame)
    assert np.abs(rendered(rig, chain, tmp_path) - rows).max() < 1e-9
    from limber.rig.live import rehearsal

    assert rehearsal.state(bpy.context.scene) == "Calm", "the film leaves the rehearsal where it was"


def test_a_bake_keys_the_behaviour_that_is_rehearsed_and_ends_the_rehearsal():
    rig, chain = by_itself()
    rows = rehearsed(rig, chain, {}, len(FRAMES))
    chain.frame_start, chain.frame_end = FRAMES[0], FRAMES[-1]
    make_active(rig)
    work = bake_of(chain)
    while work.step():
        pass
    assert work.remarks == {}, "the behaviour waits for no event"
    assert (
        np.abs(np.array([list(row.values()) for row in work.values[rig.session_uid, chain.uid]]) - rows).max()
        < 1e-9
    )
    work.finish()
    assert not bpy.context.scene.limber_behaviour.rehearse


def test_motion_check_looks_at_the_behaviour_that_is_rehearsed():
    from limber.rig.live.movers import mover_of
    from limber.rig.output.motion_check.check import MotionCheck

    rig, chain = by_itself()
    rows = rehearsed(rig, chain, {}, len(FRAMES))
    mover = mover_of(rig, chain)
    work = MotionCheck(bpy.context.scene, mover, FRAMES, 1.0, 1.0)
    while work.step():
        pass
    assert np.abs(np.array(work.takes[mover.key].filtered) - rows).max() < 1e-9
    work.cancel()


def test_a_bake_of_a_behaviour_with_events_says_that_it_has_none():
    rig, chain = reacting()
    rehearsed(rig, chain, {8: "arrive"}, 20)
    work = bake_of(chain)
    assert "no event is sent: Record Live keeps a rehearsal with its events" in work.remarks["Behaviour"]
    work.cancel()
    assert bpy.context.scene.limber_behaviour.rehearse


def test_a_chain_that_is_not_live_is_baked_as_animated_beside_a_rehearsal():
    from limber.rig.output.bake import Bake

    rig, chain = by_itself()
    other_rig, other = looking_chain(at=chain.target)
    rows = []
    for is_rehearsed in (False, True):
        if is_rehearsed:
            make_active(rig)
            rehearsed(rig, chain, {}, 3)
        work = Bake(bpy.context.scene, [(other_rig, other)], *(FRAMES[0], FRAMES[-1]))
        while work.step():
            pass
        rows.append([list(row.values()) for row in work.values[other_rig.session_uid, other.uid]])
        work.cancel()
    assert rows[0] == rows[1]


def test_live_that_begins_after_a_rehearsal_follows_the_animation():
    from limber.rig.live import rehearsal

    rig, chain = by_itself()
    behaviour = bpy.context.scene.limber_behaviour
    rehearsed(rig, chain, {}, 5)
    assert bpy.ops.limber.end_live() == {"FINISHED"}
    assert not behaviour.rehearse
    behaviour.rehearse = True  # as in a file whose live armature was deleted
    assert not rehearsal.is_on(bpy.context.scene)
    assert bpy.ops.limber.live() == {"FINISHED"}
    assert not behaviour.rehearse


def test_a_rehearsal_goes_on_while_another_chain_is_live():
    rig, chain = by_itself()
    other_rig, _ = looking_chain(at=chain.target)
    assert bpy.ops.limber.live() == {"FINISHED"}
    make_active(rig)
    rehearsed(rig, chain, {}, 3)
    assert bpy.ops.limber.end_live() == {"FINISHED"}
    assert bpy.context.scene.limber_behaviour.rehearse
    make_active(other_rig)
    assert bpy.ops.limber.end_live() == {"FINISHED"}
    assert not bpy.context.scene.limber_behaviour.rehearse


def with_gesture(rig):
    waving(rig)
    assert bpy.ops.limber.add_to_behaviour(items="gestures") == {"FINISHED"}
    gesture = bpy.context.scene.limber_behaviour.gestures[0]
    gesture.event, gesture.action = "nod", bpy.data.actions["Nod"]
    return gesture


def test_a_chain_that_cannot_be_read_leaves_the_rehearsal_where_it_is():
    from limber.rig.live import rehearsal

    rig, chain = reacting()
    with_gesture(rig)
    rehearsed(rig, chain, {8: "arrive"}, 12)
    scene = bpy.context.scene
    chain.root = "middle"
    for frame in (13, 14):
        scene.frame_set(frame)
        assert rehearsal.state(scene) == "Eager"
    chain.root = "base"
    scene.frame_set(15)
    assert rehearsal.state(scene) == "Eager"
    assert any("gesture" in line for line in rehearsal.lines(scene)) is False
    assert bpy.ops.limber.send_event(name="nod") == {"FINISHED"}
    scene.frame_set(16)
    assert rehearsal.lines(scene)[-1].split(": ")[1].startswith("gesture")


def test_a_gesture_is_as_its_action_is_now_also_where_nothing_plays_that():
    from limber.rig.behaviour.authored import behaviour, cast_of
    from limber.rig.blender import actions

    rig, chain = reacting()
    gesture = with_gesture(rig)
    scene = bpy.context.scene

    def rows() -> np.ndarray:
        return behaviour(scene, cast_of([(rig, chain)])).gestures[0].rows

    before = np.nanmax(rows())
    curve = actions.find(actions.fcurves(gesture.action), 'pose.bones["middle"].rotation_euler', 0)
    curve.keyframe_points[1].co.y = 0.7
    curve.update()
    assert before == pytest.approx(0.4)
    assert np.nanmax(rows()) == pytest.approx(0.7)


def test_a_clip_that_is_edited_while_it_plays_is_followed_at_once():
    from limber.rig.blender import actions
    from limber.rig.live import live

    rig, chain = reacting(is_filtered=False)
    waving(rig)
    chain.life.amount = 0.0
    calm = bpy.context.scene.limber_behaviour.states["Calm"]
    calm.clip, calm.loops, calm.influence = bpy.data.actions["Dance"], False, 0.0
    rehearsed(rig, chain, {}, 10)
    curve = actions.find(actions.fcurves(calm.clip), 'pose.bones["middle"].rotation_euler', 0)
    curve.keyframe_points[2].co.y = 0.5
    curve.update()
    bpy.context.scene.frame_set(11)
    assert live.session(rig, chain).values()["middle", "X"] == pytest.approx(0.5)
    calm.clip = None
    for frame in range(12, 40):
        bpy.context.scene.frame_set(frame)
    assert live.session(rig, chain).values()["middle", "X"] == pytest.approx(0.2), "as posed"
