"""A running behaviour: its state, the blends of its chains, and its decisions so far.

Values that a user sets on a chain by hand take precedence over those of the current state, until the next
state.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Self

from ...solvers.kinematics.skeleton import Angles
from ..chain.settings import BLEND, POSTURE, ChainSettings
from ..effects import PostureEffect
from . import blending, deciding
from .blending import BlendState, Instruction, Usual, Visit
from .data import Behaviour, BehaviourError, ChainRole, StateClip
from .deciding import Decision, Senses

# value of a chain that a role or a user can set -> its name on the player's page
WORDS = {"influence": "influence", "share": "share", "target": "target", "weights": "postures"}


class Directed(NamedTuple):
    """Postures, settings and target of a chain in a frame.

    Attributes:
        base: Source of the posture, one of `BASES`.
        weights: Weight of each stored posture.
        settings: Settings of the chain.
        target: Name of the target that its own end effector follows; None: that of the exported animation.
        gestures: Effects on the posture before the idle motion.
        clips: (weight, values (n,) [rad; prismatic joints m]) of playing state clips; NaN: authored values.
    """

    base: str
    weights: Sequence[float]
    settings: ChainSettings
    target: str | None = None
    gestures: tuple[PostureEffect, ...] = ()
    clips: tuple[tuple[float, Angles], ...] = ()

    def all_weights(self, kept: int) -> Sequence[float]:
        """Weights of all stored postures, for any source of the posture; `kept`: index of the posture that
        counts if `base` is POSTURE, -1 for none.
        """
        if self.base == BLEND:
            return self.weights
        weights = [0.0] * len(self.weights)
        if self.base == POSTURE and 0 <= kept < len(weights):
            weights[kept] = 1.0
        return weights

    def weighted(self, stored: Sequence[Angles]) -> list[tuple[float, Angles]]:
        """(weight, values (n,) [rad or m]) of each stored posture and playing clip with a weight above 0,
        given the values of the stored postures.
        """
        pairs = [*zip(self.weights, stored, strict=True), *self.clips]
        return [(weight, values) for weight, values in pairs if weight > 0.0]


class ByHand(NamedTuple):
    """Values of a chain that a user has set by hand.

    Attributes:
        visit: Number of the visit of the state in which they were set; they end with it.
        fields: Influence, share and target, if they were set.
        weights: Weights of postures by their names, if they were set.
        is_whole: Whether all other postures and clips have no weight.
    """

    visit: int
    fields: Mapping[str, float | str] = MappingProxyType({})
    weights: Mapping[str, float] = MappingProxyType({})
    is_whole: bool = False

    def over(self, role: ChainRole, clip: StateClip | None) -> tuple[ChainRole, StateClip | None]:
        """A chain's role and clip in a state, with the values set by hand instead of the role's; values that
        the role leaves open stay open.
        """
        set_fields = {name: value for name, value in self.fields.items() if getattr(role, name) is not None}
        if set_fields:
            role = role._replace(**set_fields)  # type: ignore[arg-type]
        if not self.weights or (role.weights is None and clip is None):
            return role, clip
        weights = {**({} if self.is_whole else dict(role.weights or ())), **self.weights}
        return role._replace(weights=tuple(weights.items())), None if self.is_whole else clip


class Requested(NamedTuple):
    """Values requested of a chain now: weights of its stored postures by their names, influence, share, and
    the name of the target to look at ("": as without a behaviour).
    """

    weights: Mapping[str, float]
    influence: float
    share: float
    target: str = ""


class Applied(NamedTuple):
    """The last settings of a chain, with what they were made from: the instruction, and the settings `clip`
    of its exported animation.
    """

    instruction: Instruction
    clip: ChainSettings
    settings: ChainSettings


class Performer:
    """A running behaviour.

    Args:
        behaviour: The behaviour.
        seed: Seed of its random draws.
        is_gradual: Whether each chain makes a transition from its exported animation to the first state's
          role; else it begins in that role.
    """

    def __init__(self, behaviour: Behaviour, seed: int, is_gradual: bool = False) -> None:
        self.behaviour, self.seed, self.is_gradual = behaviour, seed, is_gradual
        self.state = deciding.begin(behaviour)
        self.decisions: list[Decision] = []
        self._blends: dict[str, BlendState] = {}
        self._by_hand: dict[str, ByHand] = {}
        # the last instruction of each chain and the names of its postures, by the chain's name
        self._instructed: dict[str, tuple[Instruction, Sequence[str]]] = {}
        self._applied: dict[str, Applied] = {}

    def copy(self) -> Self:
        """An independent copy, in the current state."""
        other = type(self)(self.behaviour, self.seed, self.is_gradual)
        other.state, other.decisions = self.state, list(self.decisions)
        other._blends, other._by_hand = dict(self._blends), dict(self._by_hand)
        other._instructed = dict(self._instructed)
        return other

    def replace(self, behaviour: Behaviour) -> None:
        """Replaces the behaviour; the new one starts in its first state if it lacks the current state.
        Gestures that it lacks end.
        """
        self.behaviour = behaviour
        if self.state.name not in [state.name for state in behaviour.states]:
            self.state = deciding.begin(behaviour)
        names = {gesture.name for gesture in behaviour.gestures}
        playing = tuple(each for each in self.state.gestures if each.name in names)
        self.state = self.state._replace(gestures=playing)

    def settle(self) -> None:
        """Completes all transitions at once, as at a new start of the motion."""
        self._blends, self.is_gradual = {}, False

    def advance(self, dt: float, events: Sequence[str], senses: Senses | None = None) -> None:
        """Makes the decisions of the next `dt` [s], given the names of events."""
        self.state, decisions = deciding.decide(self.behaviour, self.state, dt, self.seed, events, senses)
        self.decisions += decisions

    def enter(self, name: str, cause: str) -> None:
        """Enters a state that a user has chosen; raises BehaviourError if there is no state of this
        name.
        """
        names = [state.name for state in self.behaviour.states]
        if name not in names:
            known = ", ".join(f"'{each}'" for each in names)
            raise BehaviourError(f"there is no state '{name}': there is {known}")
        self.state, decision = deciding.enter(self.state, name, cause)
        self.decisions.append(decision)

    def set_by_hand(self, chain: str, **fields: float | str) -> None:
        """Sets a chain's influence, share or target by hand, until the next state."""
        before = self.by_hand(chain)
        self._by_hand[chain] = before._replace(fields={**before.fields, **fields})

    def weigh_by_hand(self, chain: str, posture: str, weight: float, is_whole: bool = False) -> None:
        """Sets the weight of a posture by hand, until the next state; `is_whole`: all others get weight 0."""
        before = self.by_hand(chain)
        weights = {posture: weight} if is_whole else {**before.weights, posture: weight}
        self._by_hand[chain] = before._replace(weights=weights, is_whole=is_whole or before.is_whole)

    def by_hand(self, chain: str) -> ByHand:
        """The values set by hand since the current state began."""
        known = self._by_hand.get(chain)
        return known if known is not None and known.visit == self.state.visits else ByHand(self.state.visits)

    def requested(self, chain: str) -> Requested | None:
        """Values requested of a chain now, for display: values set by hand are included at once, although the
        chain is still moving to them. None if it was not directed yet.
        """
        if chain not in self._instructed:
            return None
        (instruction, postures), hand = self._instructed[chain], self.by_hand(chain)
        weights = {**dict(zip(postures, instruction.weights, strict=True)), **hand.weights}
        request = Requested(weights, instruction.influence, instruction.share, instruction.target or "")
        fields = {name: value for name, value in hand.fields.items() if name in Requested._fields}
        return request._replace(**fields)  # type: ignore[arg-type]

    def set_by(self, chain: str) -> dict[str, str]:
        """Words of `WORDS` for a chain's values -> what sets them now, as text: the user, or the behaviour's
        state by its name. Values that come from the chain's exported animation are missing.
        """
        state, hand = self.behaviour.state(self.state.name), self.by_hand(chain)
        role = state.role(chain)
        if role.weights is None and self.behaviour.clip(state.name, chain) is not None:
            role = role._replace(weights=())
        by_hand = {*hand.fields, *(["weights"] if hand.weights else [])}
        return {
            word: "set here" if field in by_hand else f"by {state.name}"
            for field, word in WORDS.items()
            if getattr(role, field) is not None
        }

    def role(
        self, chain: str, postures: Sequence[str], usual: Usual, dt: float
    ) -> tuple[Instruction, tuple[PostureEffect, ...]]:
        """The instruction for a chain now, and the effects of the gestures on top; arguments as for
        `blending.blended`.
        """
        state = self.behaviour.state(self.state.name)
        before = self._blends.get(chain)
        if before is None and self.is_gradual:
            before = blending.as_usual(usual)
        role, clip = state.role(chain), self.behaviour.clip(state.name, chain)
        if chain in self._by_hand:
            role, clip = self.by_hand(chain).over(role, clip)
        visit = Visit(role, clip, self.state.visits, self.state.seconds, state.speaks)
        instruction, self._blends[chain] = blending.blended(before, visit, postures, usual, state.seconds, dt)
        self._instructed[chain] = instruction, postures
        if not self.state.gestures:
            return instruction, ()
        gestures = [(self.behaviour.gesture(each.name), each) for each in self.state.gestures]
        return instruction, tuple(
            blending.at(gesture, each.seconds, each.end)
            for gesture, each in gestures
            if gesture.chain == chain
        )

    def direct(self, chain: str, postures: Sequence[str], clip: Directed, kept: int, dt: float) -> Directed:
        """Advances a chain's transition between instructions by `dt`; returns its postures, settings, target,
        gestures and clips in this frame.

        Args:
            chain: Its name.
            postures: Names of its stored postures.
            clip: Values of its exported animation in this frame.
            kept: Index of the stored posture that counts if the animation's base is POSTURE; -1 for none.
            dt: Time step [s].
        """
        weights = clip.all_weights(kept)
        usual = Usual(weights, clip.settings.influence, clip.settings.share)
        instruction, gestures = self.role(chain, postures, usual, dt)
        last = self._applied.get(chain)
        if last is None or last.instruction is not instruction or last.clip != clip.settings:
            last = self._applied[chain] = Applied(
                instruction, clip.settings, _instructed(clip.settings, instruction)
            )
        return Directed(
            BLEND,
            instruction.weights,
            last.settings,
            instruction.target,
            gestures,
            instruction.clips,
        )


def _instructed(settings: ChainSettings, instruction: Instruction) -> ChainSettings:
    """Settings of a chain as an instruction changes those of its clip."""
    life, eyes = settings.life, settings.eyes
    return settings._replace(
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
