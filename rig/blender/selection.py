"""The selected item of a list. The stored index may be out of range, since scripts, undo and overrides change
the list without it.
"""

import bpy


def selected_index(items: bpy.types.bpy_prop_collection, active: int) -> int:
    """Index of the selected item of a list, clamped to its length; 0 if the list is empty.

    Args:
        items: The list.
        active: The stored index.
    """
    return max(0, min(active, len(items) - 1))


def selected(items: bpy.types.bpy_prop_collection, active: int) -> bpy.types.bpy_struct | None:
    """The selected item of a list; None if the list is empty."""
    return items[selected_index(items, active)] if items else None
