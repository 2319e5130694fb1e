"""Plays a character with interruptions at random moments, and checks limits and aim."""

import random

import numpy as np
from limber.character.file.contents import CharacterFile
from limber.player.paths import path_of
from limber.player.playing import play
from limber.player.script import Event, Script, TargetPath

from .ticks import RATE

OFF = np.radians(0.1)  # [rad] aim error above which the aim counts as missed
ROUNDING = 1e-9  # relative tolerance
FARTHER = 1e-12  # [rad, m] distance beyond a joint's range that counts as rounding
SETTLING = 0.5  # [s] time after an event in which the aim may have an error

Recording = dict[str, np.ndarray]


def interrupted(character: CharacterFile, count: int) -> dict[str, float]:
    """Plays a character with `count` events, gestures, and changes of target, influence, postures and state,
    at random moments. Returns figures by name: on limits, as from `_exceeded`, and numbers and shares of
    ticks with a missed aim, among those in which full influence is requested.
    """
    source = random.Random(5)
    seconds = 0.6 * count
    chain = character.chains[0]
    names = [target.name for target in character.targets]
    reach = chain.skeleton.reach
    centre = np.array(character.targets[0].anchor.frame.at(0.0))[:3, 3]
    times = np.arange(0.0, seconds, 2.0)
    paths = {
        name: TargetPath(
            times, np.array([[c + source.uniform(-1, 1) * reach for c in centre] for _ in times]), None
        )
        for name in [*names[:1], "Visitor"]
    }
    events = sorted(
        (_event(source, character, source.uniform(0.0, seconds), list(paths)) for _ in range(count)),
        key=lambda event: event.at,
    )
    out = play(character, Script(seconds, RATE, 7, tuple(paths.items()), tuple(events)))
    off = out["aim_error_desired"][:, 0] > OFF
    is_looking = _influence(character, events, out) == 1.0
    is_settled = is_looking & _is_settled(events, out)
    return {
        **_exceeded(out),
        "gestures": _gestures(character, events),
        "frames": float(len(off)),
        "of them with full influence": float(is_looking.sum()),
        "of these aim off": float(off[is_looking].mean()),
        "of these over .5 s after an event": float(is_settled.sum()),
        "of these aim off, too": float(off[is_settled].mean()),
    }


def _exceeded(out: Recording) -> dict[str, float]:
    """Numbers of the commanded values that exceed limits, and the largest rates as shares of their limits.

    A finite difference of a motion is a mean of the rate over its ticks, so a motion within the limits has
    all differences within them.
    """
    values, counts = out["commanded"], {}
    outside = (values < out["lower"] - FARTHER) | (values > out["upper"] + FARTHER)
    counts["outside the range"] = float(outside.sum())
    for order, name in enumerate(("velocity", "acceleration", "jerk"), 1):
        shares = np.abs(np.diff(values, order, axis=0)) * RATE**order / out[name]
        # rounding errors of the values; a difference of each higher order can double them
        allowed = (
            1.0
            + ROUNDING
            + 2.0**order * np.finfo(float).eps * np.abs(values).max() * RATE**order / (out[name])
        )
        counts[f"{name} exceeded"] = float((shares > allowed).sum())
        counts[f"largest {name} as a share of its limit"] = float(shares.max())
    return counts


def _influence(character: CharacterFile, events: list[Event], out: Recording) -> np.ndarray:
    """Influence (t,) that is requested of the first chain in each tick: that of the present state, which a
    value set by an event replaces until the next state; in states without one, the last value that was set,
    else 1.
    """
    chain = character.chains[0].name
    path = path_of("influence", chain)
    clip = set_by_hand = None
    coming, rows, state = list(events), [], ""
    for time, name in zip(out["time"].tolist(), out["state"].tolist(), strict=True):
        while coming and coming[0].at <= time:
            event = coming.pop(0)
            set_by_hand = None if event.state else set_by_hand
            if path in dict(event.values):
                clip = set_by_hand = float(dict(event.values)[path])
        if name != state:
            state, set_by_hand = name, None
        role = character.behaviour.state(name).role(chain).influence if character.behaviour else None
        requested = clip if role is None else role if set_by_hand is None else set_by_hand
        rows.append(1.0 if requested is None else requested)
    return np.array(rows)


def _is_settled(events: list[Event], out: Recording) -> np.ndarray:
    """Whether (t,) the last event, and the last change of the state, are over `SETTLING` ago."""
    changes = [0, *(np.flatnonzero(out["state"][1:] != out["state"][:-1]) + 1)]
    moments = np.sort([*(event.at for event in events), *out["time"][changes]])
    last = moments[np.maximum(np.searchsorted(moments, out["time"], "right") - 1, 0)]
    return out["time"] - last > SETTLING


def _gestures(character: CharacterFile, events: list[Event]) -> float:
    """Number of events that begin a gesture."""
    gestures = character.behaviour.gestures if character.behaviour is not None else ()
    return float(sum(event.event in {gesture.event for gesture in gestures} for event in events))


def _event(source: random.Random, character: CharacterFile, at: float, targets: list[str]) -> Event:
    chain = character.chains[0]
    kinds = ["target", "influence", "full influence"]
    kinds += ["posture", "weight"] if chain.postures else []
    kinds += ["event", "state"] if character.behaviour is not None else []
    kinds += ["gesture"] if character.behaviour is not None and character.behaviour.gestures else []
    kind = source.choice(kinds)
    if kind == "target":
        return Event(at, target=(chain.name, source.choice(targets)))
    if kind == "event":
        return Event(at, event=source.choice(character.behaviour.events))
    if kind == "state":
        return Event(at, state=source.choice(character.behaviour.states).name)
    if kind == "gesture":
        return Event(at, event=source.choice(character.behaviour.gestures).event)
    if kind.endswith("influence"):
        influence = 1.0 if kind == "full influence" else source.random()
        return Event(at, values=((path_of("influence", chain.name), influence),))
    posture = source.choice(chain.postures).name
    if kind == "posture":
        return Event(at, values=((path_of("posture", chain.name), posture),))
    return Event(at, values=((path_of("weight", chain.name, posture), source.random()),))
