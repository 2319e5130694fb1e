"""Numbers of things in sentences."""


def counted(number: int, thing: str) -> str:
    """As "1 joint" or "2 joints": a thing is a word, or words, that an s at the end makes many."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
