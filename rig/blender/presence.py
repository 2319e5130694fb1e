"""Whether an object is in a scene. Blender keeps a deleted object in memory as long as a property points to it."""


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
