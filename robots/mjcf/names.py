"""Names of the links and joints of an MJCF file: the file's own, and unique new ones for all others."""

from collections.abc import Collection, Iterable

from ..xml_tree import Element

NAMED = ("body", "joint", "freejoint", "site", "camera")


class LinkNames:
    """Names of the links and joints of a document.

    Args:
        worlds: Its <worldbody> elements.
        links: Names of the links so far, which new ones must differ from.

    Attributes:
        bodies: Names of bodies in the file.
    """

    def __init__(self, worlds: Iterable[Element], links: Collection[str]) -> None:
        worlds = list(worlds)
        self.bodies = {name for world in worlds for name in _named(world, ("body",))}
        self._taken = {name for world in worlds for name in _named(world, NAMED)}
        self._links = links
        self._counts: dict[str, int] = {}  # requested name -> last number appended to make it unique

    def joint(self, joint: Element, body: str) -> str:
        """Name of a joint of a body: its own, else a new one from the body's name."""
        return joint.attributes.get("name") or self.unique(f"{body}_joint")

    def unique(self, requested: str) -> str:
        """The requested name, with a number appended if it is taken; it counts as taken from then on."""
        name = requested
        while name in self._taken or name in self._links:
            self._counts[requested] = self._counts.get(requested, 1) + 1
            name = f"{requested}_{self._counts[requested]}"
        self._taken.add(name)
        return name


def _named(element: Element, tags: Collection[str]) -> set[str]:
    """Names of all elements with these tags below an element."""
    names, waiting = set(), [element]
    while waiting:
        children = waiting.pop().children
        names |= {
            child.attributes["name"] for child in children if child.tag in tags and "name" in child.attributes
        }
        waiting += children
    return names
