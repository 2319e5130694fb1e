"""A tab with only a few panels, open, so that all of their rows are visible. All are restored when the play
has ended.
"""

import bpy


def panels(stage) -> list[type]:
    """The extension's panels, in the tab's order."""
    return [cls for cls in stage.part("registration").classes() if issubclass(cls, bpy.types.Panel)]


def is_shown(panel: type) -> bool:
    return hasattr(bpy.types, panel.__name__)


def empty(stage, *kept: str) -> None:
    """Removes all panels but those from the tab; they will be open when they return.

    Before it is drawn: Blender remembers what was closed. At the end of the play all are registered, as the
    extension is disabled only so.
    """
    for cls in panels(stage):
        if cls.__name__ not in kept:
            cls.bl_options = (getattr(cls, "bl_options", None) or set()) - {"DEFAULT_CLOSED"}
            bpy.utils.unregister_class(cls)
    stage.at_end.callback(show_all, stage)


def show_all(stage) -> None:
    take_out(stage)
    for cls in panels(stage):
        bpy.utils.register_class(cls)


def take_out(stage, *kept: str) -> None:
    """Removes all panels but those from the tab."""
    for cls in panels(stage)[::-1]:
        if is_shown(cls) and cls.__name__ not in kept:
            bpy.utils.unregister_class(cls)


def only(stage, root: str) -> None:
    """Removes all panels but `root`, its parents and its parts from the tab, and opens these."""
    empty(stage)
    parents = {cls.__name__: getattr(cls, "bl_parent_id", "") for cls in panels(stage)}
    shown, above = {root}, parents[root]
    while above:
        shown.add(above)
        above = parents[above]
    for cls in panels(stage):
        if cls.__name__ in shown or getattr(cls, "bl_parent_id", "") == root:
            bpy.utils.register_class(cls)


def open_own(stage, tab: str, *names: str) -> None:
    """Opens a separate tab with copies of panels, given by their classes' names, since in Limber's tab some
    are closed at first and below others.
    """
    for name in names:
        original = getattr(bpy.types, name)
        shown = {"bl_category": tab, "bl_options": set(), "bl_idname": f"{name}_shown", "bl_parent_id": ""}
        own = {
            key: value for key, value in vars(original).items() if key != "bl_rna"
        }  # a registered class may have no subclass
        twin = type(f"{name}_shown", original.__bases__, own | shown)
        bpy.utils.register_class(twin)
        stage.at_end.callback(bpy.utils.unregister_class, twin)
    stage.open_tab(tab)
