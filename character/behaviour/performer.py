"""A behaviour that runs: the state that it is in, the blends of its chains, and its decisions so far."""

from collections.abc import Sequence
from typing import NamedTuple, Self

from ...solvers.kinematics.skeleton import Angles
from ..chain.settings import BLEND, POSTURE, ChainSettings
from ..effects import PostureEffect
from . import blending, deciding
from .blending import BlendState, Instruction, Usual, Visit
from .data import Behaviour, BehaviourError
from .deciding import Decision, Senses

Role = tuple[Instruction, tuple[PostureEffect, ...]]  # what a chain is to do, and the gestures on top


class Directed(NamedTuple):
    """What a chain keeps and follows in a frame.

    Attributes:
        base: Kind of base.
        weights: Weight of each stored posture.
        settings: Settings of the chain.
        target: Name of the target that its own end follows; None: as in the clip.
        gestures: Effects on the posture before the idle motion.
        clips: Weights and values (n,) [rad; prismatic joints m] of further postures; NaN: as authored.
    """

    base: str
    weights: list[float]
    settings: ChainSettings
    target: str | None = None
    gestures: tuple[PostureEffect, ...] = ()
    clips: tuple[tuple[float, Angles], ...] = ()

    def all_weights(self, kept: int) -> list[float]:
        """Weights of all stored postures, for any kind of base; `kept`: index of the one that a base of one
        posture keeps, -1: none.
        """
        if self.base == BLEND:
            return self.weights
        return [1.0 if self.base == POSTURE and k == kept else 0.0 for k in range(len(self.weights))]

    def weighted(self, stored: Sequence[Angles]) -> list[tuple[float, Angles]]:
        """Weights and values (n,) of all postures that have a weight, given those of the stored ones."""
        pairs = [*zip(self.weights, stored, strict=True), *self.clips]
        return [(weight, values) for weight, values in pairs if weight > 0.0]


class Performer:
    """A behaviour that runs.

    Args:
        behaviour: The behaviour.
        seed: Seed of its random draws.
        is_gradual: Whether each chain comes from what its clip has into the first state's role; else it
            begins in that.
    """

    def __init__(self, behaviour: Behaviour, seed: int, is_gradual: bool = False) -> None:
        self.behaviour, self.seed, self.is_gradual = behaviour, seed, is_gradual
        self.state = deciding.begin(behaviour)
        self.decisions: list[Decision] = []
        self._blends: dict[str, BlendState] = {}

    def copy(self) -> Self:
        """An independent copy, in the current state."""
        other = type(self)(self.behaviour, self.seed, self.is_gradual)
        other.state, other.decisions, other._blends = self.state, list(self.decisions), dict(self._blends)
        return other

    def replace(self, behaviour: Behaviour) -> None:
        """Goes on with another behaviour; in its first state where the present one is not in it."""
        self.behaviour = behaviour
        if self.state.name not in [state.name for state in behaviour.states]:
            self.state = deciding.begin(behaviour)
        names = {gesture.name for gesture in behaviour.gestures}
        playing = tuple(each for each in self.state.gestures if each.name in names)
        self.state = self.state._replace(gestures=playing)

    def settle(self) -> None:
        """Every chain is in its role at once, as at a new start of the motion."""
        self._blends, self.is_gradual = {}, False

    def advance(self, dt: float, events: Sequence[str], senses: Senses | None = None) -> None:
        """Decides what follows from `dt` [s] more, and from events by their names."""
        self.state, decisions = deciding.decide(self.behaviour, self.state, dt, self.seed, events, senses)
        self.decisions += decisions

    def enter(self, name: str, cause: str) -> None:
        """Enters a state that somebody has chosen; raises BehaviourError if there is none of that name."""
        names = [state.name for state in self.behaviour.states]
        if name not in names:
            known = ", ".join(f"'{each}'" for each in names)
            raise BehaviourError(f"there is no state '{name}': there is {known}")
        self.state, decision = deciding.enter(self.state, name, cause)
        self.decisions.append(decision)

    def role(self, chain: str, postures: Sequence[str], usual: Usual, dt: float) -> Role:
        """What a chain is to do now; arguments as for `blending.blended`."""
        state = self.behaviour.state(self.state.name)
        before = self._blends.get(chain)
        if before is None and self.is_gradual:
            before = blending.as_usual(usual)
        visit = Visit(
            state.role(chain),
            self.behaviour.clip(state.name, chain),
            self.state.visits,
            self.state.seconds,
            state.speaks,
        )
        instruction, self._blends[chain] = blending.blended(before, visit, postures, usual, state.seconds, dt)
        gestures = {gesture.name: gesture for gesture in self.behaviour.gestures}
        return instruction, tuple(
            blending.at(gestures[each.name], each.seconds, each.end)
            for each in self.state.gestures
            if gestures[each.name].chain == chain
        )

    def direct(self, chain: str, postures: Sequence[str], clip: Directed, kept: int, dt: float) -> Directed:
        """What a chain keeps and follows now.

        Args:
            chain: Its name.
            postures: Names of its stored postures.
            clip: What its clip has in this frame.
            kept: Index of the stored posture that the clip keeps; -1: none.
            dt: Time step [s].
        """
        weights = clip.all_weights(kept)
        usual = Usual(weights, clip.settings.influence, clip.settings.share)
        instruction, gestures = self.role(chain, postures, usual, dt)
        life, eyes = clip.settings.life, clip.settings.eyes
        settings = clip.settings._replace(
            influence=instruction.influence,
            share=instruction.share,
            life=life._replace(amount=instruction.life * life.amount),
            eyes=eyes._replace(
                blinks=instruction.blinks * eyes.blinks,
                aversion=instruction.aversion * eyes.aversion,
                closed=instruction.lids,
                cues=instruction.cues,
            ),
        )
        return Directed(
            BLEND,
            list(instruction.weights),
            settings,
            instruction.target,
            gestures,
            instruction.clips,
        )
