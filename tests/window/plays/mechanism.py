"""A neck on push rods in a real window: live, its target rotated, the clock moves the motors; takes a picture
of the panel.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import tabs

SETTLED = 90.0  # [s] longest time until the motors arrive, where drawing is slow


def play(stage):
    tabs.only(stage, "LIMBER_PT_mechanism")
    stage.maximise()
    yield 0.2
    bpy.context.scene.cursor.location = (0.0, 0.0, 0.0)
    area = next(area for area in stage.window.screen.areas if area.type == "VIEW_3D")
    view = area.spaces[0].region_3d
    with stage.context():
        bpy.ops.limber.add_mechanism(kind="neck")
    owner = bpy.context.active_object
    stage.facts["distance"] = view.view_distance
    view.view_distance, view.view_location = 0.75, (0.1, 0.0, 0.15)
    area.spaces[0].clip_start = 0.01
    area.spaces[0].shading.color_type = "OBJECT"
    stage.open_tab()
    stage.redraw()
    yield 0.2
    bpy.ops.limber.live()
    kept = owner.limber.mechanism
    live = stage.part("rig.live.live")
    kept.goals[0].target.rotation_euler = (0.2, 0.1, 0.5)
    yield from stage.until(lambda: abs(live.session(owner, kept).outputs.values[0]) > 0.4, SETTLED)
    yield from stage.until(lambda: live.session(owner, kept).outputs.at_rest, SETTLED)
    stage.facts["pan"] = live.session(owner, kept).outputs.values[0]
    stage.facts["problem"] = live.session(owner, kept).problem
    for _ in range(4):
        stage.redraw()
        yield 0.2
    stage.photograph("mechanism_live")
    bpy.ops.limber.end_live()
    stage.redraw()
    yield 0.2
    stage.facts["constraints"] = sum(
        len(thing.constraints) for thing in owner.users_collection[0].all_objects
    )
