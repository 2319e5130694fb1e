"""Expansion of a xacro document to plain elements: properties, macros, blocks, conditions, included files."""

from collections.abc import Mapping
from dataclasses import replace
from keyword import iskeyword
from pathlib import Path
from typing import Any

from ...files.presence import is_file
from ..attributes import AttributeReader
from ..errors import MalformedError, RefusedByFileError, UnknownNameError, UrdfError
from ..xml_tree import Element, Text
from .expressions import Names
from .files import Files
from .macros import Macro, parameters
from .patterns import is_pattern, matching_files
from .texts import TextEvaluator
from .totals import NESTED, Totals
from .values import Block, Raw, Scope, literal

PREFIX = "xacro:"


def is_xacro(root: Element) -> bool:
    """Whether a document is a .xacro file, or contains xacro elements, or attributes with "${"."""
    if root.file.lower().endswith(".xacro"):
        return True
    return any(
        element.tag.startswith(PREFIX) or any("${" in value for value in element.attributes.values())
        for element in root.below()
    )


def expand(reader: AttributeReader, root: Element, arguments: Mapping[str, str]) -> Element:
    """The document as a <robot> without xacro.

    Args:
        reader: Reader of the document, for its attributes and errors.
        root: Root element of the document.
        arguments: Values of its xacro:arg elements, by name.

    Raises:
        UrdfError: the document cannot be expanded; the message names file, line, element and remedy.
    """
    return _Expander(reader, root, dict(arguments)).document()


def _without(element: Element, name: str, tag: str) -> Element:
    """A copy of an element with another tag, without its attribute `name`."""
    attributes = {key: value for key, value in element.attributes.items() if key != name}
    return replace(element, tag=tag, attributes=attributes)


