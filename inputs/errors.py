"""Errors of what comes from outside."""


class InputError(ValueError):
    """An address that cannot be listened on; the message names it and the remedy."""
