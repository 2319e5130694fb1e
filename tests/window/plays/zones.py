"""Checks the demo lamp's motion with a no-go zone in its way, and shows the position at which it enters; the
panel of postures has their pictures.
"""

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import tabs


def play(stage):
    with stage.context():
        bpy.ops.limber.add_demo_lamp()
    rig = bpy.context.view_layer.objects.active
    gallery = stage.part("rig.showing.thumbnails.gallery")
    shelf = bpy.data.objects.new("Shelf", None)
    bpy.context.collection.objects.link(shelf)
    shelf.empty_display_type, shelf.empty_display_size = "CUBE", 0.1
    shelf.location, shelf.scale = (0.0, -0.13, 0.46), (1.2, 0.8, 0.25)
    rig.limber.zones.add().zone = shelf
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 60
    tabs.open_own(stage, "Zones", "LIMBER_PT_postures", "LIMBER_PT_motion_check", "LIMBER_PT_zones")
    with stage.context():
        rig.select_set(True)
        bpy.ops.view3d.view_selected()
        bpy.ops.view3d.zoom(delta=-2)
    postures = [posture.action for posture in rig.limber.chains[0].postures]
    yield from stage.until(
        lambda: all(gallery.picture(rig, rig.limber.chains[0], action) for action in postures)
    )
    numbers = [gallery.icon(rig, rig.limber.chains[0], action) for action in postures]
    stage.facts["postures"] = len(postures)
    stage.facts["pictures"] = len({number for number in numbers if number})
    with stage.context():
        bpy.ops.limber.live()
        bpy.ops.limber.check_motion("EXEC_DEFAULT")
    check = stage.part("rig.output.motion_check.check")
    found = [one for one in check.result(rig).findings if one.kind == "ZONE"]
    stage.facts["zones"] = [[one.joint, one.zone, one.first, one.last] for one in found]
    yield 0.2
    stage.photograph("zones_before")
    view = bpy.context.window_manager.limber_motion_check
    view.active = next(k for k, line in enumerate(view.findings) if line.kind == "ZONE")
    stage.redraw()
    yield 0.2
    stage.photograph("zones")
    stage.facts["words"] = [one.words for one in check.entered(scene.frame_current, [rig])]
