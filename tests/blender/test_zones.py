"""No-go zones: Motion Check names the link and the zone where a chain enters one, whatever the zone's shape, scale and turn."""

from math import radians

import bpy
import numpy as np
import pytest
from mathutils import Euler

from tests.blender.drawing import drawn
from tests.blender.posing import pose
from tests.blender.rigs import build, keyed, looking_chain, make_active, select

RADIUS = 0.02  # [m] of links, as they are at first


@pytest.fixture
def chain():
    """Of an arm that stands upright, from 0 to .5 m, and looks straight up: it does not move."""
    _, chain = looking_chain()
    chain.target.location = (0, 0, 3)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 3
    return chain


def empty(name: str, place, kind: str = "CUBE", size: float = 0.05, turn=(0, 0, 0), scale=(1, 1, 1)):
    thing = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(thing)
    thing.empty_display_type, thing.empty_display_size = kind, size
    thing.location, thing.rotation_euler, thing.scale = place, turn, scale
    bpy.context.view_layer.update()
    return thing


def mesh(name: str, corners, place=(0, 0, 0)):
    data = bpy.data.meshes.new(name)
    data.from_pydata([tuple(corner) for corner in corners], [], [])
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    thing.location = place
    bpy.context.view_layer.update()
    return thing


def forbid(rig, *things) -> None:
    """As a user does: selects the objects beside the armature and presses +."""
    make_active(rig)
    for thing in things:
        thing.select_set(True)
    bpy.ops.limber.add_zone()


def checked(rig):
    from limber.rig.motion_check.check import result

    bpy.ops.limber.check_motion()
    return result(rig)


def entered(rig) -> dict[tuple[str, str], float]:
    """Link and zone -> how far it goes in [m]."""
    return {(one.joint, one.zone): 1e-3 * one.value for one in checked(rig).findings if one.kind == "ZONE"}


# shapes


def test_a_link_in_a_box_is_named_with_the_box_and_how_far_it_goes_in(rig, chain):
    forbid(rig, empty("Table", (0.06, 0, 0.25), size=0.05))  # its side is 1 cm from the middle bone's line, which is 2 cm thick
    found = [one for one in checked(rig).findings if one.kind == "ZONE"]
    assert {one.joint for one in found} == {"middle", "upper", "lower"}, "those that meet the middle bone are as near"
    middle = next(one for one in found if one.joint == "middle")
    assert middle.value == pytest.approx(10.0, abs=0.01)
    assert (middle.first, middle.last, middle.unit, middle.zone) == (1, 3, "mm", "Table")
    assert middle.sentence == "Bone 'middle' is up to 10.0 mm inside no-go zone 'Table'"


def test_a_link_that_stays_out_of_a_box_by_a_hair_is_not_told(rig, chain):
    zone = empty("Table", (0.05 + RADIUS + 1e-4, 0, 0.25))
    forbid(rig, zone)
    assert entered(rig) == {}
    zone.location.x -= 2e-4
    assert ("middle", "Table") in entered(rig)


def test_the_links_radius_counts(rig, chain):
    forbid(rig, empty("Table", (0.1, 0, 0.25)))
    assert entered(rig) == {}
    rig.limber.link_radius = 0.06
    assert entered(rig)["middle", "Table"] == pytest.approx(0.01, abs=1e-5)


@pytest.mark.parametrize(("turn", "reach"), [((0, 0, 0), 0.05), ((0, 0, radians(45)), 0.05 * np.sqrt(2))])
def test_a_turned_box_reaches_as_far_as_its_corner(rig, chain, turn, reach):
    forbid(rig, empty("Table", (0.08, 0, 0.25), size=0.05, turn=turn))
    assert entered(rig).get(("middle", "Table"), reach + RADIUS - 0.08) == pytest.approx(reach + RADIUS - 0.08, abs=1e-5)
    assert bool(entered(rig)) == (reach + RADIUS > 0.08)


