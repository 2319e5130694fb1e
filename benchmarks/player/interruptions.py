"""Plays a character with interruptions at random moments, and checks limits and aim."""

import random

import numpy as np
from limber.character.file.contents import CharacterFile
from limber.player.playing import play
from limber.player.script import Event, Script, TargetPath

from .ticks import RATE

OFF = np.radians(0.1)  # [rad] aim error above which the aim counts as missed
ROUNDING = 1e-9  # relative tolerance


def interrupted(character: CharacterFile, count: int) -> dict[str, float]:
    """Plays events, targets, influence, postures and states at random moments; returns the number of exceeded
    limits, the number of frames, and the share of frames with a missed aim.
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
    step = np.diff(out["commanded"], axis=0) * RATE
    exceeded = (np.abs(step) > out["velocity"] * (1.0 + ROUNDING)).sum() + (
        (out["commanded"] < out["lower"] - 1e-12) | (out["commanded"] > out["upper"] + 1e-12)
    ).sum()
    off = out["aim_error_desired"][:, 0] > OFF
    return {"limits exceeded": float(exceeded), "frames": float(len(off)), "aim off": float(off.mean())}


def _event(source: random.Random, character: CharacterFile, at: float, targets: list[str]) -> Event:
    chain = character.chains[0]
    kinds = ["target", "share"]
    kinds += ["posture", "weight"] if chain.postures else []
    kinds += ["event", "state"] if character.behaviour is not None else []
    kind = source.choice(kinds)
    if kind == "target":
        return Event(at, target=(chain.name, source.choice(targets)))
    if kind == "event":
        return Event(at, event=source.choice(character.behaviour.events))
    if kind == "state":
        return Event(at, state=source.choice(character.behaviour.states).name)
    if kind == "share":
        return Event(at, values=((f"influence/{chain.name}", 1.0),))
    posture = source.choice(chain.postures).name
    if kind == "posture":
        return Event(at, values=((f"posture/{chain.name}", posture),))
    return Event(at, values=((f"weight/{chain.name}/{posture}", source.random()),))
