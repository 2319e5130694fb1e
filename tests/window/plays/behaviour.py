"""Adds a default behaviour, rehearses it and sends an event, all by the mouse, while nothing plays: the head
turns to its target. Takes a picture of the panel.
"""

import math
import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp
import tabs
from hand import Hand


def miss(rig, target) -> float:
    """Aim error [degrees] of the shown head."""
    evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    head = evaluated.pose.bones["head"]
    eye, look = rig.matrix_world @ head.tail, rig.matrix_world.to_3x3() @ head.vector
    return math.degrees(look.angle(target.matrix_world.translation - eye))


def play(stage):
    stage.maximise()
    yield 0.2
    rig, chain = lamp.build(stage)
    target = chain.target
    tabs.open_own(stage, "Rehearsal", "LIMBER_PT_behaviour")
    yield 0.3
    with stage.context():
        bpy.ops.limber.live()
    hand = Hand(stage)
    yield from hand.click_on("limber.add_ready_set")  # the left one
    scene = bpy.context.scene
    yield from stage.until(lambda: len(scene.limber_behaviour.states) > 0)
    stage.facts["states"] = len(scene.limber_behaviour.states)
    yield from hand.click_on("limber.rehearse")
    rehearsal = stage.part("rig.live.rehearsal")
    yield from stage.until(lambda: rehearsal.state(scene) == "Idle" and miss(rig, target) > 5.0)
    stage.facts["idle"] = miss(rig, target)
    yield from hand.click_on('name="arrive"')
    yield from stage.until(lambda: rehearsal.state(scene) == "Attending" and miss(rig, target) < 0.1)
    stage.facts["attending"] = miss(rig, target)
    stage.facts["lines"] = rehearsal.lines(scene)
    for _ in range(4):
        stage.redraw()
        yield 0.1
    stage.photograph("behaviour")
    with stage.context():
        bpy.ops.limber.end_rehearsal()
        bpy.ops.limber.end_live()
