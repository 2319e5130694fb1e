"""Keys on items of a list when the list changes.

Blender tells an item's keys by its place in the list: where that changes, so must the paths of its F-curves, and keys that hold its number.
"""

from collections.abc import Mapping

from ..blender import actions


def follow(rig, items: str, places: Mapping[int, int | None], number: str = "", numbers: Mapping[int, int] | None = None) -> None:
    """Takes along what plays on an armature (its action, its NLA strips, its drivers) when items of a list go to other places.

    Args:
        rig: The armature object.
        items: Data path of the list.
        places: Of each item that was in the list: its new place; None where it is gone, and its keys with it.
        number: Data path of the property that holds an item's number; empty: there is none.
        numbers: What each number becomes.
    """
    numbers = numbers or {}
    for action, slot in actions.playing(rig):
        if action.is_editable:
            _follow(actions.fcurves(action, slot), items, number, places, numbers)
    if rig.animation_data:
        _follow(rig.animation_data.drivers, items, number, places, numbers)


def _follow(curves, items: str, number: str, places: Mapping[int, int | None], numbers: Mapping[int, int]) -> None:
    gone = []
    for curve in curves:
        path = curve.data_path
        if path == number:
            for point in curve.keyframe_points:
                point.co_ui.y = numbers.get(round(point.co.y), point.co.y)
            curve.update()
        elif path.startswith(f"{items}["):
            place, _, rest = path[len(items) + 1 :].partition("]")
            if place.isdecimal() and int(place) in places:
                new = places[int(place)]
                if new is None:
                    gone.append(curve)
                else:
                    curve.data_path = f"{items}[{new}]{rest}"
    for curve in gone:
        curves.remove(curve)
