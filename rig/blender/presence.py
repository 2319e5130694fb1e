"""Tests whether an object exists and is evaluated: undo replaces objects, and deleted objects stay in memory
while a property points to them.
"""

import bpy

from .errors import RigError


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
    """Why an object that a property points to is not evaluated, as a sentence; "" if it is in the scene.

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
        raise RigError(
            f"{what} '{obj.name}' is hidden or in no visible collection: show it, Blender does not evaluate"
            " it otherwise"
        )
    return evaluated_object


def is_unevaluated(context: bpy.types.Context, obj: bpy.types.Object) -> bool:
    """Whether Blender does not evaluate an object because it is disabled in viewports, or not in the view
    layer. Objects hidden by their eye icon are evaluated.
    """
    if obj.hide_viewport or obj.name not in context.view_layer.objects:
        return True
    return all(collection.hide_viewport for collection in obj.users_collection)
