"""Stores a mechanism's posture and adds a pose asset to it through their dialogs, and adjusts both
afterwards, while a chain is in use.
"""

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp

# position in a dialog, which opens in the window's corner, where the mouse has not been yet
IN_DIALOG = (150, 100)
ADD = (252, 61)  # position of the button Add of its dialog


def play(stage):
    with stage.context():
        bpy.ops.limber.add_mechanism(kind="neck")
        kept = bpy.data.objects["Push-Rod Neck"].limber.mechanism
        kept.drive = "MOTORS"
        with bpy.context.temp_override(limber_mover=kept):
            for name in ("Above", "Below"):  # pose assets of the mechanism that are not in its list
                bpy.ops.limber.store_posture(name=name)
                kept.postures[0].adopted = True
                bpy.ops.limber.remove_posture()
    lamp.build(stage)
    with stage.context():
        bpy.ops.ed.undo_push(message="made")

    def listed() -> list[list[str]]:
        """Names of the mechanism's postures, and of the chain's."""
        kept = bpy.data.objects["Push-Rod Neck"].limber.mechanism, bpy.data.objects["Rig"].limber.chains[0]
        return [[posture.action.name for posture in settings.postures] for settings in kept]

    def through_dialog(operator, place, confirm):
        stage.move(IN_DIALOG)
        yield 0.2
        with (
            stage.context(),
            bpy.context.temp_override(limber_mover=bpy.data.objects["Push-Rod Neck"].limber.mechanism),
        ):
            operator("INVOKE_DEFAULT")
        yield 0.3
        stage.move(place)  # a button takes no click if the mouse was not on it before
        yield 0.3
        confirm()
        yield 0.3

    def adjust(name: str) -> None:
        bpy.context.window_manager.operators[-1].properties.name = name
        with stage.context():
            bpy.ops.ed.undo_redo("EXEC_DEFAULT", True)

    yield from through_dialog(bpy.ops.limber.store_posture, IN_DIALOG, lambda: stage.press("RET", IN_DIALOG))
    stage.facts["stored"] = listed()
    adjust("Tall")
    stage.facts["stored, adjusted"] = listed()
    yield 0.2
    yield from through_dialog(bpy.ops.limber.add_posture, ADD, lambda: stage.click(ADD))
    stage.facts["added"] = listed()
    adjust("Below")
    stage.facts["added, adjusted"] = listed()
