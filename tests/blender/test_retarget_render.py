"""Tests a body that follows during rendering: renders show the live motion, with motion blur also between
frames, and live motion continues.
"""

from pathlib import Path

import bpy
import pytest
from limber.rig.live import live

from tests.blender.figures import CMU, XSENS, figure, walk
from tests.blender.rigs import apart
from tests.blender.shown import no_handler_raises, pose  # noqa: F401

pytestmark = pytest.mark.every_blender

LAST = 8
# [frames] from a rendered frame to those that its motion blur evaluates
SHUTTER = (-0.5, -0.25, 0.0, 0.25, 0.5)


class Watching(bpy.types.RenderEngine):
    """A render engine that records the body's pose at each frame, and at the times at which the shutter opens
    and closes.
    """

    bl_idname = "WATCHING"
    bl_label = "Watching"
    seen: dict[float, list] = {}

    def render(self, depsgraph):
        scene = depsgraph.scene
        frame = scene.frame_current
        for offset in SHUTTER if scene.render.use_motion_blur else (0.0,):
            at = frame + offset
            self.frame_set(int(at // 1), subframe=at % 1.0)
            body = bpy.data.objects["Body"].evaluated_get(depsgraph)
            self.seen[at] = [bone.matrix.copy() for bone in body.pose.bones]
        self.frame_set(frame, subframe=0.0)


@pytest.fixture
def rig(tmp_path: Path):
    """A live body that follows a walking source, which is also moved as an object."""
    bpy.utils.register_class(Watching)
    source = figure(CMU, "Source")
    walk(source, CMU)
    for frame, place in ((1, (0.0, 0.0, 0.0)), (LAST, (0.5, 0.25, 1.0))):
        source.location = place
        source.keyframe_insert("location", frame=frame)
    body = figure(XSENS, "Body")
    body.limber.retarget.source = source
    bpy.ops.limber.pair_bones()
    scene = bpy.context.scene
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)
    scene.render.engine, scene.render.filepath = "WATCHING", str(tmp_path / "film")
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.frame_start, scene.frame_end = 1, LAST
    scene.frame_set(1)
    bpy.ops.limber.live()
    yield body
    bpy.utils.unregister_class(Watching)


def rendered(**what) -> dict[float, list]:
    """Poses by frame, as a render evaluates them."""
    Watching.seen.clear()
    bpy.ops.render.render(**what)
    return dict(Watching.seen)


def played(rig) -> dict[float, list]:
    """Poses by frame, as live motion shows them."""
    found = {}
    for frame in range(1, LAST + 1):
        bpy.context.scene.frame_set(frame)
        found[float(frame)] = pose(rig)
    return found


def apart_at(first: dict[float, list], second: dict[float, list]) -> dict[float, float]:
    """Largest difference of poses, by frame, at all frames of the first."""
    return {frame: apart(shown, second[frame]) for frame, shown in first.items()}


def test_a_rendered_animation_is_what_live_shows(rig):
    shown = played(rig)
    film = rendered(animation=True)
    assert max(apart_at(shown, film).values()) < 1e-5
    assert film.keys() == shown.keys()
    assert apart(film[1.0], film[4.0]) > 0.1, "it moves"
    assert set(apart_at(film, rendered(animation=True)).values()) == {0.0}


def test_a_still_is_what_live_shows(rig):
    shown = played(rig)
    assert apart(shown[float(LAST)], rendered()[LAST]) < 1e-5


def test_a_limit_on_speed_lags_in_a_rendered_animation_as_it_does_live(rig):
    rig.limber.retarget.velocity = 1.0
    shown = played(rig)
    film = rendered(animation=True)
    assert max(apart_at(shown, film).values()) < 1e-5
    rig.limber.retarget.velocity = 0.0
    assert apart(played(rig)[float(LAST)], film[float(LAST)]) > 0.02, "it lags"


def test_motion_blur_sees_what_lies_between_frames_and_leaves_the_motion_as_it_is(rig):
    shown = played(rig)
    bpy.context.scene.render.use_motion_blur = True
    film = rendered(animation=True)
    assert max(apart_at(shown, film).values()) < 1e-5
    hips = {frame: film[frame][0].translation for frame in sorted(film)}
    for frame in range(1, LAST):
        ways = [(hips[frame + part + 0.25] - hips[frame + part]).length for part in (0.0, 0.25, 0.5, 0.75)]
        whole = (hips[frame + 1.0] - hips[float(frame)]).length
        assert max(ways) < 0.5 * whole
        assert sum(ways) < 1.2 * whole, "forward, not to and fro"


def test_rendering_leaves_live_where_it_was(rig):
    rig.limber.retarget.velocity = 1.0
    for frame in range(1, 6):
        bpy.context.scene.frame_set(frame)
    session = live.session(rig, rig.limber.retarget)
    joints, shown = session.values(), pose(rig)
    bpy.context.scene.render.use_motion_blur = True
    rendered(animation=True)
    assert bpy.context.scene.frame_current == 5
    assert live.session(rig, rig.limber.retarget).values() == joints
    assert apart(pose(rig), shown) < 1e-6
