"""Values that somebody has set while a character plays, instead of those of its clip and, until the next
state, of its behaviour.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from ..character.behaviour.performer import Performer
from ..character.chain.settings import BASES, BLEND, POSTURE
from ..character.file.contents import ChainEntry, CharacterFile
from ..inputs.words import named
from .errors import PlayerError

Value = TypeVar("Value")


@dataclass(frozen=True)
class ChainControls:
    """Values set on a chain; None for values of its clip.

    Attributes:
        base: Kind of base, index in `BASES`.
        posture: Index of the stored posture in use.
        weights: Weights of stored postures in a blend, by their indices.
        influence, share: As in `ChainSettings`.
        target: Name of the target that the chain's own end follows.
    """

    base: int | None = None
    posture: int | None = None
    weights: Mapping[int, float] = field(default_factory=dict)
    influence: float | None = None
    share: float | None = None
    target: str | None = None


class SetControls:
    """Values that somebody has set on a character: on its chains, and numbers other than joint values."""

    def __init__(
        self, character: CharacterFile, targets: frozenset[str], performer: Performer | None = None
    ) -> None:
        """Starts with nothing set.

        Args:
            character: The character.
            targets: Names of all targets that its chains may follow.
            performer: Its running behaviour; None if it has none.
        """
        self._performer = performer
        self._entries = {chain.name: chain for chain in character.chains}
        self._targets = targets
        self.chains = {name: ChainControls() for name in self._entries}
        self.values: dict[str, float | None] = {value.name: None for value in character.values}

    def keep_posture(self, chain: str, posture: str) -> None:
        """Makes a chain keep a stored posture, with its transition.

        Raises:
            PlayerError: There is no such chain or posture.
        """
        entry = self._entry(chain)
        index = _posture(entry, posture)
        self._change(entry.name, base=BASES.index(POSTURE), posture=index)
        if self._performer is not None:
            self._performer.weigh_by_hand(entry.name, entry.postures[index].name, 1.0, is_whole=True)

    def weigh(self, chain: str, posture: str, weight: float) -> None:
        """Gives a posture a weight in a blend, which the chain then keeps; raises as `keep_posture`, or if
        the weight is not finite.
        """
        entry = self._entry(chain)
        number = _number(f"weight/{chain}/{posture}", weight)
        index = _posture(entry, posture)
        weights = {**self.chains[entry.name].weights, index: number}
        self._change(entry.name, base=BASES.index(BLEND), weights=weights)
        if self._performer is not None:
            self._performer.weigh_by_hand(entry.name, entry.postures[index].name, number)

    def set_amount(self, chain: str, word: str, amount: float) -> None:
        """Sets a chain's influence or share.

        Args:
            chain: Name of the chain.
            word: "influence" or "share".
            amount: The new value, 0 to 1.

        Raises:
            PlayerError: There is no such chain, or the amount is not from 0 to 1.
        """
        name, number = self._entry(chain).name, _number(f"{word}/{chain}", amount, 1.0)
        self._change(name, **{word: number})
        if self._performer is not None:
            self._performer.set_by_hand(name, **{word: number})

    def set_value(self, name: str, number: float) -> None:
        """Sets a value other than a joint's.

        Raises:
            PlayerError: There is no such value, or the number is not finite.
        """
        known = named(name, self.values)
        if known is None:
            raise PlayerError(f"there is no value '{name}': there is {_listed(self.values)}")
        self.values[known] = _number(f"value/{name}", number)

    def follow(self, chain: str, target: str) -> None:
        """Makes a chain's own end follow a target.

        Raises:
            PlayerError: There is no such chain or target.
        """
        entry, known = self._entry(chain), named(target, self._targets)
        if known is None:
            raise PlayerError(f"there is no target '{target}': there is {_listed(sorted(self._targets))}")
        self._change(entry.name, target=known)
        if self._performer is not None:
            self._performer.set_by_hand(entry.name, target=known)

    def _entry(self, name: str) -> ChainEntry:
        if name not in self._entries:
            raise PlayerError(f"there is no chain '{name}': there is {_listed(self._entries)}")
        return self._entries[name]

    def _change(self, chain: str, **changes: object) -> None:
        self.chains[chain] = replace(self.chains[chain], **changes)  # type: ignore[arg-type]


def _posture(entry: ChainEntry, name: str) -> int:
    """Index of a chain's stored posture; raises PlayerError if the chain has none of this name."""
    names = [posture.name for posture in entry.postures]
    known = named(name, names)
    if known is None:
        raise PlayerError(f"chain '{entry.name}' has no posture '{name}': it has {_listed(names)}")
    return names.index(known)


def _number(path: str, value: float, most: float = math.inf) -> float:
    """The number `value`. Raises PlayerError, which names `path`, if the value is not finite, or if `most` is
    finite and the value is not from 0 to `most`.
    """
    if not math.isfinite(value):
        raise PlayerError(f"{path} is set to '{value}': give it a number")
    if math.isfinite(most) and not 0.0 <= value <= most:
        raise PlayerError(f"{path} is set to {value:g}: give it a number from 0 to {most:g}")
    return value


def _listed(names: object) -> str:
    return ", ".join(f"'{name}'" for name in names) or "none"  # type: ignore[attr-defined]


def or_authored(control: Value | None, authored: Value) -> Value:
    """A set value, or that of the clip if none was set."""
    return authored if control is None else control
