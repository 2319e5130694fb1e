"""Moves the viewport so that what an operator has added is in view."""

from collections.abc import Iterable

import bpy


def frame(context, things: Iterable[bpy.types.Object]) -> None:
    """Frames objects in the 3D viewport that the context is in, else in the window's largest; the selection stays as it is."""
    area = _viewport(context)
    if area is None:
        return
    region = next(region for region in area.regions if region.type == "WINDOW")
    chosen = [thing for thing in things if not thing.select_get()]
    hidden = [thing for thing in chosen if thing.hide_select]
    with context.temp_override(area=area, region=region, selected_objects=[]):
        for thing in hidden:
            thing.hide_select = False
        for thing in chosen:
            thing.select_set(True)
        bpy.ops.view3d.view_selected()
        for thing in chosen:
            thing.select_set(False)
        for thing in hidden:
            thing.hide_select = True


def _viewport(context) -> bpy.types.Area | None:
    """The 3D viewport that the context is in; else the window's largest, as after a menu of the top bar; None: there is none."""
    if context.area is not None and context.area.type == "VIEW_3D":
        return context.area
    areas = context.window.screen.areas if context.window is not None else ()
    return max((area for area in areas if area.type == "VIEW_3D"), key=lambda area: area.width * area.height, default=None)
