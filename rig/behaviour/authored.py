"""A scene's behaviour as the engine's data, and findings about its unusable parts."""

from collections.abc import Iterable, Iterator, Sequence
from math import inf, nan
from typing import NamedTuple

import bpy
import numpy as np

from ...character.behaviour.data import (
    ANY,
    Behaviour,
    BehaviourError,
    ChainRole,
    Gesture,
    StateClip,
    StateSpec,
    TransitionSpec,
)
from ..blender.errors import Finding, RigError
from ..chains import kept_posture
from ..scene.dependencies import ChainTarget
from ..scene.goal import watchable_by
from . import choices
from .clip_rows import clip_rows


class CastChain(NamedTuple):
    """A chain that takes part in the behaviour: its name there, its armature, and its settings."""

    name: str
    owner: object
    chain: object


def cast_of(pairs: Sequence[tuple]) -> list[CastChain]:
    """Chains from (armature, chain) pairs, with their names in a behaviour and in a character file. Chains of
    equal names get their armature's name as a prefix.
    """
    names = [chain.name for _, chain in pairs]
    return [
        CastChain(chain.name if names.count(chain.name) == 1 else f"{owner.name}/{chain.name}", owner, chain)
        for owner, chain in pairs
    ]


def behaviour(scene: bpy.types.Scene, cast: Sequence[CastChain]) -> Behaviour | None:
    """The scene's behaviour without its unusable parts (see `findings`); None if it has no state.

    Args:
        scene: The scene.
        cast: The chains that take part.

    Raises:
        RigError: the behaviour cannot be used.
    """
    settings = scene.limber_behaviour
    if not settings.states:
        return None
    choices_of = [ChainChoices.of(member) for member in cast]
    states = tuple(_state(state, choices_of) for state in settings.states)
    known = {state.name for state in states}
    try:
        return Behaviour(
            states,
            tuple(_transition(item) for item in settings.transitions if not _fault(item, known)),
            tuple(
                gesture for item in settings.gestures if (gesture := _gesture(item, cast, scene)) is not None
            ),
            tuple(clip for state in settings.states for clip in _clips(state, cast, scene)),
        )
    except BehaviourError as error:
        raise RigError(f"The behaviour cannot be used: {error}") from error


class ChainChoices(NamedTuple):
    """What a state can choose for a chain: its stored postures (action -> name), and its targets."""

    cast: CastChain
    postures: dict[bpy.types.Action | None, str]
    targets: list[ChainTarget]

    @classmethod
    def of(cls, cast: CastChain) -> "ChainChoices":
        chain = cast.chain
        actions = (posture.action for posture in chain.postures)
        names = dict(zip(actions, kept_posture.names(chain), strict=True))
        return cls(cast, names, watchable_by(chain))


def _state(state: bpy.types.PropertyGroup, chains: Sequence[ChainChoices]) -> StateSpec:
    """The engine's data of a state, with the role of each chain in it."""
    own_roles = {(role.owner, role.uid): role for role in state.chains if role.owner is not None}
    roles = tuple(
        (chain.cast.name, _role(own_roles.get((chain.cast.owner, chain.cast.chain.uid), state), state, chain))
        for chain in chains
    )
    return StateSpec(state.name, roles, _everyone(state), state.seconds, state.speaks)


def _everyone(role: bpy.types.PropertyGroup) -> ChainRole:
    """The role of chains that are not in the scene, from the settings for all chains."""
    return ChainRole(
        influence=role.influence if role.sets_influence else None,
        share=role.share if role.sets_share else None,
        life=role.life,
        blinks=role.blinks,
        aversion=role.aversion,
        lids=role.lids,
    )


def _role(role: bpy.types.PropertyGroup, state: bpy.types.PropertyGroup, chain: ChainChoices) -> ChainRole:
    """The role of a chain in a state (what it looks at, and how), from its settings."""
    weights = tuple(
        (chain.postures[posture.action], posture.weight)
        for posture in state.postures
        if posture.action is not None and posture.action in chain.postures
    )
    target = _looked_at(role, chain.targets)
    return _everyone(role)._replace(weights=weights or None, target=target.name if target else None)


def _looked_at(role: bpy.types.PropertyGroup, targets: Iterable[ChainTarget]) -> ChainTarget | None:
    """Target in `targets` that a role looks at; if the role names no bone, the object itself, or else the
    first target that is a bone of the object. None if the role looks at none of the targets.
    """
    at = [target for target in targets if target.obj == role.look_at]
    bone = role.look_at_bone if at and role.look_at.type == "ARMATURE" else ""
    exact = [target for target in at if target.bone == bone]
    return next(iter(exact or ([] if bone else at)), None)


def _transition(transition: bpy.types.PropertyGroup) -> TransitionSpec:
    """The engine's data of a transition."""
    cause = transition.cause
    least = {"nearer": transition.distance, "farther": transition.distance, "event": 0.0}.get(
        cause, transition.seconds
    )
    return TransitionSpec(
        ANY if transition.begins_anywhere else transition.begin,
        transition.end,
        cause,
        transition.event if cause == "event" else "",
        least,
        transition.longest if cause == "random" else inf,
    )


def _clips(
    state: bpy.types.PropertyGroup, cast: Sequence[CastChain], scene: bpy.types.Scene
) -> Iterator[StateClip]:
    """The clips of a state, one for each chain whose joints its action moves."""
    if state.clip is None:
        return
    for member in cast:
        if (rows := clip_rows(state.clip, member.owner, member.chain)) is not None:
            yield StateClip(state.name, member.name, rows.values, _rate(scene), state.loops)


def _rate(scene: bpy.types.Scene) -> float:
    """Frame rate of the scene [frames/s]."""
    return scene.render.fps / scene.render.fps_base


