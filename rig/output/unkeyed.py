"""Stores and restores values that the user changed without a keyframe; changing frames would lose them."""

from typing import NamedTuple

import bpy

from ..blender import actions


class UnkeyedChannel(NamedTuple):
    """An animated property with its value at the time of reading."""

    owner: bpy.types.ID
    path: str
    index: int
    value: object


def remember(scene: bpy.types.Scene) -> list[UnkeyedChannel]:
    """Current values of all properties that actions animate on the scene's objects and their data."""
    owners = (
        owner for obj in scene.objects for owner in (obj, obj.data, getattr(obj.data, "shape_keys", None))
    )
    channels = []
    for owner in dict.fromkeys(owner for owner in owners if getattr(owner, "animation_data", None)):
        for action, slot in actions.playing(owner):
            for curve in actions.fcurves(action, slot):
                value = _value(owner, curve.data_path, curve.array_index)
                if value is not None:
                    channels.append(UnkeyedChannel(owner, curve.data_path, curve.array_index, value))
    return channels


def put_back(channels: list[UnkeyedChannel]) -> None:
    """Restores the stored values of properties that have changed since."""
    for owner, path, index, value in channels:
        if _value(owner, path, index) != value:
            _set(owner, path, index, value)


def _value(owner: bpy.types.ID, path: str, index: int) -> object:
    """Value of a property; None if its path does not exist any more."""
    try:
        value = owner.path_resolve(path)
    except ValueError:
        return None
    return value[index] if _is_array(value) else value


def _is_array(value: object) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str)


def _set(owner: bpy.types.ID, path: str, index: int, value: object) -> None:
    """Sets a property, or one component of it, given by its data path."""
    array = owner.path_resolve(path)
    if _is_array(array):
        array[index] = value
    elif path.endswith("]"):  # a custom property: something["name"]
        holder, _, name = path[:-1].rpartition("[")
        (owner.path_resolve(holder) if holder else owner)[name.strip("\"'")] = value
    else:
        holder, _, name = path.rpartition(".")
        setattr(owner.path_resolve(holder) if holder else owner, name, value)
