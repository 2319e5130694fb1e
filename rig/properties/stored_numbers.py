"""Clamps the numbers stored in a file to the bounds that their properties declare.

Blender applies a property's bounds when it is set, but not when a file is read, and a file may contain
anything. So `bring_within_bounds` runs whenever Limber's settings come into Blender, and all other modules
can rely on the bounds.
"""

from collections.abc import Iterator, Sequence
from math import copysign, hypot, inf, isnan

import bpy
import numpy as np

from ..chains.chain import storage_of, stored_value

# numbers without declared bounds are clamped to this absolute value; cubes and sums of such numbers are
# finite
LARGEST = 1e12
# bounds of at least this size are only the limits of single precision; a bound that Limber declares is
# smaller, or infinite
SINGLE = 3e38
SHORTEST = 1e-6  # a stored quaternion with a smaller norm is replaced by the property's default
# largest `session_uid` of the objects and scenes checked so far; Blender gives new ones larger numbers
_newest = 0


def may_be_new() -> bool:
    """Whether objects or scenes may have come into the file since the last call of `bring_within_bounds`,
    perhaps from other files.
    """
    return _largest_uid() > _newest


def _largest_uid() -> int:
    """Largest `session_uid` of the file's objects and scenes."""
    uids = np.zeros(len(bpy.data.objects), np.int32)
    bpy.data.objects.foreach_get("session_uid", uids)
    return int(max(uids.max(initial=0), *(scene.session_uid for scene in bpy.data.scenes)))


def bring_within_bounds() -> None:
    """Clamps all numbers that the open file stores for Limber to their bounds, also in data linked from other
    files.
    """
    global _newest
    _newest = _largest_uid()
    for owner in (*bpy.data.objects, *bpy.data.scenes):
        changed = [_bring_group_within(group) for group in _groups(owner)]
        if any(changed):
            owner.update_tag()


def _groups(owner: bpy.types.Object | bpy.types.Scene) -> Iterator:
    """Limber's settings that are stored on an object and its bones, or on a scene."""
    if isinstance(owner, bpy.types.Scene):
        if stored_value(owner, "limber_behaviour") is not None:
            yield owner.limber_behaviour
        return
    if stored_value(owner, "limber") is not None:
        yield owner.limber
    for bone in owner.pose.bones if owner.pose else ():
        if stored_value(bone, "limber_body") is not None:
            yield bone.limber_body


def _bring_group_within(group: bpy.types.PropertyGroup) -> bool:
    """Clamps the numbers of a property group to their bounds; returns whether any was changed."""
    storage, known = storage_of(group), group.bl_rna.properties
    changed = False
    for name in list(storage.keys()) if storage else ():
        prop = known.get(name)
        if prop is None:
            continue
        if prop.type == "COLLECTION":
            for item in getattr(group, name):
                changed |= _bring_group_within(item)
        elif prop.type == "POINTER":
            changed |= isinstance(prop.fixed_type, bpy.types.PropertyGroup) and _bring_group_within(
                getattr(group, name)
            )
        elif prop.type in _WITHIN and (value := _WITHIN[prop.type](prop, group, storage[name])) is not None:
            storage[name] = value
            changed = True
    return changed


def _number_within(
    prop: bpy.types.Property, group: bpy.types.PropertyGroup, stored: float | Sequence[float]
) -> float | list[float] | None:
    """The stored value of a number property (one number or several), clamped to its bounds, or the default of
    a quaternion that is too short; None if the value is valid, or if Blender itself uses the default.
    """
    if not prop.is_array:
        value = getattr(group, prop.identifier)
        within = _bounded(prop, value, prop.default)
        return None if within == value else within
    values, defaults = list(stored), list(prop.default_array)
    if len(values) != len(defaults):
        return None
    within = [_bounded(prop, number, default) for number, default in zip(values, defaults, strict=True)]
    if prop.subtype == "QUATERNION" and hypot(*within) < SHORTEST:
        return defaults
    return None if within == values else within


def _bounded(prop: bpy.types.Property, value: float, default: float) -> float:
    """A number clamped to the bounds of its property, or to `LARGEST` without declared bounds; NaN gives the
    default.
    """
    if isnan(value):
        return default
    lower, upper = (
        bound if not SINGLE < abs(bound) < inf else copysign(LARGEST, bound)
        for bound in (prop.hard_min, prop.hard_max)
    )
    return min(max(value, lower), upper)


def _choice_within(prop: bpy.types.Property, _group: bpy.types.PropertyGroup, stored: object) -> int | None:
    """Number to store instead of an invalid one: the default item's or, for flags, the stored flags without
    unknown ones. None if the stored number is valid, if the items are dynamic, or if Blender itself uses the
    default.
    """
    numbers = {item.identifier: item.value for item in prop.enum_items_static}
    if not numbers or not isinstance(stored, int):
        return None  # the items depend on the file, or Blender itself uses the default
    if prop.is_enum_flag:
        all_bits = sum(numbers.values())
        return stored & all_bits if stored & ~all_bits else None
    return None if stored in numbers.values() else numbers[prop.default]


_WITHIN = {"INT": _number_within, "FLOAT": _number_within, "ENUM": _choice_within}
