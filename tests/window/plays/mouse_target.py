"""Moves a live chain's target with the mouse over the 3D view: Esc restores its position, a click keeps the
new one, and undo restores the old one.
"""

import math
import sys
from pathlib import Path

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d

sys.path.insert(0, str(Path(__file__).parent))

import lamp


def play(stage):
    _, chain = lamp.build(stage)
    name = chain.target.name
    stage.open_tab()
    yield 0.2
    with stage.context():
        bpy.ops.limber.live()
        bpy.ops.ed.undo_push(message="Live")
    region = stage.region()

    def target():
        return bpy.data.objects[name]

    def off(place) -> float:
        """Distance [pixels] of the shown target from the mouse."""
        seen = location_3d_to_region_2d(
            region, stage.area().spaces.active.region_3d, target().matrix_world.translation
        )
        return math.hypot(seen[0] + region.x - place[0], seen[1] + region.y - place[1])

    def missed() -> float:
        live = stage.part("rig.live.live")
        rig = bpy.data.objects["Rig"]
        return math.degrees(live.session(rig, rig.limber.chains[0]).outputs.filtered_aim_error)

    def begin():
        with stage.context():
            bpy.ops.limber.move_with_mouse("INVOKE_DEFAULT")

    before = tuple(target().location)
    first, second = stage.point(0.3, 0.6), stage.point(0.5, 0.75)
    begin()
    stage.move(first)
    yield from stage.until(lambda: off(first) < 2)
    stage.press("ESC", first)
    yield from stage.until(lambda: tuple(target().location) == before)
    stage.facts["put_back"] = True

    begin()
    stage.move(first)
    yield 0.3
    stage.move(second)
    yield from stage.until(lambda: off(second) < 2 and missed() < 0.5)
    stage.facts["off"], stage.facts["missed"] = off(second), missed()
    stage.photograph("mouse_target_moved")
    stage.click(second)
    yield 0.2
    left = tuple(target().location)
    stage.move(first)
    yield 0.2
    stage.facts["left_there"] = tuple(target().location) == left
    with stage.context():
        bpy.ops.ed.undo()
    yield from stage.until(lambda: tuple(target().location) == before)
    stage.facts["undone"] = True
