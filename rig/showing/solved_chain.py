"""Interface of a live chain for drawings."""

from typing import Protocol

from ...character.chain.tick import ChainModel, ChainOutputs
from ..chains.skeleton import AuthoredChannels, ChainReader


class SolvedChain(Protocol):
    """The attributes of a chain's live session that drawings use.

    Attributes:
        reader: Reader of its bones; None if it was not read yet.
        model, outputs: Its model and the last tick's result; None if it was not solved yet.
        poses: Authored poses of its bones, in the reader's order.
        pose: Shown basis (rotation wxyz, location, scale) of each bone, by its name.
    """

    reader: ChainReader | None
    model: ChainModel | None
    outputs: ChainOutputs | None
    poses: tuple[AuthoredChannels, ...]
    pose: dict[str, tuple]
