"""Films the demo lamp: postures change while the ball flies, and the ghost of the virtual robot follows.
build/window/film/NNN.png
"""

from math import degrees, radians

import bpy
from mathutils import Euler

ROUND = 240  # [scene frames] period of the ball's motion, so that the film repeats without a jump
STEP = 2  # number of scene frames between two pictures
LEAD_IN = 60  # [scene frames] before the first picture: the motion filter has settled by then
POSTURES = {1: "Curious", 81: "Sad", 161: "Proud"}  # frame -> posture that is selected from then on
VIEW_FROM = (radians(80), 0.0, radians(38))  # rotation of the view
VIEW_AT, VIEW_DISTANCE = (-0.14, -0.26, 0.27), 1.12  # [m] centre and distance of the view
FOLLOWS = 1.0  # [degrees] distance from the commanded pose within which the robot has followed
HELD = 60.0  # [s] longest waiting time; on an idle machine a second suffices


def clear_view(stage, view_from, view_at, view_distance: float) -> None:
    """Shows only the robot, its target and Limber's overlays, from a view [rad, m]."""
    space = stage.area().spaces.active
    space.show_region_header = space.show_region_tool_header = space.show_region_toolbar = (
        space.show_region_ui
    ) = False
    space.show_gizmo = False
    space.shading.color_type, space.shading.show_cavity, space.shading.show_shadows = "MATERIAL", True, True
    space.shading.studio_light = "rim.sl"
    for overlay in (
        "show_axis_x",
        "show_axis_y",
        "show_cursor",
        "show_text",
        "show_bones",
        "show_outline_selected",
        "show_object_origins",
    ):
        setattr(space.overlay, overlay, False)
    view = space.region_3d
    view.view_perspective, view.view_rotation = "PERSP", Euler(view_from).to_quaternion()
    view.view_location, view.view_distance = view_at, view_distance


def film(stage, rig, postures, has_ghost, before_picture=lambda frame, positions: None):
    """Connects and arms the rig's robot, plays a period of its first chain, and takes a picture whenever the
    robot has followed.

    Args:
        postures: Names by the frames from which they are selected.
        has_ghost: Whether the ghost of the robot is drawn.
        before_picture: Called with the frame and the robot's positions.
    """
    chain = rig.limber.chains[0]
    names = [posture.name for posture in chain.postures]
    robot, safety = stage.part("rig.robot.links"), stage.part("hardware.safety")
    bpy.ops.limber.connect()
    yield from stage.until(
        lambda: robot.status(rig) is not None and robot.status(rig).state is safety.State.DISARMED, HELD
    )
    bpy.ops.limber.arm()
    bpy.context.window_manager.limber_view.ghost = has_ghost

    def has_followed() -> bool:
        status = robot.status(rig)
        pairs = zip(status.positions, status.commanded or (), strict=False)
        return status.state is safety.State.ARMED and all(abs(degrees(at - to)) < FOLLOWS for at, to in pairs)

    for frame in range(1 - LEAD_IN, ROUND + 1):
        posture = postures.get((frame - 1) % ROUND + 1)
        if posture:
            chain.shown_posture = names.index(posture)
        bpy.context.scene.frame_set(frame)
        if frame >= 1 and (frame - 1) % STEP == 0:
            yield from stage.until(has_followed, HELD)
            before_picture(frame, robot.status(rig).positions)
            stage.redraw()
            yield 0.05
            stage.photograph(f"film/{(frame - 1) // STEP:03}")
    robot.stop_all()
    robot.disconnect_all()
    region = stage.region()
    stage.facts["box"] = [
        region.x,
        stage.window.height - region.y - region.height,
        region.width,
        region.height,
    ]
    stage.facts["captions"] = {(first - 1) // STEP: name for first, name in postures.items()}


def play(stage):
    stage.maximise()
    yield 1.0
    with stage.context():
        bpy.ops.limber.add_demo_lamp()
    yield 1.5  # the view moves there smoothly
    clear_view(stage, VIEW_FROM, VIEW_AT, VIEW_DISTANCE)
    bpy.ops.limber.live()
    rig = bpy.context.view_layer.objects.active
    yield from film(stage, rig, POSTURES, has_ghost=True)
