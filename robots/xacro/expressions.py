"""Expressions of xacro files: numbers, texts, lists, maps, and a fixed list of functions.

xacro itself passes them to Python's eval. Here they are evaluated node by node, and only listed operations
are allowed: no attributes of objects, no imports, and nothing that lets a short text expand.
"""

import ast
import math
import operator
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..errors import UrdfError
from .formatting import braces, percent

MAX_LENGTH = 10_000  # largest number of characters in an expression
MAX_BITS = 1024  # largest number of bits in a whole number: the range of a double
MAX_SIZE = 100_000  # largest number of characters and entries in a value, including nested ones
# largest number of steps, including sizes of values, for a document; public robots need some ten thousand
MAX_STEPS = 1_000_000
PARSING = 5  # number of steps counted for each character that is parsed
# largest number of entries in a map or set that an expression makes, since keys can be chosen so that each is
# compared with all others
MAX_KEYS = 1000
MAX_POWER = 1024  # largest exponent of whole numbers; with a larger one, the power is a float

Lookup = Callable[[str], Any]  # value of a name; raises KeyError

OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
COMPARISONS: dict[type, Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
    ast.Is: lambda one, other: one is other,
    ast.IsNot: lambda one, other: one is not other,
}
UNARY: dict[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
# functions of whole numbers whose results are unbounded
NO_MATHS = ("factorial", "comb", "perm", "prod", "sumprod")
MATHS = {
    name: value for name, value in vars(math).items() if not name.startswith("_") and name not in NO_MATHS
}
BUILTINS = (abs, all, any, bool, float, int, len, list, max, min, sorted, str, tuple)
METHODS: dict[type, tuple[str, ...]] = {
    str: (
        "capitalize",
        "endswith",
        "find",
        "format",
        "join",
        "lower",
        "lstrip",
        "replace",
        "rstrip",
        "split",
        "startswith",
        "strip",
        "title",
        "upper",
    ),
    dict: ("get", "items", "keys", "values"),
    list: ("count", "index"),
    tuple: ("count", "index"),
}


class ExpressionError(ValueError):
    """An expression that cannot be evaluated."""


class Function:
    """A function that expressions may call; beside these they may call only the methods in `METHODS`."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self.call = call


class Names:
    """Names accessed by a dot, as those of a file included into a namespace."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup


TOO_LARGE = f"its value is larger than {MAX_SIZE} characters or entries"
NUMBER_TOO_LARGE = "its number is too large"


def size_of(value: Any) -> int:
    """Number of characters and entries in a value, including nested lists and maps; also checks that Python
    can write each whole number in it as text.

    Raises:
        ExpressionError: the value has more than MAX_SIZE characters and entries, or a whole number in it more
            than MAX_BITS.
    """
    size, waiting = 0, [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, int) and part.bit_length() > MAX_BITS:
            raise ExpressionError(NUMBER_TOO_LARGE)
        if isinstance(part, (str, list, tuple, set, dict)):
            size += len(part)
            if size > MAX_SIZE:
                raise ExpressionError(TOO_LARGE)
        if isinstance(part, (list, tuple, set)):
            waiting += part
        elif isinstance(part, dict):
            waiting += part.keys()
            waiting += part.values()
    return size


def _sum(numbers: Any) -> Any:
    return sum(numbers)


def _round(number: float, digits: int | None = None) -> float:
    if isinstance(number, int) and digits is not None and digits < -MAX_BITS:
        return 0  # as Python does, but only after it has computed a power of ten of so many digits
    return round(number, digits)


def _dict(*entries: Any, **named: Any) -> dict[Any, Any]:
    _check_keys("map", entries)
    return dict(*entries, **named)


def _set(*entries: Any) -> set[Any]:
    _check_keys("set", entries)
    return set(*entries)


def _check_keys(kind: str, collections: Iterable[Any]) -> None:
    if any(len(collection) > MAX_KEYS for collection in collections):
        raise ExpressionError(f"it makes a {kind} of more than {MAX_KEYS} entries")


def tokenize(text: str, sep: str = ",; ", skip_empty: bool = True) -> list[str]:
    """Words of a text, separated by any of the characters in `sep`; `skip_empty`: without empty words."""
    words = re.split(f"[{re.escape(sep)}]", text)
    return [word for word in words if word or not skip_empty]


def _range(*numbers: int) -> list[int]:
    sequence = range(*numbers)
    if len(sequence) > MAX_SIZE:
        raise ExpressionError(f"range{numbers} is longer than {MAX_SIZE}")
    return list(sequence)


NAMES: dict[str, Any] = {name: Function(value) if callable(value) else value for name, value in MATHS.items()}
NAMES |= {function.__name__: Function(function) for function in BUILTINS}
NAMES |= {
    "dict": Function(_dict),
    "range": Function(_range),
    "round": Function(_round),
    "sum": Function(_sum),
}
NAMES |= {"True": True, "False": False, "None": None}
PYTHON = NAMES | {  # functions by names such as `python.len`, which no property can hide
    "divmod": Function(divmod),
    "enumerate": Function(lambda *given: list(enumerate(*given))),
    "ord": Function(ord),
    "repr": Function(repr),
    "reversed": Function(lambda given: list(reversed(given))),
    "set": Function(_set),
    "zip": Function(lambda *given: list(zip(*given, strict=False))),
}
NAMES |= {"math": dict(NAMES), "python": PYTHON}


class Evaluator:
    """Evaluates the expressions of one document, and limits the total work."""

    def __init__(self) -> None:
        self.steps = 0  # number of steps so far, as MAX_STEPS counts them
        # parsed expressions, since those of macros are evaluated many times
        self._parsed: dict[str, ast.expr] = {}

    def evaluate(self, text: str, lookup: Lookup) -> Any:
        """Value of an expression.

        Raises:
            ExpressionError: the expression is invalid, not allowed, or exceeds the limits on size and work.
            UrdfError, CycleError: from `lookup` or a called function.
        """
        if len(text) > MAX_LENGTH:
            raise ExpressionError(f"it has {len(text)} characters, more than {MAX_LENGTH}")
        try:
            return self._node(self._tree(text.strip()), lookup)
        except (ExpressionError, UrdfError):  # UrdfError: of a property, or of a loaded file
            raise
        except (RecursionError, MemoryError) as error:
            raise ExpressionError("it is nested too deep") from error
        except SyntaxError as error:
            raise ExpressionError(f"it is no expression ({error.msg.partition(': ')[0]})") from error
        except KeyError as error:
            raise ExpressionError(f"there is no entry {error}") from error
        except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
            raise ExpressionError(str(error) or type(error).__name__) from error

    def _tree(self, text: str) -> ast.expr:
        if text not in self._parsed:
            self._work(PARSING * len(text))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)  # for "1if", which Python accepts
                self._parsed[text] = ast.parse(text, mode="eval").body
        return self._parsed[text]

    def _work(self, steps: int) -> None:
        """Counts steps. Raises ExpressionError beyond MAX_STEPS."""
        self.steps += steps
        if self.steps > MAX_STEPS:
            raise ExpressionError(
                f"the file's expressions take more than {MAX_STEPS} steps: is this a robot?"
            )

    def _node(self, node: ast.expr, names: Lookup) -> Any:
        """Value of a node of a syntax tree; its size is counted as work. HANDLERS has a method per type."""
        self._work(1)
        handler = HANDLERS.get(type(node))
        if handler is None:
            raise ExpressionError(f"'{ast.unparse(node)}' is not allowed in an expression")
        node_value = handler(self, node, names)
        self._work(size_of(node_value))
        return node_value

    def _constant(self, node: ast.Constant, _names: Lookup) -> Any:
        if not isinstance(node.value, (bool, int, float, str, type(None))):
            raise ExpressionError(f"'{ast.unparse(node)}' is not allowed in an expression")
        return node.value

    def _name(self, node: ast.Name, names: Lookup) -> Any:
        try:
            return names(node.id)
        except KeyError:
            pass
        if node.id not in NAMES:
            raise ExpressionError(f"there is no property '{node.id}'")
        return NAMES[node.id]

    def _binary(self, node: ast.BinOp, names: Lookup) -> Any:
        left, other = self._node(node.left, names), self._node(node.right, names)
        if type(node.op) not in OPERATORS:
            raise ExpressionError(f"'{ast.unparse(node)}' is not allowed in an expression")
        if isinstance(node.op, ast.Mod) and isinstance(left, str):
            return percent(left, other)
        if (
            isinstance(node.op, ast.Pow)
            and isinstance(left, int)
            and isinstance(other, int)
            and (abs(other) > MAX_POWER or abs(left) > MAX_SIZE)
        ):
            left = float(left)
        if isinstance(node.op, ast.Mult):
            for text, times in ((left, other), (other, left)):
                if (
                    isinstance(text, (str, list, tuple))
                    and isinstance(times, int)
                    and size_of(text) * times > MAX_SIZE
                ):
                    raise ExpressionError(TOO_LARGE)
        return OPERATORS[type(node.op)](left, other)

    def _unary(self, node: ast.UnaryOp, names: Lookup) -> Any:
        if type(node.op) not in UNARY:
            raise ExpressionError(f"'{ast.unparse(node)}' is not allowed in an expression")
        return UNARY[type(node.op)](self._node(node.operand, names))

    def _boolean(self, node: ast.BoolOp, names: Lookup) -> Any:
        operand = None
        for each in node.values:
            operand = self._node(each, names)
            if bool(operand) is isinstance(node.op, ast.Or):
                break
        return operand

    def _compare(self, node: ast.Compare, names: Lookup) -> bool:
        left = self._node(node.left, names)
        for kind, right in zip(node.ops, node.comparators, strict=True):
            other = self._node(right, names)
            if not COMPARISONS[type(kind)](left, other):
                return False
            left = other
        return True

    def _choice(self, node: ast.IfExp, names: Lookup) -> Any:
        return self._node(node.body if self._node(node.test, names) else node.orelse, names)

    def _call(self, node: ast.Call, names: Lookup) -> Any:
        arguments = [self._node(each, names) for each in node.args]
        named = {each.arg: self._node(each.value, names) for each in node.keywords if each.arg is not None}
        if len(named) != len(node.keywords):
            raise ExpressionError(f"'{ast.unparse(node)}' is not allowed in an expression")
        if isinstance(node.func, ast.Attribute):
            owner = self._node(node.func.value, names)
            if node.func.attr in METHODS.get(type(owner), ()) and not (
                isinstance(owner, dict) and node.func.attr in owner
            ):
                return self._method(owner, node.func.attr, arguments, named)
        called = self._node(node.func, names)
        if not isinstance(called, Function):
            raise ExpressionError(f"'{ast.unparse(node.func)}' is no function that expressions may call")
        return called.call(*arguments, **named)

    def map(self, function: Function, *collections: Any) -> list[Any]:
        """The results of a function for the entries of collections, each counted as work."""
        values = []
        for entries in zip(*collections, strict=False):
            values.append(function.call(*entries))
            self._work(1 + size_of(values[-1]))
        return values

    def _method(self, owner: Any, name: str, arguments: list[Any], named: Mapping[str, Any]) -> Any:
        if name == "format":
            return braces(owner, tuple(arguments), named)
        if name in ("join", "replace"):
            # the text that the result may contain many times, and the text into which it is inserted
            filled, text = (arguments[-1], owner) if name == "replace" else (owner, arguments[0])
            if len(filled) * (len(text) + 1) > MAX_SIZE:
                raise ExpressionError(TOO_LARGE)
        return_value = getattr(owner, name)(*arguments, **named)
        return list(return_value) if name in ("items", "keys", "values") else return_value

    def _attribute(self, node: ast.Attribute, names: Lookup) -> Any:
        """Entry of a map, such as `math.pi`, or `limits.elbow` from a YAML file; or a name in a namespace."""
        owner = self._node(node.value, names)
        if isinstance(owner, Names):
            return owner.lookup(node.attr)
        if not isinstance(owner, Mapping):
            raise ExpressionError(f"'{ast.unparse(node)}' is not allowed in an expression")
        return owner[node.attr]

    def _entry(self, node: ast.Subscript, names: Lookup) -> Any:
        owner = self._node(node.value, names)
        if isinstance(node.slice, ast.Slice):
            parts = (node.slice.lower, node.slice.upper, node.slice.step)
            return owner[slice(*(None if part is None else self._node(part, names) for part in parts))]
        return owner[self._node(node.slice, names)]

    def _elements(self, node: ast.List | ast.Tuple, names: Lookup) -> Any:
        elements = [self._node(each, names) for each in node.elts]
        return elements if isinstance(node, ast.List) else tuple(elements)

    def _map(self, node: ast.Dict, names: Lookup) -> Any:
        pairs = zip(node.keys, node.values, strict=True)
        return {self._node(key, names): self._node(value, names) for key, value in pairs if key is not None}

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp, names: Lookup) -> Any:
        """List of a comprehension with one `for` over one name; a generator is evaluated to a list too."""
        if len(node.generators) != 1 or not isinstance(node.generators[0].target, ast.Name):
            raise ExpressionError(f"'{ast.unparse(node)}' is not allowed in an expression")
        each, name, elements = node.generators[0], node.generators[0].target.id, []
        for value in self._node(each.iter, names):

            def inner(requested: str, value: Any = value) -> Any:
                return value if requested == name else names(requested)

            if all(self._node(test, inner) for test in each.ifs):
                elements.append(self._node(node.elt, inner))
        return elements


HANDLERS: dict[type, Callable[[Evaluator, Any, Lookup], Any]] = {
    ast.Constant: Evaluator._constant,
    ast.Name: Evaluator._name,
    ast.BinOp: Evaluator._binary,
    ast.UnaryOp: Evaluator._unary,
    ast.BoolOp: Evaluator._boolean,
    ast.Compare: Evaluator._compare,
    ast.IfExp: Evaluator._choice,
    ast.Call: Evaluator._call,
    ast.Attribute: Evaluator._attribute,
    ast.Subscript: Evaluator._entry,
    ast.List: Evaluator._elements,
    ast.Tuple: Evaluator._elements,
    ast.Dict: Evaluator._map,
    ast.ListComp: Evaluator._comprehension,
    ast.GeneratorExp: Evaluator._comprehension,
}
