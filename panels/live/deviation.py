"""Panel Posture Deviation, and its viewport overlay: how far each bone deviates from the posture."""

from math import degrees, radians

import bpy
import gpu

from ...operators.subject import rig_of
from ...rig.authoring import chains
from ...rig.live import live
from ...rig.showing.deviation import PostureDeviation, deviations, segments
from ..drawing import Overlay, draw_lines
from ..tab import ChainTab, sentence

# [rad] deviation from which bar and colour are at full scale: beyond it the posture is hardly recognisable
FULL_SCALE = radians(30)
MILLIMETRE = 1e-3  # [m] smallest displacement from the posture that is shown
# colours from no deviation to full scale, colour-blind-safe (Okabe & Ito 2008); the lines also get wider
COLOURS = ((0.0, 0.45, 0.70), (0.94, 0.89, 0.26), (0.84, 0.37, 0.0))
# [pixels at an interface scale of 1] widths of lines, without deviation and at full scale
THIN, WIDE = 3.0, 11.0


class LIMBER_PT_deviation(ChainTab):
    """Deviation of each bone from the posture, relative to its parent"""

    bl_label = "Posture Deviation"
    bl_parent_id = "LIMBER_PT_diagnostics"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 0

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        chain = chains.active(rig)
        layout.prop(context.window_manager.limber_view, "deviation", toggle=True, icon="COLOR")
        bone_deviations = deviations(live.session(rig, chain)) if chain.live else []
        if not bone_deviations:
            sentence(layout, "Press Start Live to see how far each bone is from its posture", "INFO")
            return
        column = layout.column(align=True)
        for deviation in bone_deviations:
            row = column.split(factor=0.4)
            row.label(text=deviation.bone, translate=False)
            row.progress(factor=_share(deviation.angle), text=figure(deviation))


def figure(deviation: PostureDeviation) -> str:
    """A bone's deviation as text: in degrees, and in millimetres too if a prismatic joint displaces it."""
    linear = f", {1000 * deviation.distance:.0f} mm" if deviation.distance >= MILLIMETRE else ""
    return f"{degrees(deviation.angle):.1f}°{linear}"


def _share(angle: float) -> float:
    """A deviation [rad] as share of full scale, 0 to 1."""
    return min(1.0, angle / FULL_SCALE)


def colour(angle: float) -> tuple[float, float, float, float]:
    """RGBA colour of a bone that deviates by `angle` [rad]."""
    position = _share(angle) * (len(COLOURS) - 1)
    first = min(int(position), len(COLOURS) - 2)
    red, green, blue = (
        a + (position - first) * (b - a) for a, b in zip(COLOURS[first], COLOURS[first + 1], strict=True)
    )
    return red, green, blue, 1.0


def _draw() -> None:
    """Draws a line along each bone of the live chains, coloured by its deviation."""
    context = bpy.context
    if not context.window_manager.limber_view.deviation or live.is_suspended():
        return
    scale, depsgraph = context.preferences.system.ui_scale, context.evaluated_depsgraph_get()
    gpu.state.depth_test_set("NONE")
    for rig, chain in live.live_chains(context.scene):
        if rig.visible_get():
            for line, angle in segments(rig, live.session(rig, chain), depsgraph):
                draw_lines(line, colour(angle), scale * (THIN + _share(angle) * (WIDE - THIN)))


_overlay = Overlay(_draw)
register, unregister = _overlay.register, _overlay.unregister
