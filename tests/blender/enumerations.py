"""Items of enumeration properties, whether they are fixed or given by a function."""

from inspect import get_annotations

import bpy


def offered(group, name: str) -> list[tuple[str, str, str, int]]:
    """Items of a group's enumeration: key, label, description, number."""
    if fixed := group.bl_rna.properties[name].enum_items:
        return [(item.identifier, item.name, item.description, item.value) for item in fixed]
    own = next(annotations for cls in type(group).__mro__ if name in (annotations := get_annotations(cls)))
    items = own[name].keywords["items"](group, None)
    return [
        (item[0], item[1], item[2], item[-1] if len(item) > 3 else index) for index, item in enumerate(items)
    ]


def enumerations(group) -> list[tuple[object, str]]:
    """(group, name) of every enumeration of a property group and of groups in it; an empty list in it gets an
    item.
    """
    found: list[tuple[object, str]] = []
    for prop in group.bl_rna.properties:
        if prop.identifier == "rna_type":
            continue
        if prop.type == "ENUM":
            found.append((group, prop.identifier))
        elif prop.type == "POINTER" and isinstance(
            inner := getattr(group, prop.identifier), bpy.types.PropertyGroup
        ):
            found += enumerations(inner)
        elif prop.type == "COLLECTION":
            items = getattr(group, prop.identifier)
            if isinstance(inner := items[0] if items else items.add(), bpy.types.PropertyGroup):
                found += enumerations(inner)
    return found
