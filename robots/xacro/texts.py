"""Texts of a xacro document: their expressions and substitutions evaluated."""

import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ..attributes import AttributeReader
from ..errors import MalformedError, NameClashError, RefusedByFileError, UnknownNameError, UrdfError
from ..xml_tree import Element
from .expressions import PYTHON, Evaluator, ExpressionError, Function, tokenize
from .files import Files
from .packages import find_package
from .text_parts import parts
from .totals import MAX_TEXT, Totals
from .values import CycleError, Raw, Scope, literal, truth, yaml_scalar

NO_VALUE = "argument '{0}' has no value: give it one in the import's Arguments, {0}:=..."
NO_NAMES: Mapping[str, Any] = {}


class FatalError(ExpressionError):
    """The file itself refuses its arguments, by xacro.fatal()."""


class TextEvaluator:
    """Evaluates the texts of a document.

    Args:
        reader: The document's reader, for errors and warnings.
        root: Its root element, to which warnings of its expressions point.
        arguments: Values of its xacro:arg elements, by name; defaults are added during the expansion.
        totals: Totals that the texts add to.
        files: Its files.
    """

    def __init__(
        self, reader: AttributeReader, root: Element, arguments: dict[str, str], totals: Totals, files: Files
    ) -> None:
        self.reader, self.arguments, self.totals, self.files = reader, arguments, totals, files
        self.evaluator = Evaluator()
        self.package = cache(find_package)
        self.functions = self._document_functions(root)

    def text(self, text: str, scope: Scope, element: Element) -> Any:
        """A text with its expressions and substitutions evaluated; if it is only one of them, the value
        itself.
        """
        if "$" not in text:
            return text
        if len(text) > MAX_TEXT:
            raise self._error(element, f"a text is longer than {MAX_TEXT} characters: is this a robot?")
        self.totals.add_text(text, element)
        values: list[Any] = []
        with self.totals.deeper(element, "does one need itself?"):
            for kind, part in self._parts(text, element):
                if kind == "{":
                    values.append(self._expression(str(self.text(part, scope, element)), scope, element))
                elif kind == "(":
                    values.append(self._substitution(str(self.text(part, scope, element)), scope, element))
                else:
                    values.append(part)
        if len(values) == 1:
            if isinstance(values[0], str):
                self.totals.add_text(values[0], element)
            return values[0]
        joined_text = "".join(map(str, values))
        if len(joined_text) > MAX_TEXT:
            raise self._error(element, f"a text becomes longer than {MAX_TEXT} characters: is this a robot?")
        self.totals.add_text(joined_text, element)
        return joined_text

    def _parts(self, text: str, element: Element) -> list[tuple[str, str]]:
        """Parts of a text. Raises UrdfError where a bracket is not closed."""
        try:
            return list(parts(text))
        except ValueError as error:
            raise self._error(element, f"in {text[:60]!r} {error}") from error

    def needed(self, element: Element, attribute: str, scope: Scope) -> str:
        """Evaluated text of an attribute. Raises UrdfError if it is missing, empty or cannot be evaluated."""
        return str(self.text(self.reader.text(element, attribute), scope, element))

    def is_true(self, element: Element, attribute: str, otherwise: bool, scope: Scope) -> bool:
        """Truth value of an attribute; `otherwise` without it. Raises MalformedError for a text that is
        neither true nor false.
        """
        if attribute not in element.attributes:
            return otherwise
        value = element.attributes[attribute]
        try:
            return truth(self.text(value, scope, element))
        except ValueError as error:
            raise self._error(element, f"{attribute}='{value}': {error}: write one of them") from error

    def raw(self, raw: Raw, scope: Scope) -> Any:
        """Value of a property's stored text, which is evaluated when the property is first used."""
        return self.text(raw.text, scope, raw.element)

    def _value(self, name: str, scope: Scope) -> Any:
        """Value of a name in an expression. Raises KeyError for one that is neither a property nor a function
        of the document.
        """
        return self.functions[name] if scope.holder(name) is None else scope.get(name, self.raw)

    def _document_functions(self, root: Element) -> dict[str, Any]:
        """Names for the document's expressions in addition to those of `expressions.py`: `xacro` with its
        functions, some of these without `xacro.`, map(), and `python`, which has map() too.
        """

        def warn(*words: object, **_options: object) -> str:
            self.reader.warn(root, " ".join(map(str, words)))
            return ""

        def fail(*words: object) -> str:
            raise FatalError(f"the file itself refuses this: {' '.join(map(str, words))}")

        def argument(name: str) -> str:
            if name not in self.arguments:
                raise ExpressionError(NO_VALUE.format(name))
            return self.arguments[name]

        def stay_silent(*_words: object, **_options: object) -> str:
            return ""

        def absolute(name: object) -> str:
            return str(self.files.absolute(str(name)))

        by_name: dict[str, Callable[..., Any]] = {
            "load_yaml": lambda name: self.files.load_yaml(str(name), self._yaml_scalar),
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

    def _yaml_scalar(self, text: str, is_plain: bool, tag: str | None) -> Any:
        return yaml_scalar(
            text,
            is_plain,
            tag,
            lambda expression: self.evaluator.evaluate(expression, self.functions.__getitem__),
        )

    def _expression(
        self, text: str, scope: Scope, element: Element, names: Mapping[str, Any] = NO_NAMES
    ) -> Any:
        """Value of an expression, in which `names` take precedence over properties. Raises UrdfError at
        `element` if it cannot be evaluated.
        """
        try:
            return self.evaluator.evaluate(
                text, lambda name: names[name] if name in names else self._value(name, scope)
            )
        except CycleError as error:
            raise self._error(element, f"property '{error}' is defined by itself", NameClashError) from error
        except ExpressionError as error:
            kind = RefusedByFileError if isinstance(error, FatalError) else MalformedError
            raise self._error(element, f"${{{text}}} cannot be evaluated: {error}", kind) from error

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
        # in the reference this is the working directory; since Blender may be started anywhere, it is the
        # folder of the robot's file here
        if word == "cwd":
            return str(self.files.document.parent)
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

    def _error(self, element: Element, what: str, kind: type[UrdfError] = MalformedError) -> UrdfError:
        return self.reader.error(kind, element, what)
