"""Keeps keyframes of list items with their items when the list changes.

Blender identifies an item's F-curves by its index in the list: if the index changes, the paths must change
too, and so must keyed values that are an item's number.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager

import bpy

from . import actions


@contextmanager
def following(owner: bpy.types.PropertyGroup, items: str, key: str) -> Iterator[None]:
    """Context manager for changes of a list: items that remain keep their keyframes, and keyframes of removed
    items are deleted.

    Args:
        owner: Object or property group that has the list.
        items: Name of the list.
        key: Name of the items' attribute by which they are recognised; items with equal keys are matched in
            their order.
    """
    data_block, path = owner.id_data, f"{owner.path_from_id()}.{items}"
    before = _numbered(getattr(item, key) for item in getattr(owner, items))
    yield
    new_indices = {
        item_key: index
        for index, item_key in enumerate(_numbered(getattr(item, key) for item in getattr(owner, items)))
    }
    follow(data_block, path, {index: new_indices.get(item_key) for index, item_key in enumerate(before)})


def _numbered(names: Iterable[Hashable]) -> list[tuple[Hashable, int]]:
    """Names, each with the number of its earlier occurrences."""
    counts: Counter[Hashable] = Counter()
    numbered = []
    for name in names:
        numbered.append((name, counts[name]))
        counts[name] += 1
    return numbered


def follow(
    rig: bpy.types.Object,
    items: str,
    indices: Mapping[int, int | None],
    number: str = "",
    numbers: Mapping[int, int] | None = None,
) -> None:
    """Moves the F-curves of list items on an object to the items' new indices: in its action, NLA strips and
    drivers.

    Args:
        rig: The object.
        items: Data path of the list.
        indices: New index of each old index; None for a removed item, whose keys are removed too.
        number: Data path of a property whose keyed values are items' numbers; "": there is none.
        numbers: New value for each old value of that property.
    """
    numbers = numbers or {}
    for action, slot in actions.playing(rig):
        if action.is_editable:
            _follow(actions.fcurves(action, slot), items, number, indices, numbers)
    if rig.animation_data:
        _follow(rig.animation_data.drivers, items, number, indices, numbers)


def _follow(
    curves: bpy.types.bpy_prop_collection,
    items: str,
    number: str,
    indices: Mapping[int, int | None],
    numbers: Mapping[int, int],
) -> None:
    """Moves F-curves or drivers of list items to new indices, removes those of removed items, and changes
    keyed items' numbers; arguments as for `follow`.
    """
    removed = []
    for curve in curves:
        path = curve.data_path
        if path == number:
            for point in curve.keyframe_points:
                point.co_ui.y = numbers.get(round(point.co.y), point.co.y)
            curve.update()
        elif path.startswith(f"{items}["):
            index_text, _, rest = path[len(items) + 1 :].partition("]")
            if index_text.isdecimal() and int(index_text) in indices:
                new = indices[int(index_text)]
                if new is None:
                    removed.append(curve)
                else:
                    curve.data_path = f"{items}[{new}]{rest}"
    for curve in removed:
        curves.remove(curve)
