"""Whether an object is still there, and where: undo replaces objects, and a deleted one stays in memory while a property points to it."""

import bpy


def find(name: str, uid: int):
    """An object by its name or, if it was renamed, by its `session_uid`; None if it was deleted."""
    thing = bpy.data.objects.get(name)
    if thing is not None and thing.session_uid == uid:
        return thing
    return next((other for other in bpy.data.objects if other.session_uid == uid), None)


def is_deleted(thing) -> bool:
    """Whether an object was deleted, and exists only because pointers refer to it."""
    return not thing.users_collection


def why_absent(thing, what: str, scene, view_layer) -> str:
    """Why an object that a property points to is not evaluated, as a sentence; "" if it is in the scene.

    Args:
        thing: The object.
        what: Purpose of the object, for the sentence: "target", "source".
        scene: The scene, original or evaluated.
        view_layer: A view layer of the scene: an object visible there is present, which is the faster test.
    """
    if thing.visible_get(view_layer=view_layer) or scene.objects.get(thing.name) is not None:
        return ""
    named = f"{what.capitalize()} '{thing.name}'"
    if is_deleted(thing) and thing.library is None and thing.override_library is None:  # those of a library may be in no collection
        return f"{named} was deleted: choose another {what}"
    return f"{named} is not in scene '{scene.name}': link it there, or choose another {what}"
