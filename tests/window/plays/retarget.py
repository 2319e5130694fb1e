"""Pairs two figures, makes one follow the other, and poses the source while nothing plays: the clock lets the
body follow. Takes a picture of the panel.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import tabs

PLACES = {  # bone -> parent, head, tail [m]
    "Hips": (None, (0, 0, 1.0), (0, 0, 1.1)),
    "Spine": ("Hips", (0, 0, 1.1), (0, 0, 1.5)),
    "Head": ("Spine", (0, 0, 1.5), (0, 0, 1.7)),
    "LeftArm": ("Spine", (0.2, 0, 1.45), (0.2, 0, 1.15)),
    "LeftForeArm": ("LeftArm", (0.2, 0, 1.15), (0.2, 0, 0.9)),
    "LeftHand": ("LeftForeArm", (0.2, 0, 0.9), (0.2, 0, 0.8)),
    "RightArm": ("Spine", (-0.2, 0, 1.45), (-0.2, 0, 1.15)),
    "RightForeArm": ("RightArm", (-0.2, 0, 1.15), (-0.2, 0, 0.9)),
    "RightHand": ("RightForeArm", (-0.2, 0, 0.9), (-0.2, 0, 0.8)),
    "LeftUpLeg": ("Hips", (0.1, 0, 0.95), (0.1, 0, 0.5)),
    "LeftLeg": ("LeftUpLeg", (0.1, 0, 0.5), (0.1, 0, 0.1)),
    "LeftFoot": ("LeftLeg", (0.1, 0, 0.1), (0.1, -0.15, 0.03)),
    "RightUpLeg": ("Hips", (-0.1, 0, 0.95), (-0.1, 0, 0.5)),
    "RightLeg": ("RightUpLeg", (-0.1, 0, 0.5), (-0.1, 0, 0.1)),
    "RightFoot": ("RightLeg", (-0.1, 0, 0.1), (-0.1, -0.15, 0.03)),
}


def figure(name: str):
    """An armature of a person whose arms hang down."""
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for bone_name, (parent, head, tail) in PLACES.items():
        bone = data.edit_bones.new(bone_name)
        bone.head, bone.tail = head, tail
        bone.parent = data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
    return rig


def play(stage):
    tabs.only(stage, "LIMBER_PT_retarget")
    stage.maximise()
    yield 0.2
    source = figure("Clip")
    source.pose.bones["LeftArm"].rotation_euler.z = 1.0
    rig = figure("Body")
    retarget = rig.limber.retarget
    retarget.source, retarget.shift = source, (1.0, 0.0, 0.0)
    stage.open_tab()
    yield 0.2
    with stage.context():
        bpy.ops.limber.pair_bones()
        bpy.ops.limber.live()
    live = stage.part("rig.live.live")
    stage.facts["pairs"] = len(retarget.pairs)
    before = max(live.session(rig, retarget).values().values())
    source.pose.bones["LeftArm"].rotation_euler.z = 0.2
    yield from stage.until(lambda: max(live.session(rig, retarget).values().values()) < before - 0.5)
    retarget.active_pair = 0
    for _ in range(4):
        stage.redraw()
        yield 0.2
    stage.photograph("retarget_live")
    stage.facts["problem"] = live.session(rig, retarget).problem
    with stage.context():
        bpy.ops.ed.undo_push(message="live")
        bpy.ops.limber.end_live()
    stage.facts["ended"] = not bpy.data.objects["Body"].limber.retarget.live
