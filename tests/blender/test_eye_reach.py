"""Tests that a head leaves to its eyes no more of a look than they can do."""

from math import cos, degrees, radians, sin

import bpy
import pytest
from limber.rig.showing import chain_lines
from mathutils import Matrix, Vector

from tests.blender.makers_rigs import FIGURES
from tests.blender.rigs import make_active
from tests.blender.shown import no_handler_raises  # noqa: F401
from tests.blender.test_front import armature


def child(eye_limit: float | None = None, eyes_scale: float = 1.0):
    """A figure with eyes, whose rig limits them to an angle [degrees]; `eyes_scale`: how far out eyes are."""
    places = FIGURES["Mixamo"].places
    moved = {
        name: (parent, *((x * eyes_scale, y * eyes_scale, z) for x, y, z in ends))
        for name, (parent, *ends) in places.items()
        if name.startswith("eye")
    }
    rig = armature(places | moved, Matrix())
    for side in "LR":
        if eye_limit is not None:
            limit = rig.pose.bones[f"eye.{side}"].constraints.new("LIMIT_ROTATION")
            limit.owner_space = "LOCAL"
            for axis in "xz":
                setattr(limit, f"use_limit_{axis}", True)
                setattr(limit, f"min_{axis}", -radians(eye_limit))
                setattr(limit, f"max_{axis}", radians(eye_limit))
    bpy.context.view_layer.update()
    make_active(rig)
    return rig


def at(rig, aside: float, distance: float, height: float = 0.05):
    """An empty at an angle [degrees], a distance and a height [m] from the head, selected beside the rig."""
    aim = bpy.data.objects.new("Aim", None)
    bpy.context.scene.collection.objects.link(aim)
    look = radians(aside)
    aim.location = rig.data.bones["head"].head_local + distance * Vector((sin(look), -cos(look), height))
    bpy.context.view_layer.update()
    aim.select_set(True)
    return aim


def eyes_miss(rig) -> float:
    """Largest angle [degrees] between an eye's look and its target, after three seconds live."""
    bpy.ops.limber.live_all()
    for frame in range(2, 80):
        bpy.context.scene.frame_set(frame)
    misses = []
    for name in ("Left Eye", "Right Eye"):
        chain = rig.limber.chains[name]
        start, tip = chain_lines.forward(rig, chain)
        misses.append(degrees((tip - start).angle(chain.target.matrix_world.translation - start)))
    return max(misses)


@pytest.mark.parametrize(
    ("eye_limit", "eyes_scale", "distance"),
    [(20, 1, 3), (None, 3, 0.8)],
    ids=["limits of the rig", "a near target"],
)
def test_eyes_meet_a_target_aside_that_the_head_can_turn_to(
    eye_limit: float | None, eyes_scale: float, distance: float
):
    rig = child(eye_limit, eyes_scale)
    at(rig, 75, distance)
    bpy.ops.limber.eyes_head_torso()
    assert 0.7 < rig.limber.chains["Head"].share <= 1.0
    assert eyes_miss(rig) < 0.1


def test_a_head_leaves_as_much_to_free_eyes_as_before_and_nothing_to_eyes_that_hardly_move():
    rig = child()
    bpy.ops.limber.eyes_head_torso()
    head = rig.limber.chains["Head"]
    assert (head.share, degrees(head.dead_zone)) == pytest.approx((0.7, 8))
    rig = child(eye_limit=3)
    bpy.ops.limber.eyes_head_torso()
    head = rig.limber.chains["Head"]
    assert (head.share, head.dead_zone) == (1, 0)


@pytest.mark.parametrize("is_limit", [False, True], ids=["locks", "a limit without range"])
def test_a_head_does_all_of_a_look_whose_pitch_its_eyes_cannot_do(is_limit: bool):
    rig = child()
    for bone in (rig.pose.bones["eye.L"], rig.pose.bones["eye.R"]):
        if is_limit:
            limit = bone.constraints.new("LIMIT_ROTATION")
            limit.owner_space, limit.use_limit_x = "LOCAL", True
        else:
            bone.lock_rotation[0] = True
    at(rig, 20, 1, height=0.7)
    bpy.ops.limber.eyes_head_torso()
    head = rig.limber.chains["Head"]
    assert (head.share, head.dead_zone) == (1, 0)
    assert eyes_miss(rig) < 0.1


def test_a_locked_roll_leaves_as_much_to_the_eyes():
    rig = child()
    for side in "LR":
        rig.pose.bones[f"eye.{side}"].lock_rotation[1] = True
    bpy.ops.limber.eyes_head_torso()
    assert rig.limber.chains["Head"].share == pytest.approx(0.7)


def test_eyes_that_cannot_converge_as_much_as_a_near_target_needs_get_the_share_of_a_far_one():
    shares = []
    for distance in (0.8, 100):
        rig = child(eye_limit=12, eyes_scale=6)
        at(rig, 0, distance)
        bpy.ops.limber.eyes_head_torso()
        shares.append(rig.limber.chains["Head"].share)
    assert shares[0] == shares[1] > 0.7


def test_a_target_where_the_head_looks_from_counts_as_far_away():
    rig = child()
    bpy.ops.limber.eyes_head_torso()
    position, _tip = chain_lines.forward(rig, rig.limber.chains["Head"])
    rig = child()
    at(rig, 0, 1).location = position
    bpy.context.view_layer.update()
    bpy.ops.limber.eyes_head_torso()
    assert rig.limber.chains["Head"].share == pytest.approx(0.7)


def test_where_a_target_is_too_near_for_any_share_the_share_stays():
    rig = child()
    at(rig, 0, 0.08)
    bpy.ops.limber.eyes_head_torso()
    assert rig.limber.chains["Head"].share == pytest.approx(0.7)


@pytest.mark.parametrize("turned", [0, 20, 130])
@pytest.mark.parametrize("size", [1.0, 0.01])
def test_the_share_of_a_head_depends_on_no_rounding_of_its_armatures_pose(turned: float, size: float):
    rig = child()
    rig.rotation_euler.z, rig.scale = radians(turned), (size,) * 3
    bpy.context.view_layer.update()
    bpy.ops.limber.eyes_head_torso()
    assert rig.limber.chains["Head"].share == pytest.approx(0.7)


def test_eyes_that_only_slide_leave_all_of_a_look_to_the_head():
    rig = child()
    for side in "LR":
        bone = rig.pose.bones[f"eye.{side}"]
        bone.lock_rotation, bone.lock_location = (True,) * 3, (True, False, True)
        limit = bone.constraints.new("LIMIT_LOCATION")
        limit.owner_space, limit.use_min_y, limit.use_max_y, limit.max_y = "LOCAL", True, True, 0.01
    assert bpy.ops.limber.eyes_head_torso() == {"FINISHED"}
    assert rig.limber.chains["Head"].share == 1.0
