"""Errors and findings as sentences that name the object concerned and the remedy."""

from dataclasses import dataclass


class RigError(ValueError):
    """A setup that Limber cannot use; the message names the bone, object or property, and the remedy."""


@dataclass(frozen=True)
class Finding:
    """A finding of Check: the problem and its remedy. `blocks`: the chain, mechanism or part of a behaviour
    that it concerns cannot be used before the problem is fixed.
    """

    sentence: str
    blocks: bool = False


def capitalised(sentence: str) -> str:
    """The sentence with a capital first letter."""
    return sentence[:1].upper() + sentence[1:]
