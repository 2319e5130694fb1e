"""Tests that a no-go zone has its shown shape, scale and rotation: links enter it by the depth that Motion
Check reports.
"""

from math import radians

import numpy as np
import pytest
from mathutils import Euler

from tests.blender.zones import RADIUS, checked, empty, entered, forbid, mesh, standing_arm


@pytest.fixture
def chain():
    return standing_arm()


def test_a_link_in_a_box_is_named_with_the_box_and_how_far_it_goes_in(rig, chain):
    forbid(
        rig, empty("Table", (0.06, 0, 0.25), size=0.05)
    )  # its side is 1 cm from the middle bone's line, which is 2 cm thick
    found = [one for one in checked(rig).findings if one.kind == "ZONE"]
    assert {one.joint for one in found} == {
        "middle",
        "upper",
        "lower",
    }, "those that meet the middle bone are as near"
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
    assert entered(rig).get(("middle", "Table"), reach + RADIUS - 0.08) == pytest.approx(
        reach + RADIUS - 0.08, abs=1e-5
    )
    assert bool(entered(rig)) == (reach + RADIUS > 0.08)


def test_an_unevenly_scaled_and_turned_box_is_where_it_is_seen(rig, chain):
    turn, scale, place = (0.3, -0.5, 0.8), (0.5, 3.0, 1.0), (0.15, 0.05, 0.25)
    forbid(rig, empty("Slab", place, size=0.05, turn=turn, scale=scale))
    rig.limber.link_radius = 0.3
    grid = np.linspace(-1, 1, 61)
    local = 0.05 * np.array(scale) * np.stack(np.meshgrid(grid, grid, grid), axis=-1).reshape(-1, 3)
    points = local @ np.array(Euler(turn).to_matrix()).T + place
    aside = points - np.stack([0 * points[:, 0], 0 * points[:, 1], points[:, 2].clip(0.2, 0.3)], axis=1)
    assert entered(rig)["middle", "Slab"] == pytest.approx(
        0.3 - np.linalg.norm(aside, axis=1).min(), abs=2e-3
    )


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
    corners = [
        (0.2, 0.2, 0),
        (0.2, -0.2, 0),
        (-0.2, -0.2, 0),
        (0, 0, 0.225),
    ]  # a tetrahedron: its hull contains the arm's lower bones
    forbid(rig, mesh("Heap", corners))
    assert set(entered(rig)) == {("lower", "Heap"), ("middle", "Heap")}


@pytest.mark.every_blender
def test_a_flat_mesh_forbids_passing_through_it(rig, chain):
    forbid(rig, mesh("Pane", [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], place=(0, 0, 0.25)))
    assert set(entered(rig)) == {("middle", "Pane")}


def test_a_mesh_that_modifiers_make_larger_is_as_large_as_it_is_seen(rig, chain):
    zone = mesh(
        "Box",
        [(x, y, z) for x in (-0.01, 0.01) for y in (-0.01, 0.01) for z in (-0.01, 0.01)],
        place=(0.2, 0, 0.25),
    )
    forbid(rig, zone)
    assert entered(rig) == {}
    array = zone.modifiers.new("Array", "ARRAY")
    array.use_relative_offset, array.use_constant_offset = False, True
    array.constant_offset_displace, array.count = (-0.1, 0, 0), 3
    assert ("middle", "Box") in entered(rig)
