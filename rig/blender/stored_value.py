"""The value that a file stores for a property, whatever the property makes of it."""

from collections.abc import MutableMapping

import bpy


def storage_of(group: bpy.types.bpy_struct) -> MutableMapping[str, object] | None:
    """Storage of a property group, or of an ID or bone with properties of extensions, by their names; None:
    nothing is stored.
    """
    return group if bpy.app.version < (5, 0, 0) else group.bl_system_properties_get()


def stored_value(group: bpy.types.bpy_struct, name: str) -> object:
    """Value that a property group's storage holds for a property; None: none, the property has its
    default.
    """
    storage = storage_of(group)
    return None if storage is None else storage.get(name)
