"""Viewport overlay of live chains: gaze rays, joint limits, and the solver's pose where the motion filter
lags behind it. The colours are from a colour-blind-safe palette (Okabe & Ito 2008).
"""

from time import perf_counter
from typing import NamedTuple

import bpy
import gpu
import numpy as np
from bpy_extras.view3d_utils import location_3d_to_region_2d

from ...rig.live import budget, live
from ...rig.showing import chain_lines
from ...rig.showing.chain_lines import AT, NEAR, Ray
from ..drawing import Overlay, draw_lines, write
from ..tab import ChainTab

RAY, MISS = (0.94, 0.89, 0.26, 0.9), (0.83, 0.37, 0.0, 1.0)  # colours (RGBA) of the gaze and of its error
# colours of a joint's arc: away from its limits, near one, at one
FREE, CLOSE, STUCK = (0.34, 0.71, 0.91, 0.8), (0.90, 0.62, 0.0, 1.0), (0.83, 0.37, 0.0, 1.0)
LATE = (0.80, 0.47, 0.65, 0.7)  # colour of the solver's pose where bones lag behind it
TEXT = (1.0, 1.0, 1.0, 1.0)
LABEL_WIDTH, LABEL_HEIGHT = 120, 16  # [pixels at an interface scale of 1] size that is reserved for a label
LABEL_OFFSET = 12  # [pixels] distance of a label from its target


def _shown():
    """(armature, chain) of each live chain that is visible in this view layer; empty while a bake or a check
    steps through the scene, since its solutions belong to other frames than the shown one.
    """
    if live.is_suspended():
        return
    scene, layer = bpy.context.scene, bpy.context.view_layer
    for rig, chain in live.live_chains(scene):
        if rig.name in layer.objects and rig.visible_get():
            yield rig, chain


class Drawing(NamedTuple):
    """Cached geometry of the overlay, and the state for which it was computed."""

    cache_key: tuple  # scene, view layer, overlay options and chains
    count: int  # number of frames that had been played when the drawing was computed
    # (colour, width) -> points (n, 3) [m, world]; lines join the first two, the next two, and so on
    segments: dict[tuple, list[np.ndarray]]
    rays: list[tuple[str, Ray]]  # (chain's name, gaze ray)


_cached: Drawing | None = None  # the newest drawing; None: there are no live chains to draw


def drawing() -> Drawing | None:
    """Lines and labels over all visible live chains; None if there are no such chains or all overlays are
    off. While playback exceeds its time budget, the cached drawing is reused for some frames.
    """
    global _cached
    view, layer = bpy.context.window_manager.limber_view, bpy.context.view_layer
    pairs = list(_shown()) if view.rays or view.arcs or view.late else []
    if not pairs:
        _cached = None
        # the durations of earlier overlays do not predict those of later overlays
        budget.playing.overlays.last.clear()
        return None
    chains = ((rig.session_uid, chain.uid) for rig, chain in pairs)
    cache_key = (bpy.context.scene.session_uid, layer.name, view.rays, view.arcs, view.late, *chains)
    if (
        _cached is not None
        and _cached.cache_key == cache_key
        and live.is_playing()
        and not budget.playing.is_due(_cached.count)
    ):
        return _cached
    begun = perf_counter()
    _cached = Drawing(cache_key, budget.playing.count, {}, [])
    for rig, chain in pairs:
        _add_chain(_cached, rig, chain)
    budget.playing.overlays.note(perf_counter() - begun)
    return _cached


def _add_chain(drawn: Drawing, rig, chain) -> None:
    """Adds the lines and rays of a live chain to a drawing, of the kinds that are switched on."""
    view, session, segments = bpy.context.window_manager.limber_view, live.session(rig, chain), drawn.segments
    if view.late:
        for segment in chain_lines.late(rig, session):
            segments.setdefault((LATE, 5.0), []).append(np.array(segment))
    if view.arcs:
        _add_arcs(segments, rig, session)
    if view.rays:
        for ray in chain_lines.rays(rig, chain, session.look, session.is_on_its_way):
            segments.setdefault((RAY, 2.0), []).append(np.array((ray.eye, ray.hit)))
            if not ray.is_meant:
                segments.setdefault((MISS, 3.0), []).append(np.array((ray.hit, ray.target)))
            drawn.rays.append((chain.name, ray))


def _draw_lines_over_chains() -> None:
    """Draws the overlay in world space, and measures how long it takes."""
    begun = perf_counter()
    drawn = drawing()
    if drawn is None:
        return
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")
    scale = bpy.context.preferences.system.ui_scale
    for (colour, width), points in drawn.segments.items():
        draw_lines(np.concatenate(points).astype(np.float32), colour, width * scale)
    gpu.state.blend_set("NONE")
    budget.drawing.note(perf_counter() - begun)


def _add_arcs(segments: dict, rig, session) -> None:
    """Adds an arc for the range of each revolute joint with limits, and a radius at its current value, to a
    drawing's segments.
    """
    for arc in chain_lines.arcs(rig, session):
        colour = STUCK if arc.room <= AT else CLOSE if arc.room <= NEAR else FREE
        segments.setdefault((colour, 1.5), []).append(np.repeat(arc.points, 2, axis=0)[1:-1])
        segments.setdefault((colour, 3.0), []).append(np.array((arc.middle, arc.current)))


def _draw_errors() -> None:
    """Writes beside the target of each gaze ray that was drawn last the chain's name, and by which angle the
    ray misses the target and why (`Ray.label`).
    """
    context = bpy.context
    scale = context.preferences.system.ui_scale
    taken: list[tuple[float, float]] = []
    for name, ray in _cached.rays if _cached else ():
        point = location_3d_to_region_2d(context.region, context.region_data, ray.target)
        if point is not None:
            taken.append(free_label_position(point.x + LABEL_OFFSET, point.y + LABEL_OFFSET, taken, scale))
            write(*taken[-1], ray.label(name), TEXT, scale)


def free_label_position(
    x: float, y: float, taken: list[tuple[float, float]], scale: float
) -> tuple[float, float]:
    """(x, y) [pixels] of a label, moved up until it overlaps none of the labels at `taken`: several chains
    can look at one target.
    """
    while any(
        abs(x - other) < LABEL_WIDTH * scale and abs(y - line) < LABEL_HEIGHT * scale for other, line in taken
    ):
        y += LABEL_HEIGHT * scale
    return x, y


class LIMBER_PT_overlays(ChainTab):
    """What is drawn in the 3D views over live chains, and over the selected chain that is not live"""

    bl_label = "Overlays"
    bl_parent_id = "LIMBER_PT_diagnostics"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 1

    def draw(self, context):
        view = context.window_manager.limber_view
        row = self.layout.row(align=True)
        row.prop(view, "rays", toggle=True, icon="HIDE_OFF")
        row.prop(view, "arcs", toggle=True, icon="CON_ROTLIMIT")
        row.prop(view, "late", toggle=True, icon="GHOST_ENABLED")


_overlay = Overlay(_draw_lines_over_chains, _draw_errors)
register, unregister = _overlay.register, _overlay.unregister
