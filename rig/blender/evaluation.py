"""Objects as Blender evaluates them."""

from .errors import RigError


def evaluated(thing, depsgraph, what: str = "Armature"):
    """The evaluated object. `what` begins the message.

    Raises:
        RigError: Blender does not evaluate the object.
    """
    found = thing.evaluated_get(depsgraph)
    if not found.is_evaluated:
        raise RigError(f"{what} '{thing.name}' is hidden or in no visible collection: show it, Blender does not evaluate it otherwise")
    return found


def is_unevaluated(context, thing) -> bool:
    """Whether Blender does not evaluate an object because it is disabled in viewports. Objects hidden by their eye icon are evaluated."""
    if thing.hide_viewport or thing.name not in context.view_layer.objects:
        return True
    return all(collection.hide_viewport for collection in thing.users_collection)
