"""Errors of character files."""


class CharacterFileError(ValueError):
    """A file is no character file, is damaged, or has a newer version; the message says which of these."""
