"""Tests that a head leaves to its eyes, and a torso to its head, no more of a look than they can do."""

from math import cos, degrees, pi, radians, sin

import bpy
import pytest
from limber.character.attention import ANY_LOOK
from limber.character.chain.settings import ChainSettings
from limber.rig.showing import chain_lines
from mathutils import Matrix, Vector

from tests.blender.makers_rigs import FIGURES
from tests.blender.rigs import make_active, select
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


def leaves(chain) -> tuple[float, float, float]:
    """Dead zone of a chain, and what it leaves to others aside and up [degrees]."""
    return degrees(chain.dead_zone), degrees(chain.carried_left), degrees(chain.carried_up)


def misses(rig, *names: str) -> float:
    """Largest angle [degrees] between the look of a chain and its target."""
    angles = []
    for chain in (rig.limber.chains[name] for name in names):
        start, tip = chain_lines.forward(rig, chain)
        angles.append(degrees((tip - start).angle(chain.target.matrix_world.translation - start)))
    return max(angles)


def eyes_miss(rig) -> float:
    """Largest angle [degrees] between an eye's look and its target, after three seconds live."""
    bpy.ops.limber.live_all()
    for frame in range(2, 80):
        bpy.context.scene.frame_set(frame)
    return misses(rig, "Left Eye", "Right Eye")


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
    assert eyes_miss(rig) < 0.1


def test_a_head_leaves_as_much_to_free_eyes_as_before_and_nothing_to_eyes_that_hardly_move():
    rig = child()
    bpy.ops.limber.eyes_head_torso()
    head = rig.limber.chains["Head"]
    assert leaves(head) == pytest.approx((8, 180, 180))
    rig = child(eye_limit=3)
    bpy.ops.limber.eyes_head_torso()
    dead_zone, aside, up = leaves(rig.limber.chains["Head"])
    assert 0 < dead_zone < 1
    assert aside == up < 3


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
    assert leaves(rig.limber.chains["Head"]) == (0, 0, 0)
    assert eyes_miss(rig) < 0.1


def test_a_locked_roll_leaves_as_much_to_the_eyes():
    rig = child()
    for side in "LR":
        rig.pose.bones[f"eye.{side}"].lock_rotation[1] = True
    bpy.ops.limber.eyes_head_torso()
    assert leaves(rig.limber.chains["Head"]) == pytest.approx((8, 180, 180))


def test_eyes_that_cannot_converge_as_much_as_a_near_target_needs_count_as_at_a_far_one():
    left = []
    for distance in (0.8, 100):
        rig = child(eye_limit=12, eyes_scale=6)
        at(rig, 0, distance)
        bpy.ops.limber.eyes_head_torso()
        left.append(leaves(rig.limber.chains["Head"]))
    assert left[0] == pytest.approx(left[1], abs=1)
    assert 0 < left[0][1] < 12


def test_a_target_where_the_head_looks_from_counts_as_far_away():
    rig = child()
    bpy.ops.limber.eyes_head_torso()
    position, _tip = chain_lines.forward(rig, rig.limber.chains["Head"])
    rig = child()
    at(rig, 0, 1).location = position
    bpy.context.view_layer.update()
    bpy.ops.limber.eyes_head_torso()
    assert leaves(rig.limber.chains["Head"]) == pytest.approx((8, 180, 180))


def test_where_a_target_is_too_near_for_any_share_the_share_stays():
    rig = child()
    at(rig, 0, 0.08)
    bpy.ops.limber.eyes_head_torso()
    assert leaves(rig.limber.chains["Head"]) == pytest.approx((8, 180, 180))


@pytest.mark.parametrize("turned", [0, 20, 130])
@pytest.mark.parametrize("size", [1.0, 0.01])
def test_the_share_of_a_head_depends_on_no_rounding_of_its_armatures_pose(turned: float, size: float):
    rig = child()
    rig.rotation_euler.z, rig.scale = radians(turned), (size,) * 3
    bpy.context.view_layer.update()
    bpy.ops.limber.eyes_head_torso()
    assert leaves(rig.limber.chains["Head"]) == pytest.approx((8, 180, 180))


