"""Test whether Blender evaluates an object."""


def is_unevaluated(context, thing) -> bool:
    """Whether Blender does not evaluate an object because it is disabled in viewports. Objects hidden by their eye icon are evaluated."""
    if thing.hide_viewport or thing.name not in context.view_layer.objects:
        return True
    return all(collection.hide_viewport for collection in thing.users_collection)
