"""Paths of what can be set while a character plays: "weight/CHAIN/POSTURE", "value/NAME" and others.

A `/` in a name is written `~1`, and a `~` is written `~0`, as in JSON pointers (RFC 6901).
"""

from .errors import PlayerError

PARTS = {"weight": 2, "posture": 1, "influence": 1, "share": 1, "value": 1}  # names after each word


def names_of(path: str) -> tuple[str, ...]:
    """The word of a path and the names in it.

    Raises:
        PlayerError: There is no such path.
    """
    word, *names = path.split("/")
    if PARTS.get(word) != len(names):
        known = ", ".join(f"{each}/{'/'.join(['NAME'] * count)}" for each, count in PARTS.items())
        raise PlayerError(f"there is no path '{path}': a path is one of {known}, with / in a name as ~1")
    return word, *(name.replace("~1", "/").replace("~0", "~") for name in names)


def path_of(word: str, *names: str) -> str:
    """The path of a word with names in it."""
    return "/".join((word, *(name.replace("~", "~0").replace("/", "~1") for name in names)))
