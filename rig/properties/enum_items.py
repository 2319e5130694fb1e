"""Enumeration properties made from tables: files store a number that depends on an item's key only, not on
its position.

The numbers are below 2^24: menus of Blender 4 hold an item's number in single precision, so that a larger
number changes when it is chosen by mouse. Earlier versions stored larger numbers, and keyframes may set the
next one. A property that holds such a number offers the item under that number, so that linked and overridden
data, which cannot be converted, is readable too.
"""

from collections.abc import Sequence
from struct import pack, unpack
from typing import Protocol
from zlib import crc32

import bpy

from ..chains.chain import stored_value
from .overridable import EnumProperty

Item = tuple[str, str, str, str, int]


class Labelled(Protocol):
    """An entry of a table that is shown in menus."""

    label: str
    description: str


def item(key: str, label: str, description: str) -> Item:
    """Enumeration item whose number, which files store, depends only on its key and not on its position."""
    return key, label, description, "NONE", crc32(key.encode()) >> 8


def choice(key: str, info: Labelled) -> Item:
    """Enumeration item for an entry of a table.

    Args:
        key: Key of the entry.
        info: The entry, with `label` and `description`.
    """
    return item(key, info.label, info.description)


def other_numbers(key: str) -> tuple[int, int, int]:
    """Further numbers that a property may hold for a key: the number of earlier versions; the same number in
    single precision, from keyframes; and the current number as keyframes and drivers set it, since Blender
    adds a half in single precision, which rounds odd numbers above 2^23 up.
    """
    number = crc32(key.encode()) >> 1
    return number, int(unpack("f", pack("f", number))[0]), (crc32(key.encode()) >> 8) + 1


def keyed_enum(
    attribute: str, items: Sequence[Item], default: str, **rest: object
) -> bpy.props._PropertyDeferred:
    """Overridable enumeration that also reads the numbers of earlier versions.

    Args:
        attribute: Name of the property in its group.
        items: Its items; for items made by `item` and `choice`, `other_numbers` are read too.
        default: Key of the default item.
        rest: As for Blender's EnumProperty.
    """
    present = list(items)
    with_other_number = {}  # Blender keeps no reference to the items of a dynamic enumeration
    for index, entry in enumerate(present):
        if entry == item(*entry[:3]):
            for number in other_numbers(entry[0]):
                with_other_number[number] = [*present[:index], (*entry[:-1], number), *present[index + 1 :]]

    def offered(group: bpy.types.PropertyGroup, _context: bpy.types.Context) -> list[Item]:
        return with_other_number.get(stored_value(group, attribute), present)

    return EnumProperty(
        items=offered, default=next(entry[-1] for entry in present if entry[0] == default), **rest
    )
