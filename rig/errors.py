"""What can be wrong with a set-up, as sentences that name the thing and the remedy."""


class RigError(ValueError):
    """A set-up that Limber cannot work with; the message names the bone, object or property and the remedy."""
