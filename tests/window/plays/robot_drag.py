"""Drags the target of a live chain that a robot follows, and plays an animation right afterwards; then slower
and faster ones.
"""

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp
from record_link import Recording

from robots import HELD, reached

PLACES = (
    (0.5, -0.6, 0.4),
    (-0.5, -0.6, 0.3),
    (0.4, -0.7, 0.5),
    (-0.4, -0.6, 0.45),
)  # positions of the target, half a second apart
RATES = (24, 60, 12, 24)  # [frames per second]
DRAGGED, STEP = 12, 0.04  # number of steps of the drag, and the time between them [s]


def play(stage):
    rig, chain = lamp.build(stage)
    scene, target = bpy.context.scene, chain.target
    scene.render.fps = RATES[0]
    lamp.robots_path(chain, {1 + 12 * k: place for k, place in enumerate((*PLACES, PLACES[0]))})
    scene.frame_start, scene.frame_end = 1, 1 + 12 * len(PLACES)
    scene.frame_set(1)
    with stage.context():
        bpy.ops.limber.live()
        bpy.ops.limber.connect()
    yield from reached(stage, rig, "ARMED", bpy.ops.limber.arm)
    record = Recording(stage, rig)
    yield from stage.until(record.is_there, HELD)
    for rate in RATES:
        scene.render.fps = rate
        for k in range(DRAGGED):
            target.location.x = 0.5 - k / DRAGGED
            yield STEP
        with stage.context():
            bpy.ops.screen.animation_play()
        yield from record.played(24)
        with stage.context():
            bpy.ops.screen.animation_play()
    yield from stage.until(record.is_there, HELD)
    stage.facts.update(record.facts)
    with stage.context():
        bpy.ops.limber.disconnect()