def test_an_unevenly_scaled_and_turned_box_is_where_it_is_seen(rig, chain):
    turn, scale, place = (0.3, -0.5, 0.8), (0.5, 3.0, 1.0), (0.15, 0.05, 0.25)
    forbid(rig, empty("Slab", place, size=0.05, turn=turn, scale=scale))
    rig.limber.link_radius = 0.3
    grid = np.linspace(-1, 1, 61)
    local = 0.05 * np.array(scale) * np.stack(np.meshgrid(grid, grid, grid), axis=-1).reshape(-1, 3)
    points = local @ np.array(Euler(turn).to_matrix()).T + place
    aside = points - np.stack([0 * points[:, 0], 0 * points[:, 1], points[:, 2].clip(0.2, 0.3)], axis=1)
    assert entered(rig)["middle", "Slab"] == pytest.approx(0.3 - np.linalg.norm(aside, axis=1).min(), abs=2e-3)


def test_a_ball_is_an_empty_shown_as_a_sphere_and_its_scale_counts(rig, chain):
    zone = empty("Head of the Child", (0.2, 0, 0.25), "SPHERE", size=0.1)
    forbid(rig, zone)
    assert entered(rig) == {}
    zone.scale = (1.9, 1.9, 1.9)
    assert entered(rig)["middle", "Head of the Child"] == pytest.approx(0.19 + RADIUS - 0.2, abs=1e-5)
    zone.scale = (1.0, 5.0, 1.0)  # along the side that does not face the arm
    assert entered(rig) == {}
    zone.scale = (1.95, 1.0, 1.0)
    assert entered(rig)["middle", "Head of the Child"] == pytest.approx(0.195 + RADIUS - 0.2, abs=1e-5)


def test_deep_in_a_ball_the_way_to_its_surface_counts_as_well(rig, chain):
    forbid(rig, empty("Ball", (0.1, 0, 0.25), "SPHERE", size=0.3))
    assert entered(rig)["middle", "Ball"] == pytest.approx(0.3 - 0.1 + RADIUS, rel=0.01)


def test_of_a_mesh_the_convex_volume_counts(rig, chain):
    corners = [(0.2, 0.2, 0), (0.2, -0.2, 0), (-0.2, -0.2, 0), (0, 0, 0.225)]  # a tetrahedron: its hull holds the arm's lower bones
    forbid(rig, mesh("Heap", corners))
    assert set(entered(rig)) == {("lower", "Heap"), ("middle", "Heap")}


def test_a_flat_mesh_forbids_passing_through_it(rig, chain):
    forbid(rig, mesh("Pane", [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], place=(0, 0, 0.25)))
    assert set(entered(rig)) == {("middle", "Pane")}


def test_a_mesh_that_modifiers_make_larger_is_as_large_as_it_is_seen(rig, chain):
    zone = mesh("Box", [(x, y, z) for x in (-0.01, 0.01) for y in (-0.01, 0.01) for z in (-0.01, 0.01)], place=(0.2, 0, 0.25))
    forbid(rig, zone)
    assert entered(rig) == {}
    array = zone.modifiers.new("Array", "ARRAY")
    array.use_relative_offset, array.use_constant_offset = False, True
    array.constant_offset_displace, array.count = (-0.1, 0, 0), 3
    assert ("middle", "Box") in entered(rig)


# motion


def test_what_is_shown_counts_after_the_motion_filter_and_at_the_frames_where_it_is_so(rig, chain):
    scene = bpy.context.scene
    scene.frame_end = 60
    chain.target.location = (0, -3, 0.5)
    keyed(chain.target, (10, 30), end=(0, 3, 0.5))
    zone = empty("Wall", (0, 0.3, 0.5), size=0.2)
    forbid(rig, zone)
    found = [one for one in checked(rig).findings if one.kind == "ZONE"]
    assert found
    assert min(one.first for one in found) > 12
    take = checked(rig).takes[0]
    assert max(float(inside.max()) for inside in take.inside) == pytest.approx(1e-3 * max(one.value for one in found))


