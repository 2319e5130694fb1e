"""Presses New Chain on bones that rotate by quaternion: leaves the dialog once, agrees once."""

import importlib.util
from pathlib import Path

import bpy

RIGS = Path(__file__).resolve().parents[2] / "blender" / "rigs.py"
IN_DIALOG = (150, 100)  # the dialog comes up in the window's corner, where no mouse has been yet


def play(stage):
    spec = importlib.util.spec_from_file_location("rigs", RIGS)
    rigs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rigs)
    stage.move(IN_DIALOG)
    with stage.context():
        rig = rigs.build({"neck": None, "head": None}, mode="QUATERNION")
        rigs.select(rig, "head")
    for key, fact in (("ESC", "left"), ("RET", "agreed")):
        yield 0.2
        with stage.context():
            bpy.ops.limber.new_chain("INVOKE_DEFAULT")
        yield 0.2
        stage.photograph(f"consent_{fact}")
        stage.press(key, IN_DIALOG)
        yield 0.2
        stage.facts[fact] = [len(rig.limber.chains), [bone.rotation_mode for bone in rig.pose.bones]]
