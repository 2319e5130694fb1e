"""Which objects have a mechanism, and which one it is."""

from uuid import uuid4

import bpy

from ...properties.mechanism import LimberMechanism

TYPES = ("EMPTY", "ARMATURE")  # of objects that can have one


def is_mechanism(mover) -> bool:
    """Whether this is no chain but what an object keeps of its mechanism."""
    return isinstance(mover, LimberMechanism)


def has_mechanism(thing) -> bool:
    return thing is not None and thing.type in TYPES and bool(thing.limber.mechanism.uid)


def own_identity(owner) -> None:
    """A copy of a mechanism gets an identity of its own, as soon as something is done with it. What is live keeps what it has."""
    kept = owner.limber.mechanism
    if not kept.live and any(
        has_mechanism(other) and other.limber.mechanism.uid == kept.uid and other.session_uid < owner.session_uid
        for other in bpy.data.objects
    ):
        kept.uid = uuid4().hex
