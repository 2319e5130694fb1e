"""Errors of character files."""


class CharacterFileError(ValueError):
    """A file that is no character file, is damaged, or is of a newer version; the message says which."""
