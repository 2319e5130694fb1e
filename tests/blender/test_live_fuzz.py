"""Tests live motion during random actions of users: no handler raises, and no data are left behind."""

import os
import random

import bpy
import pytest
from limber.rig.live import live
from limber.rig.showing import proxy

from tests.blender.rigs import UPRIGHT, build, looking_chain, make_active, target
from tests.blender.shown import edit, no_handler_raises, settle, traces, twins  # noqa: F401

SEEDS = int(os.environ.get("LIMBER_FUZZ_SEEDS", "30"))  # number of seeds; set it higher after changes


def fuzz_deeds(dice: random.Random):  # noqa: C901 (defines each deed in place)
    """Actions of users, each of which works in any state."""

    def rigs():
        return [thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE"]

    def some_rig():
        found = rigs()
        return dice.choice(found) if found else None

    def with_rig(deed):
        def do():
            rig = some_rig()
            if rig is not None:
                deed(rig)

        return do

    def toggle(rig):
        make_active(rig)
        if rig.limber.chains and rig.visible_get():
            bpy.ops.object.mode_set(mode="POSE")
            chain = rig.limber.chains[0]
            try:
                bpy.ops.limber.end_live() if chain.live else bpy.ops.limber.live()
            except RuntimeError as error:
                if "poll() failed, context is incorrect" in str(error):
                    raise

    def rename_bone(rig):
        if rig.data.bones:
            dice.choice(list(rig.data.bones)).name = dice.choice(["upper", "middle", "Nose", "Ear"])

    def delete_bone(rig):
        if rig.visible_get() and not rig.hide_viewport:
            edit(rig, lambda bones: bones.remove(dice.choice(list(bones))) if len(bones) > 1 else None)

    def duplicate(rig):
        if len(rigs()) < 3 and rig.visible_get():
            make_active(rig)
            bpy.ops.object.duplicate(linked=dice.random() < 0.5)

    def delete_rig(rig):
        bpy.data.objects.remove(rig)

    def move_target(rig):
        for chain in rig.limber.chains:
            if chain.target:
                chain.target.location = [dice.uniform(-1, 1) for _ in range(3)]

    def change_target(rig):
        for chain in rig.limber.chains:
            chain.target = dice.choice([None, rig, target((0.3, 0.4, 0.5)), *rigs()])

    def delete_target(rig):
        for chain in rig.limber.chains:
            if chain.target and chain.target.type == "EMPTY":
                bpy.data.objects.remove(chain.target)

    def hold_target(rig):
        for chain in rig.limber.chains:
            if chain.target and chain.target != rig and chain.target.type == "EMPTY" and rig.data.bones:
                chain.target.parent, chain.target.parent_type = rig, "BONE"
                chain.target.parent_bone = dice.choice(list(rig.data.bones)).name

    def hide(rig):
        rig.hide_viewport = not rig.hide_viewport

    def pose_bone(rig):
        if rig.pose.bones:
            dice.choice(list(rig.pose.bones)).rotation_euler = [dice.uniform(-1, 1) for _ in range(3)]

    def mode(rig):
        if rig.visible_get():
            make_active(rig)
            bpy.ops.object.mode_set(mode=dice.choice(["OBJECT", "POSE", "EDIT"]))

    def hang(rig):
        other = some_rig()
        other.parent = rig if other != rig else None
        if other.parent == rig and rig.data.bones:  # Blender allows no cycle
            other.parent_type, other.parent_bone = "BONE", dice.choice(list(rig.data.bones)).name

    def frame():
        bpy.context.scene.frame_set(dice.randint(1, 20), subframe=dice.choice([0.0, 0.0, 0.5]))

    def clock():
        settle()

    def undo():
        if bpy.ops.ed.undo.poll():
            bpy.ops.ed.undo()

    def redo():
        if bpy.ops.ed.redo.poll():
            bpy.ops.ed.redo()

    def new_rig():
        if len(rigs()) < 3:
            looking_chain(build(UPRIGHT))

    deeds = [
        rename_bone,
        delete_bone,
        duplicate,
        delete_rig,
        move_target,
        change_target,
        delete_target,
        hold_target,
        hide,
        pose_bone,
    ]
    return [with_rig(deed) for deed in [*deeds, mode, hang, toggle, toggle, toggle, move_target]] + [
        frame,
        frame,
        clock,
        undo,
        undo,
        redo,
        new_rig,
    ]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_any_deeds_in_any_order_raise_nothing_and_leave_nothing(seed, undo_step, tmp_path):
    dice = random.Random(seed)
    looking_chain(build(UPRIGHT))
    undo_step("rig")
    for k in range(40):
        try:
            dice.choice(fuzz_deeds(dice))()
        except RuntimeError as error:  # Blender's own operators may have nothing to do
            if "limber" in str(error):
                raise
        bpy.context.view_layer.update()
        undo_step(f"deed {k}")
        shown_rigs = [
            thing for thing in bpy.data.objects if thing.type == "ARMATURE" and proxy.MARK not in thing
        ]
        live_rigs = [rig for rig in shown_rigs if any(chain.live for chain in rig.limber.chains)]
        assert len(twins()) == len(
            [rig for rig in live_rigs if rig.mode != "EDIT" or proxy.find(rig)]
        )  # in Edit Mode no chain is made
        if k == 20:
            bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "any.blend"))
            if dice.random() < 0.5:
                bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "any.blend"))
    for rig in shown_rigs:
        for chain in rig.limber.chains:
            live.stop(rig, chain)
    assert traces() == []
