"""Decisions of a behaviour from tick to tick: its state, and the gestures that play. Pure functions.

Every decision is a value with its cause and its random draw, so that a log explains it. The same seed and the
same events give the same decisions.
"""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from ..draws import between, draws
from .data import Behaviour, TransitionSpec

# largest number of fading copies of a gesture that is triggered repeatedly; the oldest end at once
MOST_FADING = 8
# largest number of transitions without an event in one tick; more are probably a cycle of states that takes
# no time, and continue in the next tick
MOST_CHANGES = 4


class Senses(NamedTuple):
    """What a character perceives.

    Attributes:
        distance: Distance [m] of the nearest person; None if nobody is seen.
    """

    distance: float | None = None


class Presence(NamedTuple):
    """Whether a person is seen, the time [s] since this last changed, and how long [s] the opposite lasted
    before; both are infinite until a tracker reports a change.
    """

    is_seen: bool = False
    seconds: float = inf
    before: float = inf

    def later(self, is_seen: bool, dt: float) -> "Presence":
        """Presence `dt` [s] later, given whether a person is seen."""
        if is_seen == self.is_seen:
            return self._replace(seconds=self.seconds + dt)
        return Presence(is_seen, dt, self.seconds)


class PlayingGesture(NamedTuple):
    """A gesture that plays: its name, the time [s] since it began, and the time [s] after its beginning at
    which it is cut off.
    """

    name: str
    seconds: float
    end: float = inf


class Decision(NamedTuple):
    """A decision: a change of state, or the begin of a gesture.

    Attributes:
        time: Time [s] since the start.
        before, state: Names of the states before and after the decision.
        cause: Its cause.
        gesture: Name of the gesture that begins; "" for a change of state.
        draw: Randomly drawn waiting time [s] that led to it; None if no draw was involved.
    """

    time: float
    before: str
    state: str
    cause: str
    gesture: str = ""
    draw: float | None = None


class BehaviourState(NamedTuple):
    """State of a behaviour, passed on to the next tick.

    Attributes:
        name: Name of the behaviour's state.
        time: Time [s] since the start.
        seconds: Time [s] in the state.
        announced: Time [s] since an event or a user last changed the state; infinite if never.
        presence: Whether a person is seen.
        visits: Number of states entered so far, including this one; it numbers the random draws.
        gestures: The gestures that play.
    """

    name: str
    time: float = 0.0
    seconds: float = 0.0
    announced: float = inf
    presence: Presence = Presence()
    visits: int = 1
    gestures: tuple[PlayingGesture, ...] = ()


def begin(behaviour: Behaviour) -> BehaviourState:
    """The initial state of a behaviour."""
    return BehaviourState(behaviour.states[0].name)


def decide(
    behaviour: Behaviour,
    state: BehaviourState,
    dt: float,
    seed: int,
    events: Sequence[str] = (),
    senses: Senses | None = None,
) -> tuple[BehaviourState, tuple[Decision, ...]]:
    """The behaviour's state `dt` [s] later, and the decisions made in this time step: those of the events in
    order, then up to `MOST_CHANGES` by time and perception.

    Args:
        behaviour: The behaviour.
        state: State returned by `begin` or the last call.
        dt: Time step [s].
        seed: Seed of random draws.
        events: Names of the events since the last call, in order.
        senses: Current perception; None if there is no tracker, so that nobody is seen or lost.
    """
    state = _passed(behaviour, state, dt, senses)
    decisions: list[Decision] = []
    for event in events:
        state = _gestured(behaviour, state, event, decisions)
        state = _changed(behaviour, state, seed, senses, event, decisions)
    for _ in range(MOST_CHANGES):
        before = state
        state = _changed(behaviour, state, seed, senses, None, decisions)
        if state is before:
            break
    return state, tuple(decisions)


def enter(state: BehaviourState, name: str, cause: str) -> tuple[BehaviourState, Decision]:
    """The state just after entering `name`, and the decision with its `cause`."""
    entered = state._replace(name=name, seconds=0.0, announced=0.0, visits=state.visits + 1)
    return entered, Decision(state.time, state.name, name, cause)


