"""The value that a file stores for a property, whatever the property makes of it."""

import bpy


def stored_value(group, name: str):
    """Value that a property group's storage holds for a property; None: none, the property has its default."""
    if bpy.app.version < (5, 0, 0):
        return group.get(name)
    storage = group.bl_system_properties_get()
    return None if storage is None else storage.get(name)
