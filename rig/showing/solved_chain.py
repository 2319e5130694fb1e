"""What drawings need of a chain that is live."""

from typing import Protocol

from ...character.chain.tick import ChainModel, ChainOutputs
from ..chains.skeleton import BonePose, ChainReader


class SolvedChain(Protocol):
    """A chain's live session.

    Attributes:
        reader: Its bones; None: it was not read yet.
        model, outputs: Its model and the last tick's result; None: it was not solved yet.
        poses: Its bones as authored, in the reader's order.
        pose: Location, rotation and scale of each bone as shown, by its name.
    """

    reader: ChainReader | None
    model: ChainModel | None
    outputs: ChainOutputs | None
    poses: tuple[BonePose, ...]
    pose: dict[str, tuple]
