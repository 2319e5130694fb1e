"""Warnings about parts of a robot's file that no reader has read."""

from collections.abc import Sequence

from .attributes import AttributeReader
from .xml_tree import Element

MOST_NAMES = 20  # largest number of names in a warning


def tell_unread(reader: AttributeReader, root: Element) -> None:
    """Warns, element by element, of the attributes and child elements that no reader has requested."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.is_skipped:
            continue
        children = dict.fromkeys(_own_text(child) for child in element.children if not child.is_read)
        tell(reader, element, [*element.unread, *children])
        waiting += reversed([child for child in element.children if child.is_read])


def tell(reader: AttributeReader, element: Element, names: Sequence[str]) -> None:
    """Warns that the named attributes or child elements of an element are not read."""
    if names:
        reader.warn(
            element, f"its {listed(names)} {'is' if len(names) == 1 else 'are'} not read, and without effect"
        )


def listed(names: Sequence[str]) -> str:
    """The first `MOST_NAMES` names and the number of the others, as text."""
    return ", ".join(names[:MOST_NAMES]) + (
        f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    )


def _own_text(element: Element) -> str:
    """Name of an element in a message about the element that contains it."""
    name = element.attributes.get("name")
    return f"<{element.tag}>" if name is None else f"<{element.tag} name={name!r}>"
