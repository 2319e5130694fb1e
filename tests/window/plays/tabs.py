"""A tab with a few panels alone, open, so that all of their rows are in sight."""

import bpy


def only(stage, root: str) -> None:
    """Takes all panels but `root` and its parts out of the tab and opens those. Before it is drawn: Blender remembers what was closed.

    No other script can be played in this Blender: the extension cannot be disabled when panels of it are not registered.
    """
    stage.spoilt = True
    panels = [cls for cls in stage.part("registration").classes() if issubclass(cls, bpy.types.Panel)]
    for cls in panels:
        cls.bl_options = (getattr(cls, "bl_options", None) or set()) - {"DEFAULT_CLOSED"}
        bpy.utils.unregister_class(cls)
    for cls in panels:
        if root in (cls.__name__, getattr(cls, "bl_parent_id", "")):
            bpy.utils.register_class(cls)


def open_own(stage, tab: str, *names: str) -> None:
    """Opens a tab of their own with copies of panels, by their classes' names: in Limber's some are closed at first and below others."""
    for name in names:
        original = getattr(bpy.types, name)
        twin = type(f"{name}_shown", (original,), {"bl_category": tab, "bl_options": set(), "bl_idname": f"{name}_shown"})
        twin.bl_parent_id = ""
        bpy.utils.register_class(twin)
    stage.open_tab(tab)