class _Expander:
    """Expands one document."""

    def __init__(self, reader: AttributeReader, root: Element, arguments: dict[str, str]) -> None:
        self.reader, self.root, self.arguments = reader, root, arguments
        self.totals = Totals(reader)
        self.files = Files(Path(reader.file), self.totals)
        self.texts = TextEvaluator(reader, root, arguments, self.totals, self.files)

    def document(self) -> Element:
        """The expanded document. Raises MalformedError if it defines macros and has no link."""
        scope, root = Scope(), self.root
        try:
            expanded = self._plain(root, scope)
        except RecursionError as error:
            raise self._error(root, f"{NESTED}: does a macro call itself?") from error
        if scope.macros and not expanded.all("link"):
            what = (
                f"it defines macros ({', '.join(scope.known_macros[:4])}) but no link: choose the robot's"
                " file that calls them"
            )
            raise self._error(root, what)
        return expanded

    def _error(self, element: Element, what: str, kind: type[UrdfError] = MalformedError) -> UrdfError:
        return self.reader.error(kind, element, what)

    # Elements

    def _plain(self, element: Element, scope: Scope) -> Element:
        """A copy of an element with its attributes evaluated and its children expanded, without attributes of
        xacro and namespaces.
        """
        attributes = {}
        for name, value in element.attributes.items():
            if not name.startswith(("xmlns", PREFIX)):
                self.totals.add_text(value, element)
                attributes[name] = str(self.texts.text(value, scope, element))
        expanded = Element(element.tag, attributes, element.line, [], element.file)
        expanded.children = self._children(element.contents(), scope, expanded)
        for child in expanded.children:
            child.parent = expanded
        return expanded

    def _children(
        self, contents: list[Element | Text], scope: Scope, into: Element | None = None
    ) -> list[Element]:
        """Elements to which elements and texts expand. `into`: the element that contains them, to which
        xacro:attribute adds attributes.
        """
        expanded: list[Element] = []
        if not contents:
            return expanded
        first = contents[0]
        holder = first.element if isinstance(first, Text) else first
        with self.totals.deeper(holder, "does a macro call itself?"):
            for element in contents:
                if isinstance(element, Text):
                    self._message(element, scope)
                    continue
                self.totals.add_elements(1, element)
                if not element.tag.startswith(PREFIX):
                    expanded.append(self._plain(element, scope))
                elif element.tag == "xacro:attribute" and into is not None:
                    into.attributes[self.texts.needed(element, "name", scope)] = str(
                        self.texts.text(element.attributes.get("value", ""), scope, element)
                    )
                else:
                    expanded += self._command(element, element.tag.removeprefix(PREFIX), scope)
        return expanded

    def _message(self, text: Text, scope: Scope) -> None:
        """Evaluates a text for the file's own messages in it, ${xacro.fatal('...')} or
        ${xacro.warning('...')}. Other errors in it are ignored, since texts (such as Gazebo's) do not
        describe the robot.

        Raises:
            RefusedByFileError: the file itself refuses its arguments.
        """
        self.totals.add_elements(1, text.element)
        try:
            self.texts.text(text.text, scope, text.element)
        except RefusedByFileError:
            raise
        except UrdfError:
            pass

    def _command(self, element: Element, word: str, scope: Scope) -> list[Element]:
        """Elements that replace a xacro element; none for a definition, whose effect is recorded. `word` is
        its tag without the prefix.
        """
        if word == "property":
            self._property(element, scope)
        elif word == "macro":
            self._define_macro(element, scope)
        elif word == "arg":
            name = self.texts.needed(element, "name", scope)
            if name not in self.arguments and "default" in element.attributes:
                self.arguments[name] = str(self.texts.text(element.attributes["default"], scope, element))
        else:
            return self._contents(element, word, scope)
        return []

    def _contents(self, element: Element, word: str, scope: Scope) -> list[Element]:
        """Elements that replace a xacro element which defines nothing: a condition, an include, a block, an
        element with an evaluated tag, or a call of a macro. `word` is its tag without the prefix.
        """
        if word in ("if", "unless"):
            self.reader.text(element, "value")
            is_chosen = self.texts.is_true(element, "value", False, scope) is (word == "if")
            return self._children(element.contents(), scope) if is_chosen else []
        if word == "include":
            return self._include(element, scope)
        if word == "insert_block":
            return self._insert(element, scope)
        if word == "element":
            name = self.texts.needed(element, "xacro:name", scope)
            return [self._plain(_without(element, "xacro:name", name), scope)]
        if word == "call":
            name = self.texts.needed(element, "macro", scope)
            return self._call(_without(element, "macro", element.tag), name, scope)
        return self._call(element, word, scope)

    def _define_macro(self, element: Element, scope: Scope) -> None:
        """Records the macro of a <xacro:macro> in a scope. Raises MalformedError for a name that calls cannot
        use.
        """
        name = self.reader.text(element, "name").removeprefix(PREFIX)
        if name == "call" or "." in name:
            raise self._error(
                element,
                f"a macro cannot have the name '{name}', which means something else in a call: rename it",
            )
        scope.macros[name] = Macro(name, tuple(parameters(element.attributes.get("params", ""))), element)

    def _property(self, element: Element, scope: Scope) -> None:
        """Sets or removes the property of a <xacro:property>; a default counts only if the property is not
        set, and without a value the property is the element's content. Raises MalformedError for an invalid
        name, or several of value, default and remove.
        """
        name, where = self.texts.needed(element, "name", scope), element.attributes.get("scope", "")
        # expressions are Python, in which a property is a variable; xacro reserves names that begin with __
        if not name.isidentifier() or iskeyword(name) or name.startswith("__"):
            raise self._error(
                element,
                f"'{name}' is no name for a property: use letters, digits and _, beginning with a letter",
            )
        target = scope.top if where == "global" else scope.caller if where == "parent" else scope
        is_removed = self.texts.is_true(element, "remove", False, scope)
        sources = [attribute for attribute in ("value", "default") if attribute in element.attributes]
        if len(sources) + is_removed > 1:
            raise self._error(
                element, f"property '{name}' has several of value, default and remove: keep one"
            )
        if is_removed:
            scope.remove(name)
        elif not sources:
            target.values[f"**{name}"] = Block(element.contents())
        elif sources == ["value"] or scope.holder(name) is None:
            # a value for an outer scope may refer to names of this scope, which are not known there
            may_wait = where not in ("global", "parent")
            is_lazy = may_wait and self.texts.is_true(element, "lazy_eval", True, scope)
            target.values[name] = self._property_value(element, sources[0], is_lazy, scope)

    def _property_value(self, element: Element, attribute: str, is_lazy: bool, scope: Scope) -> Any:
        """Value of a property; for a lazy one with an expression its text, evaluated when first used."""
        value = element.attributes[attribute]
        if is_lazy and "$" in value:
            return Raw(value, element)
        return literal(self.texts.text(value, scope, element))

    # Macros

    def _call(self, element: Element, name: str, scope: Scope) -> list[Element]:
        """Elements to which a call of macro `name` expands; `scope` is the one around the call. Raises
        UrdfError if there is no such macro, or its parameters and the call's arguments differ.
        """
        resolved = scope.macro(name)
        if resolved is None:
            known = ", ".join(scope.known_macros[:8]) or "none"
            raise self._error(
                element,
                f"there is no macro '{name}' (there are: {known}): include the file that defines it",
                UnknownNameError,
            )
        macro, around = resolved
        if around is not scope:  # the macro belongs to a namespace
            scope = Scope(around, caller_names=scope)
        self.totals.add_elements(len(macro.parameters), element)
        inner = Scope(around)
        arguments = {key: value for key, value in element.attributes.items() if not key.startswith("xmlns")}
        blocks = self._children(element.contents(), scope)
        for parameter in macro.parameters:
            if parameter.stars:
                if not blocks:
                    what = (
                        f"macro '{name}' needs an element for its block '{parameter.name}': put it into the"
                        " call"
                    )
                    raise self._error(element, what)
                block = blocks.pop(0)
                inner.values["*" * parameter.stars + parameter.name] = Block(
                    [block] if parameter.stars == 1 else block.contents()
                )
            elif parameter.name in arguments:
                inner.values[parameter.name] = literal(
                    self.texts.text(arguments.pop(parameter.name), scope, element)
                )
            elif parameter.inherits and scope.holder(parameter.name) is not None:
                inner.values[parameter.name] = scope.get(parameter.name, self.texts.raw)
            elif parameter.default is not None:
                inner.values[parameter.name] = literal(
                    self.texts.text(parameter.default.strip(), scope, macro.element)
                )
            else:
                raise self._error(
                    element,
                    f"macro '{name}' needs its parameter '{parameter.name}': write {parameter.name}='...'",
                )
        self._refuse_unused(element, macro, arguments, blocks)
        return self._children(macro.element.contents(), inner)

    def _refuse_unused(
        self, element: Element, macro: Macro, arguments: Mapping[str, str], blocks: list[Element]
    ) -> None:
        """Raises an error for arguments and blocks of a call that the macro has no parameter for."""
        if arguments:
            known = ", ".join(parameter.name for parameter in macro.parameters) or "none"
            first = next(iter(arguments))
            what = f"macro '{macro.name}' has no parameter '{first}' (it has: {known}): take it out"
            raise self._error(element, what, UnknownNameError)
        if blocks:
            what = f"macro '{macro.name}' has no block for <{blocks[0].tag}>: take it out of the call"
            raise self._error(element, what)

    def _insert(self, element: Element, scope: Scope) -> list[Element]:
        """Expansion of the block that a <xacro:insert_block> names. Raises UnknownNameError."""
        name = self.texts.needed(element, "name", scope)
        for key in (f"**{name}", f"*{name}"):
            if scope.holder(key) is not None:
                return self._children(scope.get(key, self.texts.raw).contents, scope)
        raise self._error(
            element,
            f"there is no block '{name}': define a property or a parameter of that name",
            UnknownNameError,
        )

    # Files

    def _include(self, element: Element, scope: Scope) -> list[Element]:
        """Expansions of the files that a <xacro:include> names; with `ns`, in a new scope of that name.
        Raises MalformedError for a missing file that is not optional.
        """
        name = self.texts.needed(element, "filename", scope)
        if "ns" in element.attributes:
            namespace = self.texts.needed(element, "ns", scope)
            inner = scope.namespaces[namespace] = Scope(scope, is_namespace=True)
            scope.values[namespace] = Names(lambda requested: inner.get(requested, self.texts.raw))
            scope = inner
        path = self.files.absolute(name)
        if is_file(path):
            paths = [path]
        elif is_pattern(name):
            paths = list(matching_files(path, lambda: self.totals.add_elements(1, element)))
            if not paths:
                self.reader.warn(element, f"no file matches filename='{name}': nothing is included")
        elif self.texts.is_true(element, "optional", False, scope):
            paths = []
        else:
            raise self._error(
                element,
                f"the file '{path}' is not there: put it there, or correct"
                f" filename='{element.attributes['filename']}'",
            )
        return [each for path in paths for each in self._of_file(element, path, scope)]

    def _of_file(self, element: Element, path: Path, scope: Scope) -> list[Element]:
        """The expansion of a file's elements in a scope."""
        with self.files.included(element, path) as root:
            return self._children(root.contents(), scope)
