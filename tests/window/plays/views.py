"""A small 3D view: windows are drawn in software, so that pixels take most of a play's time."""

import bpy


def narrow(stage, width: int) -> None:
    """Makes the 3D view `width` [pixels] wide, without its bars, among editors that seldom redraw."""
    area = stage.area()
    for region in ("header", "tool_header", "toolbar"):
        setattr(area.spaces.active, f"show_region_{region}", False)
    with stage.context():
        bpy.ops.screen.area_split(direction="VERTICAL", factor=1.0 - width / area.width)
    for other in stage.window.screen.areas:
        if other != area:
            other.type = "INFO"
