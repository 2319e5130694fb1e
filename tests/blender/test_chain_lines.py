"""Tests that the lines drawn over a live chain show its actual view and position."""

from itertools import pairwise
from math import degrees, radians

import bpy
import pytest
from limber.character.fixed_steps import STEP
from limber.panels.authoring import chain_overlay
from limber.rig.authoring.chains import new_chain
from limber.rig.live import live
from mathutils import Vector

from tests.blender.characters import character
from tests.blender.rigs import looking_chain, make_active
from tests.blender.shown import choose, depsgraph, settle


@pytest.fixture
def chain():
    return looking_chain()[1]


@pytest.fixture
def session(rig, chain):

    bpy.ops.limber.live()
    bpy.context.view_layer.update()
    return live.session(rig, chain)


def test_the_ray_of_an_end_that_looks_at_its_target_ends_in_it(rig, chain, session):
    from limber.rig.showing import chain_lines

    (ray,) = chain_lines.rays(rig, chain)
    assert (ray.target - chain.target.location).length < 1e-6
    assert (ray.hit - ray.target).length < 1e-3
    assert ray.eye.z > 0.3


@pytest.mark.every_blender
def test_a_target_that_is_deleted_while_live_has_no_ray_until_it_is_back(rig, chain, session):
    from limber.rig.showing import chain_lines

    ball = chain.target
    make_active(ball)
    bpy.ops.object.delete()
    bpy.context.view_layer.update()
    assert chain.target == ball, "the chain keeps the object in memory"
    assert list(chain_lines.rays(rig, chain)) == []
    bpy.context.scene.collection.objects.link(ball)
    ball.hide_set(True)
    assert len(list(chain_lines.rays(rig, chain))) == 1, (
        "a hidden target is looked at, and its ray says where it is"
    )


def test_an_additional_end_has_a_ray_only_while_it_is_enabled(rig, chain, session):
    from limber.rig.showing import chain_lines

    bpy.ops.limber.add_end(bone="middle")
    end = chain.ends[0]
    end.goal, end.target = "POINT", chain.target
    assert len(list(chain_lines.rays(rig, chain))) == 2
    end.enabled = False
    assert len(list(chain_lines.rays(rig, chain))) == 1, "a disabled end follows no target and has no error"


def test_the_ray_misses_by_the_angle_that_the_end_misses(rig, chain, session):
    from limber.rig.showing import chain_lines

    for joint in chain.joints:
        joint.lower, joint.upper = radians(-5), radians(5)
    bpy.ops.limber.end_live()
    bpy.ops.limber.live()
    bpy.context.view_layer.update()

    (ray,) = chain_lines.rays(rig, chain)
    error = degrees(live.session(rig, chain).outputs.filtered_aim_error)
    assert error > 5
    assert degrees(ray.error) == pytest.approx(error, abs=0.1)


@pytest.mark.every_blender
def test_a_chain_that_leaves_a_part_to_others_shows_that_and_no_error(rig, chain, session):
    from limber.rig.showing import chain_lines

    (ray,) = chain_lines.rays(rig, chain)
    assert ray.label("Torso") == "Torso: error 0.0°"
    choose(chain, share=0.2)
    settle()
    (ray,) = chain_lines.rays(rig, chain)
    assert degrees(ray.error) > 5
    assert ray.label("Torso") == f"Torso: leaves {degrees(ray.error):.1f}° to others"
    assert not any(colour == chain_overlay.MISS for colour, _ in chain_overlay.drawing().segments)


@pytest.mark.every_blender
def test_a_look_that_eases_to_a_target_that_has_jumped_says_so_and_shows_no_error(rig, chain, session):
    choose(chain, change=1.0, filter="none")
    settle()
    chain.target.location = Vector((0.5, 0.6, 0.3))
    bpy.context.view_layer.update()
    for step in range(9):
        live.advance_clock(bpy.context.scene, depsgraph(), 500.0 + step * STEP)
    (_, ray), *_ = chain_overlay.drawing().rays
    assert degrees(ray.error) > 5
    assert ray.label("Head") == f"Head: on its way, {degrees(ray.error):.1f}° to go"
    assert not any(colour == chain_overlay.MISS for colour, _ in chain_overlay.drawing().segments)
    settle()
    (_, ray), *_ = chain_overlay.drawing().rays
    assert ray.label("Head") == "Head: error 0.0°"


@pytest.mark.every_blender
def test_a_look_that_is_to_go_past_its_target_says_so_and_shows_no_error(rig, chain, session):
    choose(chain, look_aside=radians(10))
    settle()
    (_, ray), *_ = chain_overlay.drawing().rays
    assert degrees(ray.error) > 5
    assert ray.label("Head") == f"Head: looks {degrees(ray.error):.1f}° past"
    choose(chain, look_aside=0.0, widest_look=radians(5))
    chain.target.location = Vector((-3.0, 0.0, 0.3))
    settle()
    (_, ray), *_ = chain_overlay.drawing().rays
    assert ray.label("Head") == "Head: beyond Widest Look"
    assert not any(colour == chain_overlay.MISS for colour, _ in chain_overlay.drawing().segments)


