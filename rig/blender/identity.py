"""Search for objects after undo, which replaces them, and after renaming."""

import bpy


def find(name: str, uid: int):
    """An object by its name or, if it was renamed, by its `session_uid`; None if it was deleted."""
    thing = bpy.data.objects.get(name)
    if thing is not None and thing.session_uid == uid:
        return thing
    return next((other for other in bpy.data.objects if other.session_uid == uid), None)