def test_a_zone_that_moves_is_entered_when_it_comes(rig, chain):
    bpy.context.scene.frame_end = 20
    zone = keyed(empty("Cart", (1, 0, 0.25)), (1, 20), end=(0, 0, 0.25))
    forbid(rig, zone)
    first = min(one.first for one in checked(rig).findings if one.kind == "ZONE")
    assert 15 <= first <= 20


def test_a_mesh_that_changes_its_shape_is_looked_at_anew(rig, chain):
    zone = mesh("Balloon", [(x, y, z) for x in (-0.01, 0.01) for y in (-0.01, 0.01) for z in (-0.01, 0.01)], place=(0.2, 0, 0.25))
    array = zone.modifiers.new("Array", "ARRAY")
    array.use_relative_offset, array.use_constant_offset, array.constant_offset_displace = False, True, (0, 0, 0)
    array.keyframe_insert("constant_offset_displace", frame=1)
    array.constant_offset_displace = (-0.2, 0, 0)
    array.keyframe_insert("constant_offset_displace", frame=3)
    forbid(rig, zone)
    assert {(one.joint, one.first, one.last) for one in checked(rig).findings if one.kind == "ZONE"} == {("middle", 3, 3)}


def test_a_zone_on_a_bone_says_nothing_of_that_bone_but_of_the_others(rig, chain):
    zone = empty("Shade", (0, 0, 0), size=0.05)
    zone.parent, zone.parent_type, zone.parent_bone = rig, "BONE", "head"
    bpy.context.view_layer.update()
    forbid(rig, zone)
    assert "head" not in {bone for bone, _ in entered(rig)}
    zone.empty_display_size = 0.15
    assert ("upper", "Shade") in entered(rig)


def test_where_a_turntable_is_mounted_is_not_told(rig, chain):
    forbid(rig, empty("Desk", (0, 0, -0.05), size=0.1))
    assert "base" not in {bone for bone, _ in entered(rig)}
    assert checked(rig).takes[0].links == ("lower", "middle", "upper", "head")


def test_a_slide_at_the_root_moves_every_link():
    rig = build({"rail": "Y", "head": "X"})
    bone = rig.pose.bones["rail"]
    limit = bone.constraints.new("LIMIT_LOCATION")
    limit.owner_space, limit.use_min_x, limit.use_max_x, limit.min_x, limit.max_x = "LOCAL", True, True, -0.2, 0.2
    select(rig, "rail", "head")
    bpy.ops.limber.new_chain()
    from limber.rig.motion_check.zones import Links

    assert Links(rig, rig.limber.chains[0]).names == ("rail", "head")


# what is done with it


def test_list_marks_csv_and_picture_tell_of_zones(rig, chain, tmp_path):
    forbid(rig, empty("Table", (0.06, 0, 0.25)))
    checked(rig)
    from limber.rig.motion_check import view

    shown = bpy.context.window_manager.limber_motion_check
    assert "1-3  In zone: middle in Table" in [view.label(line) for line in shown.findings]
    bpy.ops.limber.mark_findings()
    assert any("middle in Table" in marker.name for marker in bpy.context.scene.timeline_markers)
    bpy.ops.limber.save_findings(filepath=str(tmp_path / "motion"))
    lines = (tmp_path / "motion.csv").read_text(encoding="utf-8").splitlines()
    assert any(line.startswith("zone,head,middle,1,3,") and ",Table," in line for line in lines)
    bpy.ops.limber.save_motion_picture(filepath=str(tmp_path / "motion.png"))
    image = bpy.data.images.load(str(tmp_path / "motion.png"))
    assert image.size[1] > 94 * (2 + len(chain.joints))


def test_the_view_names_bone_and_zone_at_the_frames_where_it_is_so(rig, chain):
    from limber.rig.motion_check.check import entered as told

    forbid(rig, empty("Table", (0.06, 0, 0.25)))
    assert told(2, [rig]) == []
    checked(rig)
    found = {one.words: one.line for one in told(2, [rig])}
    assert found["middle in Table: 10 mm"] == pytest.approx(np.array([[0, 0, 0.2], [0, 0, 0.3]]), abs=1e-4)
    assert told(4, [rig]) == []


