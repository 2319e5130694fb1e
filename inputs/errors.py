"""Errors of inputs from other programs and people."""


class InputError(ValueError):
    """An address that Limber cannot listen on, or an invalid command; the message names it and the remedy."""
