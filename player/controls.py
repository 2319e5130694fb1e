"""What somebody has set while a character plays, in place of what its clip has there."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..character.chain.settings import BASES, BLEND, POSTURE
from ..character.file.contents import ChainEntry, CharacterFile
from .errors import PlayerError
from .paths import names_of


@dataclass(frozen=True)
class ChainControls:
    """What was set of a chain; None: as in its clip.

    Attributes:
        base: Kind of base, index in `BASES`.
        posture: Index of the stored posture that is kept.
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
    """What was set of a character's chains and values."""

    def __init__(self, character: CharacterFile, targets: frozenset[str]) -> None:
        """Nothing is set.

        Args:
            character: The character.
            targets: Names of all targets that its chains may follow.
        """
        self._entries = {chain.name: chain for chain in character.chains}
        self._targets = targets
        self.chains = {name: ChainControls() for name in self._entries}
        self.values: dict[str, float | None] = {value.name: None for value in character.values}

    def set(self, path: str, value: float | str) -> None:
        """Sets what a path names: `posture/CHAIN` to the name of a posture, all others to a number.

        Raises:
            PlayerError: There is no such path, or it cannot have that value.
        """
        word, name, *more = names_of(path)
        if word == "value":
            if name not in self.values:
                raise PlayerError(f"there is no value '{name}': there is {_either(self.values)}")
            self.values[name] = _number(path, value)
            return
        entry = self._entry(name)
        if word == "posture":
            self._change(name, base=BASES.index(POSTURE), posture=_posture(entry, str(value)))
        elif word == "weight":
            weights = {**self.chains[name].weights, _posture(entry, more[0]): _number(path, value)}
            self._change(name, base=BASES.index(BLEND), weights=weights)
        else:
            self._change(name, **{word: _number(path, value, 1.0)})

    def follow(self, chain: str, target: str) -> None:
        """Makes a chain's own end follow a target.

        Raises:
            PlayerError: There is no such chain or target.
        """
        self._entry(chain)
        if target not in self._targets:
            raise PlayerError(f"there is no target '{target}': there is {_either(sorted(self._targets))}")
        self._change(chain, target=target)

    def _entry(self, name: str) -> ChainEntry:
        if name not in self._entries:
            raise PlayerError(f"there is no chain '{name}': there is {_either(self._entries)}")
        return self._entries[name]

    def _change(self, chain: str, **changes: object) -> None:
        self.chains[chain] = replace(self.chains[chain], **changes)  # type: ignore[arg-type]


def _posture(entry: ChainEntry, name: str) -> int:
    names = [posture.name for posture in entry.postures]
    if name not in names:
        raise PlayerError(f"chain '{entry.name}' has no posture '{name}': it has {_either(names)}")
    return names.index(name)


def _number(path: str, value: float | str, most: float = math.inf) -> float:
    """A number that is finite, and from 0 to `most` where there is one."""
    if isinstance(value, str) or not math.isfinite(value):
        raise PlayerError(f"{path} is set to '{value}': give it a number")
    if math.isfinite(most) and not 0.0 <= value <= most:
        raise PlayerError(f"{path} is set to {value:g}: give it a number from 0 to {most:g}")
    return value


def _either(names: object) -> str:
    return ", ".join(f"'{name}'" for name in names) or "none"  # type: ignore[attr-defined]