def test_eyes_that_only_slide_leave_all_of_a_look_to_the_head():
    rig = child()
    for side in "LR":
        bone = rig.pose.bones[f"eye.{side}"]
        bone.lock_rotation, bone.lock_location = (True,) * 3, (True, False, True)
        limit = bone.constraints.new("LIMIT_LOCATION")
        limit.owner_space, limit.use_min_y, limit.use_max_y, limit.max_y = "LOCAL", True, True, 0.01
    assert bpy.ops.limber.eyes_head_torso() == {"FINISHED"}
    assert leaves(rig.limber.chains["Head"]) == (0, 0, 0)


def limit_rotation(rig, bone: str, angle: float) -> None:
    """Limits all axes of a bone to an angle [degrees] to both sides."""
    limit = rig.pose.bones[bone].constraints.new("LIMIT_ROTATION")
    limit.owner_space = "LOCAL"
    for axis in "xyz":
        setattr(limit, f"use_limit_{axis}", True)
        setattr(limit, f"min_{axis}", -radians(angle))
        setattr(limit, f"max_{axis}", radians(angle))


def limited(eye_limit: float | None, neck_limit: float = 20):
    """A figure whose neck and head are limited to the same angle [degrees] each; None: without eyes."""
    rig = without_eyes() if eye_limit is None else child(eye_limit)
    for bone in ("neck", "head"):
        limit_rotation(rig, bone, neck_limit)
    bpy.context.view_layer.update()
    return rig


def rotations(rig) -> dict:
    """Rotation of each bone relative to its parent, as shown."""
    bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    return {
        bone.name: (
            (bone.parent.matrix.inverted() if bone.parent else Matrix()) @ bone.matrix
        ).to_quaternion()
        for bone in bones
    }


def largest_change(before: dict, after: dict) -> float:
    """Largest rotation [degrees] of a bone from one state to another."""
    angles = [degrees(before[name].rotation_difference(after[name]).angle) for name in before]
    return max(min(angle, 360 - angle) for angle in angles)


@pytest.mark.parametrize(("eye_limit", "lookers"), [(None, ("Head",)), (20, ("Left Eye", "Right Eye"))])
def test_a_torso_takes_what_head_and_eyes_cannot_reach_gradually(eye_limit: float | None, lookers):
    rig = limited(eye_limit)
    aim = at(rig, 0, 3)
    bpy.ops.limber.eyes_head_torso()
    before = None
    for aside in range(0, 101, 10):
        look = radians(aside)
        aim.location = rig.data.bones["head"].head_local + 3 * Vector((sin(look), -cos(look), 0.05))
        bpy.context.scene.frame_set(1)
        bpy.context.view_layer.update()
        bpy.ops.limber.live_all()
        bpy.context.scene.frame_set(2)
        assert misses(rig, *lookers) < 0.1, aside
        after = rotations(rig)
        assert before is None or largest_change(before, after) < 10, aside
        before = after
        bpy.ops.limber.end_live_all()


def without_eyes():
    """A figure without eyes."""
    rig = child()
    bpy.ops.object.mode_set(mode="EDIT")
    for side in "LR":
        rig.data.edit_bones.remove(rig.data.edit_bones[f"eye.{side}"])
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def test_a_torso_counts_the_range_of_a_head_in_each_direction():
    rig = without_eyes()
    limit_rotation(rig, "head", 0)
    neck = rig.pose.bones["neck"].constraints.new("LIMIT_ROTATION")
    neck.owner_space, neck.use_limit_x, neck.min_x, neck.max_x = "LOCAL", True, -radians(30), radians(50)
    neck.use_limit_y, neck.min_y, neck.max_y = True, -radians(60), radians(60)
    bpy.context.view_layer.update()
    bpy.ops.limber.eyes_head_torso()
    dead_zone, aside, up = leaves(rig.limber.chains["Torso"])
    assert aside + dead_zone == pytest.approx(60, abs=2)
    assert up + dead_zone == pytest.approx(30, abs=2)


def shown_look(rig, aim, aside: float, up: float) -> dict:
    """Rotations of bones, as shown live, with a target 3 m away at angles [degrees] to the left and up."""
    aside, up = radians(aside), radians(up)
    aim.location = rig.data.bones["head"].head_local + 3 * Vector(
        (sin(aside) * cos(up), -cos(aside) * cos(up), sin(up))
    )
    bpy.context.scene.frame_set(1)
    bpy.context.view_layer.update()
    bpy.ops.limber.live_all()
    bpy.context.scene.frame_set(2)
    shown = rotations(rig)
    assert misses(rig, "Head") < 0.1, (aside, up)
    bpy.ops.limber.end_live_all()
    return shown


