"""Tests that a rendered animation shows the live motion, frame by frame, with motion blur also between
frames; and that live motion continues afterwards.
"""

import bpy
import numpy as np
import pytest
from limber.rig.live import live
from limber.rig.showing import proxy

from tests.blender.filming import film, render_all, render_still
from tests.blender.rigs import keyed, looking_chain, make_active
from tests.blender.shown import (
    assert_looks,
    farthest,
    go_live,
    missed,
    no_handler_raises,  # noqa: F401
    pose,
    session,
)

pytestmark = pytest.mark.every_blender

FRAMES = range(1, 9)


@pytest.fixture
def filmed():
    """A live arm with bright blocks on its bones, filmed from the side, whose target moves faster than it can
    follow.
    """
    rig, chain = looking_chain()
    scene = bpy.context.scene
    for bone in rig.data.bones:
        data = bpy.data.meshes.new(bone.name)
        s, l = 0.03, bone.length
        corners = [(x, y, z) for x in (-s, s) for y in (-l, 0) for z in (-s, s)]
        data.from_pydata(
            corners, [], [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        )
        block = bpy.data.objects.new(bone.name, data)
        scene.collection.objects.link(block)
        block.parent, block.parent_type, block.parent_bone = rig, "BONE", bone.name
    film((2, 0, 0.25), (np.pi / 2, 0, np.pi / 2), FRAMES)
    chain.target.location = (0.3, -1.5, 0.1)
    keyed(chain.target, (1, 8), end=(-0.2, 1.5, 0.9))
    for joint in chain.joints:
        joint.velocity, joint.acceleration, joint.jerk = 4.0, 40.0, 400.0
    scene.frame_set(1)
    go_live(rig, chain)
    return rig, chain


def baked(rig, chain) -> None:
    """Replaces live motion by keyframes of the same motion."""
    chain.frame_start, chain.frame_end = FRAMES[0], FRAMES[-1]
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.limber.bake() == {"FINISHED"}
    assert not chain.live


def test_a_rendered_animation_is_what_is_baked(filmed, tmp_path):
    rig, chain = filmed
    while_live = render_all(tmp_path / "live")
    baked(rig, chain)
    from_keys = render_all(tmp_path / "baked")
    assert while_live.max() > 0.9, "something is to be seen"
    assert np.abs(np.diff(while_live, axis=0)).max() > 0.5, "it moves"
    assert np.abs(while_live - from_keys).max() < 0.02


def test_motion_blur_is_that_of_what_is_baked(filmed, tmp_path):
    rig, chain = filmed
    chain.solver = (  # has no velocity of its own, which between two frames would be that of a whole frame
        "erik_exact"
    )
    bpy.context.scene.frame_set(2)
    bpy.context.scene.frame_set(1)  # restart
    render = bpy.context.scene.render
    render.motion_blur_shutter = 1.0
    sharp = render_all(tmp_path / "sharp")
    render.use_motion_blur = True
    blurred = render_all(tmp_path / "blurred")
    baked(rig, chain)
    from_keys = render_all(tmp_path / "baked")
    assert np.abs(from_keys - blurred).mean() < 0.5 * np.abs(from_keys - sharp).mean()


def test_a_step_between_rendered_frames_is_so_much_time(filmed, tmp_path):
    scene = bpy.context.scene
    scene.frame_step = 2
    film = render_all(tmp_path / "film")
    scene.frame_set(8)
    for frame in (1, 3, 5):
        scene.frame_set(frame)
    assert np.abs(film[2] - render_still(tmp_path / "still.png")).max() < 0.02
    scene.frame_set(1)
    scene.frame_set(5)  # a jump: at rest there
    assert np.abs(film[2] - render_still(tmp_path / "rest.png")).max() > 0.1


def test_an_animation_rendered_twice_is_the_same_twice(filmed, tmp_path):
    first = render_all(tmp_path / "first")
    bpy.context.scene.frame_set(5)
    assert np.array_equal(first, render_all(tmp_path / "second"))


def test_rendering_leaves_live_where_it_was(filmed, tmp_path):
    rig, chain = filmed
    for frame in range(1, 6):
        bpy.context.scene.frame_set(frame)
    before, shown = session(rig, chain).outputs.angles.copy(), pose(rig)
    assert session(rig, chain).outputs.lag > 0.05
    render_all(tmp_path / "film")
    assert bpy.context.scene.frame_current == 5
    assert np.array_equal(before, session(rig, chain).outputs.angles)
    assert farthest(shown, pose(rig)) < 1e-6


def test_a_still_shows_what_live_shows(filmed, tmp_path):
    rig, chain = filmed
    for frame in range(1, 6):
        bpy.context.scene.frame_set(frame)
    shown = pose(rig)
    assert missed(rig, chain) > 1.0, "it lags, and is to do so in the picture"
    still = render_still(tmp_path / "still.png")
    assert farthest(shown, pose(rig)) < 1e-6
    assert np.abs(still - render_all(tmp_path / "film")[4]).max() < 0.02


def edit_the_last_bone(rig) -> None:
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["head"].tail.x += 0.3
    bpy.ops.object.mode_set(mode="POSE")


def add_a_constraint(rig) -> None:
    rig.pose.bones["head"].constraints.new("COPY_LOCATION")  # after Limber's own one, which must be the last


@pytest.mark.parametrize("change", [edit_the_last_bone, add_a_constraint])
def test_what_is_changed_while_something_renders_counts_when_it_has_ended(change, monkeypatch):
    rig, chain = looking_chain()
    go_live(rig, chain)
    monkeypatch.setattr(live, "is_rendering", lambda: True)
    change(rig)
    bpy.context.view_layer.update()
    assert live.advance_clock(bpy.context.scene, bpy.context.view_layer.depsgraph), "the clock waits"
    monkeypatch.undo()
    assert_looks(rig, chain)
    assert rig.pose.bones["head"].constraints[-1] == proxy.own(rig.pose.bones["head"])


def test_the_first_chain_that_comes_live_while_something_renders_is_taken_up_at_the_next_change(monkeypatch):
    rig, chain = looking_chain()
    go_live(rig, chain)
    live.stop(rig, chain)
    monkeypatch.setattr(live, "is_rendering", lambda: True)
    chain.live = True
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Other", None))  # as Append does
    bpy.context.view_layer.update()
    monkeypatch.undo()
    chain.target.location.x += 0.1
    bpy.context.view_layer.update()
    assert live.live_chains(), "no clock has run"
    assert_looks(rig, chain)


def test_a_file_that_was_saved_live_renders_live_in_a_blender_without_a_window(filmed, tmp_path, reopen):
    film = render_all(tmp_path / "first")
    reopen()
    assert np.abs(film - render_all(tmp_path / "second")).mean() < 1e-3
    assert bpy.data.objects["Rig"].limber.chains[0].live
