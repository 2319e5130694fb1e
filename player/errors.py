"""Errors of the player."""


class PlayerError(ValueError):
    """What was asked of the player cannot be done; the message says why and the remedy."""
