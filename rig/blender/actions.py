"""Access to actions in every Blender version: from 4.4 on F-curves are in slots and channel bags, and from
5.0 on nowhere else.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

import bpy
import numpy as np

CONSTANT, LINEAR = 0, 1  # Blender's numbers of two interpolation modes, for foreach_set
# attributes of a key, each with the number of values and their type
KEY_FIELDS = {
    "co": (2, np.float32),
    "interpolation": (1, np.int32),
    "handle_left": (2, np.float32),
    "handle_right": (2, np.float32),
    "handle_left_type": (1, np.int32),
    "handle_right_type": (1, np.int32),
    "easing": (1, np.int32),
    "back": (1, np.float32),
    "amplitude": (1, np.float32),
    "period": (1, np.float32),
    "type": (1, np.int32),
    "select_control_point": (1, np.bool_),
    "select_left_handle": (1, np.bool_),
    "select_right_handle": (1, np.bool_),
}
SAME_FRAME = 0.01  # [frames] distance within which Blender merges two keys

Frames = TypeVar("Frames", float, np.ndarray)


def fcurves(
    action: bpy.types.Action, slot: "bpy.types.ActionSlot | None" = None
) -> bpy.types.bpy_prop_collection | list:
    """F-curves of an action's slot, for reading only; empty if it has none. Default: the action's first slot
    for objects, else its first slot.
    """
    if not hasattr(action, "slots"):
        return action.fcurves
    slot = slot or _object_slot(action)
    bag = _channelbag(action, slot, create=False) if slot else None
    return bag.fcurves if bag else []


def writable_fcurves(
    action: bpy.types.Action, owner: bpy.types.ID, slot: "bpy.types.ActionSlot | None" = None
) -> bpy.types.bpy_prop_collection:
    """F-curves of an action for an object, for writing; slot and channel bag are created if they are
    missing.
    """
    if not hasattr(action, "slots"):
        return action.fcurves
    slot = slot or _object_slot(action) or action.slots.new("OBJECT", owner.name)
    return _channelbag(action, slot, create=True).fcurves


def _object_slot(action: bpy.types.Action) -> "bpy.types.ActionSlot | None":
    """The action's first slot for objects, else its first slot; None if it has none."""
    return next(
        (slot for slot in action.slots if slot.target_id_type == "OBJECT"),
        action.slots[0] if action.slots else None,
    )


def _channelbag(
    action: bpy.types.Action, slot: "bpy.types.ActionSlot | None", create: bool
) -> "bpy.types.ActionChannelbag | None":
    """The channel bag of a slot; made if it is missing and `create` is True, else None."""
    if create and not action.layers:
        action.layers.new("Layer").strips.new(type="KEYFRAME")
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot, ensure=create)
            if bag:
                return bag
    return None


def find(curves: bpy.types.bpy_prop_collection, data_path: str, index: int) -> bpy.types.FCurve | None:
    """F-curve for a data path and array index; None: there is none."""
    return curves.find(data_path, index=index) if hasattr(curves, "find") else None


def playing(owner: bpy.types.ID) -> list[tuple[bpy.types.Action, object]]:
    """(action, slot) of all actions that play on a data-block: its own, and those of its NLA strips."""
    animation = owner.animation_data
    if not animation:
        return []
    action_slots = [(animation.action, getattr(animation, "action_slot", None))] if animation.action else []
    strips = [strip for track in animation.nla_tracks for strip in track.strips]
    while strips:
        strip = strips.pop(0)
        strips += strip.strips  # a meta strip contains further strips
        if strip.action and (strip.action, getattr(strip, "action_slot", None)) not in action_slots:
            action_slots.append((strip.action, getattr(strip, "action_slot", None)))
    return action_slots


def assign(owner: bpy.types.ID, action: bpy.types.Action, slot_handle: int | None = None) -> None:
    """Assigns an action to a data-block, with the slot that has this handle; else with the slot that Blender
    chooses, or the first slot for objects.
    """
    animation = owner.animation_data or owner.animation_data_create()
    animation.action = action
    if hasattr(animation, "action_slot"):
        own_slot = next((slot for slot in action.slots if slot.handle == slot_handle), None)
        animation.action_slot = own_slot or animation.action_slot or _object_slot(action)


def put_keys(
    curves: bpy.types.bpy_prop_collection,
    data_path: str,
    index: int,
    group: str,
    frames: Sequence[float],
    values: Sequence[float],
) -> None:
    """Replaces all keys of a channel by keys with linear interpolation; `frames` (ascending) and `values`
    have equal length.
    """
    points = _new_points(curves, data_path, index, group, frames, values)
    points.foreach_set("interpolation", [LINEAR] * len(frames))
    find(curves, data_path, index).update()


