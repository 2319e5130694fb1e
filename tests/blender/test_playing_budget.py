"""Tests that overlays are delayed, but never the motion, if Limber's own time endangers the interface while
the animation plays.
"""

import bpy
import numpy as np
import pytest
from limber.rig.live import budget, live

from tests.blender.rigs import looking_chain
from tests.blender.shown import no_handler_raises, session  # noqa: F401

FRAMES = range(2, 20)


@pytest.fixture(autouse=True)
def playing(monkeypatch):
    """Makes Limber believe that the animation plays, which is impossible in a background Blender."""
    monkeypatch.setattr(live, "is_playing", lambda: True)
    monkeypatch.setattr(budget, "playing", budget.Playing())


@pytest.fixture
def moving():
    """A live chain, whose target moves from frame to frame."""
    rig, chain = looking_chain()
    for frame, side in ((1, -0.3), (20, 0.3)):
        chain.target.location.x = side
        chain.target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    bpy.ops.limber.live()
    return rig, chain


def short(monkeypatch):
    """Makes the guard find that no time is left."""
    budget.playing.frames = budget.STEPS[-1]
    monkeypatch.setattr(budget.Playing, "_fewest", lambda self, share: budget.STEPS[-1])


def played(rig, chain) -> np.ndarray:
    """The angles (f, n) of each frame."""
    angles = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        angles.append(session(rig, chain).outputs.angles.copy())
    return np.array(angles)


def test_every_played_frame_is_noted_and_no_frame_that_is_stepped_to(moving, monkeypatch):
    before = budget.playing.count
    played(*moving)
    assert budget.playing.count == before + len(FRAMES)
    assert budget.playing.motion.seconds > 0.0
    assert budget.playing.frame == pytest.approx(1 / 24)
    monkeypatch.setattr(live, "is_playing", lambda: False)
    bpy.context.scene.frame_set(1)
    assert budget.playing.count == before + len(FRAMES)


@pytest.mark.every_blender
def test_overlays_of_a_playback_that_is_short_of_time_are_worked_out_every_sixth_frame(moving, monkeypatch):
    from limber.panels.authoring import chain_overlay

    made = set()
    short(monkeypatch)
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        made.add(chain_overlay.drawing().count)
        assert chain_overlay.drawing() is chain_overlay.drawing(), (
            "a second view draws what the first one drew"
        )
    assert len(made) == len(FRAMES) / budget.STEPS[-1]
    assert "overlays follow every 6 frames" in budget.playing.sentence


def test_overlays_of_a_playback_that_has_time_are_those_of_the_frame(moving):
    from limber.panels.authoring import chain_overlay

    for frame in range(2, 8):
        bpy.context.scene.frame_set(frame)
        ((_, ray),) = chain_overlay.drawing().rays
        assert ray.target.x == pytest.approx(moving[1].target.matrix_world.translation.x)


@pytest.mark.every_blender
def test_what_is_switched_on_while_overlays_wait_is_drawn_at_once_and_nothing_is_kept_of_what_is_off(
    moving, monkeypatch
):
    from limber.panels.authoring import chain_overlay

    short(monkeypatch)
    view = bpy.context.window_manager.limber_view
    view.arcs = view.late = False
    bpy.context.scene.frame_set(2)
    before = len(chain_overlay.drawing().segments)
    view.arcs = True
    assert len(chain_overlay.drawing().segments) > before
    view.rays = view.arcs = False
    assert chain_overlay.drawing() is None
    assert not budget.playing.overlays.last


def test_the_motion_of_a_playback_that_is_short_of_time_is_the_same_to_the_last_bit(moving, monkeypatch):
    free = played(*moving)
    bpy.context.scene.frame_set(1)
    short(monkeypatch)
    assert np.array_equal(played(*moving), free)


def test_the_panel_tells_of_the_playback_while_it_plays(moving, monkeypatch):
    from limber.panels.authoring.next_step import LIMBER_PT_next_step

    from tests.blender.drawing import drawn

    short(monkeypatch)
    played(*moving)
    assert "No frame of the motion is left out" in drawn(LIMBER_PT_next_step).said
    monkeypatch.setattr(live, "is_playing", lambda: False)
    assert "No frame of the motion is left out" not in drawn(LIMBER_PT_next_step).said


def test_the_warning_of_too_little_time_goes_with_what_took_it(moving, monkeypatch):
    from limber.panels.authoring.next_step import LIMBER_PT_next_step

    from tests.blender.drawing import drawn

    monkeypatch.setattr(live, "is_playing", lambda: False)
    monkeypatch.setattr(budget, "clock", budget.Guard())
    for _ in range(budget.REMEMBERED):
        budget.clock.note(0.012)
    assert "Limber takes 12 ms" in drawn(LIMBER_PT_next_step).said
    for each in list(bpy.data.objects):
        bpy.data.objects.remove(each)
    bpy.context.view_layer.update()
    assert "Limber takes" not in drawn(LIMBER_PT_next_step).said
