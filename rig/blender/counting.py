"""Counted nouns for sentences."""


def counted(number: int, thing: str, many: str = "") -> str:
    """ "1 joint" or "2 joints". `many`: the plural, where it is not the word with an s."""
    return f"{number} {thing}" if number == 1 else f"{number} {many or thing + 's'}"
