"""Texts for sentences: counted nouns, and shortened lists of names."""

from collections.abc import Sequence

MOST = 6  # most names that a sentence lists


def counted(number: int, thing: str, many: str = "") -> str:
    """Number and noun: "1 joint" or "2 joints"; `many` is the plural if it is not the noun with an s."""
    return f"{number} {thing}" if number == 1 else f"{number} {many or thing + 's'}"


def listing(texts: Sequence[str]) -> str:
    """The first texts of a list, separated by commas: "a, b ..."."""
    return ", ".join(texts[:MOST]) + (" ..." if len(texts) > MOST else "")


def named(names: Sequence[str]) -> str:
    """The first names of a list, quoted: "'a', 'b' ..."."""
    return listing([f"'{name}'" for name in names])
