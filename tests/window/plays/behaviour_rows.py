"""Selects rows of a state's lists, and of the list of lids, by the mouse: the settings below a list are those
of the selected row.
"""

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp
import tabs
from hand import Hand

LEFT = 0.1  # share of the sidebar's width at which rows begin
LISTS = ("active_posture", "active_chain", "active_lid")


def play(stage):
    stage.maximise()
    yield 0.2
    _, chain = lamp.build(stage)
    behaviour = bpy.context.scene.limber_behaviour
    with stage.context():
        for items in ("states", "chains", "chains", "postures", "postures"):
            bpy.ops.limber.add_to_behaviour(items=items)
        for _ in range(2):
            chain.eyes.lids.add()
    state = behaviour.states[0]
    chain.eyes.active_lid = 1
    tabs.open_own(stage, "Rows", "LIMBER_PT_behaviour_states", "LIMBER_PT_eyes")
    yield 0.3
    hand = Hand(stage)
    for owner, name in zip((state, state, chain.eyes), LISTS, strict=True):
        yield from hand.click_on(name, hand.sidebar(LEFT))
        yield from stage.until(lambda owner=owner, name=name: getattr(owner, name) == 0)
        stage.facts[name] = getattr(owner, name)
    stage.redraw()
    yield 0.2
    stage.photograph("rows")
