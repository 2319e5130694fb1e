"""Makes text from files and people safe to print on a terminal."""


def printable(text: str) -> str:
    """A line without control characters, which could clear the terminal or begin another line."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
