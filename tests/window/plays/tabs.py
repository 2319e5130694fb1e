"""The tab with a few panels alone, so that all of their rows are in sight."""

import bpy


def only(stage, root: str) -> None:
    """Takes all panels but `root` and its parts out of the tab and opens those. Before it is drawn: Blender remembers what was closed."""
    panels = [cls for cls in stage.part("panels.registry").CLASSES if issubclass(cls, bpy.types.Panel)]
    for cls in panels:
        cls.bl_options = (getattr(cls, "bl_options", None) or set()) - {"DEFAULT_CLOSED"}
        bpy.utils.unregister_class(cls)
    for cls in panels:
        if root in (cls.__name__, getattr(cls, "bl_parent_id", "")):
            bpy.utils.register_class(cls)
