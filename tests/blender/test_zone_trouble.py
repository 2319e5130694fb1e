"""Tests that a no-go zone that was deleted, is hidden or has no inside is named, and the check ends."""

import bpy
import pytest

from tests.blender.drawing import drawn
from tests.blender.rigs import make_active
from tests.blender.zones import empty, entered, forbid, mesh, standing_arm


@pytest.fixture
def chain():
    return standing_arm()


@pytest.mark.every_blender
def test_a_deleted_zone_is_named_and_can_be_taken_from_the_list(rig, chain):
    from limber.panels.output.motion_check import LIMBER_PT_zones

    zone = empty("Table", (0.06, 0, 0.25))
    forbid(rig, zone)
    bpy.data.objects.remove(zone)
    with pytest.raises(RuntimeError, match="no-go zone 'Table' was deleted"):
        bpy.ops.limber.check_motion()
    assert any("'Table' was" in line for line in drawn(LIMBER_PT_zones).labels)
    bpy.ops.limber.remove_zone()
    assert entered(rig) == {}
    with pytest.raises(RuntimeError, match="no no-go zone"):
        bpy.ops.limber.remove_zone()


@pytest.mark.every_blender
def test_a_zone_deleted_in_the_viewport_is_named(rig, chain):
    zone = empty("Table", (0.06, 0, 0.25))
    forbid(rig, zone)
    make_active(zone)
    bpy.ops.object.delete()
    make_active(rig)
    with pytest.raises(RuntimeError, match=r"'Table'.*(deleted|taken)"):
        bpy.ops.limber.check_motion()


def test_a_zone_deleted_while_the_check_goes_on_is_named(rig, chain, monkeypatch):
    from limber.rig.blender.errors import RigError
    from limber.rig.live.movers import mover_of
    from limber.rig.output.motion_check.check import MotionCheck

    zone = empty("Table", (0.06, 0, 0.25))
    forbid(rig, zone)
    work = MotionCheck(bpy.context.scene, mover_of(rig, rig.limber.chains[0]), range(1, 4), 0.1, 0.1)
    try:
        assert work.step()
        bpy.data.objects.remove(zone)
        with pytest.raises(RigError, match="'Table' was deleted"):
            work.step()
    finally:
        work.cancel()


@pytest.mark.every_blender
def test_a_zone_taken_from_the_list_while_the_check_goes_on_is_named(rig, chain):
    from limber.rig.blender.errors import RigError
    from limber.rig.live.movers import mover_of
    from limber.rig.output.motion_check.check import MotionCheck

    forbid(rig, empty("Table", (0.06, 0, 0.25)))
    work = MotionCheck(bpy.context.scene, mover_of(rig, rig.limber.chains[0]), range(1, 4), 0.1, 0.1)
    try:
        bpy.ops.limber.remove_zone()
        with pytest.raises(
            RigError, match="'Table' was taken from the list of 'Rig': press Check Motion again"
        ):
            work.step()
    finally:
        work.cancel()


def test_a_zone_without_object_asks_for_one(rig, chain):
    make_active(rig)
    bpy.ops.limber.add_zone()
    with pytest.raises(RuntimeError, match="has no object yet: choose one"):
        bpy.ops.limber.check_motion()
    rig.limber.zones[0].zone = empty("Table", (0.06, 0, 0.25))
    assert ("middle", "Table") in entered(rig)


@pytest.mark.every_blender
def test_hidden_zones_and_those_without_an_inside_are_named(rig, chain):
    zone = empty("Table", (0.06, 0, 0.25))
    forbid(rig, zone)
    zone.hide_viewport = True
    with pytest.raises(RuntimeError, match="'Table' is disabled in viewports"):
        bpy.ops.limber.check_motion()
    zone.hide_viewport = False
    collection = bpy.data.collections.new("Room")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(zone)
    bpy.context.scene.collection.objects.unlink(zone)
    bpy.context.view_layer.layer_collection.children["Room"].exclude = True
    with pytest.raises(RuntimeError, match="'Table' is in collection 'Room', which is excluded"):
        bpy.ops.limber.check_motion()
    rig.limber.zones[0].zone = mesh("Nothing", [])
    with pytest.raises(RuntimeError, match="'Nothing' has no points"):
        bpy.ops.limber.check_motion()
    rig.limber.zones[0].zone = rig
    with pytest.raises(RuntimeError, match="'Rig' has no inside"):
        bpy.ops.limber.check_motion()
    rig.limber.zones[0].zone = empty("Nowhere", (float("nan"), 0, 0))
    with pytest.raises(RuntimeError, match="'Nowhere' is not a number"):
        bpy.ops.limber.check_motion()