def _gesture(
    gesture: bpy.types.PropertyGroup, cast: Sequence[CastChain], scene: bpy.types.Scene
) -> Gesture | None:
    """The engine's data of a gesture, from its settings in the scene; None if it cannot be used."""
    performer = next(
        (member for member in cast if member.owner == gesture.owner and member.chain.uid == gesture.uid), None
    )
    if performer is None or gesture.action is None or not gesture.event:
        return None
    rows = clip_rows(gesture.action, performer.owner, performer.chain)
    if rows is None:
        return None
    # an added gesture starts without a jump, since its values count from its first frame
    is_added = gesture.mode == "ADD"
    left_alone = {joint.name for joint in gesture.left_alone}
    values = np.where([label in left_alone for label in rows.labels], nan, rows.values)
    return Gesture(
        gesture.name,
        performer.name,
        gesture.event,
        values - values[0] if is_added else values,
        _rate(scene),
        is_added,
        gesture.fade,
    )


def findings(scene: bpy.types.Scene) -> list[Finding]:
    """Unusable parts of the scene's behaviour, with the remedies; first those that are left out of it."""
    return sorted(_findings(scene.limber_behaviour), key=lambda finding: not finding.blocks)


def _findings(settings: bpy.types.PropertyGroup) -> Iterator[Finding]:
    known = {state.name for state in settings.states}
    for state in settings.states:
        yield from map(Finding, _of_state(state))
    for transition in settings.transitions:
        if why := _fault(transition, known):
            yield Finding(why, True)
        elif transition.cause == "ended":
            yield from map(Finding, _without_clip(settings, transition))
    for gesture in settings.gestures:
        if why := _of_gesture(gesture):
            yield Finding(why, True)
    yield from map(Finding, _unreached(settings))


def _of_state(state: bpy.types.PropertyGroup) -> Iterator[str]:
    """Sentences on the parts of a state that do not exist any more, or have no effect."""
    for posture in state.postures:
        if posture.action is None:
            yield f"State '{state.name}' keeps a posture that was deleted: choose another, or remove it"
        # an action remains in the file when it is removed from a chain's postures
        elif not choices.is_posture(posture.action):
            yield (
                f"State '{state.name}' keeps '{posture.action.name}', which no chain has among its postures:"
                " choose another, or store it again"
            )
    if state.clip is not None and not any(
        clip_rows(state.clip, owner, chain) is not None for owner, chain in choices.chains()
    ):
        yield (
            f"State '{state.name}' plays '{state.clip.name}', which moves no joint of a chain over two frames or"
            " more: choose another action"
        )
    for role in state.chains:
        if choices.chain_of(role) is None:
            yield f"State '{state.name}' names a chain that was removed: choose another, or remove the line"
    for role in (state, *state.chains):
        if role.look_at is not None and _looked_at(role, choices.watchable()) is None:
            name = f"{role.look_at.name}/{role.look_at_bone}" if role.look_at_bone else role.look_at.name
            yield (
                f"State '{state.name}' looks at '{name}', which no chain's own end has as target: choose"
                " another, or add it to a chain under Attention"
            )


def _fault(transition: bpy.types.PropertyGroup, known: set[str]) -> str:
    """Why a transition cannot be used among states of these names, with the remedy; "" if it can be."""
    begin = "any state" if transition.begins_anywhere else f"'{transition.begin}'"
    label = f"The transition from {begin} to '{transition.end}'"
    ends = [] if transition.begins_anywhere else [transition.begin]
    for name in (*ends, transition.end):
        if name not in known:
            fault = f"names state '{name}', which is not there" if name else "has no state at one end"
            return f"{label} {fault}: choose another, or remove it"
    if transition.cause == "event" and not transition.event:
        return f"{label} waits for an event without a name: choose one, or another cause"
    if transition.cause == "random" and transition.longest < transition.seconds:
        return f"{label} has its longest time below its shortest: exchange them"
    return ""


def _without_clip(settings: bpy.types.PropertyGroup, transition: bpy.types.PropertyGroup) -> Iterator[str]:
    """A sentence if a transition waits for the end of a clip, but no state in which it can start has a
    clip.
    """
    names = (
        [state.name for state in settings.states if state.clip is not None]
        if transition.begins_anywhere
        else [transition.begin]
    )
    if not names or any(settings.states[name].clip is None for name in names):
        where = "no state" if transition.begins_anywhere else f"'{transition.begin}'"
        yield (
            f"A transition to '{transition.end}' waits for a clip's end, but {where} has"
            f" {'a' if transition.begins_anywhere else 'no'} clip: choose a clip, or another cause"
        )


def _of_gesture(gesture: bpy.types.PropertyGroup) -> str:
    """Why a gesture cannot be used, with the remedy; "" if it can be."""
    label = f"Gesture '{gesture.name}'"
    pair = choices.chain_of(gesture)
    if pair is None:
        return f"{label} has no chain: choose one"
    if gesture.action is None:
        return f"{label} has no action, or it was deleted: choose one"
    if not gesture.event:
        return f"{label} has no event that begins it: choose one, or type a new one"
    if clip_rows(gesture.action, *pair) is None:
        return (
            f"{label}: action '{gesture.action.name}' moves no joint of chain '{pair[1].name}' over two frames"
            " or more: choose another action or chain"
        )
    return ""


def _unreached(settings: bpy.types.PropertyGroup) -> Iterator[str]:
    """Sentences on states, other than the first, to which no transition leads."""
    reached = {transition.end for transition in settings.transitions}
    for state in list(settings.states)[1:]:
        if state.name not in reached:
            yield (
                f"Nothing leads to state '{state.name}': add a transition, or enter it by its button or by a"
                " program"
            )
