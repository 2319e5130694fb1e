"""Expansion of a xacro document to plain elements: properties, macros, blocks, conditions, included files."""

import os
from collections.abc import Callable, Mapping
from functools import cache
from keyword import iskeyword
from pathlib import Path
from typing import Any

from ...files.content import text as read_text
from ...files.presence import is_file
from ...files.reasons import reason
from ..attributes import AttributeReader
from ..errors import MalformedError, NameClashError, UnknownNameError, UrdfError
from ..xml_tree import Element, read_xml
from ..yaml_text import parse_yaml
from .expressions import PYTHON, Evaluator, ExpressionError, Function, Names, tokenize
from .macros import Macro, parameters
from .packages import find_package
from .patterns import is_pattern, matching_files
from .text_parts import parts
from .values import Block, CycleError, Raw, Scope, literal, truth, yaml_scalar

PREFIX = "xacro:"
# elements and parameters that a document may expand to: the largest public robots have some thousands
MAX_ELEMENTS = 200_000
MAX_DEPTH = 120  # nested elements, macros and files
NESTED = f"elements, macros, files and properties are nested deeper than {MAX_DEPTH}"
MAX_FILES = 500  # included, each time counted
# bytes of all included files, each counted once: the largest public robots have some hundred thousand
MAX_INCLUDED = 50_000_000
MAX_TEXT = 100_000  # characters of an attribute
# of all attributes and texts that are put together: the largest public robots have some hundred thousand
MAX_CHARACTERS = 20_000_000
MAX_YAML = 100  # files that expressions load
MAX_YAML_BYTES = 1_000_000  # of all of them
NO_VALUE = "argument '{0}' has no value: give it one in the import's Arguments, {0}:=..."
NO_NAMES: Mapping[str, Any] = {}


def is_xacro(root: Element) -> bool:
    """Whether a document is a .xacro file, or contains xacro elements or expressions."""
    if root.file.lower().endswith(".xacro"):
        return True
    return any(
        element.tag.startswith(PREFIX) or any("${" in value for value in element.attributes.values())
        for element in root.below()
    )


def expand(reader: AttributeReader, root: Element, arguments: Mapping[str, str]) -> Element:
    """The document as a <robot> without xacro.

    Args:
        arguments: Values of its xacro:arg, by name.

    Raises:
        UrdfError: the document cannot be expanded; the message names file, line, element and remedy.
    """
    return _Expander(reader, dict(arguments)).document(root)