def test_each_joint_has_an_arc_over_its_range_and_the_hand_stands_on_it(rig, chain, session):
    from limber.rig.showing import chain_lines

    for joint in chain.joints:
        joint.lower, joint.upper = radians(-80), radians(100)
    bpy.ops.limber.end_live()
    bpy.ops.limber.live()
    bpy.context.view_layer.update()

    arcs = list(chain_lines.arcs(rig, live.session(rig, chain)))
    assert len(arcs) == len(chain.joints)
    angles = live.session(rig, chain).outputs.angles
    for arc, angle in zip(arcs, angles, strict=True):
        first, last, now = (
            Vector(point) - arc.middle for point in (arc.points[0], arc.points[-1], arc.current)
        )
        assert degrees(first.angle(now)) == pytest.approx(degrees(angle) + 80, abs=0.1)
        assert degrees(last.angle(now)) == pytest.approx(100 - degrees(angle), abs=0.1)
        assert 0 <= arc.room <= 0.5


def test_an_arc_ends_after_a_full_turn_and_a_joint_without_limits_has_none():
    from limber.rig.showing import chain_lines

    rig = character()
    bpy.context.scene.collection.objects.link(target := bpy.data.objects.new("Target", None))
    target.location = (0.3, -1.5, 1.5)
    chain = new_chain(rig, ["torso", "head"])
    chain.target = target
    limited = chain.joints[0]
    limited.lower, limited.upper = radians(-170), radians(170)
    bpy.ops.limber.live()
    bpy.context.view_layer.update()
    (arc,) = chain_lines.arcs(rig, live.session(rig, chain))
    first, last = (Vector(point) - arc.middle for point in (arc.points[0], arc.points[-1]))
    assert degrees(first.angle(last)) == pytest.approx(20, abs=0.1), "of the one joint that has limits"
    chain.options.measure = "LINKS"
    for joint in chain.joints:
        joint.lower, joint.upper = radians(-3600), radians(3600)
    settle()
    circles = list(chain_lines.arcs(rig, live.session(rig, chain)))
    assert len(circles) == len(chain.joints)
    assert all(len(circle.points) == 61 for circle in circles), "more is drawn again and again"


@pytest.mark.every_blender
def test_the_hand_of_the_last_bones_joint_points_as_the_bone_does(rig, chain, session):
    from limber.rig.showing import chain_lines

    arcs = list(chain_lines.arcs(rig, session))
    bone = rig.pose.bones["upper"]
    hand = arcs[[joint.bone for joint in chain.joints].index("upper")]
    along = (rig.matrix_world @ bone.matrix).to_3x3() @ Vector((0, 1, 0))
    assert degrees((hand.current - hand.middle).angle(along)) < 0.05


def test_bones_that_the_filter_keeps_back_have_a_ghost_where_the_solver_wants_them(rig, chain, session):
    from limber.rig.showing import chain_lines

    assert chain_lines.late(rig, session) == []
    for joint in chain.joints:
        joint.velocity = 0.1
    chain.target.location = (-0.6, -0.3, 0.2)
    bpy.context.view_layer.update()
    for step in range(60):
        live.advance_clock(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), time=100.0 + step * STEP)
    bpy.context.view_layer.update()
    ghost = chain_lines.late(rig, live.session(rig, chain))
    assert len(ghost) == len(rig.pose.bones)
    head, tail = map(Vector, ghost[-1])
    assert degrees((tail - head).angle(chain.target.location - head)) < 0.1, "there it looks at its target"
    shown = rig.matrix_world @ rig.pose.bones["head"].tail
    assert (tail - shown).length > 0.01


def test_without_influence_the_ghost_is_where_the_bones_are_posed(rig, chain, session):
    from limber.rig.showing import chain_lines

    choose(chain, influence=0.0)
    rig.pose.bones["lower"].rotation_euler.x = 0.8
    bpy.context.view_layer.update()
    live.advance_clock(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), time=100.0)
    tail = Vector(chain_lines.late(rig, live.session(rig, chain))[-1][1])
    settle()
    assert (tail - rig.matrix_world @ rig.pose.bones["head"].tail).length < 1e-3


def test_without_live_there_is_nothing_to_draw(rig, chain):

    assert live.live_chains() == []


@pytest.mark.every_blender
def test_words_beside_one_target_lie_above_one_another_and_others_stay_where_they_are():
    from limber.panels.authoring.chain_overlay import LABEL_HEIGHT, free_label_position

    taken = []
    for place in ((100, 50), (103, 52), (100, 50), (400, 50)):
        taken.append(free_label_position(*place, taken, 2.0))
    assert taken[3] == (400, 50)
    heights = sorted(y for x, y in taken[:3])
    assert min(b - a for a, b in pairwise(heights)) >= 2 * LABEL_HEIGHT - 4
    assert len(set(heights)) == 3


@pytest.mark.every_blender
def test_nothing_is_drawn_over_a_chain_while_a_bake_steps_through_the_scene(rig, chain, session):
    from limber.panels.authoring import chain_overlay

    assert chain_overlay.drawing().rays
    live.suspend(True)
    assert chain_overlay.drawing() is None
    live.suspend(False)
    assert chain_overlay.drawing().rays