def _passed(behaviour: Behaviour, state: BehaviourState, dt: float, senses: Senses | None) -> BehaviourState:
    """The state `dt` [s] later: its times and the presence of a person go on, and gestures that have ended
    are left out.
    """
    presence = state.presence
    if senses is not None:
        presence = presence.later(senses.distance is not None, dt)
    playing = [each._replace(seconds=each.seconds + dt) for each in state.gestures]
    return state._replace(
        time=state.time + dt,
        seconds=state.seconds + dt,
        announced=state.announced + dt,
        presence=presence,
        gestures=tuple(
            [each for each in playing if each.seconds <= min(behaviour.gesture(each.name).seconds, each.end)]
        ),
    )


def _gestured(
    behaviour: Behaviour, state: BehaviourState, event: str, decisions: list[Decision]
) -> BehaviourState:
    """The state with the gestures that an event triggers, which are added to `decisions`. If one of them is
    playing already, that earlier run fades out meanwhile.
    """
    for gesture in behaviour.gestures:
        if gesture.event == event:
            unrelated = [each for each in state.gestures if each.name != gesture.name]
            fading = [
                each._replace(end=min(each.end, each.seconds + gesture.fade))
                for each in state.gestures
                if each.name == gesture.name
            ]
            playing = (*unrelated, *fading[-MOST_FADING:], PlayingGesture(gesture.name, 0.0))
            state = state._replace(gestures=playing)
            decisions.append(Decision(state.time, state.name, state.name, f"event {event}", gesture.name))
    return state


def _changed(
    behaviour: Behaviour,
    state: BehaviourState,
    seed: int,
    senses: Senses | None,
    event: str | None,
    decisions: list[Decision],
) -> BehaviourState:
    """The state after the first transition that applies, which is added to `decisions`; the same state if
    none does. Transitions from the current state precede those from any state.

    Args:
        event: The event for which transitions are tried; None: transitions by time and perception.
        behaviour, state, seed, senses, decisions: As in `decide`.
    """
    for index, transition in behaviour.leaving(state.name):
        # time and perception cause one decision in each step, after the step's events
        if (transition.cause == "event") != (event is not None):
            continue
        draw = _draw(transition, index, state, seed)
        if not _applies(behaviour, transition, state, senses, event, draw):
            continue
        words = f"event {event}" if transition.cause == "event" else transition.cause
        entered, decision = enter(state, transition.end, words)
        if transition.cause != "event":
            entered = entered._replace(announced=state.announced)
        decisions.append(decision._replace(draw=draw))
        return entered
    return state


def _draw(transition: TransitionSpec, index: int, state: BehaviourState, seed: int) -> float | None:
    """Time [s] in the state after which a random transition is due; None for other transitions. The time is
    drawn anew at each visit, by `seed` and the transition's `index`.
    """
    if transition.cause != "random":
        return None
    return between(transition.least, transition.most, draws(seed, str(index), state.visits)[0])


def _applies(
    behaviour: Behaviour,
    transition: TransitionSpec,
    state: BehaviourState,
    senses: Senses | None,
    event: str | None,
    draw: float | None,
) -> bool:
    """Whether a transition's cause is given: by `event` if its cause is one, else by time and perception;
    `draw` as from `_draw`.
    """
    cause, least = transition.cause, transition.least
    if cause == "event":
        return transition.name == event
    if draw is not None:
        return state.seconds >= draw
    if cause == "after":
        return state.seconds >= least
    # a state without a clip has clip length 0, and never ends by itself
    if cause == "ended":
        return state.seconds >= behaviour.clip_seconds(state.name) > 0.0
    if senses is None:
        return False
    if cause in PRESENCE:
        return _presence_applies(transition, state)
    if senses.distance is None:
        return False
    return senses.distance < least if cause == "nearer" else senses.distance > least


PRESENCE = ("seen", "unseen", "arrived", "lost")


def _presence_applies(transition: TransitionSpec, state: BehaviourState) -> bool:
    """Whether the condition of a transition that depends on a person's presence is met."""
    cause, least, presence = transition.cause, transition.least, state.presence
    if presence.is_seen != (cause in ("seen", "arrived")) or presence.seconds == 0.0:
        return False
    if cause == "arrived":
        return presence.seconds <= state.seconds and presence.before >= least
    if cause == "unseen":
        return min(presence.seconds, state.seconds) >= least
    if cause == "lost" and not (presence.seconds <= state.announced and presence.seconds < inf):
        return False
    return presence.seconds >= least
