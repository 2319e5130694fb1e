"""Tests undo and redo, in every order: no twin remains without a live chain, and no chain is partly live."""

import random

import bpy
import pytest
from limber.character.fixed_steps import STEP
from limber.rig.live import live
from limber.rig.showing import proxy

from tests.blender.rigs import looking_chain
from tests.blender.shown import (
    depsgraph,
    farthest,
    go_live,
    missed,
    no_handler_raises,  # noqa: F401
    pose,
    settle,
    traces,
)

pytestmark = pytest.mark.every_blender


def undo():
    bpy.ops.ed.undo()


def redo():
    bpy.ops.ed.redo()


def the_rig():
    return bpy.data.objects["Rig"]


def the_chain():
    return the_rig().limber.chains[0]


def assert_in_order() -> None:
    """Asserts that each live rig is shown by one twin of its own, and that no other data are left."""
    rig = bpy.data.objects.get("Rig")
    twins = [thing for thing in bpy.data.objects if proxy.MARK in thing]
    if rig is None or not any(chain.live for chain in rig.limber.chains):
        assert traces() == []
        return
    bones = {joint.bone for chain in rig.limber.chains if chain.live for joint in chain.joints}
    assert len(twins) == 1
    assert len([data for data in bpy.data.armatures if proxy.MARK in data]) == 1
    held = {
        bone.name: [c for c in bone.constraints if c.name.startswith("Limber")] for bone in rig.pose.bones
    }
    assert {name for name, found in held.items() if found} == bones
    assert all(len(found) <= 1 for found in held.values())
    assert all(c.target == twins[0] and c.subtarget == name for name, found in held.items() for c in found)
    settle()
    assert missed(rig, rig.limber.chains[0]) < 0.1


def test_undoing_live_shows_what_is_authored_and_redoing_it_is_live_again(undo_step):
    rig, chain = looking_chain()
    undo_step("chain")
    before = pose(rig)
    go_live(rig, chain)
    undo_step("live")
    shown = pose(rig)
    undo()
    assert not the_chain().live
    assert farthest(before, pose(the_rig())) == 0.0
    assert_in_order()
    redo()
    assert the_chain().live
    assert_in_order()
    assert farthest(shown, pose(the_rig())) < 1e-5
    undo()
    assert_in_order()


def test_undoing_the_end_of_live_is_live_again(undo_step):
    rig, chain = looking_chain()
    go_live(rig, chain)
    undo_step("live")
    bpy.ops.limber.end_live()
    undo_step("end")
    assert_in_order()
    undo()
    assert the_chain().live
    assert_in_order()
    redo()
    assert not the_chain().live
    assert_in_order()


def test_live_that_was_undone_in_the_middle_of_a_motion_goes_on_with_it_when_it_is_redone(undo_step):
    rig, chain = looking_chain()
    undo_step("chain")
    go_live(rig, chain)
    undo_step("live")
    chain.target.location = (-0.8, -0.2, 0.7)
    settle()
    undo_step("move")
    undo()
    for step in range(10):
        live.advance_clock(bpy.context.scene, depsgraph(), 1.0 + step * STEP)
    assert missed(the_rig(), the_chain()) > 1.0
    undo()
    live.advance_clock(bpy.context.scene, depsgraph(), 2.0)  # nothing remains to be done
    redo()
    assert the_chain().live
    assert_in_order()


def test_undoing_a_move_of_the_target_looks_where_it_was(undo_step):
    rig, chain = looking_chain()
    chain.solver = "erik_exact"  # its solution for a position does not depend on the earlier motion
    go_live(rig, chain)
    undo_step("live")
    first = pose(rig)
    chain.target.location = (-0.8, -0.2, 0.7)
    settle()
    second = pose(rig)
    assert farthest(first, second) > 0.01
    undo_step("move")
    undo()
    assert_in_order()
    assert farthest(first, pose(the_rig())) < 1e-3
    redo()
    assert_in_order()
    assert farthest(second, pose(the_rig())) < 1e-3


