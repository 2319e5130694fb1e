"""A behaviour that runs: the state that it is in, the blends of its chains, and its decisions so far."""

from collections.abc import Sequence

from ..character.behaviour import blending, deciding
from ..character.behaviour.blending import BlendState, Instruction, Usual
from ..character.behaviour.data import Behaviour
from ..character.behaviour.deciding import Decision, Senses
from ..character.effects import PostureEffect
from .errors import PlayerError

Role = tuple[Instruction, tuple[PostureEffect, ...]]  # what a chain is to do, and the gestures on top


class Performer:
    """A behaviour that runs.

    Args:
        behaviour: The behaviour.
        seed: Seed of its random draws.
    """

    def __init__(self, behaviour: Behaviour, seed: int) -> None:
        self.behaviour, self.seed = behaviour, seed
        self.state = deciding.begin(behaviour)
        self.decisions: list[Decision] = []
        self._blends: dict[str, BlendState] = {}

    def advance(self, dt: float, events: Sequence[str], senses: Senses | None = None) -> None:
        """Decides what follows from `dt` [s] more, and from events by their names."""
        self.state, decisions = deciding.decide(self.behaviour, self.state, dt, self.seed, events, senses)
        self.decisions += decisions

    def enter(self, name: str, cause: str) -> None:
        """Enters a state that somebody has chosen; raises PlayerError if there is none of that name."""
        names = [state.name for state in self.behaviour.states]
        if name not in names:
            known = ", ".join(f"'{each}'" for each in names)
            raise PlayerError(f"there is no state '{name}': there is {known}")
        self.state, decision = deciding.enter(self.state, name, cause)
        self.decisions.append(decision)

    def role(self, chain: str, postures: Sequence[str], usual: Usual, dt: float) -> Role:
        """What a chain is to do now; the arguments are those of `blending.blended`."""
        state = self.behaviour.state(self.state.name)
        instruction, self._blends[chain] = blending.blended(
            self._blends.get(chain), state.role(chain), postures, usual, state.seconds, dt
        )
        gestures = {gesture.name: gesture for gesture in self.behaviour.gestures}
        playing = [(gestures[each.name], each.seconds) for each in self.state.gestures]
        return instruction, tuple(
            blending.at(gesture, seconds) for gesture, seconds in playing if gesture.chain == chain
        )
