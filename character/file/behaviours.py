"""A behaviour as JSON: writing and reading."""

from math import inf
from typing import Any

from ...files.json_fields import JsonFields
from ..behaviour.data import (
    CAUSES,
    Behaviour,
    BehaviourError,
    ChainRole,
    Gesture,
    StateClip,
    StateSpec,
    TransitionSpec,
)
from .errors import CharacterFileError
from .tracks import ArrayReader, ArrayWriter

LONGEST = 1e9  # largest duration [s], distance [m] or rate [rows/s] in a file; larger ones are refused
MOST_FACTOR = 10.0  # largest factor of the frequency of blinks in a file; a larger one is refused


def behaviour_json(behaviour: Behaviour, arrays: ArrayWriter) -> dict[str, Any]:
    """A behaviour as JSON; the rows of its gestures and clips go to `arrays`."""
    return {
        "states": [
            {
                "name": state.name,
                "seconds": state.seconds,
                "speaks": state.speaks,
                "everyone": _role_json(state.everyone),
                "roles": {chain: _role_json(role) for chain, role in state.roles},
            }
            for state in behaviour.states
        ],
        "transitions": [
            {
                "begin": transition.begin,
                "end": transition.end,
                "cause": transition.cause,
                "name": transition.name,
                "least": transition.least,
                "most": None if transition.most == inf else transition.most,
            }
            for transition in behaviour.transitions
        ],
        "gestures": [
            {
                "name": gesture.name,
                "chain": gesture.chain,
                "event": gesture.event,
                "rows": arrays.put(gesture.rows),
                "rate": gesture.rate,
                "is_added": gesture.is_added,
                "fade": gesture.fade,
            }
            for gesture in behaviour.gestures
        ],
        "clips": [
            {
                "state": clip.state,
                "chain": clip.chain,
                "rows": arrays.put(clip.rows),
                "rate": clip.rate,
                "loops": clip.loops,
            }
            for clip in behaviour.clips
        ],
    }


def _role_json(role: ChainRole) -> dict[str, Any]:
    weights = None if role.weights is None else dict(role.weights)
    return {**role._asdict(), "weights": weights}


def behaviour_of(plain: JsonFields, arrays: ArrayReader, counts: dict[str, int]) -> Behaviour:
    """Reads a behaviour that `behaviour_json` has written; `counts`: number of joints of each chain. Raises
    CharacterFileError if the behaviour cannot be used.
    """
    gestures = tuple(_gesture(gesture, arrays, counts) for gesture in plain.children("gestures", "gesture"))
    clips = (
        tuple(_clip(clip, arrays, counts) for clip in plain.children("clips", "clip"))
        if plain.has("clips")
        else ()
    )
    try:
        return Behaviour(
            tuple(map(_state, plain.children("states", "state", "name"))),
            tuple(map(_transition, plain.children("transitions", "transition"))),
            gestures,
            clips,
        )
    except BehaviourError as error:
        raise CharacterFileError(f"the behaviour cannot be used: {error}") from error


def _state(plain: JsonFields) -> StateSpec:
    roles = plain.child("roles").members("chain")
    return StateSpec(
        plain.get("name", str),
        tuple((chain, _role(role)) for chain, role in roles),
        _role(plain.child("everyone")),
        _number(plain, "seconds", LONGEST),
        plain.get("speaks", bool) if plain.has("speaks") else False,
    )


def _role(plain: JsonFields) -> ChainRole:
    weights = None
    if plain.is_given("weights"):
        stored = plain.child("weights")
        weights = tuple((name, _number(stored, name, 1.0)) for name in plain.get("weights", dict))
    return ChainRole(
        weights,
        plain.get("target", str) if plain.is_given("target") else None,
        _number(plain, "influence", 1.0) if plain.is_given("influence") else None,
        _number(plain, "share", 1.0) if plain.is_given("share") else None,
        _number(plain, "life", 1.0) if plain.is_given("life") else None,
        _number(plain, "blinks", MOST_FACTOR) if plain.is_given("blinks") else None,
        _number(plain, "aversion", 1.0) if plain.is_given("aversion") else None,
        _number(plain, "lids", 1.0) if plain.is_given("lids") else None,
    )


def _number(plain: JsonFields, name: str, most: float) -> float:
    number = plain.number(name, most)
    if number < 0.0:
        plain.wrong(name, f"a number from 0 to {most:g}")
    return number


def _transition(plain: JsonFields) -> TransitionSpec:
    return TransitionSpec(
        plain.get("begin", str),
        plain.get("end", str),
        plain.choice("cause", CAUSES),
        plain.get("name", str),
        plain.number("least", LONGEST),
        plain.number("most", LONGEST) if plain.is_given("most") else inf,
    )


def _gesture(plain: JsonFields, arrays: ArrayReader, counts: dict[str, int]) -> Gesture:
    chain = plain.choice("chain", tuple(counts))
    return Gesture(
        plain.get("name", str),
        chain,
        plain.get("event", str),
        arrays.get(plain, "rows", (-1, counts[chain]), may_lack=True),
        plain.number("rate", LONGEST),
        plain.get("is_added", bool),
        plain.number("fade", LONGEST),
    )


def _clip(plain: JsonFields, arrays: ArrayReader, counts: dict[str, int]) -> StateClip:
    chain = plain.choice("chain", tuple(counts))
    return StateClip(
        plain.get("state", str),
        chain,
        arrays.get(plain, "rows", (-1, counts[chain]), may_lack=True),
        plain.number("rate", LONGEST),
        plain.get("loops", bool),
    )
