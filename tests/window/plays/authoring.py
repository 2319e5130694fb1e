"""Shows the panels of attention, life and blends, and bones coloured by their posture deviation."""

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp
import tabs

SHOWN = ("LIMBER_PT_postures", "LIMBER_PT_life", "LIMBER_PT_attention", "LIMBER_PT_deviation")


def play(stage):
    rig, chain = lamp.build(stage)
    with stage.context():
        rig.pose.bones["middle"].rotation_euler.x = 0.6
        bpy.ops.limber.store_posture(name="Bowed")
        chain.base, chain.postures[0].weight, chain.postures[1].weight = "BLEND", 0.7, 0.3
        other = bpy.data.objects.new("Other", None)
        bpy.context.collection.objects.link(other)
        other.location = (-0.6, -0.4, 0.3)
        chain.targets.add().target = other
        chain.life.amount = 0.5
        bpy.ops.limber.live()
    tabs.open_own(stage, "Authoring", *SHOWN)
    session = stage.part("rig.live.live").session(rig, chain)
    yield from stage.until(lambda: session.outputs is not None and session.outputs.filtered_aim_error < 1e-4)
    yield 0.2
    stage.photograph("authoring_plain")
    bpy.context.window_manager.limber_view.deviation = True
    stage.redraw()
    yield 0.2
    stage.photograph("authoring")
    stage.facts["problem"] = session.problem
    chain.watch = 1
    rig.update_tag()
    yield from stage.until(lambda: session.attention.of == other.session_uid and session.attention.is_settled)
    yield from stage.until(lambda: session.outputs.filtered_aim_error < 1e-4)
    stage.facts["aim_error"] = session.outputs.filtered_aim_error
    with stage.context():
        chain.shown_posture = 0
        bpy.ops.limber.move_posture(direction="DOWN")
    stage.facts["postures"] = [posture.action.name for posture in chain.postures]
    yield 0.2
