"""README's *Your own rig*: three clicks on Blender's human metarig, its head selected, each by the mouse on the button that a user sees."""

import sys
from pathlib import Path

import addon_utils
import bpy
from mathutils import Vector

sys.path.insert(0, str(Path(__file__).parent))

from hand import Hand

HEAD = "spine.006"
ASIDE = Vector((0.55, 0.0, 0.12))  # [m] by which the target is moved at the end
VIEW = ((0.0, -0.1, 1.35), 1.9, (0.79, 0.12, 0.12, 0.59))  # place, distance and rotation of the view: the figure's left front


def play(stage):
    with stage.context():
        addon_utils.enable("rigify", default_set=False)
        bpy.ops.object.armature_human_metarig_add()
        rig = bpy.context.object
        bpy.ops.object.mode_set(mode="POSE")
        for bone in rig.pose.bones:
            (bone if hasattr(bone, "select") else bone.bone).select = bone.name == HEAD
        rig.data.bones.active = rig.data.bones[HEAD]
    view = stage.area().spaces.active.region_3d
    view.view_location, view.view_distance, view.view_rotation = VIEW
    stage.open_tab()
    yield 0.2
    hand = Hand(stage)
    yield from hand.click_on("limber.new_chain")
    yield from stage.until(lambda: len(rig.limber.chains) == 1)
    chain = rig.limber.chains[0]
    yield from hand.click_on("limber.make_target")
    yield from stage.until(lambda: chain.target is not None)
    yield from hand.click_on("limber.live")
    yield from stage.until(lambda: chain.live)
    stage.facts["clicks"] = hand.clicks
    session = stage.part("rig.live.live").session(rig, chain)
    yield from stage.until(lambda: session.outputs is not None)
    chain.target.empty_display_size = 0.12
    chain.target.location += ASIDE
    yield from stage.until(lambda: session.outputs.filtered_aim_error < 1e-4)
    yield 0.5
    stage.redraw()
    yield 0.2
    stage.photograph("own_rig")
    stage.facts["root"], stage.facts["aim_error"] = chain.root, session.outputs.filtered_aim_error
    with stage.context():
        bpy.ops.limber.end_live()
    yield 0.2
