"""Records live in a window: a copy is kept during the recording, and deleted when the takes are kept."""

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp


def play(stage):
    _, chain = lamp.build(stage)
    chain.target.keyframe_insert("location", frame=1)
    chain.target.location = (-0.5, -0.6, 0.3)
    chain.target.keyframe_insert("location", frame=250)
    bpy.context.scene.frame_set(1)
    stage.open_tab()
    yield 0.3
    copies = stage.part("rig.output.take_copies")
    with stage.context():
        bpy.ops.limber.live()
        bpy.ops.limber.record_live()
    (copy,) = copies.folder().glob("*.jsonl")
    stage.facts["extension_folder"] = "limber" in str(copy)
    yield from stage.until(lambda: sum(len(take.frames) for take in copies.read(copy)) > 2)
    stage.photograph("record_copy")
    with stage.context():
        bpy.ops.limber.keep_takes()
    stage.facts["gone"] = not list(copies.folder().iterdir())
    stage.facts["takes"] = [action.name for action in bpy.data.actions if " Take " in action.name]
