"""Tests chains on an armature whose bones are a mechanism's bodies: where they begin, and the ids of their
servos.
"""

import bpy
import pytest
from limber.rig.live.movers import mover_of
from limber.rig.live.uses import Use, why_not, with_company

from tests.blender import at_hand
from tests.blender import mechanisms as those
from tests.blender.four_bars import boned
from tests.blender.rigs import make_active, select
from tests.blender.robots import state, until
from tests.blender.test_mechanism_messages import imported


def with_neck(rig, parent: str):
    """The same armature, with two further bones on top of one of its bones: a neck and a head."""
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    edited = rig.data.edit_bones
    for name, below in (("neck", parent), ("head", "neck")):
        bone = edited.new(name)
        bone.parent = edited[below]
        bone.head = edited[below].tail
        bone.tail = bone.head.x, bone.head.y, bone.head.z + 0.1
    bpy.ops.object.mode_set(mode="POSE")
    for name in ("neck", "head"):
        rig.pose.bones[name].rotation_mode = "XYZ"
    return rig


def new_chain(rig, *names: str):
    select(rig, *names)
    bpy.ops.limber.new_chain()
    return rig.limber.chains[-1]


def test_a_chain_above_a_robots_loops_begins_where_the_mechanism_ends(tmp_path):
    rig = with_neck(imported(tmp_path), "plate")
    chain = new_chain(rig, "head")
    assert (chain.root, chain.end) == ("neck", "head")
    assert {joint.bone for joint in chain.joints} == {"neck", "head"}


def test_a_chain_of_one_bone_on_a_robots_loops_goes_live_beside_the_mechanism(tmp_path):
    rig = with_neck(imported(tmp_path), "plate")
    chain = new_chain(rig, "neck")
    assert (chain.root, chain.end) == ("neck", "neck")
    chain.target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(chain.target)
    those.with_idle_goal(rig)
    at_hand.live(rig.limber.mechanism)
    make_active(rig)
    assert bpy.ops.limber.live() == {"FINISHED"}


def test_a_chain_above_closures_of_bones_begins_where_the_mechanism_ends():
    rig = with_neck(boned()[0], "coupler")
    chain = new_chain(rig, "head")
    assert (chain.root, chain.end) == ("neck", "head")


def test_a_bone_that_is_fixed_to_a_robots_loops_is_left_to_them(tmp_path):
    rig = with_neck(imported(tmp_path), "plate_end")
    rig.limber.mechanism.closures_file = rig.limber.mechanism.closures_file.replace("'plate_end'", "'plate'")
    assert new_chain(rig, "head").root == "neck"


def test_a_locked_bone_on_the_closures_is_left_to_them():
    rig = with_neck(boned()[0], "coupler")
    rig.pose.bones["neck"].lock_rotation = (True, True, True)
    chain = new_chain(rig, "head")
    assert (chain.root, chain.end) == ("head", "head")


def test_a_bone_that_a_goal_needs_is_no_bone_to_begin_below():
    rig = with_neck(boned()[0], "coupler")
    rig.limber.mechanism.goals.add().bone = "neck"
    chain = new_chain(rig, "head")
    assert (chain.root, chain.end) == ("head", "head")


@pytest.mark.every_blender
def test_a_bone_that_the_mechanism_needs_leads_a_chain_from_the_top_as_ever_with_a_warning(tmp_path, capfd):
    rig = with_neck(imported(tmp_path), "plate")
    assert new_chain(rig, "plate").root == "base"
    words = (
        f"is moved by mechanism '{rig.name}', too, so only one of the two can be live: drive that bone by the"
        " mechanism's Goals or Motors"
    )
    assert words in capfd.readouterr().out


def test_a_chain_above_a_mechanism_gets_no_warning_of_it(tmp_path, capfd):
    new_chain(with_neck(imported(tmp_path), "plate"), "head")
    assert "is moved by mechanism" not in capfd.readouterr().out


@pytest.mark.parametrize("is_other", [False, True], ids=["motors", "motors and a further servo"])
def test_joints_get_servos_that_no_motor_of_the_mechanism_has(is_other, tmp_path):
    rig = with_neck(imported(tmp_path), "plate")
    if is_other:
        rig.limber.device.channels.add().servo = 7
    chain = new_chain(rig, "neck", "head")
    numbers = [motor.servo for motor in rig.limber.mechanism.motors] + [joint.servo for joint in chain.joints]
    assert numbers == [0, *range(8, 14)] if is_other else numbers == list(range(7))
    if is_other:
        return
    rig.limber.device.port = "virtual"
    bpy.ops.limber.connect()
    until(lambda: state(rig) == "DISARMED", "the robot is connected")


def test_what_is_baked_of_a_rig_leaves_out_a_chain_on_bones_that_its_live_mechanism_moves(tmp_path):
    rig = with_neck(imported(tmp_path), "plate")
    chain = new_chain(rig, "neck")
    chain.target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(chain.target)
    those.with_idle_goal(rig)
    at_hand.live(rig.limber.mechanism)
    own = mover_of(rig, rig.limber.mechanism)
    assert mover_of(rig, chain).key in {one.key for one in with_company(Use.BAKE, own)}
    chain.joints[0].bone = "plate"
    for use in (Use.BAKE, Use.CHECK):
        assert [one.key for one in with_company(use, own)] == [own.key]
        assert "'plate' of chain" in why_not(use, mover_of(rig, chain))