class _Expander:
    def __init__(self, reader: AttributeReader, arguments: dict[str, str]) -> None:
        self.reader, self.arguments = reader, arguments
        self.evaluator = Evaluator()
        self.amount = self.files = self.depth = self.characters = self.included_bytes = self.yaml_bytes = 0
        self.included: dict[Path, Element] = {}  # files that were included
        self.yaml: dict[Path, Any] = {}  # files that were loaded
        self.files_open = [
            Path(reader.file)
        ]  # the file that is expanded, and those that it includes, down to the current one
        self.package = cache(find_package)

    def document(self, root: Element) -> Element:
        scope = Scope()
        self.functions = self._functions(root)
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

    def _functions(self, root: Element) -> dict[str, Any]:
        """Functions that need the document, beside those of `expressions.py`: those of `xacro.` and map()."""

        def warn(*words: object, **_options: object) -> str:
            self.reader.warn(root, " ".join(map(str, words)))
            return ""

        def fail(*words: object) -> str:
            raise ExpressionError(f"the file itself refuses this: {' '.join(map(str, words))}")

        def argument(name: str) -> str:
            if name not in self.arguments:
                raise ExpressionError(NO_VALUE.format(name))
            return self.arguments[name]

        def stay_silent(*_words: object, **_options: object) -> str:
            return ""

        def absolute(name: object) -> str:
            return str(self._absolute(str(name)))

        by_name: dict[str, Callable[..., Any]] = {
            "load_yaml": self._load_yaml,
            "abs_filename": absolute,
            "dotify": dict,
        }
        shown: dict[str, Callable[..., Any]] = {
            "warning": warn,
            "error": warn,
            "message": stay_silent,
            "print_location": stay_silent,
        }
        others: dict[str, Callable[..., Any]] = {"fatal": fail, "tokenize": tokenize, "arg": argument}
        xacro = {name: Function(call) for name, call in (by_name | shown | others).items()}
        mapped = Function(self.evaluator.map)
        return {name: xacro[name] for name in by_name} | {
            "xacro": xacro,
            "map": mapped,
            "python": PYTHON | {"map": mapped},
        }

    def _value(self, name: str, scope: Scope) -> Any:
        """Value of a name in an expression. Raises KeyError for one that is neither a property nor a function
        of the document.
        """
        return self.functions[name] if scope.holder(name) is None else scope.get(name, self._raw)

    def _absolute(self, name: str) -> Path:
        """Path of a file that is named relative to the file that is expanded."""
        return Path(os.path.join(self.files_open[-1].parent, name.removeprefix("file://")))

    def _is_true(self, element: Element, attribute: str, otherwise: bool, scope: Scope) -> bool:
        """Truth of an attribute; `otherwise` without it. Raises MalformedError for a text that is neither
        true nor false.
        """
        if attribute not in element.attributes:
            return otherwise
        value = element.attributes[attribute]
        try:
            return truth(self._text(value, scope, element))
        except ValueError as error:
            raise self._error(element, f"{attribute}='{value}': {error}: write one of them") from error

    def _error(self, element: Element, what: str, kind: type[UrdfError] = MalformedError) -> UrdfError:
        return self.reader.error(kind, element, what)

    # -- elements --

    def _plain(self, element: Element, scope: Scope) -> Element:
        """An element with its attributes evaluated and its children expanded."""
        attributes = {}
        for name, value in element.attributes.items():
            if not name.startswith(("xmlns", PREFIX)):
                self._count(value, element)
                attributes[name] = str(self._text(value, scope, element))
        expanded = Element(element.tag, attributes, element.line, [], element.file)
        expanded.children = self._children(element.children, scope, expanded)
        for child in expanded.children:
            child.parent = expanded
        return expanded

    def _children(self, elements: list[Element], scope: Scope, into: Element | None = None) -> list[Element]:
        """The expanded elements. `into`: the element that contains them, to which xacro:attribute adds
        attributes.
        """
        expanded: list[Element] = []
        self.depth += 1
        for element in elements:
            self._work(1, element)
            if self.depth > MAX_DEPTH:
                raise self._error(element, f"{NESTED}: does a macro call itself?")
            if not element.tag.startswith(PREFIX):
                expanded.append(self._plain(element, scope))
            elif element.tag == "xacro:attribute" and into is not None:
                into.attributes[self._need(element, "name", scope)] = str(
                    self._text(element.attributes.get("value", ""), scope, element)
                )
            else:
                expanded += self._command(element, element.tag.removeprefix(PREFIX), scope)
        self.depth -= 1
        return expanded

    def _command(self, element: Element, word: str, scope: Scope) -> list[Element]:
        """The expansion of a xacro element."""
        if word == "property":
            self._property(element, scope)
        elif word == "macro":
            name = self.reader.text(element, "name").removeprefix(PREFIX)
            if name == "call" or "." in name:
                raise self._error(
                    element,
                    f"a macro cannot have the name '{name}', which means something else in a call: rename it",
                )
            scope.macros[name] = Macro(name, tuple(parameters(element.attributes.get("params", ""))), element)
        elif word == "arg":
            name = self._need(element, "name", scope)
            if name not in self.arguments and "default" in element.attributes:
                self.arguments[name] = str(self._text(element.attributes["default"], scope, element))
        elif word in ("if", "unless"):
            self.reader.text(element, "value")
            return (
                self._children(element.children, scope)
                if self._is_true(element, "value", False, scope) is (word == "if")
                else []
            )
        elif word == "include":
            return self._include(element, scope)
        elif word == "insert_block":
            return self._insert(element, scope)
        elif word == "element":
            name = self._need(element, "xacro:name", scope)
            rest = {key: value for key, value in element.attributes.items() if key != "xacro:name"}
            return [self._plain(Element(name, rest, element.line, element.children, element.file), scope)]
        elif word == "call":
            rest = {key: value for key, value in element.attributes.items() if key != "macro"}
            return self._call(
                Element(element.tag, rest, element.line, element.children, element.file),
                self._need(element, "macro", scope),
                scope,
            )
        else:
            return self._call(element, word, scope)
        return []

    def _need(self, element: Element, attribute: str, scope: Scope) -> str:
        return str(self._text(self.reader.text(element, attribute), scope, element))

    def _property(self, element: Element, scope: Scope) -> None:
        name, where = self._need(element, "name", scope), element.attributes.get("scope", "")
        if not name.isidentifier() or iskeyword(name) or name.startswith("__"):
            raise self._error(
                element,
                f"'{name}' is no name for a property: use letters, digits and _, beginning with a letter",
            )
        target = scope.top if where == "global" else scope.caller if where == "parent" else scope
        is_removed = self._is_true(element, "remove", False, scope)
        given = [attribute for attribute in ("value", "default") if attribute in element.attributes]
        if len(given) + is_removed > 1:
            raise self._error(
                element, f"property '{name}' has several of value, default and remove: keep one"
            )
        if is_removed:
            scope.remove(name)
        elif not given:
            target.values[f"**{name}"] = Block(element.children)
        elif given == ["value"] or scope.holder(name) is None:
            value = element.attributes[given[0]]
            is_lazy = where not in ("global", "parent") and self._is_true(element, "lazy_eval", True, scope)
            target.values[name] = (
                Raw(value, element)
                if is_lazy and "$" in value
                else literal(self._text(value, scope, element))
            )

    # -- macros --

    def _call(self, element: Element, name: str, scope: Scope) -> list[Element]:
        resolved = scope.macro(name)
        if resolved is None:
            known = ", ".join(scope.known_macros[:8]) or "none"
            raise self._error(
                element,
                f"there is no macro '{name}' (there are: {known}): include the file that defines it",
                UnknownNameError,
            )
        macro, around = resolved
        self._work(len(macro.parameters), element)
        inner = Scope(around)
        arguments = {key: value for key, value in element.attributes.items() if not key.startswith("xmlns")}
        blocks = self._children(element.children, scope)
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
                    [block] if parameter.stars == 1 else block.children
                )
            elif parameter.name in arguments:
                inner.values[parameter.name] = literal(
                    self._text(arguments.pop(parameter.name), scope, element)
                )
            elif parameter.inherits and scope.holder(parameter.name) is not None:
                inner.values[parameter.name] = scope.get(parameter.name, self._raw)
            elif parameter.default is not None:
                inner.values[parameter.name] = literal(
                    self._text(parameter.default.strip(), scope, macro.element)
                )
            else:
                raise self._error(
                    element,
                    f"macro '{name}' needs its parameter '{parameter.name}': write {parameter.name}='...'",
                )
        if arguments:
            known = ", ".join(parameter.name for parameter in macro.parameters) or "none"
            what = f"macro '{name}' has no parameter '{next(iter(arguments))}' (it has: {known}): take it out"
            raise self._error(element, what, UnknownNameError)
        if blocks:
            raise self._error(
                element, f"macro '{name}' has no block for <{blocks[0].tag}>: take it out of the call"
            )
        return self._children(macro.element.children, inner)

    def _insert(self, element: Element, scope: Scope) -> list[Element]:
        name = self._need(element, "name", scope)
        for key in (f"**{name}", f"*{name}"):
            if scope.holder(key) is not None:
                return self._children(scope.get(key, self._raw).elements, scope)
        raise self._error(
            element,
            f"there is no block '{name}': define a property or a parameter of that name",
            UnknownNameError,
        )

    # -- files --

    def _include(self, element: Element, scope: Scope) -> list[Element]:
        name = self._need(element, "filename", scope)
        if "ns" in element.attributes:
            namespace = self._need(element, "ns", scope)
            inner = scope.namespaces[namespace] = Scope(scope, is_namespace=True)
            scope.values[namespace] = Names(lambda wanted: inner.get(wanted, self._raw))
            scope = inner
        path = self._absolute(name)
        if is_file(path):
            paths = [path]
        elif is_pattern(name):
            paths = list(matching_files(path, lambda: self._work(1, element)))
            if not paths:
                self.reader.warn(element, f"no file matches filename='{name}': nothing is included")
        elif self._is_true(element, "optional", False, scope):
            paths = []
        else:
            raise self._error(
                element,
                f"the file '{path}' is not there: put it there, or correct"
                f" filename='{element.attributes['filename']}'",
            )
        return [each for path in paths for each in self._included(element, path, scope)]

    def _included(self, element: Element, path: Path, scope: Scope) -> list[Element]:
        """The expansion of a file's elements in a scope."""
        self.files += 1
        if self.files > MAX_FILES:
            raise self._error(
                element, f"more than {MAX_FILES} files are included: does a file include itself?"
            )
        if path not in self.included:
            self.included_bytes += path.stat().st_size
            if self.included_bytes > MAX_INCLUDED:
                raise self._error(
                    element, f"the included files have more than {MAX_INCLUDED} bytes: is this a robot?"
                )
            self.included[path] = read_xml(path)
        self.files_open.append(path)
        found = self._children(self.included[path].children, scope)
        self.files_open.pop()
        return found

    def _load_yaml(self, name: str) -> Any:
        path = self._absolute(str(name))
        if path in self.yaml:
            return self.yaml[path]
        if len(self.yaml) >= MAX_YAML:
            raise ExpressionError(f"it loads more than {MAX_YAML} YAML files: is this a robot?")
        try:
            if not is_file(path):
                raise ExpressionError(f"there is no file '{path}': check its path")
            self.yaml_bytes += path.stat().st_size
            if self.yaml_bytes > MAX_YAML_BYTES:
                raise ExpressionError(
                    f"with the file '{path}' it loads more than {MAX_YAML_BYTES} bytes of YAML: is this a"
                    " robot?"
                )
            self.yaml[path] = parse_yaml(read_text(path), str(path), self._yaml_scalar)
            return self.yaml[path]
        except (OSError, UnicodeDecodeError) as error:
            raise ExpressionError(
                f"the file '{path}' cannot be read ({reason(error)}): check its path"
            ) from error

    def _yaml_scalar(self, text: str, is_plain: bool, tag: str | None) -> Any:
        return yaml_scalar(
            text,
            is_plain,
            tag,
            lambda expression: self.evaluator.evaluate(expression, self.functions.__getitem__),
        )

    # -- texts --

    def _raw(self, raw: Raw, scope: Scope) -> Any:
        return self._text(raw.text, scope, raw.element)

    def _text(self, text: str, scope: Scope, element: Element) -> Any:
        """A text with its expressions and substitutions evaluated; if it is only one of them, the value
        itself.
        """
        if "$" not in text:
            return text
        if len(text) > MAX_TEXT:
            raise self._error(element, f"a text is longer than {MAX_TEXT} characters: is this a robot?")
        self._count(text, element)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._error(element, f"{NESTED}: does one need itself?")
        values: list[Any] = []
        for kind, part in parts(text):
            if kind == "{":
                values.append(self._expression(str(self._text(part, scope, element)), scope, element))
            elif kind == "(":
                values.append(self._substitution(str(self._text(part, scope, element)), scope, element))
            else:
                values.append(part)
        self.depth -= 1
        if len(values) == 1:
            if isinstance(values[0], str):
                self._count(values[0], element)
            return values[0]
        joined_text = "".join(map(str, values))
        if len(joined_text) > MAX_TEXT:
            raise self._error(element, f"a text becomes longer than {MAX_TEXT} characters: is this a robot?")
        self._count(joined_text, element)
        return joined_text

    def _count(self, text: str, element: Element) -> None:
        """Adds the length of a text to the document's total; raises MalformedError if that exceeds
        MAX_CHARACTERS.
        """
        self.characters += len(text)
        if self.characters > MAX_CHARACTERS:
            raise self._error(
                element, f"the file expands to more than {MAX_CHARACTERS} characters: is this a robot?"
            )

    def _work(self, amount: int, element: Element) -> None:
        """Adds elements and parameters to the document's total; raises MalformedError if that exceeds
        MAX_ELEMENTS.
        """
        self.amount += amount
        if self.amount > MAX_ELEMENTS:
            raise self._error(
                element,
                f"the file expands to more than {MAX_ELEMENTS} elements and parameters: is this a robot?",
            )

    def _expression(
        self, text: str, scope: Scope, element: Element, names: Mapping[str, Any] = NO_NAMES
    ) -> Any:
        """Value of an expression, in which `names` come before properties."""
        try:
            return self.evaluator.evaluate(
                text, lambda name: names[name] if name in names else self._value(name, scope)
            )
        except CycleError as error:
            raise self._error(element, f"property '{error}' is defined by itself", NameClashError) from error
        except ExpressionError as error:
            raise self._error(element, f"${{{text}}} cannot be evaluated: {error}") from error

    def _substitution(self, text: str, scope: Scope, element: Element) -> Any:
        """Value of $(find PACKAGE), $(arg NAME), $(env NAME), $(optenv NAME DEFAULT), $(dirname), $(cwd),
        $(eval EXPRESSION).
        """
        word, _, rest = text.strip().partition(" ")
        rest = rest.strip()
        if word == "arg":
            if rest not in self.arguments:
                raise self._error(element, NO_VALUE.format(rest), UnknownNameError)
            return self.arguments[rest]
        if word == "find":
            package_path = self.package(rest, element.file)
            if package_path is None:
                what = (
                    f"package '{rest}' is in none of the folders above: put its folder beside this file's"
                    " package, or set ROS_PACKAGE_PATH"
                )
                raise self._error(element, what, UnknownNameError)
            return str(package_path)
        if word == "dirname":
            return str(Path(element.file).parent)
        if (
            word == "cwd"
        ):  # where the reference is started: Blender is started anywhere, so it is the robot file's folder
            return str(self.files_open[0].parent)
        if word == "eval":
            arguments = {name: literal(value) for name, value in self.arguments.items()}
            return self._expression(rest, scope, element, arguments)
        if word in ("env", "optenv"):
            name, _, otherwise = rest.partition(" ")
            if word == "env" and name not in os.environ:
                raise self._error(
                    element,
                    f"the environment variable '{name}' is not set: set it before Blender starts",
                    UnknownNameError,
                )
            return os.environ.get(name, otherwise.strip())
        raise self._error(element, f"$({text}) is unknown: use find, arg, env, optenv, dirname, cwd or eval")
