"""Built-in behaviours for any character; their states use stored postures of matching names."""

from collections.abc import Iterable

from .data import ANY, Behaviour, ChainRole, StateSpec, TransitionSpec

# [s] time for which the gaze stays where a person was last seen, before the search; twice as long if calm
LOST_FOR = 0.5
SEARCH_FOR = 2.0  # [s] duration of a search, after which it is abandoned
NOTICE_FOR = 0.6  # [s] time from the first sight of a person to attention
WAKE_FOR = 1.5  # [s] duration of waking up
# [s] time with nobody in view after which the next person in view wakes a sleeping character
GONE_FOR = LOST_FOR + SEARCH_FOR
EXPECT_FOR = 10.0  # [s] time for which an announced person can stay unseen before the search begins
# [s] time alone until the character dozes, and time dozing until it sleeps
DOZE_AFTER, SLEEP_AFTER = 300.0, 600.0
# state -> (influence of the gaze, factor of idle motion, duration [s] of the transition to it)
ATTENTIVE = {
    "Idle": (0.5, 1.0, 1.2),
    "Asleep": (0.0, 0.4, 2.0),
    "Waking": (0.2, 0.6, 1.2),
    "Noticing": (0.9, 0.3, 0.4),
    "Attending": (1.0, 0.7, 0.6),
    "Listening": (1.0, 0.4, 0.5),
    "Speaking": (1.0, 1.0, 0.5),
    "Thinking": (0.4, 0.8, 0.5),
    "Searching": (0.7, 0.6, 0.5),
    "Dozing": (0.1, 0.5, 2.5),
}
# state -> (factor of blinks, factor of looks away, closure of the lids); by default 1, 1 and 0
EYES = {
    "Asleep": (0.0, 0.0, 1.0),
    "Waking": (1.0, 0.0, 0.3),
    "Noticing": (1.0, 0.0, 0.0),
    "Attending": (1.5, 1.0, 0.0),
    "Listening": (1.3, 0.0, 0.0),
    "Speaking": (1.5, 1.0, 0.0),
    "Searching": (1.0, 0.0, 0.0),
    "Dozing": (0.5, 0.0, 0.6),
}
SPEAKS = "Speaking"
CALM = {name: ATTENTIVE[name] for name in ("Idle", "Attending", "Searching", "Asleep")}


def attentive(postures: Iterable[str]) -> Behaviour:
    """A behaviour with the states asleep, waking, idle, noticing, attending, listening, speaking, thinking,
    searching and dozing.

    Args:
        postures: Names of the character's stored postures; a state uses the posture of its own name, in any
            letter case.
    """
    present = ("Noticing", "Attending", "Listening", "Speaking", "Thinking")
    transitions = [
        *(TransitionSpec(begin, "Noticing", "seen") for begin in ("Idle", "Dozing", "Searching")),
        *(
            TransitionSpec(begin, "Noticing", "event", "arrive")
            for begin in ("Idle", "Dozing", "Searching", "Waking")
        ),
        TransitionSpec("Noticing", "Attending", "after", least=NOTICE_FOR),
        *(TransitionSpec("Attending", end, "event", name) for name, end in EVENTS.items()),
        *(
            TransitionSpec(begin, end, "event", name)
            for begin in EVENTS.values()
            for name, end in {**EVENTS, "attend": "Attending"}.items()
            if begin != end
        ),
        TransitionSpec("Speaking", "Attending", "event", "spoken"),
        *(TransitionSpec(begin, "Searching", "event", "leave") for begin in present),
        *(
            # Noticing ends by itself after NOTICE_FOR; if the person is lost meanwhile, the search begins
            # from Attending
            TransitionSpec(begin, "Searching", "lost", least=LOST_FOR)
            for begin in present
            if begin != "Noticing"
        ),
        *(
            # an event can announce a person whom the tracker never sees
            TransitionSpec(begin, "Searching", "unseen", least=EXPECT_FOR)
            for begin in present
            if begin != "Noticing"
        ),
        TransitionSpec("Searching", "Idle", "after", least=SEARCH_FOR),
        TransitionSpec("Idle", "Dozing", "after", least=DOZE_AFTER),
        TransitionSpec("Dozing", "Asleep", "after", least=SLEEP_AFTER),
        TransitionSpec("Asleep", "Waking", "event", "wake"),
        TransitionSpec("Asleep", "Waking", "event", "arrive"),
        # "arrived", not "seen": a person who stays in view must not wake a character that was sent to sleep
        TransitionSpec("Asleep", "Waking", "arrived", least=GONE_FOR),
        TransitionSpec("Waking", "Idle", "after", least=WAKE_FOR),
        TransitionSpec(ANY, "Asleep", "event", "sleep"),
    ]
    return Behaviour(_states(ATTENTIVE, postures), tuple(transitions))


# event -> state that it begins while a person is present
EVENTS = {"listen": "Listening", "speak": "Speaking", "think": "Thinking"}


def calm(postures: Iterable[str]) -> Behaviour:
    """A behaviour with only the states idle, attending, searching and asleep; argument as for `attentive`."""
    transitions = (
        TransitionSpec("Idle", "Attending", "seen", least=1.0),
        TransitionSpec("Idle", "Attending", "event", "arrive"),
        TransitionSpec("Attending", "Searching", "event", "leave"),
        TransitionSpec("Attending", "Searching", "lost", least=2.0 * LOST_FOR),
        TransitionSpec("Attending", "Searching", "unseen", least=EXPECT_FOR),
        TransitionSpec("Searching", "Attending", "seen"),
        TransitionSpec("Searching", "Attending", "event", "arrive"),
        TransitionSpec("Searching", "Idle", "after", least=SEARCH_FOR),
        TransitionSpec(ANY, "Asleep", "event", "sleep"),
        TransitionSpec("Asleep", "Idle", "event", "wake"),
        TransitionSpec("Asleep", "Idle", "arrived", least=GONE_FOR),
    )
    return Behaviour(_states(CALM, postures), transitions)


READY = {"ATTENTIVE": attentive, "CALM": calm}


def _states(table: dict[str, tuple[float, float, float]], postures: Iterable[str]) -> tuple[StateSpec, ...]:
    by_name = {posture.casefold(): posture for posture in postures}
    states = []
    for name, (influence, life, seconds) in table.items():
        posture = by_name.get(name.casefold())
        weights = ((posture, 1.0),) if posture is not None else None
        role = ChainRole(weights, None, influence, None, life, *EYES.get(name, ()))
        states.append(StateSpec(name, everyone=role, seconds=seconds, speaks=name == SPEAKS))
    return tuple(states)
