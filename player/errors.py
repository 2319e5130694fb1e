"""Errors of the player."""


class PlayerError(ValueError):
    """A request that the player cannot fulfil; the message gives the reason and the remedy."""