def put_constant_keys(
    curves: bpy.types.bpy_prop_collection,
    data_path: str,
    index: int,
    group: str,
    frames: Sequence[float],
    values: Sequence[float],
) -> None:
    """Replaces all keys of a channel by keys with constant interpolation, as enumerations need; `frames`
    (ascending) and `values` have equal length.
    """
    points = _new_points(curves, data_path, index, group, frames, values)
    points.foreach_set("interpolation", [CONSTANT] * len(frames))
    find(curves, data_path, index).update()


def key_time(frame: Frames) -> Frames:
    """Time of a key [frames of the action] for a frame of the current scene, or times for an array of frames;
    the two differ with Time Stretching (Output > Frame Rate).
    """
    render = bpy.context.scene.render
    return frame * render.frame_map_old / render.frame_map_new


def bake_keys(
    curves: bpy.types.bpy_prop_collection,
    data_path: str,
    index: int,
    group: str,
    frames: Sequence[float],
    values: Sequence[float],
) -> None:
    """Replaces the keys of a channel within the range of the scene's `frames` by linear ones; keys outside of
    the range stay. The channel's F-curve is unmuted.

    A curve with modifiers, which would change the keyed values, is replaced as a whole.
    """
    for _ in baking_keys(curves, data_path, index, group, frames, values):
        pass


def baking_keys(
    curves: bpy.types.bpy_prop_collection,
    data_path: str,
    index: int,
    group: str,
    frames: Sequence[float],
    values: Sequence[float],
) -> Iterator[None]:
    """As `bake_keys`, in steps that stay short with any number of keys."""
    times = key_time(np.asarray(frames, float))
    curve = find(curves, data_path, index)
    if curve is not None and len(curve.modifiers):
        curves.remove(curve)
        curve = None
    curve = _new_curve(curves, data_path, index, group) if curve is None else curve
    curve.mute = False
    _unmute_group(curve)
    points = curve.keyframe_points
    count = len(points)
    points.add(len(times))
    yield
    new = {"co": np.column_stack((times, values)), "interpolation": LINEAR}
    rows = {name: _key_values(points, name) for name in new}
    before = np.flatnonzero(rows["co"][:count, 0] <= times[0] - SAME_FRAME)
    after = np.flatnonzero(rows["co"][:count, 0] >= times[-1] + SAME_FRAME)
    # keys are written in ascending order: Blender would sort them by exchanging neighbours
    order = np.concatenate((before, np.arange(count, count + len(times)), after))
    if len(order) > len(times):  # keys that stay keep their own values in all fields
        for name in KEY_FIELDS:
            rows[name] = _key_values(points, name)
            yield
    if count:
        points.clear()
        points.add(len(order))
    for name, numbers in rows.items():
        numbers[count:] = new.get(name, numbers[count:])
        points.foreach_set(name, numbers[order].ravel())
        yield
    curve.update()


def _key_values(points: bpy.types.bpy_prop_collection, name: str) -> np.ndarray:
    """Values (keys, width) of an attribute of keys, in their order."""
    width, kind = KEY_FIELDS[name]
    numbers = np.empty(width * len(points), kind)
    points.foreach_get(name, numbers)
    return numbers.reshape(-1, width)


def _new_points(
    curves: bpy.types.bpy_prop_collection,
    data_path: str,
    index: int,
    group: str,
    frames: Sequence[float],
    values: Sequence[float],
) -> bpy.types.bpy_prop_collection:
    """Keys of a new curve instead of a channel's old one, with these frames and values."""
    old = find(curves, data_path, index)
    if old is not None:
        curves.remove(old)
    curve = _new_curve(curves, data_path, index, group)
    _unmute_group(curve)
    points = curve.keyframe_points
    points.add(len(frames))
    points.foreach_set("co", [number for pair in zip(frames, values, strict=True) for number in pair])
    return points


def _unmute_group(curve: bpy.types.FCurve) -> None:
    """Unmutes a curve's group, since a muted group mutes the curve too, and mutes the group's other curves
    one by one instead.
    """
    group = curve.group
    if group and group.mute:
        for other in group.channels:
            other.mute = other != curve
        group.mute = False


def _new_curve(
    curves: bpy.types.bpy_prop_collection, data_path: str, index: int, group: str
) -> bpy.types.FCurve:
    try:
        return curves.new(data_path, index=index, group_name=group)
    except TypeError:  # the argument has another name before Blender 5.0
        return curves.new(data_path, index=index, action_group=group)
