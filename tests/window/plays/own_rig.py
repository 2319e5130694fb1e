"""README's *Your own rig*: three clicks on Blender's human metarig with its head selected, each by the mouse
on the visible button.
"""

import sys
from math import radians
from pathlib import Path

import addon_utils
import bpy
from mathutils import Euler

sys.path.insert(0, str(Path(__file__).parent))

from hand import Hand

HEAD = "spine.006"
ON_TARGET = 1e-3  # [rad] error of an exact aim in Blender's single-precision matrices
ASIDE = (0.62, -0.62, 1.62)  # [m] position to which the target is moved at the end
PLACE, DISTANCE = (0.2, -0.2, 1.12), 2.4  # [m] centre and distance of the view, which is from the front
ROTATION = Euler((radians(80), 0, radians(8)))


def shown_error(rig, target) -> float:
    """Angle [rad] between the shown view of the head (its +Z, from its joint) and the direction to the
    target.
    """
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    head = shown.pose.bones[HEAD]
    away = target.matrix_world.translation - shown.matrix_world @ head.head
    return away.angle((shown.matrix_world @ head.matrix).to_3x3().col[2])


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
    view.view_location, view.view_distance, view.view_rotation = PLACE, DISTANCE, ROTATION.to_quaternion()
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
    chain.target.empty_display_size = 0.05
    chain.target.location = ASIDE
    yield from stage.until(lambda: shown_error(rig, chain.target) < ON_TARGET)
    yield 0.2
    stage.redraw()
    yield 0.2
    stage.photograph("own_rig_live")
    stage.facts["root"], stage.facts["aim_error"] = chain.root, shown_error(rig, chain.target)
    with stage.context():
        bpy.ops.limber.end_live()
    yield 0.2
