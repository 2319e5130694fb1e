"""Bakes with the button: once cancelled with Esc, once to the end."""

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp

MANY, FEW = 20_000, 40  # number of frames: too many to end before Esc is pressed; a few


def is_baking(stage) -> bool:
    return any(operator.bl_idname == "LIMBER_OT_bake" for operator in stage.window.modal_operators)


def play(stage):
    rig, chain = lamp.build(stage)
    stage.open_tab()
    actions = len(bpy.data.actions)

    chain.frame_end = MANY
    with stage.context():
        bpy.ops.limber.bake("INVOKE_DEFAULT")
    yield from stage.until(lambda: bpy.context.scene.frame_current > 10)
    yield 0.2
    stage.photograph("baking")
    stage.facts["bakes"] = is_baking(stage)
    stage.press("ESC")
    yield from stage.until(lambda: not is_baking(stage))
    stage.facts["actions_after_cancel"] = len(bpy.data.actions) - actions
    stage.facts["frame_after_cancel"] = bpy.context.scene.frame_current

    chain.frame_end = FEW
    with stage.context():
        bpy.ops.limber.bake("INVOKE_DEFAULT")
    yield from stage.until(lambda: not is_baking(stage))
    stage.facts["actions_after_bake"] = len(bpy.data.actions) - actions
    stage.facts["range"] = [int(edge) for edge in rig.animation_data.action.frame_range]
