"""Counts the steps of a regular expression on a text: each node and character at which a backtracking
matcher, such as Python's, looks.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]

Continue = Callable[[int], bool]  # from the position after a match: whether the rest matches

CATEGORIES: dict[object, Callable[[str], bool]] = {
    code.CATEGORY_DIGIT: str.isdigit,
    code.CATEGORY_NOT_DIGIT: lambda letter: not letter.isdigit(),
    code.CATEGORY_SPACE: str.isspace,
    code.CATEGORY_NOT_SPACE: lambda letter: not letter.isspace(),
    code.CATEGORY_WORD: lambda letter: letter.isalnum() or letter == "_",
    code.CATEGORY_NOT_WORD: lambda letter: not (letter.isalnum() or letter == "_"),
}
SINGLE = (code.LITERAL, code.NOT_LITERAL, code.ANY, code.IN)
EXAMPLES = {
    code.CATEGORY_DIGIT: "1",
    code.CATEGORY_SPACE: " ",
    code.CATEGORY_WORD: "a",
    code.CATEGORY_NOT_WORD: "-",
}


def steps(pattern: str, text: str, everywhere: bool, whole: bool) -> int:
    """Number of steps.

    Args:
        everywhere: Whether to start at each position of the text until one matches, as `search` does;
            otherwise only at the first one, as `match` does.
        whole: Whether the match must extend to the end of the text, as for `fullmatch`.
    """
    matcher = _Matcher(text)
    nodes = _parsed(pattern)
    for start in range(len(text) + 1 if everywhere else 1):
        if matcher.matches(nodes, start, lambda end: not whole or end == len(text)):
            break
    return matcher.count


@cache
def _parsed(pattern: str) -> list:
    return list(parser.parse(pattern))


def words(pattern: str) -> list[str]:
    """Letters and runs of letters with which a text can match a pattern for a long time."""
    found: dict[str, None] = {}
    run = ""
    for op, value in _flat(_parsed(pattern)):
        letter = _example(op, value)
        run = run + letter if op is code.LITERAL else ""
        found.update(dict.fromkeys(word for word in (letter, run) if word))
    return list(found)


def _flat(nodes) -> Iterator[tuple]:
    for op, value in nodes:
        if op in SINGLE:
            yield op, value
        elif op in (code.MAX_REPEAT, code.MIN_REPEAT):
            yield from _flat(value[2])
        elif op is code.SUBPATTERN:
            yield from _flat(value[3])
        elif op is code.BRANCH:
            for branch in value[1]:
                yield from _flat(branch)
        elif op in (code.ASSERT, code.ASSERT_NOT):
            yield from _flat(value[1])


def _example(op, value) -> str:
    if op is code.LITERAL:
        return chr(value)
    if op is code.IN:
        kind, first = value[0]
        return {
            code.LITERAL: chr,
            code.RANGE: lambda ends: chr(ends[0]),
            code.CATEGORY: lambda name: EXAMPLES.get(name, "a"),
        }.get(kind, lambda _: "a")(first)
    return "a"


class _Matcher:
    def __init__(self, text: str) -> None:
        self.text, self.count = text, 0
        self.groups: dict[int, str] = {}

    def matches(self, nodes: list, at: int, then: Continue) -> bool:
        self.count += 1
        if not nodes:
            return then(at)
        (op, value), rest = nodes[0], nodes[1:]
        if op in SINGLE:
            return self._fits(op, value, at) and self.matches(rest, at + 1, then)
        if op in (code.MAX_REPEAT, code.MIN_REPEAT):
            least, most, inner = value
            return self._repeat(
                list(inner), least, most, op is code.MAX_REPEAT, at, lambda end: self.matches(rest, end, then)
            )
        if op is code.SUBPATTERN:
            return self._group(value, at, lambda end: self.matches(rest, end, then))
        if op is code.BRANCH:
            return any(self.matches([*branch, *rest], at, then) for branch in value[1])
        if op is code.AT:
            is_there = (
                at == 0
                if value in (code.AT_BEGINNING, code.AT_BEGINNING_STRING)
                else at >= len(self.text) - 1
            )
            return is_there and self.matches(rest, at, then)
        if op in (code.ASSERT, code.ASSERT_NOT):
            begin = at if value[0] == 1 else at - 1  # lookbehinds look at one letter, or at the beginning
            found = begin >= 0 and self.matches(list(value[1]), begin, lambda _: True)
            return found is (op is code.ASSERT) and self.matches(rest, at, then)
        assert op is code.GROUPREF, op
        same = self.groups.get(value, "")
        return self.text.startswith(same, at) and self.matches(rest, at + len(same), then)

    def _fits(self, op, value, at: int) -> bool:
        self.count += 1
        if at >= len(self.text):
            return False
        letter = self.text[at]
        if op is code.ANY:
            return letter != "\n"
        if op is code.IN:
            is_negated = value[0][0] is code.NEGATE
            return any(self._is_in(kind, one, letter) for kind, one in value[is_negated:]) is not is_negated
        return (letter == chr(value)) is (op is code.LITERAL)

    @staticmethod
    def _is_in(kind, value, letter: str) -> bool:
        if kind is code.CATEGORY:
            return CATEGORIES[value](letter)
        return value[0] <= ord(letter) <= value[1] if kind is code.RANGE else ord(letter) == value

    def _group(self, value, at: int, then: Continue) -> bool:
        def close(end: int) -> bool:
            self.groups[value[0]] = self.text[at:end]
            return then(end)

        return self.matches(list(value[3]), at, close)

    def _repeat(self, inner: list, least: int, most: int, is_greedy: bool, at: int, then: Continue) -> bool:
        if len(inner) == 1 and inner[0][0] in SINGLE:
            ends = [at]
            while len(ends) <= most and self._fits(*inner[0], ends[-1]):
                ends.append(ends[-1] + 1)
            return any(then(end) for end in (reversed(ends[least:]) if is_greedy else ends[least:]))

        def again(end: int) -> bool:
            return end > at and self._repeat(inner, max(least - 1, 0), most - 1, is_greedy, end, then)

        def more() -> bool:
            return most > 0 and self.matches(inner, at, again)

        if least > 0:
            return more()
        return (more() or then(at)) if is_greedy else (then(at) or more())


assert re.compile("a")  # the parser used above must be that of this module
