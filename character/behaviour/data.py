"""A behaviour as data: states, transitions between them, and gestures."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Literal, NamedTuple, get_args

from ...solvers.kinematics.se3 import Array

ANY = ""  # value of `TransitionSpec.begin` that stands for any state

Cause = Literal["event", "after", "random", "seen", "lost", "nearer", "farther", "ended", "arrived", "unseen"]
CAUSES: tuple[Cause, ...] = get_args(Cause)


class BehaviourError(ValueError):
    """A behaviour that cannot be used, or a state that it does not have; the message names the fault."""


class ChainRole(NamedTuple):
    """Settings of a chain in a state. None: as in its exported animation, where life, blinks and aversion are
    1 and lids 0.

    Attributes:
        weights: Weights of stored postures, by their names; the authored pose gets the rest up to 1.
        target: Name of the target that its own end effector follows.
        influence, share: As in `ChainSettings`.
        life: Factor of the amount of its idle motion.
        blinks, aversion: Factors of its blinks, and of its looks away.
        lids: How far its lids are closed: 0 open, 1 closed.
    """

    weights: tuple[tuple[str, float], ...] | None = None
    target: str | None = None
    influence: float | None = None
    share: float | None = None
    life: float | None = None
    blinks: float | None = None
    aversion: float | None = None
    lids: float | None = None


AS_USUAL = ChainRole()


@dataclass(frozen=True)
class StateSpec:
    """A state: the role of every chain in it, the duration [s] of the transition to it, and whether the
    character speaks in it, after which its eyes blink.
    """

    name: str
    roles: tuple[tuple[str, ChainRole], ...] = ()  # roles of chains, by the chains' names
    everyone: ChainRole = AS_USUAL  # role of all other chains
    seconds: float = 0.5
    speaks: bool = False

    def role(self, chain: str) -> ChainRole:
        """The role of a chain, by its name."""
        return self._role_of.get(chain, self.everyone)

    @cached_property
    def _role_of(self) -> dict[str, ChainRole]:
        return dict(self.roles)


@dataclass(frozen=True)
class TransitionSpec:
    """A transition from one state to another, and its cause.

    Attributes:
        begin, end: Names of the states; `ANY` if it can begin in every state except `end`.
        cause: What begins the transition; `least` is in seconds, or metres for "nearer" and "farther".
            "event": the event `name`. "after": `least` in the state. "random": a random time in the state,
            from `least` to `most`. "seen": a person has been seen for `least`. "arrived": a person has
            appeared during the state, after nobody was seen for `least`. "lost": nobody has been seen for
            `least`, and the person has disappeared since an event or a user last changed the state. "unseen":
            nobody has been seen for `least` in the state. "nearer", "farther": the nearest person is nearer
            or farther than `least`. "ended": the state's longest clip has played once.
        name: Name of the event.
        least, most: Bounds as described for `cause`; `most` counts only for "random".
    """

    begin: str
    end: str
    cause: Cause
    name: str = ""
    least: float = 0.0
    most: float = inf

    def check(self, states: Sequence[str]) -> None:
        """Raises BehaviourError if the transition names a state that is not among `states`, has no state at
        its end or an unknown cause, or has bounds that cannot be used.
        """
        for name in (self.begin, self.end):
            if name not in states and name != ANY:
                raise BehaviourError(f"a transition names state '{name}', which is not there")
        if self.end == ANY or self.cause not in CAUSES:
            raise BehaviourError(
                f"the transition from '{self.begin}' has no state at its end, or an unknown cause"
            )
        if not 0.0 <= self.least <= self.most:
            raise BehaviourError(
                f"the transition from '{self.begin}' to '{self.end}' has {self.least:g} and {self.most:g}:"
                " give two numbers from 0 up in order"
            )
        if self.cause == "random" and self.most == inf:
            raise BehaviourError(
                f"the random transition from '{self.begin}' to '{self.end}' has no longest time"
            )


@dataclass(frozen=True)
class Gesture:
    """A clip that is played once over a state when an event comes, such as a nod.

    Attributes:
        name: Name of the gesture.
        chain: Name of the chain whose joints it moves.
        event: Name of the event that begins it.
        rows: (k, n) [rad; prismatic joints m] values of the chain's joints; NaN in a column for a joint that
            it does not move.
        rate: Rows per second.
        is_added: Whether the rows are added to the posture; else they replace it.
        fade: Time [s] in which it fades in, and out.
    """

    name: str
    chain: str
    event: str
    rows: Array
    rate: float
    is_added: bool = True
    fade: float = 0.2

    def check(self) -> None:
        """Raises BehaviourError if there are fewer than two rows, the rate is not above 0, or the fade is
        below 0.
        """
        if len(self.rows) < 2 or not self.rate > 0.0 or not self.fade >= 0.0:
            raise BehaviourError(f"gesture '{self.name}' needs two rows, and a rate above 0")

    @property
    def seconds(self) -> float:
        """Duration of the gesture [s]."""
        return (len(self.rows) - 1) / self.rate


class StateClip(NamedTuple):
    """A clip that a chain plays while a state lasts, instead of the authored pose and of postures.

    Attributes:
        state: Name of the state.
        chain: Name of the chain.
        rows: (k, n) [rad; prismatic joints m] values of the chain's joints; NaN for joints with authored
            values.
        rate: Rows per second.
        loops: Whether it repeats; else it stays at its last row.
    """

    state: str
    chain: str
    rows: Array
    rate: float
    loops: bool = True

    @property
    def seconds(self) -> float:
        """Duration [s] of playing the clip once."""
        return (len(self.rows) - 1) / self.rate

    def check(self, states: Sequence[str]) -> None:
        """Raises BehaviourError if the clip's state is not among `states`, it has fewer than two rows, or its
        rate is not above 0.
        """
        if self.state not in states:
            raise BehaviourError(f"a clip is for state '{self.state}', which is not there")
        if len(self.rows) < 2 or not self.rate > 0.0:
            raise BehaviourError(f"the clip of state '{self.state}' needs two rows, and a rate above 0")

    def at(self, seconds: float) -> Array:
        """Values (n,) [rad; prismatic joints m] at a time [s] after the clip's start; after its end those of
        its last row, or of the repetition if it loops.
        """
        if self.loops:
            seconds %= self.seconds
        return interpolated(self.rows, seconds * self.rate)


def interpolated(rows: Array, position: float) -> Array:
    """The row (n,) at a position (0 to k - 1) among rows (k, n), linearly interpolated."""
    position = min(max(position, 0.0), len(rows) - 1.0)
    first = min(int(position), len(rows) - 2)
    row: Array = rows[first] + (position - first) * (rows[first + 1] - rows[first])
    return row


@dataclass(frozen=True)
class Behaviour:
    """A behaviour: states, transitions and gestures. The first state is the initial one.

    Raises:
        BehaviourError: there is no state, a state has no name or that of another, or a transition, gesture or
            clip cannot be used (see their `check`).
    """

    states: tuple[StateSpec, ...]
    transitions: tuple[TransitionSpec, ...] = ()
    gestures: tuple[Gesture, ...] = field(default=())
    clips: tuple[StateClip, ...] = field(default=())  # clips that play during states

    def __post_init__(self) -> None:
        names = [state.name for state in self.states]
        if not names or "" in names:
            raise BehaviourError("a behaviour needs states, each with a name")
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise BehaviourError(f"there are two states '{twice}': rename one")
        for transition in self.transitions:
            transition.check(names)
        for gesture in self.gestures:
            gesture.check()
        for clip in self.clips:
            clip.check(names)

    def state(self, name: str) -> StateSpec:
        """The state of a name; KeyError if there is none."""
        return self._states[name]

    @cached_property
    def _states(self) -> dict[str, StateSpec]:
        return {state.name: state for state in self.states}

    def gesture(self, name: str) -> Gesture:
        """The gesture of a name; KeyError if there is none."""
        return self._gestures[name]

    @cached_property
    def _gestures(self) -> dict[str, Gesture]:
        return {gesture.name: gesture for gesture in self.gestures}

    def leaving(self, state: str) -> tuple[tuple[int, TransitionSpec], ...]:
        """The transitions that lead from a state to another one, with their indices: those from the state
        itself before those from any.
        """
        return self._leaving[state]

    @cached_property
    def _leaving(self) -> dict[str, tuple[tuple[int, TransitionSpec], ...]]:
        numbered = tuple(enumerate(self.transitions))
        from_any = [pair for pair in numbered if pair[1].begin == ANY]
        return {
            name: (
                *(pair for pair in numbered if pair[1].begin == name),
                *(pair for pair in from_any if pair[1].end != name),
            )
            for name in self._states
        }

    def clip(self, state: str, chain: str) -> StateClip | None:
        """The clip of a chain in a state, the first if there are several; None if there is none."""
        return self._clip_of.get((state, chain))

    @cached_property
    def _clip_of(self) -> dict[tuple[str, str], StateClip]:
        return {(clip.state, clip.chain): clip for clip in reversed(self.clips)}

    def clip_seconds(self, state: str) -> float:
        """Duration [s] of playing a state's longest clip once; 0 if the state has no clip."""
        return max((clip.seconds for clip in self.clips if clip.state == state), default=0.0)

    @property
    def events(self) -> tuple[str, ...]:
        """Names of the events that trigger transitions or gestures."""
        names = [transition.name for transition in self.transitions if transition.cause == "event"]
        return tuple(dict.fromkeys([*names, *(gesture.event for gesture in self.gestures)]))
