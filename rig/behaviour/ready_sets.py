"""Built-in sets of behaviour, added to a scene's settings."""

from math import inf

import bpy

from ...character.behaviour.data import ANY, StateSpec, TransitionSpec
from ...character.behaviour.ready import READY
from . import choices


def add(settings: bpy.types.PropertyGroup, name: str) -> tuple[int, int]:
    """Adds a built-in set to a behaviour's settings: the states whose names are new, and the transitions that
    are new. Returns (number of added states, number of added transitions).

    Args:
        settings: Settings of the behaviour.
        name: Key in `READY`.
    """
    # actions of postures by their names without numbers: characters from several files may have postures of
    # one name
    stored: dict[str, list[bpy.types.Action]] = {}
    for action in dict.fromkeys(choices.posture_actions()):
        stored.setdefault(_without_number(action.name), []).append(action)
    behaviour = READY[name](stored)
    known = {state.name for state in settings.states}
    new_states = [state for state in behaviour.states if state.name not in known]
    for spec in new_states:
        _add_state(settings, spec, stored)
    identities = {
        (item.begins_anywhere, item.begin, item.end, item.cause, item.event) for item in settings.transitions
    }
    new_transitions = [spec for spec in behaviour.transitions if _identity(spec) not in identities]
    for transition in new_transitions:
        _add_transition(settings, transition)
    return len(new_states), len(new_transitions)


def _without_number(name: str) -> str:
    """A name without the number that Blender adds to a second data-block of the same name: "Sad" for
    "Sad.001".
    """
    begin, _, number = name.rpartition(".")
    return begin if begin and len(number) >= 3 and number.isdigit() else name


def _add_state(settings: bpy.types.PropertyGroup, spec: StateSpec, stored: dict) -> None:
    state, role = settings.states.add(), spec.everyone
    state.name, state.seconds = spec.name, spec.seconds
    if role.influence is not None:
        state.sets_influence, state.influence = True, role.influence
    state.speaks = spec.speaks
    for name in ("life", "blinks", "aversion", "lids"):
        if (value := getattr(role, name)) is not None:
            setattr(state, name, value)
    for name, weight in role.weights or ():
        for action in stored[name]:
            posture = state.postures.add()
            posture.action, posture.weight = action, weight


def _identity(transition: TransitionSpec) -> tuple:
    return transition.begin == ANY, transition.begin, transition.end, transition.cause, transition.name


def _add_transition(settings: bpy.types.PropertyGroup, spec: TransitionSpec) -> None:
    transition = settings.transitions.add()
    transition.begins_anywhere, transition.begin, transition.end, transition.cause, transition.event = (
        _identity(spec)
    )
    if spec.cause in ("nearer", "farther"):
        transition.distance = spec.least
    else:
        transition.seconds = spec.least
    if spec.most != inf:
        transition.longest = spec.most
