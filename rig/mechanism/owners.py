"""Which objects have a mechanism."""

import bpy

from .properties import LimberMechanism

TYPES = ("EMPTY", "ARMATURE")  # of objects that can have one


def is_mechanism(mover) -> bool:
    """Whether this is no chain but what an object keeps of its mechanism."""
    return isinstance(mover, LimberMechanism)


def has_mechanism(thing) -> bool:
    return thing is not None and thing.type in TYPES and bool(thing.limber.mechanism.uid)


def owner_among(thing, scene) -> bpy.types.Object | None:
    """The owner of the mechanism that an object is, or is a part of."""
    if has_mechanism(thing):
        return thing
    for owner in scene.objects:
        collection = owner.limber.mechanism.collection if has_mechanism(owner) else None
        if collection is not None and collection.all_objects.get(thing.name) == thing:
            return owner
    return None
