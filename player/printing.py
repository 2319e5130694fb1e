"""Text of files and of people on its way to a terminal."""


def printable(text: str) -> str:
    """A line without characters that a terminal would obey, such as those that clear it or begin another
    line.
    """
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
