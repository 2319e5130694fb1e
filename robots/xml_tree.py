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

# an XML declaration after blank lines, which expat refuses but simulators accept
LATE_DECLARATION = re.compile(rb"\A(\s+)(<\?xml[^>]*\?>)")


class Attributes(dict[str, str]):
    """Attributes of an element by name, which record the names that were requested.

    Attributes:
        requested: Requested names, including those of missing attributes.
    """

    def __init__(self, values: Mapping[str, str], requested: set[str] | None = None) -> None:
        super().__init__(values)
        self.requested: set[str] = set() if requested is None else requested

    def __getitem__(self, name: str) -> str:
        self.requested.add(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self.requested.add(str(name))
        return super().__contains__(name)

    def get(self, name: str, otherwise=None):  # type: ignore[no-untyped-def]
        self.requested.add(name)
        return super().get(name, otherwise)


@dataclass
class Element:
    """XML element: tag, attributes, line in the file, child elements. Of the text between elements only that
    with a $ is stored, which xacro evaluates.

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
    # texts between the child elements, each with the number of child elements before it
    texts: list[tuple[int, str]] = field(default_factory=list, repr=False, compare=False)

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
        self.attributes.requested.update(names)

    def with_attributes(self, values: Mapping[str, str]) -> "Element":
        """The element with other values of its attributes, such as defaults; both share the record of what
        was read.
        """
        assert isinstance(self.attributes, Attributes)
        return replace(self, attributes=Attributes(values, self.attributes.requested))

    @property
    def unread(self) -> list[str]:
        """Names of the attributes that were not requested, without the name attribute and XML namespaces."""
        assert isinstance(self.attributes, Attributes)
        unread_names = (name for name in self.attributes if name not in self.attributes.requested)
        return [name for name in unread_names if name != "name" and not name.startswith("xmlns")]

    def contents(self) -> list["Element | Text"]:
        """Child elements, and the texts between them, in the file's order."""
        if not self.texts:
            return list(self.children)
        contents: list[Element | Text] = []
        first = 0
        for position, text in self.texts:
            contents += [*self.children[first:position], Text(text, self)]
            first = position
        return [*contents, *self.children[first:]]

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


@dataclass(frozen=True)
class Text:
    """Text within an element."""

    text: str
    element: Element


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


class _Tree:
    """Elements of a file while it is parsed.

    Attributes:
        open_elements: The elements that are not ended yet; the first contains the root.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.open_elements = [Element("", {}, 0)]
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler, self.parser.EndElementHandler = self._start, self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler, self.parser.AttlistDeclHandler = self._entity, self._declared

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        around = self.open_elements[-1]
        element = Element(tag, attributes, self.parser.CurrentLineNumber, [], self.path, around)
        around.children.append(element)
        self.open_elements.append(element)

    def _end(self, _tag: str) -> None:
        self.open_elements.pop()

    def _text(self, characters: str) -> None:
        if "$" in characters:
            around = self.open_elements[-1]
            around.texts.append((len(around.children), characters))

    def _entity(self, name: str, *_rest: object) -> None:
        what = "entities are not for robots: write their text out"
        raise self._error(f"<!ENTITY {name}>", what)

    def _declared(self, tag: str, name: str, *_rest: object) -> None:
        what = "attributes are not declared for robots: write each value where it counts"
        raise self._error(f"<!ATTLIST {tag} {name}>", what)

    def _error(self, declaration: str, what: str) -> MalformedError:
        return MalformedError(self.path, self.parser.CurrentLineNumber, declaration, what)


def parse(data: bytes, path: Path) -> Element:
    """Root element of the content of an XML file at `path`. Raises MalformedError, as `read_xml`."""
    if data.startswith(lfs.SIGNATURE):
        raise MalformedError(str(path), 0, "", f"this {lfs.IS_POINTER}")
    tree = _Tree(str(path))
    parser = tree.parser
    try:
        parser.Parse(LATE_DECLARATION.sub(rb"\2\1", data), True)  # line numbers stay the same
    except expat.ExpatError as error:
        what = (
            f"this is not valid XML ({expat.ErrorString(error.code)}): correct it, or choose a robot's file"
            " (URDF, xacro or MJCF)"
        )
        raise MalformedError(
            str(path), error.lineno, str(tree.open_elements[-1]) if len(tree.open_elements) > 1 else "", what
        ) from error
    except (LookupError, ValueError) as error:  # an encoding that Python does not know, or cannot use here
        if isinstance(error, MalformedError):
            raise
        raise MalformedError(str(path), 1, "", f"its encoding cannot be read ({error})") from error
    return tree.open_elements[0].children[0]