def test_undoing_a_pose_brings_back_the_authored_pose_alone(undo_step):
    rig, chain = looking_chain()
    go_live(rig, chain)
    undo_step("live")
    rig.pose.bones["upper"].rotation_euler.x = 0.4
    settle()
    undo_step("pose")
    undo()
    assert the_rig().pose.bones["upper"].rotation_euler.x == 0.0
    assert_in_order()
    redo()
    assert the_rig().pose.bones["upper"].rotation_euler.x == pytest.approx(0.4)
    assert_in_order()


def test_undoing_something_else_keeps_what_is_shown(undo_step):
    rig, chain = looking_chain()
    go_live(rig, chain)
    undo_step("live")
    chain.target.location = (-0.8, -0.2, 0.7)  # moved by a script, without an undo step
    settle()
    undo_step("something")
    shown = pose(rig)
    bpy.data.objects.new("Other", None)
    undo_step("other")
    undo()
    assert live.live_chains() == [(the_rig(), the_chain())], "at once"
    assert farthest(shown, pose(the_rig())) < 1e-5, "before the clock has run"
    assert_in_order()


def test_undoing_the_removal_of_a_live_chain_brings_it_back_live(undo_step):
    rig, chain = looking_chain()
    go_live(rig, chain)
    undo_step("live")
    bpy.ops.limber.remove_chain()
    undo_step("remove")
    assert_in_order()
    undo()
    assert the_chain().live
    assert_in_order()
    redo()
    assert not the_rig().limber.chains
    assert_in_order()


def test_undoing_new_chain_under_a_live_one_keeps_the_other_live(undo_step):
    rig, chain = looking_chain()
    undo_step("chain")
    go_live(rig, chain)
    undo_step("live")
    undo()
    undo()
    assert not the_rig_or_none_has_chains()
    assert_in_order()
    redo()
    redo()
    assert the_chain().live
    assert_in_order()


def the_rig_or_none_has_chains() -> bool:
    rig = bpy.data.objects.get("Rig")
    return bool(rig and rig.limber.chains)


def test_undo_after_a_save_works(undo_step, tmp_path):
    rig, chain = looking_chain()
    undo_step("chain")
    go_live(rig, chain)
    undo_step("live")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "live.blend"))
    assert_in_order()
    the_rig().pose.bones["upper"].rotation_euler.x = 0.4
    undo_step("pose")
    undo()
    assert_in_order()
    undo()
    assert not the_chain().live
    assert_in_order()
    redo()
    assert_in_order()


def test_undo_of_a_deleted_rig_brings_it_back_live(undo_step):
    rig, chain = looking_chain()
    go_live(rig, chain)
    undo_step("live")
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.data.objects.remove(rig)
    bpy.context.view_layer.update()
    undo_step("delete")
    assert traces() == []
    undo()
    assert the_chain().live
    assert_in_order()


def do_live():
    bpy.context.view_layer.objects.active = the_rig()
    if not the_chain().live:
        bpy.ops.limber.live()


def do_end():
    bpy.context.view_layer.objects.active = the_rig()
    if the_chain().live:
        bpy.ops.limber.end_live()


def do_move():
    bpy.data.objects["Target"].location.x *= -1


def do_frame():
    bpy.context.scene.frame_set(bpy.context.scene.frame_current + 1)


def do_rename():
    bones = the_rig().data.bones
    if the_chain().live:  # otherwise the chain cannot be checked
        bones[2].name = "other" if bones[2].name == "middle" else "middle"


def do_pose():
    the_rig().pose.bones[2].rotation_euler.x += 0.1


DEEDS = (do_live, do_end, do_move, do_pose, do_frame, do_rename)


@pytest.mark.parametrize("seed", range(20))
def test_any_order_of_deeds_undone_and_redone_stays_in_order(undo_step, seed):
    dice = random.Random(seed)
    looking_chain()
    undo_step("chain")
    pushed, at = 1, 1  # number of steps after the first; index of the current one
    for _ in range(14):
        choice = dice.random()
        if choice < 0.3 and at > 1:
            undo()
            at -= 1
        elif choice < 0.45 and at < pushed:
            redo()
            at += 1
        else:
            dice.choice(DEEDS)()
            bpy.context.view_layer.update()
            undo_step("deed")
            at = pushed = at + 1
        assert_in_order()
    while at > 1:
        undo()
        at -= 1
        assert_in_order()
