"""In the 3D view, over live chains: where they look, how far joints may turn, where the motion filter keeps them from. Colours are told
apart by eyes that see few (Okabe & Ito 2008)."""

from math import degrees
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
from ..tab import DiagnosticsPart

RAY, MISS = (0.94, 0.89, 0.26, 0.9), (0.83, 0.37, 0.0, 1.0)
FREE, CLOSE, STUCK = (0.34, 0.71, 0.91, 0.8), (0.90, 0.62, 0.0, 1.0), (0.83, 0.37, 0.0, 1.0)
LATE = (0.80, 0.47, 0.65, 0.7)
TEXT = (1.0, 1.0, 1.0, 1.0)
WORDS, LINE = 120, 16  # [pixels at a scale of 1] that a line of words takes up
ASIDE = 12  # [pixels] of words from the target that they are about


def _shown():
    """(rig, chain) of the live chains that can be seen in this view layer."""
    scene, layer = bpy.context.scene, bpy.context.view_layer
    for rig, chain in live.live_chains(scene):
        if rig.name in layer.objects and rig.visible_get():
            yield rig, chain


class Drawing(NamedTuple):
    """What is drawn, and of what and when it was worked out."""

    about: tuple  # scene and view layer, and what is switched on
    count: int  # of played frames
    segments: dict[tuple, list[np.ndarray]]  # (n, 3) each, lines between every two points, by (colour, width)
    rays: list[tuple[str, Ray]]  # with their chains' names


_kept: Drawing | None = None  # since the last view was drawn; None: nothing is drawn


def drawing() -> Drawing | None:
    """What is drawn over the chains that can be seen; while playing takes too long, what was drawn some frames ago; None: nothing."""
    global _kept
    view, layer = bpy.context.window_manager.limber_view, bpy.context.view_layer
    pairs = list(_shown()) if view.rays or view.arcs or view.late else []
    if not pairs:
        _kept = None
        budget.playing.overlays.last.clear()
        return None
    chains = ((rig.session_uid, chain.uid) for rig, chain in pairs)
    about = (bpy.context.scene.session_uid, layer.name, view.rays, view.arcs, view.late, *chains)
    if _kept is not None and _kept.about == about and live.is_playing() and not budget.playing.is_due(_kept.count):
        return _kept
    begun = perf_counter()
    _kept = Drawing(about, budget.playing.count, {}, [])
    for rig, chain in pairs:
        _add(_kept, rig, chain)
    budget.playing.overlays.note(perf_counter() - begun)
    return _kept


def _add(drawn: Drawing, rig, chain) -> None:
    view, session, segments = bpy.context.window_manager.limber_view, live.session(rig, chain), drawn.segments
    if view.late:
        for segment in chain_lines.late(rig, session):
            segments.setdefault((LATE, 5.0), []).append(np.array(segment))
    if view.arcs:
        _add_arcs(segments, rig, session)
    if view.rays:
        for ray in chain_lines.rays(rig, chain):
            segments.setdefault((RAY, 2.0), []).append(np.array((ray.eye, ray.hit)))
            segments.setdefault((MISS, 3.0), []).append(np.array((ray.hit, ray.target)))
            drawn.rays.append((chain.name, ray))


def _draw_lines_over_chains() -> None:
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


def _add_arcs(lines: dict, rig, session) -> None:
    for arc in chain_lines.arcs(rig, session):
        colour = STUCK if arc.room <= AT else CLOSE if arc.room <= NEAR else FREE
        lines.setdefault((colour, 1.5), []).append(np.repeat(arc.points, 2, axis=0)[1:-1])
        lines.setdefault((colour, 3.0), []).append(np.array((arc.middle, arc.now)))


def _draw_misses() -> None:
    """The angle by which each end misses, in words beside its target, of the lines that were just drawn beneath them."""
    context = bpy.context
    scale = context.preferences.system.ui_scale
    taken: list[tuple[float, float]] = []
    for name, ray in _kept.rays if _kept else ():
        place = location_3d_to_region_2d(context.region, context.region_data, ray.target)
        if place is not None:
            taken.append(free_place(place.x + ASIDE, place.y + ASIDE, taken, scale))
            write(*taken[-1], f"{name}: {degrees(ray.miss):.1f}° off", TEXT, scale)


def free_place(x: float, y: float, taken: list[tuple[float, float]], scale: float) -> tuple[float, float]:
    """The nearest place [pixels] above where a line of words covers no other: several chains look at one target."""
    while any(abs(x - other) < WORDS * scale and abs(y - line) < LINE * scale for other, line in taken):
        y += LINE * scale
    return x, y


class LIMBER_PT_overlays(DiagnosticsPart, bpy.types.Panel):
    """What is drawn over live chains in the 3D views"""

    bl_label = "Overlays"
    bl_order = 1

    def draw(self, context):
        view = context.window_manager.limber_view
        row = self.layout.row(align=True)
        row.prop(view, "rays", toggle=True, icon="HIDE_OFF")
        row.prop(view, "arcs", toggle=True, icon="CON_ROTLIMIT")
        row.prop(view, "late", toggle=True, icon="GHOST_ENABLED")


_overlay = Overlay(_draw_lines_over_chains, _draw_misses)
register, unregister = _overlay.register, _overlay.unregister
