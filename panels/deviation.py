"""Where the posture gives way: a figure for each bone, and bones coloured by it in the 3D view. Nothing of it is in the file."""

from math import degrees, radians

import bpy
import gpu
from gpu_extras.batch import batch_for_shader

from ..operators.subject import rig_of
from ..rig import chains, live
from ..rig.deviation import Deviation, deviations, segments
from .tab import ChainTab, sentence

MOST = radians(30)  # from here on a bone has the last colour, and its bar is full: a posture that is no longer recognised
MILLIMETRE = 1e-3  # [m] less than this of a slide is not told
# From "as authored" to "gave way": of Okabe and Ito's colours, which people tell apart who see few; lines get wider as well.
COLOURS = ((0.0, 0.45, 0.70), (0.94, 0.89, 0.26), (0.84, 0.37, 0.0))
THIN, WIDE = 3.0, 11.0  # [pixels at a scale of 1]
SWITCH = "limber_deviation"

_handles: list = []


class LIMBER_PT_deviation(ChainTab, bpy.types.Panel):
    """How far each bone is from the posture, against its parent"""

    bl_label = "Where It Gives Way"
    bl_parent_id = "LIMBER_PT_gaze"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        chain = chains.active(rig)
        layout.prop(context.window_manager, SWITCH, toggle=True, icon="COLOR")
        found = deviations(live.session(rig, chain)) if chain.live else []
        if not found:
            sentence(layout, "Press Live: then each bone says how far it is from its posture", "INFO")
            return
        column = layout.column(align=True)
        for deviation in found:
            row = column.split(factor=0.4)
            row.label(text=deviation.bone)
            row.progress(factor=_share(deviation.angle), text=figure(deviation))


def figure(deviation: Deviation) -> str:
    """A bone's deviation in words."""
    slid = f", {1000 * deviation.distance:.0f} mm" if deviation.distance >= MILLIMETRE else ""
    return f"{degrees(deviation.angle):.1f}°{slid}"


def _share(angle: float) -> float:
    return min(1.0, angle / MOST)


def colour(angle: float) -> tuple[float, float, float, float]:
    """A bone's colour for the angle [rad] by which it gives way."""
    place = _share(angle) * (len(COLOURS) - 1)
    first = min(int(place), len(COLOURS) - 2)
    red, green, blue = (a + (place - first) * (b - a) for a, b in zip(COLOURS[first], COLOURS[first + 1], strict=True))
    return red, green, blue, 1.0


def _draw() -> None:
    """A line along each bone of the chains that are live."""
    context = bpy.context
    if not getattr(context.window_manager, SWITCH):
        return
    scale, depsgraph = context.preferences.system.ui_scale, context.evaluated_depsgraph_get()
    gpu.state.depth_test_set("NONE")
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    for rig, chain in live.live_chains(context.scene):
        if rig.visible_get():
            for line, angle in segments(rig, live.session(rig, chain), depsgraph):
                shader.uniform_float("lineWidth", scale * (THIN + _share(angle) * (WIDE - THIN)))
                shader.uniform_float("color", colour(angle))
                batch_for_shader(shader, "LINES", {"pos": line}).draw(shader)


def register() -> None:
    switch = bpy.props.BoolProperty(
        name="Colour Bones",
        description="Draw a line along each bone of live chains: blue and thin where it is as its posture says, over yellow to red and wide"
        " where it gives way by 30 degrees",
        options={"SKIP_SAVE"},
    )
    setattr(bpy.types.WindowManager, SWITCH, switch)
    if not bpy.app.background:
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW"))


def unregister() -> None:
    for handle in _handles:
        bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")
    _handles.clear()
    delattr(bpy.types.WindowManager, SWITCH)
