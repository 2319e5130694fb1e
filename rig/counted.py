"""Numbers of things in sentences."""


def counted(number: int, thing: str) -> str:
    """ "1 joint", "2 joints"; things are words that take an s."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
