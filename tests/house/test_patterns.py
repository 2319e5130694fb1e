"""Tests that the steps of each regular expression of the extension grow at most linearly with a text's
length, whatever a file, a name or a message contains.
"""

import ast
import itertools
import re
from pathlib import Path

import pytest

from tests.house.backtracking import steps, words
from tests.house.sources import nodes_of
from tests.house.test_layers import SOURCES

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = ("compile", "match", "fullmatch", "search", "sub", "findall", "finditer", "split")
ONLY_FIRST = {"match", "fullmatch"}  # methods that match only from the text's first character
MOST_WORDS = 9  # largest number of words from which texts are made
SHORT, LONG = 24, 48  # numbers of repetitions of a word in a text
DOUBLE = 2.6  # largest ratio of steps for double length; a search from each position gives 4
FEW = 200  # number of steps that any pattern may take at any length


def text_of(node: ast.expr) -> str:
    """A pattern's text; parts filled in at run time are replaced by a word."""
    if isinstance(node, ast.Constant):
        return node.value.decode("latin-1") if isinstance(node.value, bytes) else str(node.value)
    if isinstance(node, ast.BinOp):
        return text_of(node.left) + text_of(node.right)
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) for part in node.values)
    return "word"


def patterns() -> list[tuple[str, str, bool, bool]]:
    """(place, pattern, whether it is tried everywhere, whether it must match the whole text) for each
    pattern.
    """
    found = []
    for path in SOURCES:
        source = path.read_text(encoding="utf-8")
        for node in nodes_of(path):
            is_call = (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
            )
            if not is_call or node.func.value.id != "re" or node.func.attr not in FUNCTIONS:
                continue
            uses = {node.func.attr}
            if node.func.attr == "compile":
                assigned = re.search(
                    rf"^ *(\w+) = {re.escape(ast.get_source_segment(source, node) or '')}",
                    source,
                    re.MULTILINE,
                )
                uses = set(re.findall(rf"\b{assigned[1]}\.(\w+)\(", source)) if assigned else {"search"}
            place = f"{path.relative_to(ROOT).as_posix()}:{node.lineno}"
            found.append(
                (place, text_of(node.args[0]), not uses or not uses <= ONLY_FIRST, uses == {"fullmatch"})
            )
    return found


def texts(pattern: str, count: int):
    """Texts that repeat one or two of the pattern's words, between others, and end with text that does not
    match.
    """
    known = words(pattern)[:MOST_WORDS]
    repeated = [*known, *("".join(pair) for pair in itertools.pairwise(known))]
    starts = sorted(known, key=len, reverse=True)[:4]
    for word, before, after in itertools.product(repeated, ("", *starts), ("", "\n", "\x7f", *known[-2:])):
        yield before + word * count + after


@pytest.mark.parametrize(
    ("place", "pattern", "everywhere", "whole"),
    patterns(),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_twice_the_text_takes_twice_the_steps(place, pattern, everywhere, whole):
    for short, long in zip(texts(pattern, SHORT), texts(pattern, LONG), strict=True):
        many = steps(pattern, long, everywhere, whole)
        if many > FEW:
            few = steps(pattern, short, everywhere, whole)
            assert many <= DOUBLE * few, f"{place}: {few} steps for {short!r}, {many} for twice of it"


@pytest.mark.parametrize(
    "pattern",
    [r"\d+\.?\d*x", r"(?P<name>.*?)\s*(?:\[[^\[\]]*\])?\s*", r"bip0*\d*_", r"[\W_]*\d+$", r"\$\{([^}]*)\}"],
)
def test_a_pattern_that_tries_a_text_again_and_again_is_noticed(pattern):
    everywhere, whole = pattern.endswith(("$", "}")), pattern.startswith("(?P")
    with pytest.raises(AssertionError):
        test_twice_the_text_takes_twice_the_steps("here", pattern, everywhere, whole)
