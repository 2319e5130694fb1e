"""Counted nouns, and lists of names that are cut, for sentences."""

from collections.abc import Sequence

MOST = 6  # names in a sentence


def counted(number: int, thing: str, many: str = "") -> str:
    """ "1 joint" or "2 joints". `many`: the plural, where it is not the word with an s."""
    return f"{number} {thing}" if number == 1 else f"{number} {many or thing + 's'}"


def listing(texts: Sequence[str]) -> str:
    """The first texts, with commas between them: "a, b ..."."""
    return ", ".join(texts[:MOST]) + (" ..." if len(texts) > MOST else "")


def named(names: Sequence[str]) -> str:
    """The first names, quoted: "'a', 'b' ..."."""
    return listing([f"'{name}'" for name in names])
