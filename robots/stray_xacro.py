"""Detects elements of xacro that are written without xacro's prefix, so that they have no effect."""

from collections.abc import Iterator
from contextlib import contextmanager

from .attributes import AttributeReader
from .errors import MalformedError, UrdfError
from .xml_tree import Element

NEEDED = {  # tag of a xacro element -> attribute that it must have; URDF has no such tags
    "include": "filename",
    "property": "name",
    "macro": "name",
    "arg": "name",
    "if": "value",
    "unless": "value",
    "insert_block": "name",
}
# elements that may contain such words with another meaning
OF_SIMULATORS = ("gazebo", "mujoco", "sensor", "transmission", "ros2_control")
REMEDY = (
    "has no effect without xacro's prefix: write <xacro:{0}>, and xmlns:xacro='http://www.ros.org/wiki/xacro'"
    " in <robot>"
)


def strays(root: Element) -> Iterator[Element]:
    """Elements with a tag and an attribute of xacro but without its prefix, in the file's order. Those inside
    another such element, or inside an element of `OF_SIMULATORS`, are left out.
    """
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if not element.tag.startswith("xacro:") and dict.__contains__(
            element.attributes, NEEDED.get(_plain_tag(element), "")
        ):
            yield element
        elif element.tag not in OF_SIMULATORS:
            waiting += reversed(element.children)


def tell_strays(reader: AttributeReader, root: Element) -> None:
    """Warns of each stray element of a document, and marks it as read."""
    for element in strays(root):
        reader.warn(element, REMEDY.format(_plain_tag(element)))
        element.is_read = element.is_skipped = True


@contextmanager
def strays_blamed(reader: AttributeReader, root: Element) -> Iterator[None]:
    """Context manager: for a document with stray elements, a UrdfError becomes a MalformedError at the first
    of them, whose message contains the original one.
    """
    try:
        yield
    except UrdfError as error:
        stray = next(strays(root), None)
        if stray is None:
            raise
        raise reader.error(
            MalformedError, stray, f"it {REMEDY.format(_plain_tag(stray))}. Without it: {error}"
        ) from error


def _plain_tag(element: Element) -> str:
    """The element's tag without a namespace prefix."""
    return element.tag.rpartition(":")[2]
