"""What can be wrong with a set-up, as sentences that name the thing and the remedy."""

from dataclasses import dataclass


class RigError(ValueError):
    """A set-up that Limber cannot work with; the message names the bone, object or property and the remedy."""


@dataclass(frozen=True)
class Finding:
    """What Check says: what is wrong and what mends it; `blocks` where the chain cannot work until it is mended."""

    sentence: str
    blocks: bool = False


def capitalised(sentence: str) -> str:
    """A solver's remark as a sentence of its own."""
    return sentence[:1].upper() + sentence[1:]
