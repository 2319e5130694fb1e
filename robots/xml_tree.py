"""XML files as trees of elements with line numbers."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from errno import EFBIG
from pathlib import Path
from xml.parsers import expat

from ..files.content import LARGE, content
from ..files.reasons import reason
from . import lfs
from .errors import LargeRobotError, MalformedError

LATE_DECLARATION = re.compile(
    rb"\A(\s+)(<\?xml[^>]*\?>)"
)  # an XML declaration after blank lines, which expat refuses but simulators accept


class Attributes(dict[str, str]):
    """Attributes of an element by name, which record the names that were requested.

    Attributes:
        requested: Requested names, including those of missing attributes.
    """

    def __init__(self, values: Mapping[str, str], requested: set[str] | None = None) -> None:
        super().__init__(values)
        self.asked: set[str] = set() if requested is None else requested

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self.asked.add(str(name))
        return super().__contains__(name)

    def get(self, name: str, otherwise=None):  # type: ignore[no-untyped-def]
        self.asked.add(name)
        return super().get(name, otherwise)


@dataclass
class Element:
    """XML element: tag, attributes, line in the file, child elements. Text between elements is left out.

    It records which parts of it were read, so that `unread.py` can report the others.

    Attributes:
        is_read: Whether a reader has requested this element.
        is_skipped: Whether its content has no meaning for the reader, so that none of it counts as unread.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    children: list["Element"] = field(default_factory=list)
    file: str = ""  # path of the file
    parent: "Element | None" = field(default=None, repr=False, compare=False)
    is_read: bool = field(default=False, compare=False)
    is_skipped: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.attributes, Attributes):
            self.attributes = Attributes(self.attributes)

    def all(self, tag: str) -> list["Element"]:
        """Child elements with that tag, in the file's order. Marks them as read."""
        children = [child for child in self.children if child.tag == tag]
        for child in children:
            child.is_read = True
        return children

    def skip(self, *tags: str) -> None:
        """Marks the child elements with these tags as without meaning for the reader."""
        for child in self.children:
            if child.tag in tags:
                child.is_read = child.is_skipped = True

    def skip_attributes(self, *names: str) -> None:
        """Marks attributes as without meaning for the reader."""
        assert isinstance(self.attributes, Attributes)
        self.attributes.asked.update(names)

    def with_attributes(self, values: Mapping[str, str]) -> "Element":
        """The element with other values of its attributes, such as defaults; the two share the record of what
        was read.
        """
        assert isinstance(self.attributes, Attributes)
        return replace(self, attributes=Attributes(values, self.attributes.asked))

    @property
    def unread(self) -> list[str]:
        """Names of the attributes that were not requested, without the name attribute and XML namespaces."""
        assert isinstance(self.attributes, Attributes)
        unread_names = (name for name in self.attributes if name not in self.attributes.asked)
        return [name for name in unread_names if name != "name" and not name.startswith("xmlns")]

    def below(self) -> Iterator["Element"]:
        """This element and all elements inside it, in the file's order."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += reversed(element.children)

    def first(self, tag: str) -> "Element | None":
        """The first child element with that tag, which is marked as read; None if there is none."""
        child = next((child for child in self.children if child.tag == tag), None)
        if child is not None:
            child.is_read = True
        return child

    def __str__(self) -> str:
        """The element in a message: its tag and name, or the element with a name that contains it: "<limit>
        of <joint name='hip'>".
        """
        if (name := self.attributes.get("name")) is not None:
            return f"<{self.tag} name={name!r}>"
        holder = self.parent
        while holder is not None and "name" not in holder.attributes:
            holder = holder.parent
        return f"<{self.tag}>" if holder is None else f"<{self.tag}> of {holder}"


def read_xml(path: Path, most: int = LARGE) -> Element:
    """Root element of an XML file of at most `most` bytes.

    Raises:
        LargeRobotError: the file is larger.
        MalformedError: the file cannot be read, is no XML, or declares entities or attributes.
    """
    try:
        data = content(path, most)
    except OSError as error:
        if error.errno == EFBIG:
            raise LargeRobotError(
                str(path), 0, "", f"{error.strerror}: is this a robot? Tick Large File to import it"
            ) from error
        raise MalformedError(
            str(path), 0, "", f"the file cannot be read ({reason(error)}): check its path"
        ) from error
    return parse(data, path)


def parse(data: bytes, path: Path) -> Element:
    """Root element of the content of an XML file at `path`. Raises MalformedError, as `read_xml`."""
    if data.startswith(lfs.SIGNATURE):
        raise MalformedError(str(path), 0, "", f"this {lfs.IS_POINTER}")
    parser = expat.ParserCreate()
    parser.buffer_text = True
    top = Element("", {}, 0)
    open_elements = [top]

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, parser.CurrentLineNumber, [], str(path), open_elements[-1])
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def end(_tag: str) -> None:
        open_elements.pop()

    def entity(name: str, *_rest: object) -> None:
        raise MalformedError(
            str(path),
            parser.CurrentLineNumber,
            f"<!ENTITY {name}>",
            "entities are not for robots: write their text out",
        )

    def declared(tag: str, name: str, *_rest: object) -> None:
        what = "attributes are not declared for robots: write each value where it counts"
        raise MalformedError(str(path), parser.CurrentLineNumber, f"<!ATTLIST {tag} {name}>", what)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.EntityDeclHandler, parser.AttlistDeclHandler = entity, declared
    try:
        parser.Parse(LATE_DECLARATION.sub(rb"\2\1", data), True)  # line numbers stay the same
    except expat.ExpatError as error:
        what = (
            f"this is not valid XML ({expat.ErrorString(error.code)}): correct it, or choose a robot's file"
            " (URDF, xacro or MJCF)"
        )
        raise MalformedError(
            str(path), error.lineno, str(open_elements[-1]) if open_elements[-1] is not top else "", what
        ) from error
    except (LookupError, ValueError) as error:  # an encoding that Python does not know, or cannot use here
        if isinstance(error, MalformedError):
            raise
        raise MalformedError(str(path), 1, "", f"its encoding cannot be read ({error})") from error
    return top.children[0]
