"""Actions in every Blender version: from 4.4 on their F-curves hang on slots and channel bags, and from 5.0 on nowhere else."""

import bpy


def fcurves(action: bpy.types.Action, slot=None):
    """The F-curves of an action's slot (its first where none is given), for reading; an empty list where there are none."""
    if not hasattr(action, "slots"):
        return action.fcurves
    slot = slot or (action.slots[0] if action.slots else None)
    bag = _channelbag(action, slot, create=False) if slot else None
    return bag.fcurves if bag else []


def writable_fcurves(action: bpy.types.Action, owner: bpy.types.ID):
    """The F-curves of an action for an object, made where they are missing."""
    if not hasattr(action, "slots"):
        return action.fcurves
    slot = next((slot for slot in action.slots if slot.target_id_type == "OBJECT"), None) or action.slots.new("OBJECT", owner.name)
    return _channelbag(action, slot, create=True).fcurves


def _channelbag(action, slot, create: bool):
    if create and not action.layers:
        action.layers.new("Layer").strips.new(type="KEYFRAME")
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot, ensure=create)
            if bag:
                return bag
    return None


def find(curves, data_path: str, index: int):
    """The F-curve of one channel, or None."""
    return curves.find(data_path, index=index) if hasattr(curves, "find") else None


def assign(owner: bpy.types.ID, action: bpy.types.Action) -> None:
    """Makes the action the owner's own; a new action gets its slot as well."""
    animation = owner.animation_data or owner.animation_data_create()
    animation.action = action
    if hasattr(animation, "action_slot") and animation.action_slot is None:
        animation.action_slot = next((slot for slot in action.slots if slot.target_id_type == "OBJECT"), None)


def put_keys(curves, data_path: str, index: int, group: str, frames, values) -> None:
    """Replaces the channel's keys by linear ones: frames and values of one length, in order."""
    old = find(curves, data_path, index)
    if old is not None:
        curves.remove(old)
    curve = _new_curve(curves, data_path, index, group)
    points = curve.keyframe_points
    points.add(len(frames))
    points.foreach_set("co", [number for pair in zip(frames, values, strict=True) for number in pair])
    points.foreach_set("interpolation", [_LINEAR] * len(frames))
    curve.update()


_LINEAR = 1  # Blender's number for linear interpolation in foreach_set


def _new_curve(curves, data_path: str, index: int, group: str):
    try:
        return curves.new(data_path, index=index, group_name=group)
    except TypeError:  # before 5.0 the argument has another name
        return curves.new(data_path, index=index, action_group=group)
