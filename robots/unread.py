"""Warnings about all that a robot's file says and no reader has read. Knows no Blender."""

from collections.abc import Sequence

from .attributes import AttributeReader
from .xml_tree import Element


def tell_unread(reader: AttributeReader, root: Element) -> None:
    """Warns, element by element, of the attributes and child elements that no reader has asked for, by their names."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.is_skipped:
            continue
        tags = [f"<{tag}>" for tag in dict.fromkeys(child.tag for child in element.children if not child.is_read)]
        tell(reader, element, [*element.unread, *tags])
        waiting += reversed([child for child in element.children if child.is_read])


def tell(reader: AttributeReader, element: Element, names: Sequence[str]) -> None:
    """Warns that attributes or child elements of an element, given by their names, are not read."""
    if names:
        reader.warn(element, f"its {', '.join(names)} {'is' if len(names) == 1 else 'are'} not read, and without effect")
