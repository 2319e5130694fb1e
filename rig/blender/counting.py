"""Texts for sentences: counted nouns, shortened lists of names, and merged sentences."""

import re
from collections.abc import Iterable, Sequence

MOST_NAMES = 6  # largest number of names that a sentence lists
# matches a quoted name, or a joint's label at the beginning
NAME = re.compile(r"(?<=(?<!\w)')[^']*(?='(?!\w))|(?<=^Joint )[^':]+(?=:)")
NUMBER = re.compile(r"\d+(\.\d+)?")


def counted(number: int, noun: str, many: str = "") -> str:
    """Number and noun: "1 joint" or "2 joints"; `many` is the plural if it is not the noun with an s."""
    return f"{number} {noun}" if number == 1 else f"{number} {many or noun + 's'}"


def listing(texts: Sequence[str]) -> str:
    """Texts, separated by commas; of more than `MOST_NAMES` only the first, as "a, b ..."."""
    return ", ".join(texts[:MOST_NAMES]) + (" ..." if len(texts) > MOST_NAMES else "")


def named(names: Sequence[str]) -> str:
    """Names in quotation marks, otherwise as `listing`: "'a', 'b' ..."."""
    return listing([f"'{name}'" for name in names])


def merged(sentences: Iterable[str]) -> list[str]:
    """Sentences, with those that differ only in names (quoted, or of a joint at the beginning) and numbers
    merged into the first one, which then also has their number and names.
    """
    alike: dict[str, list[str]] = {}
    for sentence in sentences:
        alike.setdefault(NUMBER.sub("0", NAME.sub("", sentence)), []).append(sentence)
    return [_merged_sentence(list(dict.fromkeys(group))) for group in alike.values()]


def _merged_sentence(group: Sequence[str]) -> str:
    """The first of several alike sentences, with the number of the others and the names in them."""
    first, rest = group[0], group[1:]
    if not rest:
        return first
    # names that stand at each position of the sentence
    words_by_position = zip(*(NAME.findall(sentence) for sentence in group), strict=True)
    names = next((names[1:] for names in words_by_position if len(set(names)) > 1), ())
    return f"{first} (and {len(rest)} more{': ' if names else ''}{named(list(dict.fromkeys(names)))})"
