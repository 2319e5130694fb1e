"""Tests whether an object exists and is evaluated: undo replaces objects, and deleted objects stay in memory
while a property points to them.
"""

from collections.abc import Iterator
from itertools import takewhile

import bpy

from .errors import RigError

LayerPath = tuple[bpy.types.LayerCollection, ...]

# rest of a sentence on an object that is not evaluated though viewports show it, as one disabled in renders
HIDDEN = "is hidden or in no visible collection: show it, since Blender does not evaluate it otherwise"


def find(name: str, uid: int) -> bpy.types.Object | None:
    """The object with this `session_uid`, for which its name is tried first; None if it was deleted."""
    obj = bpy.data.objects.get(name)
    if obj is not None and obj.session_uid == uid:
        return obj
    return next((other for other in bpy.data.objects if other.session_uid == uid), None)


def is_deleted(obj: bpy.types.Object) -> bool:
    """Whether an object is in no collection, as is a deleted one to which pointers still refer."""
    return not obj.users_collection


def why_absent(
    obj: bpy.types.Object, what: str, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer
) -> str:
    """Why an object that a property points to cannot be used, as a sentence: it was deleted, or is not in the
    scene; "" if it is there.

    Args:
        obj: The object.
        what: Purpose of the object, for the sentence: "target", "source".
        scene: The scene, original or evaluated.
        view_layer: A view layer of the scene: an object visible in it is present, which is tested first
            because it is fast.
    """
    if obj.visible_get(view_layer=view_layer) or scene.objects.get(obj.name) is not None:
        return ""
    named = f"{what.capitalize()} '{obj.name}'"
    # objects of a library may be in no collection although they were not deleted
    if is_deleted(obj) and obj.library is None and obj.override_library is None:
        return f"{named} was deleted: choose another {what}"
    return f"{named} is not in scene '{scene.name}': link it there, or choose another {what}"


def evaluated(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, what: str = "Armature"
) -> bpy.types.Object:
    """The evaluated object. `what`: kind of the object, with which the error message begins.

    Raises:
        RigError: Blender does not evaluate the object.
    """
    evaluated_object = obj.evaluated_get(depsgraph)
    if not evaluated_object.is_evaluated:
        raise RigError(f"{what} '{obj.name}' {why_unevaluated(obj, depsgraph.view_layer) or HIDDEN}")
    return evaluated_object


def why_unevaluated(obj: bpy.types.Object, view_layer: bpy.types.ViewLayer) -> str:
    """Why Blender does not evaluate an object in a view layer's viewports, and the remedy, as the rest of a
    sentence that begins with the object; "" if it does. Objects hidden by their eye icon are evaluated.
    """
    if obj.visible_get(view_layer=view_layer):
        return ""
    if obj.hide_viewport:
        return (
            "is disabled in viewports, so Blender does not evaluate it: show it in the Outliner (its monitor)"
        )
    hiding = [_hiding(path) for path in _paths(view_layer.layer_collection, set(obj.users_collection))]
    if not hiding:
        return f"is in no collection of view layer '{view_layer.name}': link it to one"
    if None in hiding:
        return ""
    layer = hiding[0]
    state, icon = (
        ("excluded from the view layer", "its check box")
        if layer.exclude
        else ("disabled in viewports", "its monitor")
    )
    return (
        f"is in collection '{layer.name}', which is {state}, so Blender does not evaluate it: show the"
        f" collection in the Outliner ({icon})"
    )


def _paths(
    layer: bpy.types.LayerCollection, collections: set[bpy.types.Collection], ancestors: LayerPath = ()
) -> Iterator[LayerPath]:
    """Paths down to each of some collections from a layer collection, the view layer's top one; `ancestors`:
    the path to it.
    """
    path = (*ancestors, layer)
    if layer.collection in collections:
        yield path
    for child in layer.children:
        yield from _paths(child, collections, path)


def _hiding(path: LayerPath) -> bpy.types.LayerCollection | None:
    """The collection of a path that keeps the objects of its last one from being evaluated; None if none
    does. A collection that is disabled hides all below it; one that is excluded has excluded those below.
    """
    disabled = next((layer for layer in path if layer.collection.hide_viewport), None)
    excluded = list(takewhile(lambda layer: layer.exclude, reversed(path)))
    return excluded[-1] if excluded else disabled
