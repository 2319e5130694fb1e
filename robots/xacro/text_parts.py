"""Splits a text of xacro into parts: expressions ${...}, substitutions $(...), and plain text."""

from collections.abc import Iterator

CLOSING = {"{": "}", "(": ")"}


def parts(text: str) -> Iterator[tuple[str, str]]:
    """Parts of a text in their order: ("{", expression), ("(", substitution), or ("", text).

    $$ stands for one $. If several $ precede a bracket, all but the first are text, and so is the bracket.

    Raises:
        ValueError: a bracket is not closed; the message says which.
    """
    end = start = 0
    while (start := text.find("$", start)) >= 0:
        kind, after = text[start + 1 : start + 2], start + 2
        if kind == "$":
            while text[after : after + 1] == "$":
                after += 1
            written = (
                text[start + 1 : after + 1]
                if text[after : after + 1] in CLOSING
                else "$" * ((after - start + 1) // 2)
            )
            after += text[after : after + 1] in CLOSING
            part = "", written
        elif kind not in CLOSING:
            start += 1
            continue
        else:
            close = text.find(CLOSING[kind], start)
            if close < 0:
                raise ValueError(f"the bracket of ${kind} is not closed: write its {CLOSING[kind]}")
            part, after = (kind, text[start + 2 : close]), close + 1
        if start > end:
            yield "", text[end:start]
        yield part
        end = start = after
    if end < len(text):
        yield "", text[end:]
