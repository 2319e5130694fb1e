"""Moves the viewport so that what an operator has added is in view."""

from collections.abc import Iterable

import bpy


def frame(context, objects: Iterable[bpy.types.Object]) -> None:
    """Frames objects, and what is selected already, in the 3D viewport of the context, else in the window's
    largest one; without one it does nothing. The selection stays as it is.
    """
    area = _viewport(context)
    if area is None:
        return
    region = next(region for region in area.regions if region.type == "WINDOW")
    chosen = [obj for obj in objects if not obj.select_get()]
    hidden = [obj for obj in chosen if obj.hide_select]
    with context.temp_override(area=area, region=region, selected_objects=[]):
        # `view_selected` frames the selection, and objects whose selection is disabled cannot be selected
        for obj in hidden:
            obj.hide_select = False
        for obj in chosen:
            obj.select_set(True)
        bpy.ops.view3d.view_selected()
        for obj in chosen:
            obj.select_set(False)
        for obj in hidden:
            obj.hide_select = True


def _viewport(context) -> bpy.types.Area | None:
    """The 3D viewport of the context; if the operator was called elsewhere, such as in the top bar, the
    window's largest one. None if the window has none.
    """
    if context.area is not None and context.area.type == "VIEW_3D":
        return context.area
    areas = context.window.screen.areas if context.window is not None else ()
    return max(
        (area for area in areas if area.type == "VIEW_3D"),
        key=lambda area: area.width * area.height,
        default=None,
    )
