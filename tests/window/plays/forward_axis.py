"""Picks the forward axis in the 3D view: an arrow, a point, Esc; the chosen one is drawn before the chain is
live.
"""

import sys
from pathlib import Path

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d

sys.path.insert(0, str(Path(__file__).parent))

import lamp


def play(stage):
    rig, chain = lamp.build(stage)
    lines, picking = stage.part("rig.showing.chain_lines"), stage.part("operators.authoring.forward_axis")
    stage.open_tab()
    stage.redraw()
    yield 0.2
    stage.photograph("forward_before_live")
    region = stage.region()

    def seen(place) -> tuple[int, int]:
        """Position [pixels of the window] at which a point of the world is shown."""
        spot = location_3d_to_region_2d(region, stage.area().spaces.active.region_3d, place)
        return round(spot[0] + region.x), round(spot[1] + region.y)

    def begin():
        with stage.context():
            bpy.ops.limber.pick_forward_axis("INVOKE_DEFAULT")

    begin()
    over = seen(dict(lines.axes(rig, chain))["-Z"][1])
    stage.move(over)
    yield from stage.until(
        lambda: picking.current_picking is not None and picking.current_picking.axis == "-Z"
    )
    stage.redraw()
    yield 0.2
    stage.photograph("forward_picking")
    stage.click(over)
    yield from stage.until(lambda: picking.current_picking is None)
    stage.facts["arrow"] = chain.forward_axis

    begin()
    beside = stage.point(0.15, 0.85)
    stage.move(beside)
    yield from stage.until(lambda: picking.current_picking is not None and picking.current_picking.axis == "")
    stage.press("ESC", beside)
    yield from stage.until(lambda: picking.current_picking is None)
    stage.facts["kept"] = chain.forward_axis

    begin()
    stage.move(beside)
    yield 0.3
    stage.click(beside)
    yield from stage.until(lambda: picking.current_picking is None)
    stage.facts["point"] = chain.forward_axis
    start, tip = (seen(place) for place in lines.forward(rig, chain))
    way, wanted = ((end[0] - start[0], end[1] - start[1]) for end in (tip, beside))
    stage.facts["across"] = (way[0] * wanted[1] - way[1] * wanted[0]) / (
        sum(x * x for x in way) * sum(x * x for x in wanted)
    ) ** 0.5
    stage.redraw()
    yield 0.2
    stage.photograph("forward_custom")
