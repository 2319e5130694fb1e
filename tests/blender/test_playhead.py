"""Tests how a scene's frame advances while it plays, and the resulting announcement of a joint's next value:
its time, and its value from keyframes.
"""

import bpy
import pytest
from limber.rig.events import handlers
from limber.rig.robot import links, lookahead, playhead, sending
from limber.rig.robot.device import Source

from tests.blender.robots import connect, robot_rig

RATE = 25  # [frames per second]
SPEED = 0.01  # [rad] movement of the joint per frame


@pytest.fixture
def chain(monkeypatch):
    """A chain with a joint that keyframes move evenly, in a scene that plays, which is otherwise only
    possible in a window.
    """
    chain = robot_rig()[1]
    scene, bone = bpy.context.scene, chain.id_data.pose.bones["middle"]
    scene.frame_start, scene.frame_end, scene.render.fps, scene.render.fps_base = 1, 101, RATE, 1.0
    from limber.rig.blender import actions

    for frame in (1, 401):
        bone.rotation_euler.x = SPEED * (frame - 1)
        bone.keyframe_insert("rotation_euler", index=0, frame=frame)
    for curve in actions.fcurves(chain.id_data.animation_data.action):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    playhead.forget()
    monkeypatch.setattr(lookahead, "playing_scene", lambda rig: scene)
    for module in (sending, handlers.live):
        monkeypatch.setattr(module, "is_playing", lambda: True)
    return chain


def shown(frames, gap: float = 1 / RATE) -> bpy.types.Scene:
    """The scene after it has shown these frames at intervals of `gap` [s]."""
    scene = bpy.context.scene
    handlers.unregister()  # frames are recorded here, at given times
    for k, frame in enumerate(frames):
        scene.frame_set(int(frame // 1), subframe=frame % 1)
        playhead.note(scene, 100.0 + k * gap)
    handlers.register()
    return scene


def velocity(chain) -> float:
    """Velocity per frame [rad] that is sent for the joint with keyframes."""
    rig, sources = chain.id_data, (Source(chain.uid, "middle", "X"),)
    (value,) = lookahead.ahead(rig, sources, [chain.id_data.pose.bones["middle"].rotation_euler.x], [3.0])
    return value.velocity


@pytest.mark.every_blender
@pytest.mark.parametrize(
    ("frames", "step"),
    [
        pytest.param((10, 11, 12), 1.0, id="forward"),
        pytest.param((12, 11, 10), -1.0, id="backward"),
        pytest.param((10, 12, 14), 2.0, id="every other frame dropped"),
        pytest.param((10, 11, 13), 1.0, id="a single frame dropped"),
        pytest.param((10, 10.5, 11), 0.5, id="with frames in between"),
        pytest.param((100, 101, 1), 1.0, id="from the last frame to the first"),
        pytest.param((2, 1, 101), -1.0, id="from the first frame to the last"),
        pytest.param((20, 19, 18, 19), 1.0, id="turned round"),
    ],
)
def test_velocities_are_those_to_the_frame_that_is_shown_next(chain, frames, step):
    assert playhead.step(shown(frames)) == step
    assert velocity(chain) == pytest.approx(step * SPEED if frames[-1] + step <= 101 else 0.0, abs=1e-6)


@pytest.mark.every_blender
@pytest.mark.parametrize(("old", "new"), [(100, 200), (100, 50)])
def test_velocities_are_stretched_with_time(chain, old, new):
    scene = bpy.context.scene
    scene.render.frame_map_old, scene.render.frame_map_new = old, new
    shown((10, 11, 12))
    assert velocity(chain) == pytest.approx(SPEED * old / new, abs=1e-6)


def test_backward_the_last_frame_follows_the_first_one(chain):
    scene = shown((3, 2, 1))
    assert lookahead.frame_ahead(scene, 0.0, playhead.step(scene)) == pytest.approx(101)
    assert lookahead.frame_ahead(scene, 2 / RATE) == pytest.approx(100)


@pytest.mark.parametrize(
    ("frames", "gap", "due"),
    [
        pytest.param(range(1, 20), 1 / RATE, 1 / RATE, id="in time"),
        pytest.param(range(1, 20), 1.2 / RATE, 1 / RATE, id="a little late"),
        pytest.param(range(1, 20), 0.1, 0.1, id="slower than the rate"),
        pytest.param(range(1, 40, 2), 2 / RATE, 2 / RATE, id="every other frame dropped"),
        pytest.param((1, 2, 3), 0.1, 1 / RATE, id="a few late ones"),
        pytest.param(range(1, 20), 2.0, 1 / RATE, id="stepped by hand"),
    ],
)
def test_the_next_frame_is_due_as_the_rate_says_unless_the_scene_does_not_keep_it(chain, frames, gap, due):
    assert playhead.due(shown(frames, gap)) == pytest.approx(due)


def test_after_a_pause_a_scene_that_was_slow_is_expected_to_keep_its_rate(chain):
    scene = shown(range(1, 20), 0.1)
    assert playhead.due(scene) == pytest.approx(0.1)
    playhead.note(scene, 200.0)
    assert playhead.due(scene) == pytest.approx(1 / RATE)


@pytest.mark.every_blender
def test_each_frame_that_plays_tells_the_worker_when_the_next_one_is_due(chain, monkeypatch):
    rig, scene = chain.id_data, bpy.context.scene
    connect(rig)
    memory = links.link(rig)._memory
    scene.frame_set(2)
    scene.frame_set(3)
    assert memory.read_orders().due == pytest.approx(1 / RATE)
    scene.render.fps = 10
    scene.frame_set(4)
    assert (memory.read_orders().due, memory.read_orders().step) == (
        pytest.approx(0.1),
        pytest.approx(1 / RATE),
    )
    for module in (sending, handlers.live):
        monkeypatch.setattr(module, "is_playing", lambda: False)
    scene.frame_set(50)
    assert memory.read_orders().due == 0.0, "a scrub"
