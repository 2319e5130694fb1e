"""Tests the sentences about a mechanism that does not follow: the error in millimetres and degrees, as long
as it lasts.
"""

import re

import bpy
import numpy as np
import pytest

from tests.blender import mechanisms as those
from tests.blender.four_bars import boned


def platform(place=None, turn=None):
    """A live Stewart platform that has come to rest with this target pose; returns its owner."""
    owner = those.add("stewart", place=(0.0, 0.0, 0.0))
    bpy.ops.limber.live()
    go(owner, place, turn)
    return owner


def go(owner, place=None, turn=None) -> None:
    target = owner.limber.mechanism.goals[0].target
    if place is not None:
        target.location = place
    if turn is not None:
        target.rotation_euler = turn
    bpy.context.view_layer.update()
    those.settle(owner)


@pytest.mark.parametrize("height", [0.6, 5.0])
def test_a_miss_is_told_in_millimetres_and_degrees(height):
    owner = platform(place=(0.0, 0.0, height), turn=(0.3, 0.0, 0.0))
    goal = owner.limber.mechanism.goals[0]
    body, target = those.world(goal.body), those.world(goal.target)
    away = 1e3 * np.linalg.norm(body[:3, 3] - target[:3, 3])
    turned = np.degrees(np.arccos((np.trace(body[:3, :3].T @ target[:3, :3]) - 1.0) / 2.0))
    said = re.search(
        r"cannot be met, '(.*)' is off by ([\d.]+) mm and ([\d.]+) degrees", those.session(owner).remark
    )
    assert said, those.session(owner).remark
    assert said[1] == goal.body.name
    assert float(said[2]) == pytest.approx(away, rel=0.01)
    assert float(said[3]) == pytest.approx(turned, rel=0.06)


def test_limits_that_hold_it_back_are_told_in_the_units_that_people_read():
    remark = those.session(platform(place=(0.0, 0.0, 0.6))).remark
    assert re.search(r"is at its upper limit of [\d.]+ mm", remark), remark


@pytest.mark.parametrize("place", [(3.0, 2.0, 5.0), (0.3, 0.0, 0.25)])
def test_at_rest_out_of_reach_it_is_not_on_its_way(place):
    assert those.session(platform(place=place)).remark.startswith("The targets cannot be met")


def test_back_where_it_began_nothing_has_gone_over():
    owner = platform()
    home = tuple(owner.limber.mechanism.goals[0].target.location)
    for place in ((3.0, 2.0, 5.0), home, (0.3, 0.0, 0.25), home):
        go(owner, place)
    assert those.session(owner).remark == ""
    assert not those.session(owner).state.flipped


def test_a_motor_that_cannot_be_where_it_is_told_is_named():
    owner = those.add("four_bar")
    kept = owner.limber.mechanism
    kept.motors[0].lower, kept.motors[0].upper = -0.5, 0.5
    bpy.ops.limber.live()
    kept.motors[0].value = 0.6
    bpy.context.view_layer.update()
    those.settle(owner)
    remark = those.session(owner).remark
    assert re.search(
        r"The motors' values cannot be met, motor '.*' is off by 5.7 degrees: joint .* is at its upper limit"
        r" of 28.6479 degrees",
        remark,
    )


def test_a_joint_that_is_renamed_while_live_still_has_its_motor():
    owner = those.add("four_bar")
    kept = owner.limber.mechanism
    bpy.ops.limber.live()
    kept.motors[0].joint.name = "Renamed"
    kept.motors[0].value = 0.3
    bpy.context.view_layer.update()
    those.settle(owner)
    assert those.session(owner).problem == ""
    assert those.session(owner).outputs.values == pytest.approx([0.3], abs=1e-6)


def test_driven_bodies_and_motors_that_contradict_each_other_are_told():
    owner = those.add("four_bar")
    kept = owner.limber.mechanism
    bpy.data.objects["Rocker"].limber.part.role = "DRIVEN"
    bpy.ops.limber.live()
    assert those.session(owner).remark == ""
    kept.motors[0].value = 0.4
    bpy.context.view_layer.update()
    those.settle(owner)
    assert re.search(
        "The motors' values cannot be met, '.*' is off by .* degrees", those.session(owner).remark
    )


def stopped_by(owner) -> str:
    """Reason why a live mechanism stands still."""
    bpy.context.view_layer.update()
    those.clock(2)
    return re.search(r"': (.*) while it is live, so it does not move", those.session(owner).problem)[1]


@pytest.mark.every_blender
def test_what_was_changed_while_live_is_named():
    owner = those.add("four_bar")
    kept = owner.limber.mechanism
    bpy.ops.limber.live()
    upper = kept.motors[0].upper
    kept.motors[0].upper = 0.7
    assert stopped_by(owner) == f"motor '{kept.motors[0].name}' was changed"
    kept.motors[0].upper = upper
    those.clock(2)
    assert those.session(owner).problem == ""
    joint = kept.motors[0].joint
    joint.limber.part.kind = "spherical"
    assert stopped_by(owner) == f"joint '{joint.name}' was changed or added"
    joint.limber.part.kind = "revolute"
    kept.motors.add()
    assert stopped_by(owner) == "a motor was added or removed"


@pytest.mark.every_blender
def test_a_bone_that_is_moved_while_live_stops_the_mechanism_and_is_told():
    arms, closure = boned()
    closure.kind = "revolute"
    arms.data.bones.active = arms.data.bones["crank"]
    bpy.ops.limber.add_motors()
    arms.limber.mechanism.drive = "MOTORS"
    bpy.ops.limber.live()
    bpy.ops.object.mode_set(mode="EDIT")
    arms.data.edit_bones["coupler"].tail.z += 0.01
    bpy.ops.object.mode_set(mode="POSE")
    assert stopped_by(arms) == "a bone was moved in Edit Mode, added or removed"
