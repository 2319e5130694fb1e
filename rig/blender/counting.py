"""Numbers of things in sentences."""


def counted(number: int, thing: str, many: str = "") -> str:
    """As "1 joint" or "2 joints": a thing is a word, or words, of which there is `many`, or that an s at the end makes many."""
    return f"{number} {thing}" if number == 1 else f"{number} {many or thing + 's'}"
