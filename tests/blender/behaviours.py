"""Behaviours of the scene, as a person authors them: states and transitions."""

import bpy


def add_states(*names: str):
    """Adds states of these names to the scene's behaviour, in their order; returns all of its states."""
    states = bpy.context.scene.limber_behaviour.states
    for name in names:
        states.add().name = name
    return states


def add_transition(begin: str, end: str, **settings: object) -> None:
    """Adds a transition between two states to the scene's behaviour, with these settings."""
    transition = bpy.context.scene.limber_behaviour.transitions.add()
    for name, value in {"begin": begin, "end": end, **settings}.items():
        setattr(transition, name, value)
