"""A step of the Walker in a real window, with keyframes of its support phases made by the mouse on the
panel's buttons; takes a picture of the weights' curves.
"""

import sys
from math import radians
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import tabs
from hand import Hand
from mathutils import Euler

SPLIT = 0.34  # share of the view's height, for the curves below it
STEP = (
    (24, 0.0, 0.0),
    (34, -0.015, 0.015),
    (44, -0.03, 0.0),
)  # frame, and location of the right foot's target along Y and Z [m]
PHASES = (
    (6, "ALL", 0),
    (20, "THIS", 0),
    (48, "THIS", 0),
    (62, "ALL", 0),
)  # frame, button pressed ("THIS" foot supports, or "ALL"), index of the foot: 0 for the left one
ACROSS = {"THIS": 0.35, "ALL": 0.75}  # shares of the sidebar's width at the two buttons
PICTURED = 34  # frame in which the right foot is highest
VIEW = (0.0, -0.01, 0.15), 0.75, Euler((radians(80), 0, radians(28)))


def play(stage):
    tabs.empty(stage)
    for name in ("LIMBER_PT_mechanism", "LIMBER_PT_mechanism_goals"):
        bpy.utils.register_class(next(cls for cls in tabs.panels(stage) if cls.__name__ == name))
    yield 0.2
    with stage.context():
        bpy.ops.screen.area_split(direction="HORIZONTAL", factor=SPLIT)
    below = min(
        (area for area in stage.window.screen.areas if area.type == "VIEW_3D"), key=lambda area: area.y
    )
    below.ui_type = "FCURVES"
    below.spaces[0].show_region_ui = False
    yield 0.3
    scene = bpy.context.scene
    scene.frame_end = 70
    with stage.context():
        bpy.ops.limber.add_mechanism(kind="walker")
    owner = bpy.context.active_object
    settings = owner.limber.mechanism
    area = stage.area()
    view = area.spaces[0].region_3d
    view.view_location, view.view_distance, view.view_rotation = VIEW[0], VIEW[1], VIEW[2].to_quaternion()
    area.spaces[0].clip_start = 0.01
    area.spaces[0].shading.color_type = "OBJECT"
    area.spaces[0].overlay.show_relationship_lines = False
    stage.open_tab()
    stage.redraw()
    yield 0.2
    hand = Hand(stage)
    for frame, carries, foot in PHASES:
        scene.frame_set(frame)
        settings.active_goal = settings.goals.find(f"{('Left', 'Right')[foot]} Foot Weight")
        stage.redraw()
        yield 0.2
        before = keys(stage, owner)
        yield from hand.click_on(f"carries='{carries}'", hand.sidebar(ACROSS[carries]))
        yield from stage.until(lambda before=before: keys(stage, owner) > before)
    stage.facts["clicks"] = hand.clicks
    target = bpy.data.objects["Right Foot Target"]
    place = target.location.copy()
    for frame, along, up in STEP:
        target.location = (place.x, place.y + along, place.z + up)
        target.keyframe_insert("location", frame=frame)
    yield from hand.click_on("limber.live(")
    yield from stage.until(lambda: settings.live)
    session = stage.part("rig.live.live").session(owner, settings)
    remarks, errors = set(), []
    for frame in range(1, PICTURED + 1):
        scene.frame_set(frame)
        remarks.add(session.remark or session.problem)
        goal = settings.goals["Left Foot"]
        shown = goal.body.evaluated_get(bpy.context.evaluated_depsgraph_get())
        errors.append((shown.matrix_world.translation - goal.target.matrix_world.translation).length)
    stage.facts |= {"remarks": sorted(remarks - {""}), "slid": max(errors), "error": errors[-1]}
    for curve in curves_of(stage, owner):
        curve.hide = not curve.data_path.endswith("position_weight") or curve.array_index != 0
    for _ in range(4):
        stage.redraw()
        yield 0.2
    with bpy.context.temp_override(
        window=stage.window,
        area=below,
        region=next(region for region in below.regions if region.type == "WINDOW"),
    ):
        bpy.ops.graph.view_all()
    for _ in range(4):
        stage.redraw()
        yield 0.2
    stage.photograph("walker_step")
    bpy.ops.limber.end_live()


def curves_of(stage, owner) -> list:
    """The mechanism's F-curves."""
    actions = stage.part("rig.blender.actions")
    return [curve for action, slot in actions.playing(owner) for curve in actions.fcurves(action, slot)]


def keys(stage, owner) -> int:
    """Number of keyframes of the mechanism's settings."""
    return sum(len(curve.keyframe_points) for curve in curves_of(stage, owner))
