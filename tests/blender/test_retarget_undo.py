"""Tests undo while a body follows: the step is undone, the body continues, and no data are left behind."""

import bpy
import pytest
from limber.rig.live import live

from tests.blender.figures import CMU, XSENS, bend, figure, walk, way
from tests.blender.rigs import apart, make_active
from tests.blender.shown import no_handler_raises, pose, settle, traces, twins  # noqa: F401

pytestmark = pytest.mark.every_blender


def the_body():
    return bpy.data.objects["Body"]


def the_retarget():
    return the_body().limber.retarget


def says() -> str:
    return live.session(the_body(), the_retarget()).problem


@pytest.fixture
def following(undo_step):
    """A body that follows a source at rest; it is live in the last undo step."""
    source = figure(CMU, "Source")
    rig = figure(XSENS, "Body")
    rig.limber.retarget.source = source
    bpy.ops.limber.pair_bones()
    undo_step("paired")
    bpy.ops.limber.live()
    settle()
    undo_step("live")


def arms_apart() -> float:
    """The angle [rad] between the shown upper arms of body and source."""
    parts = "left upper_arm", "left forearm"
    return way(the_body(), XSENS, *parts).angle(way(bpy.data.objects["Source"], CMU, *parts))


def assert_follows() -> None:
    settle()
    assert the_retarget().live
    assert says() == ""
    assert len(twins()) == 1
    assert arms_apart() < 0.01


def test_undoing_a_pose_of_the_source_takes_the_body_back(following, undo_step):
    before = pose(the_body())
    bend(bpy.data.objects["Source"], CMU, left_upper_arm=(30, 0, 20))
    settle()
    assert apart(before, pose(the_body())) > 0.1
    assert_follows()
    undo_step("pose")
    bpy.ops.ed.undo()
    assert_follows()
    assert apart(before, pose(the_body())) < 1e-3
    bpy.ops.ed.redo()
    assert_follows()
    assert apart(before, pose(the_body())) > 0.1


def test_undoing_a_setting_takes_effect(following, undo_step):
    before = pose(the_body())
    the_retarget().shift = (0.0, 0.0, 0.5)
    the_body().update_tag()
    settle()
    undo_step("shift")
    assert apart(before, pose(the_body())) == pytest.approx(0.5, abs=1e-3)
    bpy.ops.ed.undo()
    assert_follows()
    assert apart(before, pose(the_body())) < 1e-3


def test_undoing_the_end_follows_again_and_undoing_live_leaves_nothing(following, undo_step):
    shown = pose(the_body())
    bpy.ops.limber.end_live()
    undo_step("end")
    authored = pose(the_body())
    bpy.ops.ed.undo()
    assert_follows()
    assert apart(shown, pose(the_body())) < 1e-3
    bpy.ops.ed.undo()
    assert not the_retarget().live
    assert traces() == []
    assert apart(authored, pose(the_body())) == 0.0


def test_undoing_a_removed_pair_follows_with_it_again(following, undo_step):
    count = len(the_retarget().pairs)
    make_active(the_body())
    the_retarget().active_pair = [pair.target for pair in the_retarget().pairs].index("LeftUpperArm")
    bpy.ops.limber.remove_pair()
    settle()
    undo_step("removed")
    bend(bpy.data.objects["Source"], CMU, left_upper_arm=(30, 0, 20))
    settle()
    bpy.ops.ed.undo()
    assert len(the_retarget().pairs) == count
    assert_follows()


def test_undo_between_two_frames_of_a_motion_goes_on_from_there(undo_step):
    source = figure(CMU, "Source")
    walk(source, CMU)
    rig = figure(XSENS, "Body")
    rig.limber.retarget.source = source
    bpy.ops.limber.pair_bones()
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(5)
    undo_step("frame 5")
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(empty)
    undo_step("something else")
    bpy.ops.ed.undo()
    assert "Empty" not in bpy.data.objects
    for frame in range(bpy.context.scene.frame_current, 12):
        bpy.context.scene.frame_set(frame)
        assert says() == ""
        assert arms_apart() < 0.01, frame
    assert len(twins()) == 1


def test_undoing_a_bake_follows_again(following, undo_step):
    the_retarget().frame_start, the_retarget().frame_end = 1, 3
    shown = pose(the_body())
    make_active(the_body())
    bpy.ops.limber.bake()
    undo_step("baked")
    assert not the_retarget().live
    bpy.ops.ed.undo()
    assert_follows()
    assert apart(shown, pose(the_body())) < 1e-3
    assert the_body().animation_data is None or the_body().animation_data.action is None
