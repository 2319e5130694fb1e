"""Choices for the settings of a behaviour: chains, targets, postures, events, states."""

from collections.abc import Iterator

import bpy

from ..blender.free_name import free_name
from ..scene.dependencies import ChainTarget
from ..scene.goal import watchable_by

# Blender keeps no reference to the items of a dynamic enumeration
_items: dict[int, list[tuple[str, str, str, str, int]]] = {}
NONE = ("NONE", "None", "Choose no chain", "ERROR", 0)


def chains() -> Iterator[tuple]:
    """(armature, chain) of all chains of the file whose armature is in a scene."""
    for obj in bpy.data.objects:
        if obj.type == "ARMATURE" and obj.users_scene:
            for chain in obj.limber.chains:
                yield obj, chain


def chain_of(item: bpy.types.PropertyGroup) -> tuple[bpy.types.Object, bpy.types.PropertyGroup] | None:
    """(armature, chain) to which an item's settings apply; None if it no longer exists."""
    pairs = ((owner, chain) for owner, chain in chains() if owner == item.owner and chain.uid == item.uid)
    return next(pairs, None)


def chain_items(
    _item: bpy.types.PropertyGroup, _context: bpy.types.Context
) -> list[tuple[str, str, str, str, int]]:
    """Enumeration items of all chains, preceded by one for no chain."""
    items = [NONE] + [
        (
            f"{owner.name}/{chain.uid}",
            chain.name,
            f"Chain '{chain.name}' of '{owner.name}'",
            "CON_ROTLIMIT",
            number,
        )
        for number, (owner, chain) in enumerate(chains(), 1)
    ]
    if _items.get(0) != items:
        _items[0] = items
    return _items[0]


def chosen_chain(item: bpy.types.PropertyGroup) -> int:
    """Number of the item's chain in `chain_items`; that of "None" if it has no chain, or one that is gone."""
    for number, (owner, chain) in enumerate(chains(), 1):
        if owner == item.owner and chain.uid == item.uid:
            return number
    return NONE[-1]


def choose_chain(item: bpy.types.PropertyGroup, number: int) -> None:
    """Chooses a chain for an item by its number in `chain_items`; 0 for none."""
    known = list(chains())
    item.owner, item.uid = (known[number - 1][0], known[number - 1][1].uid) if number else (None, "")


def watchable() -> Iterator[ChainTarget]:
    """The targets that the chains' main ends can look at."""
    for _, chain in chains():
        yield from watchable_by(chain)


def is_target(obj: bpy.types.Object) -> bool:
    """Whether an object, or a bone of it, is among the targets of the chains' main ends."""
    return any(target.obj == obj for target in watchable())


def target_bones(role: bpy.types.PropertyGroup, _context: bpy.types.Context, typed: str) -> list[str]:
    """Names of the bones of a role's target that chains can look at and that contain the typed text."""
    bones = dict.fromkeys(target.bone for target in watchable() if target.obj == role.look_at)
    return [bone for bone in bones if bone and typed.casefold() in bone.casefold()]


def posture_actions() -> Iterator[bpy.types.Action]:
    """The actions of the chains' stored postures."""
    for _, chain in chains():
        yield from (posture.action for posture in chain.postures if posture.action is not None)


def is_posture(action: bpy.types.Action) -> bool:
    """Whether a chain has an action among its stored postures."""
    return action in posture_actions()


def event_names(behaviour: bpy.types.PropertyGroup) -> list[str]:
    """Names of the events that trigger transitions or gestures of a behaviour."""
    names = [
        *(transition.event for transition in behaviour.transitions if transition.cause == "event"),
        *(gesture.event for gesture in behaviour.gestures),
    ]
    return [name for name in dict.fromkeys(names) if name]


def events(item: bpy.types.PropertyGroup, _context: bpy.types.Context, typed: str) -> list[str]:
    """Names of the behaviour's events that contain the typed text."""
    return [
        name for name in event_names(item.id_data.limber_behaviour) if typed.casefold() in name.casefold()
    ]


def name_gesture(gesture: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Makes the name of a gesture unique among the behaviour's gestures."""
    taken = {other.name for other in gesture.id_data.limber_behaviour.gestures if other != gesture}
    name = free_name(gesture.name or "Gesture", taken)
    if gesture.name != name:
        gesture.name = name  # assigning the name calls this function again


def follow_name(state: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Makes a state's new name unique, and updates the transitions that refer to the state."""
    behaviour = state.id_data.limber_behaviour
    taken = {other.name for other in behaviour.states if other != state}
    name = free_name(state.name or "State", taken)
    if state.name != name:
        state.name = name  # assigning the name calls this function again
        return
    before, state.known_as = state.known_as, name
    if not before or before == name:
        return
    for transition in behaviour.transitions:
        if transition.begin == before:
            transition.begin = name
        if transition.end == before:
            transition.end = name
