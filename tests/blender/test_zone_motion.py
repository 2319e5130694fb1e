"""Tests no-go zones frame by frame and between frames, for moving links and zones, without findings about
links that cannot leave them.
"""

import bpy
import pytest
from limber.rig.output.motion_check.check import entered as in_the_view

from tests.blender.posing import pose
from tests.blender.rigs import build, keyed, looking_chain, select
from tests.blender.zones import checked, empty, entered, forbid, mesh, standing_arm


@pytest.fixture
def chain():
    return standing_arm()


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
    assert max(float(inside.max()) for inside in take.inside) == pytest.approx(
        1e-3 * max(one.value for one in found)
    )


def test_a_zone_that_moves_is_entered_when_it_comes(rig, chain):
    bpy.context.scene.frame_end = 20
    zone = keyed(empty("Cart", (1, 0, 0.25)), (1, 20), end=(0, 0, 0.25))
    forbid(rig, zone)
    first = min(one.first for one in checked(rig).findings if one.kind == "ZONE")
    assert 15 <= first <= 20


def zone_findings(rig):
    return [one for one in checked(rig).findings if one.kind == "ZONE"]


@pytest.mark.every_blender
def test_a_zone_that_flies_past_between_two_frames_is_entered_on_the_way(rig, chain):
    zone = keyed(empty("Ball", (0.5, 0, 0.25), "SPHERE", 0.02), (1, 2), end=(-0.5, 0, 0.25))
    forbid(rig, zone)
    found = zone_findings(rig)
    assert {(one.first, one.last) for one in found} == {(2, 2)}
    assert max(one.value for one in found) == pytest.approx(
        40.0, abs=3
    )  # [mm] both radii: right through the middle
    assert all("between the last frame and this one" in one.sentence for one in found)
    assert all("through Ball since the last frame" in one.words for one in in_the_view(2, [rig]))
    zone.animation_data_clear()
    zone.location = (0.5, 0, 0.25)
    assert not entered(rig)


def test_a_link_that_sweeps_past_a_zone_between_two_frames_enters_it(rig, chain):
    rig.limber.link_radius = 0.001
    keyed(rig, (1, 2), end=(0.4, 0, 0))
    forbid(rig, empty("Ball", (0.2, 0, 0.25), "SPHERE", 0.02))
    assert {(one.first, one.last) for one in zone_findings(rig)} == {(2, 2)}


def test_a_zone_that_is_carried_along_with_the_arm_is_not_entered(rig, chain):
    cart = bpy.data.objects.new("Cart", None)
    bpy.context.scene.collection.objects.link(cart)
    zone = empty("Plate", (0.15, 0, 0.25), size=0.3, scale=(0.1, 1, 1))
    for thing in (rig, zone, chain.target):
        thing.parent = cart
    cart.rotation_euler.z = 0.0
    cart.keyframe_insert("rotation_euler", frame=1)
    cart.rotation_euler.z = 2.0
    keyed(cart, (1, 2), end=(1, 0, 0))
    cart.keyframe_insert("rotation_euler", frame=2)
    forbid(rig, zone)
    assert not entered(rig)


def test_every_chain_sees_how_a_zone_has_moved(rig, chain):
    above = chain.target
    bpy.ops.limber.remove_chain()
    chains = [looking_chain(rig, *bones, at=above)[1].name for bones in (("lower", "middle"), ("head",))]
    forbid(rig, keyed(empty("Gate", (1.5, 0, 0.25), size=0.25), (1, 2), end=(-1.5, 0, 0.25)))
    assert {one.chain for one in zone_findings(rig)} == set(chains)


@pytest.mark.parametrize(
    ("changed", "values"),
    [
        ("rotation_euler", [(0, 0, 0), (0, 0, 3.14)]),
        ("scale", [(1, 1, 1), (0, 0, 0)]),
        ("scale", [(1, 1, 1), (0.01, 0.01, 0.01)]),
        ("scale", [(1, 1, 1), (-1, 1, 1)]),
        ("scale", [(1, 1, 8), (1, -1, 8)]),
    ],
    ids=["spins", "is hidden by its scale", "shrinks", "is mirrored", "is tall and mirrored"],
)
def test_a_zone_that_changes_where_it_is_enters_nothing(rig, chain, changed, values):
    zone = empty("Ball", (0.3, 0, 0.25), "SPHERE", 0.05)
    for frame, value in enumerate(values, 1):
        setattr(zone, changed, value)
        zone.keyframe_insert(changed, frame=frame)
    forbid(rig, zone)
    assert not entered(rig)


def test_a_mesh_that_changes_its_shape_is_looked_at_anew(rig, chain):
    zone = mesh(
        "Balloon",
        [(x, y, z) for x in (-0.01, 0.01) for y in (-0.01, 0.01) for z in (-0.01, 0.01)],
        place=(0.2, 0, 0.25),
    )
    array = zone.modifiers.new("Array", "ARRAY")
    array.use_relative_offset, array.use_constant_offset, array.constant_offset_displace = (
        False,
        True,
        (0, 0, 0),
    )
    array.keyframe_insert("constant_offset_displace", frame=1)
    array.constant_offset_displace = (-0.2, 0, 0)
    array.keyframe_insert("constant_offset_displace", frame=3)
    forbid(rig, zone)
    assert {(one.joint, one.first, one.last) for one in checked(rig).findings if one.kind == "ZONE"} == {
        ("middle", 3, 3)
    }


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
    limit.owner_space, limit.use_min_x, limit.use_max_x, limit.min_x, limit.max_x = (
        "LOCAL",
        True,
        True,
        -0.2,
        0.2,
    )
    select(rig, "rail", "head")
    bpy.ops.limber.new_chain()
    from limber.rig.bones.moving_bones import moved_bones

    assert moved_bones(rig, rig.limber.chains[0]) == ["rail", "head"]


def test_the_pose_that_is_posed_is_left_alone(rig, chain):
    forbid(rig, empty("Table", (0.06, 0, 0.25)))
    pose(rig, {"lower": (0.2, 0, 0)})
    checked(rig)
    assert rig.pose.bones["lower"].rotation_euler.x == pytest.approx(0.2)
