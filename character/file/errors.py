"""Errors of character files."""


class CharacterFileError(ValueError):
    """A file is no character file, is damaged or too large, or has a newer major version; or a character is
    too large to be written. The message says which of these.
    """