def test_without_zones_nothing_is_looked_at(rig, chain):
    assert checked(rig).takes[0].inside == []


# trouble


def test_a_deleted_zone_is_named_and_can_be_taken_from_the_list(rig, chain):
    from limber.panels.motion_check import LIMBER_PT_zones

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


def test_a_zone_deleted_in_the_viewport_is_named(rig, chain):
    zone = empty("Table", (0.06, 0, 0.25))
    forbid(rig, zone)
    make_active(zone)
    bpy.ops.object.delete()
    make_active(rig)
    with pytest.raises(RuntimeError, match=r"'Table'.*(deleted|taken)"):
        bpy.ops.limber.check_motion()


def test_a_zone_deleted_while_the_check_goes_on_is_named(rig, chain, monkeypatch):
    from limber.rig.errors import RigError
    from limber.rig.motion_check.check import MotionCheck

    zone = empty("Table", (0.06, 0, 0.25))
    forbid(rig, zone)
    work = MotionCheck(bpy.context.scene, rig, range(1, 4), 0.1, 0.1)
    try:
        assert work.step()
        bpy.data.objects.remove(zone)
        with pytest.raises(RigError, match="'Table' was deleted"):
            work.step()
    finally:
        work.cancel()


def test_a_zone_taken_from_the_list_while_the_check_goes_on_is_named(rig, chain):
    from limber.rig.errors import RigError
    from limber.rig.motion_check.check import MotionCheck

    forbid(rig, empty("Table", (0.06, 0, 0.25)))
    work = MotionCheck(bpy.context.scene, rig, range(1, 4), 0.1, 0.1)
    try:
        bpy.ops.limber.remove_zone()
        with pytest.raises(RigError, match="'Table' was taken from the list of 'Rig': press Check Motion again"):
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


def test_hidden_zones_and_those_without_an_inside_are_named(rig, chain):
    zone = empty("Table", (0.06, 0, 0.25))
    forbid(rig, zone)
    zone.hide_viewport = True
    with pytest.raises(RuntimeError, match="'Table' is disabled in viewports"):
        bpy.ops.limber.check_motion()
    zone.hide_viewport = False
    rig.limber.zones[0].zone = mesh("Nothing", [])
    with pytest.raises(RuntimeError, match="'Nothing' has no points"):
        bpy.ops.limber.check_motion()
    rig.limber.zones[0].zone = rig
    with pytest.raises(RuntimeError, match="'Rig' has no inside"):
        bpy.ops.limber.check_motion()
    rig.limber.zones[0].zone = empty("Nowhere", (float("nan"), 0, 0))
    with pytest.raises(RuntimeError, match="'Nowhere' is not a number"):
        bpy.ops.limber.check_motion()


def test_add_takes_what_is_selected_and_can_be_undone(undo_step):
    rig, _ = looking_chain()
    first, second = empty("One", (1, 0, 0)), empty("Two", (2, 0, 0))
    undo_step("set up")
    forbid(rig, first, second)
    undo_step("Add No-Go Zone")
    assert [zone.name for zone in rig.limber.zones] == ["One", "Two"]
    bpy.ops.ed.undo()
    assert len(bpy.data.objects["Rig"].limber.zones) == 0


def test_zones_come_back_with_the_file(rig, chain, reopen):
    forbid(rig, empty("Table", (0.06, 0, 0.25)))
    reopen()
    rig = bpy.data.objects["Rig"]
    assert ("middle", "Table") in entered(rig)


def test_the_pose_that_is_posed_is_left_alone(rig, chain):
    forbid(rig, empty("Table", (0.06, 0, 0.25)))
    pose(rig, {"lower": (0.2, 0, 0)})
    checked(rig)
    assert rig.pose.bones["lower"].rotation_euler.x == pytest.approx(0.2)