def torso_rotation(rest: dict, shown: dict) -> float:
    """Rotation [degrees] of the torso's end from one state to another."""
    ends = [state["lumbar"] @ state["thorax"] for state in (rest, shown)]
    return degrees(ends[0].rotation_difference(ends[1]).angle)


def one_sided(most: float):
    """A figure without eyes whose neck nods and pans, from -40 degrees to an angle [degrees] to the other
    side, and a target in front.
    """
    rig = without_eyes()
    limit_rotation(rig, "head", 0)
    neck = rig.pose.bones["neck"]
    neck.lock_rotation[2] = True
    limit = neck.constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_y, limit.min_y, limit.max_y = (
        "LOCAL",
        True,
        -radians(40),
        radians(most),
    )
    bpy.context.view_layer.update()
    aim = at(rig, 0, 3)
    bpy.ops.limber.eyes_head_torso()
    return rig, aim


@pytest.mark.parametrize("most", [2, 0])
def test_each_side_of_a_neck_counts_by_itself(most: float):
    rig, aim = one_sided(most)
    rest = shown_look(rig, aim, 0, 0)
    free, blocked = (torso_rotation(rest, shown_look(rig, aim, aside, 0)) for aside in (-40, 40))
    assert free < 15
    assert blocked > 40 - 2 - 1
    torso = rig.limber.chains["Torso"]
    sides = [getattr(torso, name) for name in ("carried_left", "carried_right")]
    assert sum(map(degrees, sides)) + 2 * degrees(torso.dead_zone) == pytest.approx(40 + most, abs=2)


@pytest.mark.parametrize("most", [0.2, 0])
def test_no_bone_jumps_where_a_look_crosses_to_a_side_without_range(most: float):
    rig, aim = one_sided(most)
    before = None
    for aside in (-0.75, -0.25, 0.25, 0.75, 1.25):
        after = shown_look(rig, aim, aside, 30)
        assert before is None or largest_change(before, after) < 2, aside
        before = after


def test_eyes_with_narrow_limits_meet_targets_from_a_rolled_head():
    rig = child(eye_limit=5)
    bpy.ops.object.mode_set(mode="EDIT")
    head = rig.data.edit_bones["head"]
    head.tail = head.head + Vector((0, -head.length, 0))
    head.roll = radians(45)
    bpy.ops.object.mode_set(mode="OBJECT")
    aim = at(rig, 0, 100)
    bpy.ops.limber.eyes_head_torso()
    bpy.ops.limber.live_all()
    aim.location = rig.data.bones["head"].head_local + 100 * Vector((-1, -0.27, 0))
    for frame in range(2, 80):
        bpy.context.scene.frame_set(frame)
    assert misses(rig, "Left Eye", "Right Eye") < 0.1


def test_a_neck_that_only_pans_keeps_its_part_of_a_look():
    rig = without_eyes()
    for bone in ("neck", "head"):
        rig.pose.bones[bone].lock_rotation = True, False, True
    aim = at(rig, 40, 3, height=0)
    bpy.ops.limber.eyes_head_torso()
    assert leaves(rig.limber.chains["Torso"])[1:] == pytest.approx((180, 180))
    bpy.ops.limber.live_all()
    before = rotations(rig)
    aim.location = rig.data.bones["head"].head_local + Vector((0, -3, 0))
    for frame in range(2, 80):
        bpy.context.scene.frame_set(frame)
    after = rotations(rig)
    turned = {name: degrees(before[name].rotation_difference(after[name]).angle) for name in before}
    assert turned["neck"] + turned["head"] > turned["lumbar"] + turned["thorax"]


def test_chains_of_earlier_files_leave_as_much_to_others_as_before():
    rig = child()
    select(rig, "head")
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[0]
    assert (chain.carried_left, chain.carried_up) == pytest.approx((pi, pi))
    assert ChainSettings.of(chain).carried == ANY_LOOK
    assert ChainSettings.of_numbers({"share": 0.2}).carried == ANY_LOOK
